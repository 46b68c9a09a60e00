"""Checks of what a config names outside its text: import specs, tools, prompts and client tools. Nothing runs."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from workbench.config.client_tool import CLIENT_TOOLS, ClientTools, read_client_tools
from workbench.config.context import Context
from workbench.config.datasource import read_datasources
from workbench.config.files import DATASOURCES
from workbench.config.model import PROVIDERS
from workbench.config.problem import KeyPath, Problem, did_you_mean, nearest
from workbench.config.prompt import PromptUnreadable, read_prompt
from workbench.config.spec import ImportSpecError
from workbench.config.specs import ImportSpecs

REQUEST_DATASOURCES: Final = "request_datasources"

_WITH_A_NAME: Final = (
    ("agents", "*", "hooks", "*"),
    ("agents", "*", "interrupt", "tools", "*", "subject"),
    ("agents", "*", "interrupt", "on_decision"),
    ("orchestrations", "*", "edges", "*", "condition"),
)


class _Lookups:
    """Looks each spec up once for one check: many agents name the same tools."""

    def __init__(self, specs: ImportSpecs) -> None:
        self.check = cache(specs.check)
        self.tool_spec = cache(specs.tool_spec)


def check(context: Context, folder: Path) -> None:
    """Note every import spec, tool and prompt file that isn't there, and every tool that is there twice."""
    specs = _Lookups(ImportSpecs(folder))
    for pattern in _WITH_A_NAME:
        for path, spec in context.texts(*pattern):
            if context.report.full:
                return
            _named(context, specs, path, spec)
    for holder in (("models", "*"), ("defaults", "model"), ("agents", "*", "model")):
        for path, provider in context.texts(*holder, "provider"):
            if provider not in PROVIDERS and (":" in provider or "/" in provider):
                _named(context, specs, path, provider)
    _prompts(context, folder)
    for name in context.section("agents"):
        _tools(context, specs, ("agents", name))
    _client_tools(context, folder)


def _prompts(context: Context, folder: Path) -> None:
    readable: set[str] = set()
    for path, written in context.texts("agents", "*", "system_prompt_file"):
        if written in readable:
            continue
        try:
            read_prompt(folder, written)
            readable.add(written)
        except PromptUnreadable as error:
            context.add(str(error), path, culprit=written, suggestion=error.suggestion)


def _named(context: Context, specs: _Lookups, path: KeyPath, spec: str) -> None:
    """Check a spec that must say what to take from its file."""
    try:
        if ":" not in spec:
            specs.check(spec)
            raise ImportSpecError(f"{spec!r} does not say what to take from it; write {spec}:name")
        specs.check(spec)
    except ImportSpecError as error:
        context.add(str(error), path, culprit=spec, suggestion=error.suggestion)


def _tools(context: Context, specs: _Lookups, agent: KeyPath) -> None:
    """Check an agent's tools, and that no name is there twice, or among the client tools too."""
    if context.report.full:
        return
    taken: dict[str, KeyPath] = {}
    clients = {
        tool: (*agent, "client_tools", position)
        for position, tool in enumerate(context.listed(*agent, "client_tools"))
        if isinstance(tool, str)
    }
    listed: set[str] = set()
    for path, written in context.texts(*map(str, agent), "tools", "*"):
        if written in listed:
            continue
        listed.add(written)
        for name in _names_of(context, specs, path, written):
            if name in clients:
                line = context.place(clients[name]).line
                context.add(
                    f"{name!r} is in tools and in client_tools (line {line}); one name is one tool, so remove one",
                    path,
                    culprit=name,
                )
            elif taken.setdefault(name, path) != path:
                line = context.place(taken[name]).line
                context.add(
                    f"the tool {name!r} is listed already (line {line}); remove one", path, culprit=name
                )


def _names_of(context: Context, specs: _Lookups, path: KeyPath, written: str) -> list[str]:
    """The names of the tools that one entry of `tools` brings, as far as the source shows them."""
    try:
        is_bare = not any(mark in written for mark in ":/\\.")
        spec = specs.tool_spec(written) if is_bare else written
        source = specs.check(spec)
    except ImportSpecError as error:
        context.add(str(error), path, culprit=written, suggestion=error.suggestion)
        return [written] if written.isidentifier() else []
    attribute = spec.partition(":")[2]
    if attribute:
        return [next((name for name, made_by in source.tools.items() if made_by == attribute), attribute)]
    if not source.tools and not source.is_open:
        context.add(
            f"{written!r} shows no tools: no function in it has @tool, and there is no TOOL_SPEC",
            path,
            culprit=written,
            severity="hint",
        )
    return list(source.tools)


def _client_tools(context: Context, folder: Path) -> None:
    declared: ClientTools | None = None
    for path, tool in context.texts("agents", "*", "client_tools", "*"):
        if tool == REQUEST_DATASOURCES and (why := _nothing_to_choose(folder)):
            context.add(f"{tool!r} has nothing to offer: {why}", path, culprit=tool, severity="hint")
        if tool in CLIENT_TOOLS:
            continue
        if declared is None:
            declared = read_client_tools(folder)
        if tool in declared.tools:
            continue
        broken = declared.broken(tool)
        if broken is not None:
            message = f"{tool!r} can't be used, because its file is not valid: {_first(broken.problems, folder)}"
            context.add(message, path, culprit=tool, severity="hint")
            continue
        known = [*CLIENT_TOOLS, *declared.tools]
        near = nearest(tool, known)
        hint = did_you_mean(near, known, nothing="")
        context.add(
            f"{tool!r} is not a client tool known here, so it needs a client that declares it; {hint}",
            path,
            culprit=tool,
            suggestion=near,
            severity="hint",
        )


def _nothing_to_choose(folder: Path) -> str:
    """Why there are no data sources to choose from; empty where there are some."""
    found = read_datasources(folder)
    if found.file is None:
        return f"there is no {DATASOURCES}.yaml beside the config"
    return _first(found.errors, folder) if found.errors else ""


def _first(problems: Sequence[Problem], folder: Path) -> str:
    """The first error of another file, with its place, and how many there are."""
    errors = [problem for problem in problems if problem.severity == "error"]
    first = errors[0]
    about = f"{first.path}: " if first.path else ""
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    file = Path(first.file).relative_to(folder).as_posix()
    return f"{about}{first.message} ({file}:{first.line}:{first.column}{more})"
