"""A folder's stamp: cheap to take, and another one as soon as any file that a config is made of is another."""

import os
import time
from pathlib import Path
from typing import Final

Stamp = tuple[tuple[str, int, int, int, int], ...]

_KINDS: Final = (".py", ".yaml", ".yml", ".json", ".md", ".txt")
_SKIPPED: Final = frozenset({"__pycache__", "node_modules", "site-packages"})
_MOST_FILES: Final = 400
_DEEPEST: Final = 6
_SETTLED: Final = 2_000_000_000
"""Nanoseconds after which a file's time can be trusted: the coarsest disks keep it in steps of two seconds, so that a
file written twice in quick succession may look the same."""


def folder_stamp(folder: Path) -> Stamp | None:
    """Return what tells the present state of a config's folder from any other.

    Names, times, sizes and identities of its source files are looked at, and no content.

    Returns:
        The stamp, or None when it can't vouch for the folder: a file is too new, there are too many, or one can't be
        looked at.
    """
    files: list[tuple[str, int, int, int, int]] = []
    try:
        complete = _walk(str(folder), files, 0)
    except OSError:
        return None
    newest = max((max(file[1], file[2]) for file in files), default=0)
    return tuple(files) if complete and time.time_ns() - newest > _SETTLED else None


def _walk(folder: str, files: list[tuple[str, int, int, int, int]], depth: int) -> bool:
    inner = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_KINDS):
                stat = entry.stat()
                files.append((entry.path, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino))
            elif not entry.name.startswith(".") and entry.name not in _SKIPPED and entry.is_dir():
                inner.append(entry.path)
    if len(files) > _MOST_FILES or (inner and depth == _DEEPEST):
        return False
    return all(_walk(path, files, depth + 1) for path in inner)
