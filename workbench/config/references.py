"""Checks between the parts of a config: every name that is used is there, and no two things contradict each other."""

from collections.abc import Collection
from typing import Final, get_args

from workbench.config.context import Context
from workbench.config.mcp import Transport
from workbench.config.model import NEEDS_MODEL_ID, PROVIDERS
from workbench.config.problem import KeyPath, choices, did_you_mean, nearest

_TRANSPORTS: Final = {"command": ("stdio",), "url": ("sse", "streamable-http")}
"""How a server may be talked to, by the way it is reached."""


def check(context: Context) -> None:
    """Note every name that means nothing, and everything that is said twice or not at all."""
    _names_once(context)
    _models(context)
    _mcp(context)
    _agents(context)
    _entry(context)


def check_name(
    context: Context, path: KeyPath, name: str, known: Collection[str], kind: str, nothing: str
) -> bool:
    """Note a name that is none of the known ones; whether it is one."""
    if name in known:
        return True
    near = None if context.report.full else nearest(name, known)
    hint = did_you_mean(near, known, nothing=nothing)
    context.add(f"{name!r} is not {kind}; {hint}", path, culprit=name, suggestion=near)
    return False


def _names_once(context: Context) -> None:
    agents = context.section("agents")
    for name in context.section("orchestrations"):
        if name in agents:
            line = context.place(("agents", name), key=True).line
            context.add(
                f"the name {name!r} is an agent's already (line {line}); an orchestration needs its own",
                ("orchestrations", name),
                key=True,
                culprit=name,
            )


def _models(context: Context) -> None:
    models = context.section("models")
    no_models = "there are no models; add it under models"
    for pattern in (("defaults", "model"), ("agents", "*", "model")):
        for path, name in context.texts(*pattern):
            check_name(context, path, name, models, "a model here", no_models)
    if "model" not in context.section("defaults"):
        for name, agent in context.section("agents").items():
            if isinstance(agent, dict) and "model" not in agent:
                example = next(iter(models), "NAME")
                context.add(
                    f"the agent has no model; write `model: {example}` here, or `model: {example}` under defaults",
                    ("agents", name),
                    key=True,
                    culprit=name,
                )
    for pattern in (("models", "*"), ("defaults", "model"), ("agents", "*", "model")):
        for path, provider in context.texts(*pattern, "provider"):
            _provider(context, path, provider)


def _provider(context: Context, path: KeyPath, provider: str) -> None:
    if provider in NEEDS_MODEL_ID and "model_id" not in context.section(*path[:-1]):
        context.add(f"a model of {provider!r} needs its model_id", path[:-1], key=True, culprit=provider)
    if provider not in PROVIDERS and ":" not in provider and "/" not in provider:
        near = nearest(provider, PROVIDERS)
        hint = did_you_mean(near, [*PROVIDERS, "an import spec such as ./models.py:MyModel"], nothing="")
        context.add(f"{provider!r} is not a provider; {hint}", path, culprit=provider, suggestion=near)


def _mcp(context: Context) -> None:
    clients, servers = context.section("mcp_clients"), context.section("mcp_servers")
    for path, name in context.texts("agents", "*", "mcp", "*"):
        check_name(
            context, path, name, clients, "an MCP client here", "there are none; add it under mcp_clients"
        )
    for path, name in context.texts("mcp_clients", "*", "server"):
        check_name(
            context, path, name, servers, "an MCP server here", "there are none; add it under mcp_servers"
        )
    for section, ways in (("mcp_servers", ("command", "url")), ("mcp_clients", ("command", "url", "server"))):
        for name in context.section(section):
            _connection(context, (section, name), ways)


def _connection(context: Context, path: KeyPath, ways: tuple[str, ...]) -> None:
    """An MCP connection is made in one way, and says nothing that belongs to another."""
    if not isinstance(context.at(*path), dict):
        return
    given = context.section(*path)
    chosen = [way for way in ways if way in given]
    if len(chosen) != 1:
        said = " and ".join(chosen) or "none"
        wanted = f"{', '.join(ways[:-1])} and {ways[-1]}" if len(ways) > 2 else " and ".join(ways)
        context.add(
            f"it needs exactly one of {wanted}, and has {said}", path, key=True, culprit=str(path[-1])
        )
        return
    for key, way in (("env", "command"), ("cwd", "command"), ("headers", "url")):
        if key in given and chosen[0] != way:
            context.add(
                f"{key!r} belongs to {way!r}, and this one is reached by {chosen[0]!r}; remove it",
                (*path, key),
                key=True,
                culprit=key,
            )
    transport = given.get("transport")
    fitting = _TRANSPORTS.get(chosen[0], ())
    if isinstance(transport, str) and transport in get_args(Transport) and transport not in fitting:
        remedy = (
            f"use {choices(fitting)}, or leave it out"
            if fitting
            else "the named server says how; leave it out"
        )
        context.add(
            f"{transport!r} does not go with {chosen[0]!r}; {remedy}", (*path, "transport"), culprit=transport
        )


def _agents(context: Context) -> None:
    for name in context.section("agents"):
        path: KeyPath = ("agents", name)
        for key in ("tools", "client_tools", "mcp", "hooks"):
            _no_item_twice(context, (*path, key))
        agent = context.section(*path)
        if "system_prompt" in agent and "system_prompt_file" in agent:
            context.add(
                "the agent has a system_prompt and a system_prompt_file; keep one of them",
                (*path, "system_prompt_file"),
                key=True,
                culprit="system_prompt_file",
            )
        if agent.get("auto") is True and context.listed(*path, "interrupt", "tools"):
            line = context.place((*path, "interrupt", "tools"), key=True).line
            context.add(
                f"`auto: true` runs every call, and interrupt.tools (line {line}) asks about some; remove one of them",
                (*path, "auto"),
                culprit="true",
            )


def _no_item_twice(context: Context, path: KeyPath) -> None:
    first: dict[str, int] = {}
    for position, item in enumerate(context.listed(*path)):
        if isinstance(item, str) and first.setdefault(item, position) != position:
            line = context.place((*path, first[item])).line
            context.add(
                f"{item!r} is listed already (line {line}); remove it", (*path, position), culprit=item
            )


def _entry(context: Context) -> None:
    agents, orchestrations = context.section("agents"), context.section("orchestrations")
    entry = context.text("entry")
    if entry is not None:
        check_name(
            context,
            ("entry",),
            entry,
            [*orchestrations, *agents],
            "an agent or an orchestration here",
            "add it",
        )
    elif "entry" not in context.data and (len(agents) > 1 or (agents and orchestrations)):
        several = "several agents" if len(agents) > 1 else "an agent and an orchestration"
        context.add(
            f"the config has {several} and does not say who answers the person; add `entry: "
            f"{next(iter(orchestrations or agents))}` or another name",
            ("entry",),
            culprit="entry",
        )
