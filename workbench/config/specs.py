"""Import specs checked and loaded, for one config folder."""

import importlib
import re
import traceback
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from workbench.config.inside import Outside, file_inside
from workbench.config.loader import load_file
from workbench.config.problem import did_you_mean, nearest
from workbench.config.source import Source, Unreadable, read_source
from workbench.config.spec import FileSpec, ImportSpecError, ModuleSpec, check_root, import_roots, parse_spec

_LONGEST_REASON: Final = 500
_BARE_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
TOOLS_FOLDER: Final = "tools"


class ImportSpecs:
    """Loads the code that a config names, from its own folder and from the import roots only.

    `check` reads source and runs nothing, so it can follow someone's typing; `load` and `module` import.
    """

    def __init__(self, folder: str | Path, roots: Sequence[str] | None = None) -> None:
        """See the class.

        Args:
            folder: the config's folder.
            roots: the packages that may be imported besides; by default those in `WORKBENCH_IMPORT_ROOTS`.
        """
        self.folder = Path(folder).resolve()
        self.roots = import_roots() if roots is None else tuple(roots)

    def load(self, spec: str) -> Any:
        """The object that a spec with a name (`./file.py:name`) stands for. Raises ImportSpecError."""
        parsed = parse_spec(spec)
        if parsed.attribute is None:
            raise ImportSpecError(f"{spec!r} does not say what to take from the file; write {spec}:name")
        module = self.module(spec)
        try:
            return getattr(module, parsed.attribute)
        except AttributeError:
            names = [name for name in vars(module) if not name.startswith("_")]
            raise _no_attribute(spec, parsed.attribute, names) from None

    def module(self, spec: str) -> ModuleType:
        """The module that a spec, with a name or without, stands in. Raises ImportSpecError."""
        parsed = parse_spec(spec)
        path = self._locate(parsed, spec)
        try:
            if isinstance(parsed, ModuleSpec):
                return importlib.import_module(parsed.module)
            assert path is not None
            return load_file(self.folder, path.relative_to(self.folder))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # A file that calls exit() must not take the program with it.
            raise ImportSpecError(self._why(error, spec, path)) from error

    def check(self, spec: str) -> Source:
        """What the file of a spec defines, having made sure that what the spec names is there. Nothing runs.

        Raises:
            ImportSpecError: the spec is refused, or there is no such file or name in it.
        """
        parsed = parse_spec(spec)
        path = self._locate(parsed, spec)
        if path is None:
            return Source(is_open=True)
        try:
            source = read_source(path)
        except Unreadable as error:
            raise ImportSpecError(f"{spec!r} can't be read as Python: {self._short(path)}, {error}") from None
        if parsed.attribute is not None and not source.has(parsed.attribute):
            raise _no_attribute(spec, parsed.attribute, sorted(source.names))
        return source

    def tool_spec(self, name: str) -> str:
        """The import spec of a bare tool name: the function of that name in `tools/`, beside the config.

        `tools/NAME.py` comes first, then every other module of `tools/`. Nothing runs.

        Raises:
            ImportSpecError: no module has it, or several do.
        """
        if not _BARE_NAME.fullmatch(name):
            raise ImportSpecError(
                f"{name!r} is not a tool; write its name, ./file.py, ./file.py:name or package.module:name"
            )
        found: list[str] = []
        known: set[str] = set()
        for path in self._tool_files(name):
            try:
                source = read_source(path)
            except Unreadable as error:
                if path.stem == name:
                    raise ImportSpecError(
                        f"{name!r} can't be read as Python: {self._short(path)}, {error}"
                    ) from None
                continue
            offered = {**dict.fromkeys(source.functions), **source.tools}
            known.update(source.tools or source.functions)
            if name in offered:
                found.append(f"./{self._short(path)}:{offered[name] or name}")
                if path.stem == name:
                    break
        if not found:
            near = nearest(name, known)
            hint = did_you_mean(near, sorted(known), nothing=f"add it to {TOOLS_FOLDER}/{name}.py")
            raise ImportSpecError(
                f"there is no tool {name!r} in the folder {TOOLS_FOLDER}/ beside the config; {hint}", near
            )
        if len(found) > 1:
            raise ImportSpecError(
                f"there are several tools {name!r}: {' and '.join(found)}; write one of them"
            )
        return found[0]

    def tools_beside(self) -> dict[str, str]:
        """The tools that the modules of `tools/` show: name -> file. A module that can't be read shows none."""
        found: dict[str, str] = {}
        for path in self._tool_files(""):
            try:
                found |= dict.fromkeys(read_source(path).tools, self._short(path))
            except Unreadable:
                continue  # said where an agent names a tool of it
        return found

    def _tool_files(self, name: str) -> list[Path]:
        folder = self.folder / TOOLS_FOLDER
        if not folder.is_dir() or not folder.resolve().is_relative_to(self.folder):
            return []
        files = [path for path in sorted(folder.glob("*.py")) if path.resolve().is_relative_to(self.folder)]
        return sorted(files, key=lambda path: path.stem != name)

    def _locate(self, parsed: FileSpec | ModuleSpec, written: str) -> Path | None:
        """The file of a spec; None for a module that is not a Python file."""
        if isinstance(parsed, ModuleSpec):
            check_root(parsed, written, self.roots)
            return _module_file(parsed.module, written)
        try:
            path = file_inside(self.folder, parsed.path)
        except Outside as error:
            name = f":{parsed.attribute}" if parsed.attribute and error.suggestion else ""
            raise ImportSpecError(
                str(error), f"{error.suggestion}{name}" if error.suggestion else None
            ) from None
        relative = path.relative_to(self.folder)
        if any("." in part for part in relative.with_suffix("").parts):
            raise ImportSpecError(
                f"{written!r} has a dot inside a name, which Python can't import; rename it"
            )
        return path

    def _short(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else path.name

    def _why(self, error: BaseException, spec: str, path: Path | None) -> str:
        """Say what an import failed on: the file and line, the exception's name and its words."""
        where = self._line_of(error, path)
        reason = _words(error)
        advice = ""
        if isinstance(error, ModuleNotFoundError) and error.name:
            top = error.name.partition(".")[0]
            if any((self.folder / holder / f"{top}.py").is_file() for holder in ("", TOOLS_FOLDER)):
                advice = (
                    f"; files beside the config import each other relatively, as in `from .{top} import …`"
                )
        return f"{spec!r} can't be loaded: {where}: {type(error).__name__}: {reason}{advice}"

    def _is_own(self, path: Path) -> bool:
        """Whether a file is the config's; an environment installed in its folder is not."""
        return path.is_relative_to(self.folder) and "site-packages" not in path.parts

    def _line_of(self, error: BaseException, path: Path | None) -> str:
        if isinstance(error, SyntaxError) and error.filename:
            return f"{self._short(Path(error.filename))}:{error.lineno or 1}"
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if self._is_own(Path(frame.filename))]
        if own:
            return f"{self._short(Path(own[-1].filename))}:{own[-1].lineno}"
        return self._short(path) if path else "on import"


def _no_attribute(spec: str, attribute: str, names: Sequence[str]) -> ImportSpecError:
    near = nearest(attribute, names)
    visible = [name for name in names if not name.startswith("_")]
    hint = did_you_mean(near, visible, nothing="nothing is defined in it")
    where = spec.rpartition(":")[0]
    return ImportSpecError(
        f"there is no {attribute!r} in {where}; {hint}", f"{where}:{near}" if near else None
    )


def _module_file(module: str, written: str) -> Path | None:
    """The file of an installed module, found without importing anything, its packages included."""
    locations: Sequence[str] | None = None
    parts = module.split(".")
    for position in range(len(parts)):
        name = ".".join(parts[: position + 1])
        spec = PathFinder.find_spec(name, locations)
        if spec is None:
            raise ImportSpecError(f"{written!r} can't be found: there is no module {name!r} installed")
        locations = spec.submodule_search_locations
        if locations is None and position < len(parts) - 1:
            raise ImportSpecError(f"{written!r} can't be found: {name!r} is a module, not a package")
    origin = spec.origin if spec else None
    return Path(origin) if origin and origin.endswith(".py") else None


def _words(error: BaseException) -> str:
    try:
        words = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception as second:
        words = f"(its text can't be shown: {type(second).__name__})"
    words = " ".join(str(words).split())
    return words if len(words) <= _LONGEST_REASON else f"{words[:_LONGEST_REASON]}…"
