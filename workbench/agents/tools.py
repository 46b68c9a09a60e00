"""Load the local tools an agent's `tools` names.

The forms: a bare `NAME` (the function of that name in `tools/NAME.py`, or in any module of `tools/`, beside the
config), `./tools/catalog.py` (every `@tool` function of the file), `./tools/catalog.py:search`, `package.module` and
`package.module:lookup`. A function without `@tool` becomes a tool when it is named itself and is typed and documented.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, get_type_hints

import strands
from strands.tools.decorator import DecoratedFunctionTool
from strands.tools.tools import PythonAgentTool, normalize_schema
from strands.types.tools import AgentTool, ToolContext

from workbench.config import AgentConfig, Config, ImportSpecError, ImportSpecs
from workbench.config.problem import written

_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class ToolLoadError(Exception):
    """A tool that can't be loaded: which, why, and where the config names it.

    Attributes:
        sentence: what is wrong and what to do, without the place.
        path: the place in the config, as in `agents.merchant.tools[2]`.
        file: the config's file.
        line: the line of that place, when the config knows it.
        column: its column.
    """

    def __init__(self, sentence: str, path: str, file: str, line: int | None, column: int | None) -> None:
        where = f"{file}:{line}:{column}" if line is not None else file
        super().__init__(f"{path}: {sentence} ({where})")
        self.sentence = sentence
        self.path = path
        self.file = file
        self.line = line
        self.column = column


@dataclass(frozen=True)
class ToolSpec:
    """What a model is told of a tool."""

    name: str
    description: str
    input_schema: dict[str, Any]
    """JSON Schema of the arguments, always an object with `properties` and `required`."""


class _Unloadable(Exception):
    """The sentence, before the place is known."""


def load_tools(
    agent: AgentConfig, config: Config, specs: ImportSpecs, missing: list[ToolLoadError] | None = None
) -> list[AgentTool]:
    """Load every tool of an agent, in the order of its `tools`.

    Raises `ToolLoadError` for the first that can't be loaded, and for a second tool of the same name. With a list
    for what is `missing`, these errors are put there instead, and the other tools are loaded.
    """
    name = next((key for key, value in config.agents.items() if value is agent), "?")
    loaded: dict[str, tuple[str, AgentTool]] = {}
    for index, spec in enumerate(agent.tools):
        try:
            for tool in _load(spec, specs):
                if tool.tool_name in loaded:
                    earlier = loaded[tool.tool_name][0]
                    raise _Unloadable(
                        f"{spec!r} gives a second tool named {tool.tool_name!r}, after {earlier!r}"
                    )
                loaded[tool.tool_name] = (spec, tool)
        except (_Unloadable, ImportSpecError) as error:
            line, column = config.place(f"agents.{name}.tools.{index}") or (None, None)
            path = written(("agents", name, "tools", index))
            failure = ToolLoadError(str(error), path, config.file, line, column)
            if missing is None:
                raise failure from error
            missing.append(failure)
    return [tool for _, tool in loaded.values()]


def tool_spec(tool: AgentTool) -> ToolSpec:
    """Return a tool's spec in one form, whichever way the tool declared its schema."""
    declared = tool.tool_spec
    schema: dict[str, Any] = declared["inputSchema"]
    return ToolSpec(
        name=tool.tool_name,
        description=declared["description"],
        input_schema=normalize_schema(schema.get("json", schema)),
    )


def _load(spec: str, specs: ImportSpecs) -> list[AgentTool]:
    full = specs.tool_spec(spec) if spec.isidentifier() else spec
    module = specs.module(full)
    if ":" not in full:
        return _module_tools(module, spec)
    value = specs.load(full)
    if inspect.isfunction(value) and value.__name__ == _declared_name(module):
        return [_spec_module_tool(module, spec)]
    return [_as_tool(value, spec)]


def _module_tools(module: ModuleType, spec: str) -> list[AgentTool]:
    tools = {id(value): value for _, value in _own(module) if isinstance(value, AgentTool)}
    if tools:
        return [_checked(tool, spec) for tool in tools.values()]
    if hasattr(module, "TOOL_SPEC"):
        return [_spec_module_tool(module, spec)]
    functions = [
        name for name, value in _own(module) if inspect.isfunction(value) and not name.startswith("_")
    ]
    hint = f"; add @tool, or name one, as in {spec}:{functions[0]}" if functions else ""
    raise _Unloadable(f"{spec!r} has no @tool function{hint}")


def _own(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield what a module defines; an import of another module's tool doesn't offer it to a model unasked."""
    for name, value in vars(module).items():
        if inspect.isfunction(value) or isinstance(value, DecoratedFunctionTool):
            if value.__module__ != module.__name__:
                continue
        yield name, value


def _declared_name(module: ModuleType) -> Any:
    declared = getattr(module, "TOOL_SPEC", None)
    return declared.get("name") if isinstance(declared, Mapping) else None


def _spec_module_tool(module: ModuleType, spec: str) -> AgentTool:
    """A module with `TOOL_SPEC` and a function of the tool's name: strands' older form."""
    declared = module.TOOL_SPEC
    if not isinstance(declared, Mapping) or not {"name", "description", "inputSchema"} <= set(declared):
        raise _Unloadable(f"{spec!r}: TOOL_SPEC needs name, description and inputSchema")
    function = getattr(module, str(declared["name"]), None)
    if not callable(function):
        raise _Unloadable(f"{spec!r} has a TOOL_SPEC for {declared['name']!r} and no function of that name")
    return _checked(PythonAgentTool(declared["name"], dict(declared), function), spec)  # type: ignore[arg-type]


def _as_tool(value: Any, spec: str) -> AgentTool:
    if isinstance(value, AgentTool):
        return _checked(value, spec)
    if inspect.isfunction(value):
        return _checked(_wrapped(value, spec), spec)
    if isinstance(value, ModuleType):
        raise _Unloadable(
            f"{spec!r} is a module, not a function; leave the part after the colon out for all its tools"
        )
    raise _Unloadable(f"{spec!r} is a {type(value).__name__}, not a tool or a function")


def _wrapped(function: Any, spec: str) -> AgentTool:
    """Make a tool of a plain function; what a model would have to guess is refused."""
    if not (inspect.getdoc(function) or "").strip():
        raise _Unloadable(f"{spec!r} has no docstring, so a model couldn't know what it does; add one")
    try:
        hints = get_type_hints(function)
    except Exception as error:
        raise _Unloadable(f"{spec!r} has annotations that can't be resolved: {error}") from error
    context: str | None = None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise _Unloadable(f"{spec!r} takes {parameter}; a tool's parameters must each have a name")
        if hints.get(parameter.name) is ToolContext:
            context = parameter.name
        elif parameter.name not in hints and parameter.name != "agent":
            raise _Unloadable(
                f"{spec!r} doesn't say the type of its parameter {parameter.name!r}; annotate it"
            )
    try:
        made: AgentTool = strands.tool(context=context)(function) if context else strands.tool(function)
    except Exception as error:
        raise _Unloadable(f"{spec!r} can't be made a tool: {error}") from error
    return made


def _checked(tool: AgentTool, spec: str) -> AgentTool:
    if not _TOOL_NAME.fullmatch(tool.tool_name):
        raise _Unloadable(
            f"{spec!r} names its tool {tool.tool_name!r}; use at most 64 letters, digits, underscores and hyphens"
        )
    return tool
