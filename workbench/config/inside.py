"""Files of a config's own folder, and nothing outside of it."""

import os
from pathlib import Path

from workbench.config.problem import nearest


class Outside(ValueError):
    """A path that is not the config's to name, or names nothing; the message says why."""

    def __init__(self, message: str, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.suggestion = suggestion


def file_inside(folder: Path, written: str) -> Path:
    """The real path of a file that a config names.

    Args:
        folder: the config's folder.
        written: the path as the config has it, with `/` between its parts, seen from the folder.

    Raises:
        Outside: it leads out of the folder, by `..`, from the root, or through a symlink; or there is no such file.
    """
    if "\0" in written or "\\" in written:
        raise Outside(f"{written!r} is not a path; write its parts with / between them")
    if written.startswith(("/", "~")):
        raise Outside(f"{written!r} is outside the config's folder; write a path that starts with ./")
    parts = [part for part in written.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Outside(f"{written!r} leads out of the config's folder; '..' is not allowed")
    try:
        real = folder.joinpath(*parts).resolve()
        home = folder.resolve()
        if not real.is_relative_to(home):
            raise Outside(f"{written!r} leads out of the config's folder, through a symlink")
        if real.is_dir():
            raise Outside(f"{written!r} is a folder; name a file in it")
        if not real.is_file():
            near = _neighbour(folder, parts)
            hint = f"; did you mean {near!r}?" if near else ""
            raise Outside(f"there is no file {written!r} beside the config{hint}", near)
    except (OSError, RuntimeError) as error:
        raise Outside(
            f"{written[:80]!r} can't be looked up: {getattr(error, 'strerror', None) or error}"
        ) from None
    return real


def _neighbour(folder: Path, parts: list[str]) -> str | None:
    """The path that was most likely meant: a similar name in the same folder, or the same name in another."""
    *holders, name = parts or [""]
    holder = folder.joinpath(*holders)
    if holder.is_dir() and (near := nearest(name, _some(holder))):
        return "./" + "/".join([*holders, near])
    return None


def _some(folder: Path, limit: int = 500) -> list[str]:
    names: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(names) >= limit:
                break
            if not entry.name.startswith(".") and entry.is_file():
                names.append(entry.name)
    return sorted(names)
