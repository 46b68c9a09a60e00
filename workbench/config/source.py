"""What a Python file defines, read off its source; nothing of it runs."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

LONGEST_SOURCE: Final = 1024 * 1024
"""In bytes."""


class Unreadable(ValueError):
    """A file that is no Python source; the message says where it goes wrong."""


@dataclass(frozen=True)
class Source:
    """The names that a module has once it is imported."""

    names: frozenset[str] = frozenset()
    """Everything defined or imported at its top level."""
    functions: frozenset[str] = frozenset()
    """The functions written in it."""
    tools: dict[str, str] = field(default_factory=dict)
    """The tools written in it: what the model calls them -> the name in the module."""
    is_open: bool = False
    """Names may be there that the source doesn't show: a star import, or a module-level `__getattr__`."""

    def has(self, name: str) -> bool:
        """Whether the module has, or may have, something of that name."""
        return self.is_open or name in self.names


def read_source(path: Path) -> Source:
    """Read what a file defines. Raises Unreadable."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"it can't be read: {error.strerror}") from None
    if len(data) > LONGEST_SOURCE:
        raise Unreadable(f"it is {len(data):,} bytes long; {LONGEST_SOURCE:,} are the limit")
    return _analyse(data)


@lru_cache(maxsize=256)
def _analyse(data: bytes) -> Source:
    try:
        tree = ast.parse(data)
    except SyntaxError as error:
        raise Unreadable(f"line {error.lineno or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(str(error) or "it is nested too deep") from None
    return _Reader().read(tree)


class _Reader:
    def __init__(self) -> None:
        self._names: set[str] = set()
        self._functions: set[str] = set()
        self._tools: dict[str, str] = {}
        self._decorators = {"tool"}
        self._is_open = False

    def read(self, tree: ast.Module) -> Source:
        for statement in _top_level(tree.body):
            self._take(statement)
        is_open = self._is_open or "__getattr__" in self._functions
        return Source(frozenset(self._names), frozenset(self._functions), self._tools, is_open)

    def _take(self, statement: ast.stmt) -> None:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self._names.add(name)
                self._functions.add(name)
                if (tool := self._tool_name(statement)) is not None:
                    self._tools[tool] = name
            case ast.ClassDef(name=name):
                self._names.add(name)
            case ast.Import(names=aliases):
                self._names.update(alias.asname or alias.name.partition(".")[0] for alias in aliases)
            case ast.ImportFrom(names=aliases):
                self._is_open = self._is_open or any(alias.name == "*" for alias in aliases)
                self._names.update(alias.asname or alias.name for alias in aliases)
                if (statement.module or "").startswith("strands"):
                    self._decorators.update(
                        alias.asname or alias.name for alias in aliases if alias.name == "tool"
                    )
            case _:
                self._names.update(_assigned(statement))
                if (tool := _tool_spec_name(statement)) is not None:
                    self._tools[tool] = tool

    def _tool_name(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
        for decorator in function.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            if not self._is_tool(call.func if call else decorator):
                continue
            for keyword in call.keywords if call else ():
                if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                    return str(keyword.value.value)
            return function.name
        return None

    def _is_tool(self, decorator: ast.expr) -> bool:
        match decorator:
            case ast.Name(id=name):
                return name in self._decorators
            case ast.Attribute(attr="tool"):
                return True
            case _:
                return False


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run on import, those under `if`, `try`, `with` and loops included."""
    for statement in body:
        yield statement
        match statement:
            case ast.If() | ast.For() | ast.While():
                yield from _top_level(statement.body)
                yield from _top_level(statement.orelse)
            case ast.With():
                yield from _top_level(statement.body)
            case ast.Try() | ast.TryStar():
                for block in (statement.body, statement.orelse, statement.finalbody):
                    yield from _top_level(block)
                for handler in statement.handlers:
                    yield from _top_level(handler.body)


def _assigned(statement: ast.stmt) -> Iterator[str]:
    for node in (
        ast.walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) else ()
    ):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _tool_spec_name(statement: ast.stmt) -> str | None:
    """The name that a plain module's `TOOL_SPEC = {"name": …}` gives its tool."""
    match statement:
        case ast.Assign(targets=[ast.Name(id="TOOL_SPEC")], value=ast.Dict() as spec):
            for key, value in zip(spec.keys, spec.values, strict=True):
                match key, value:
                    case ast.Constant(value="name"), ast.Constant(value=str() as name):
                        return name
    return None
