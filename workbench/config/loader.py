"""Importing a config's own files, each config folder apart from every other.

A folder is imported as a package of its own, under a name made of its path and a number: `./tools/catalog.py` becomes
`workbench_config_1f0c…_1.tools.catalog`. So its files import each other relatively (`from .prices import lookup` beside
each other, `from ..shop import database` from a subfolder), two folders may both have a `tools/catalog.py`, and neither
`sys.path` nor anyone else's modules change. When the content of any file loaded so far is another, the folder is loaded
anew under the next number, so that no old helper mixes with a new tool; what holds the old modules keeps them.
"""

import hashlib
import importlib
import sys
import threading
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

PREFIX: Final = "workbench_config_"
_GENERATIONS_KEPT: Final = 8


class _Generation:
    """One loading of a folder: the package, and the content of every file that came with it."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder = folder
        self.number = number
        self.package = f"{PREFIX}{_digest(str(folder).encode())[:12]}_{number}"
        self.contents: dict[str, tuple[Path, str]] = {}
        """By module name: the file it was made of, and a digest of what stood in it."""
        root = ModuleType(self.package)
        root.__path__ = [str(folder)]
        root.__spec__ = ModuleSpec(self.package, None, is_package=True)
        sys.modules[self.package] = root

    def is_current(self) -> bool:
        """Whether every file still is what was loaded; one that failed to load is tried again anyway."""
        loaded = [made_of for name, made_of in list(self.contents.items()) if name in sys.modules]
        return all(_content(path) == content for path, content in loaded)

    def forget(self) -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == self.package]:
            del sys.modules[name]


class _Loader(SourceFileLoader):
    """Compiles a file as it is now: byte code kept on disk goes by time and size, and may be older than the file."""

    def __init__(self, name: str, path: Path, generation: _Generation) -> None:
        super().__init__(name, str(path))
        self._generation = generation

    def get_code(self, fullname: str) -> CodeType:
        data = self.get_data(self.path)
        self._generation.contents[fullname] = (Path(self.path), _digest(data))
        code: CodeType = self.source_to_code(data, self.path)
        return code


class _Finder(MetaPathFinder):
    """Finds the modules of config folders, and nothing else."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, *parts = fullname.split(".")
        generation = _BY_PACKAGE.get(package)
        if generation is None or not parts:
            return None
        stem = generation.folder.joinpath(*parts)
        for file, is_package in ((stem.with_name(stem.name + ".py"), False), (stem / "__init__.py", True)):
            if file.is_file():
                return self._spec(fullname, file, generation, is_package=is_package)
        if stem.is_dir():
            _keep_inside(stem, generation.folder)
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [str(stem)]
            return spec
        return None

    def _spec(self, fullname: str, file: Path, generation: _Generation, *, is_package: bool) -> ModuleSpec:
        _keep_inside(file, generation.folder)
        spec = ModuleSpec(
            fullname, _Loader(fullname, file, generation), origin=str(file), is_package=is_package
        )
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [str(file.parent)]
        return spec


_LOCK: Final = threading.RLock()
_CURRENT: Final[dict[Path, list[_Generation]]] = {}
_BY_PACKAGE: Final[dict[str, _Generation]] = {}
_FINDER: Final = _Finder()


def load_file(folder: Path, relative: Path) -> ModuleType:
    """Import a file of a folder, or return it as imported when nothing that came with it has changed.

    Args:
        folder: the config's folder, its real path.
        relative: the file's path, seen from the folder.

    Raises:
        Whatever the file raises.
    """
    with _LOCK:
        if _FINDER not in sys.meta_path:
            sys.meta_path.insert(0, _FINDER)
        parts = relative.with_suffix("").parts
        if len(parts) > 1 and parts[-1] == "__init__":
            parts = parts[:-1]
        return importlib.import_module(".".join([_generation(folder).package, *parts]))


def _generation(folder: Path) -> _Generation:
    kept = _CURRENT.setdefault(folder, [])
    if not kept or not kept[-1].is_current():
        generation = _Generation(folder, kept[-1].number + 1 if kept else 1)
        kept.append(generation)
        _BY_PACKAGE[generation.package] = generation
        if len(kept) > _GENERATIONS_KEPT:
            oldest = kept.pop(0)
            del _BY_PACKAGE[oldest.package]
            oldest.forget()
    return kept[-1]


def _keep_inside(path: Path, folder: Path) -> None:
    if not path.resolve().is_relative_to(folder):
        raise ImportError(f"{path.name} leads out of the config's folder, through a symlink")


def _content(path: Path) -> str | None:
    try:
        return _digest(path.read_bytes())
    except OSError:
        return None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
