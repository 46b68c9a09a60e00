"""Config files on disk: which there are, and writing one so that nobody ever reads half of it."""

import os
import stat
import tempfile
from pathlib import Path
from typing import Final

ENDINGS: Final = (".yaml", ".yml")

DATASOURCES: Final = "datasources"
"""The one name, without its ending, that no config has: it is the list of data sources beside them."""


def config_files(folder: Path) -> list[Path]:
    """The configs of a folder, by name: its YAML files, hidden ones, subfolders and the data sources aside."""
    return [path for path in yaml_files(folder) if path.stem != DATASOURCES]


def yaml_files(folder: Path) -> list[Path]:
    """The YAML files of a folder, by name, hidden ones aside; none where there is no such folder."""
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix in ENDINGS and not path.name.startswith(".") and path.is_file()
    )


def write_atomically(path: Path, text: str) -> None:
    """Replace a file's content in one step: a reader, and a crash, finds the old text or the new one.

    The text is written as UTF-8, as it is. The file keeps its permissions, and a symlink to it stays one.

    Raises:
        OSError: the folder is not there or can't be written to; the old file is untouched.
    """
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".new")
    new = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        new.chmod(_mode(target))
        new.replace(target)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _mode(target: Path) -> int:
    """The permissions of the file to replace; for a new one, what the process would give it."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
