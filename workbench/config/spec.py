"""Import specs: how a config names code, and which code it may name at all.

`./tools/catalog.py` and `./tools/catalog.py:search` are files of the config's own folder. `my_package.tools:lookup` is
code of an installed package, and only of packages listed in `WORKBENCH_IMPORT_ROOTS` (separated by commas or spaces).
Nothing else loads, because the editor makes YAML an input.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ROOTS_VARIABLE = "WORKBENCH_IMPORT_ROOTS"

_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)


class ImportSpecError(Exception):
    """An import spec that is refused or can't be loaded; the message says why and what would be right."""

    def __init__(self, message: str, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.suggestion = suggestion


@dataclass(frozen=True)
class FileSpec:
    """Code in a file of the config's folder."""

    path: str
    """Starts with `./`."""
    attribute: str | None


@dataclass(frozen=True)
class ModuleSpec:
    """Code in an installed package."""

    module: str
    attribute: str | None


def parse_spec(written: str) -> FileSpec | ModuleSpec:
    """Read an import spec. Raises ImportSpecError for a text that is none."""
    where, colon, attribute = written.partition(":")
    if colon and not attribute.isidentifier():
        raise ImportSpecError(
            f"{written!r} must end with the name of something in the file, as in ./file.py:name"
        )
    name = attribute or None
    if where.startswith("./"):
        if not where.endswith(".py"):
            raise ImportSpecError(f"{written!r} must name a Python file, as in ./file.py:name")
        return FileSpec(where, name)
    if where.startswith(("/", "~", "../")) or where == "..":
        raise ImportSpecError(f"{written!r} is outside the config's folder; write a path that starts with ./")
    if "/" in where or "\\" in where or where.endswith(".py"):
        right = "./" + where.replace("\\", "/") + colon + attribute
        raise ImportSpecError(f"{written!r} is not an import spec; a file is written {right}", right)
    if not _MODULE.fullmatch(where):
        raise ImportSpecError(
            f"{written!r} is not an import spec; write ./file.py:name or package.module:name"
        )
    return ModuleSpec(where, name)


def import_roots(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The packages that `WORKBENCH_IMPORT_ROOTS` names."""
    listed = (os.environ if environment is None else environment).get(ROOTS_VARIABLE, "")
    return tuple(root for root in re.split(r"[\s,;:]+", listed) if root)


def check_root(spec: ModuleSpec, written: str, roots: Sequence[str]) -> None:
    """Refuse a package that no root holds. Raises ImportSpecError."""
    if any(spec.module == root or spec.module.startswith(root + ".") for root in roots):
        return
    allowed = f" (it names {', '.join(roots)})" if roots else " (it names none)"
    name = f":{spec.attribute}" if spec.attribute else ""
    raise ImportSpecError(
        f"{written!r} is refused: {spec.module.partition('.')[0]!r} is not among the packages in {ROOTS_VARIABLE}"
        f"{allowed}; a file beside the config is written ./{spec.module.replace('.', '/')}.py{name}"
    )
