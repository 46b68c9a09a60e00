"""Checks of orchestrations: who may stand where, and that none goes round for ever."""

from graphlib import CycleError, TopologicalSorter
from typing import Any

from workbench.config.context import Context
from workbench.config.problem import KeyPath
from workbench.config.references import check_name


def check(context: Context) -> None:
    """Note every orchestration that can't be built, or would never end."""
    for name, orchestration in context.section("orchestrations").items():
        path: KeyPath = ("orchestrations", name)
        match orchestration:
            case {"mode": "delegate"}:
                _delegate(context, path)
            case {"mode": "swarm"}:
                _swarm(context, path)
            case {"mode": "graph"}:
                _graph(context, path)
    _no_circle(context)


def _is_there(context: Context, path: KeyPath, name: str) -> bool:
    agents, orchestrations = context.section("agents"), context.section("orchestrations")
    if name in agents or name in orchestrations:
        return True
    everyone = {**agents, **orchestrations}
    return check_name(
        context, path, name, everyone, "an agent or an orchestration here", "add it under agents"
    )


def _delegate(context: Context, path: KeyPath) -> None:
    coordinator = context.text(*path, "entry_name")
    agents = context.section("agents")
    if coordinator in context.section("orchestrations"):
        context.add(
            f"{coordinator!r} is an orchestration; who coordinates must be an agent",
            (*path, "entry_name"),
            culprit=coordinator,
        )
    elif coordinator is not None:
        check_name(
            context, (*path, "entry_name"), coordinator, agents, "an agent here", "add it under agents"
        )
    taken: dict[str, KeyPath] = {}
    for position, connection in enumerate(context.listed(*path, "connections")):
        at = (*path, "connections", position, "agent")
        name = context.text(*at)
        if name is None or not _is_there(context, at, name):
            continue
        if name == coordinator:
            context.add(f"{name!r} coordinates, and can't delegate to itself", at, culprit=name)
        elif taken.setdefault(name, at) != at:
            line = context.place(taken[name]).line
            context.add(f"{name!r} is connected already (line {line}); remove one of them", at, culprit=name)
        _name_is_free(context, coordinator, name, at)
        described = connection.get("description") or _section_of(context, name).get("description")
        if not described:
            context.add(
                f"nothing says what {name!r} is for, so the coordinator can't know when to call it; add a description",
                at,
                culprit=name,
                severity="hint",
            )


def _section_of(context: Context, name: str) -> dict[str, Any]:
    return context.section("agents", name) or context.section("orchestrations", name)


def _name_is_free(context: Context, coordinator: str | None, name: str, at: KeyPath) -> None:
    """A delegate is a tool of its coordinator, so no other tool may have its name."""
    if coordinator is None:
        return
    for key in ("tools", "client_tools"):
        if name in context.listed("agents", coordinator, key):
            line = context.place(("agents", coordinator, key)).line
            context.add(
                f"{name!r} is also one of the {key} of {coordinator!r} (line {line}); the model couldn't tell "
                f"them apart, so rename one",
                at,
                culprit=name,
            )


def _swarm(context: Context, path: KeyPath) -> None:
    peers: dict[str, int] = {}
    for position, _ in enumerate(context.listed(*path, "agents")):
        at = (*path, "agents", position)
        name = context.text(*at)
        if name is None:
            continue
        if peers.setdefault(name, position) != position:
            line = context.place((*path, "agents", peers[name])).line
            context.add(f"{name!r} is listed already (line {line}); remove it", at, culprit=name)
        mode = context.section("orchestrations", name).get("mode")
        if mode in ("swarm", "graph"):
            context.add(
                f"{name!r} is a {mode}; the peers of a swarm are agents or delegate orchestrations",
                at,
                culprit=name,
            )
        else:
            _is_there(context, at, name)
    for key in ("entry_name", "chat_output"):
        chosen = context.text(*path, key)
        if chosen is not None:
            check_name(
                context, (*path, key), chosen, peers, "one of the swarm's agents", "list it under agents"
            )


def _graph(context: Context, path: KeyPath) -> None:
    entry = context.text(*path, "entry_name")
    follows: dict[str, list[str]] = {entry: []} if entry else {}
    taken: dict[tuple[str, str], int] = {}
    for position, _ in enumerate(context.listed(*path, "edges")):
        at = (*path, "edges", position)
        source, target = context.text(*at, "from"), context.text(*at, "to")
        for key, name in (("from", source), ("to", target)):
            if name is not None:
                _is_there(context, (*at, key), name)
                follows.setdefault(name, [])
        if source is None or target is None:
            continue
        follows[source].append(target)
        if taken.setdefault((source, target), position) != position:
            line = context.place((*path, "edges", taken[source, target])).line
            context.add(
                f"an edge from {source!r} to {target!r} is there already (line {line}); strands keeps only one",
                at,
                culprit=f"{source} → {target}",
            )
    if entry:
        _is_there(context, (*path, "entry_name"), entry)
        _reached(context, path, entry, follows)
    _bounded(context, path, follows)
    chosen = context.text(*path, "chat_output")
    if chosen is not None:
        check_name(
            context, (*path, "chat_output"), chosen, follows, "a node of the graph", "name it in an edge"
        )


def _reached(context: Context, path: KeyPath, entry: str, follows: dict[str, list[str]]) -> None:
    reached, ahead = {entry}, [entry]
    while ahead:
        for target in follows[ahead.pop()]:
            if target not in reached:
                reached.add(target)
                ahead.append(target)
    for position, _ in enumerate(context.listed(*path, "edges")):
        source = context.text(*path, "edges", position, "from")
        if source is not None and source not in reached:
            context.add(
                f"no way leads from {entry!r} to {source!r}, so it never runs",
                (*path, "edges", position, "from"),
                culprit=source,
                severity="hint",
            )


def _bounded(context: Context, path: KeyPath, follows: dict[str, list[str]]) -> None:
    graph = context.section(*path)
    if "max_node_executions" in graph or "execution_timeout" in graph:
        return
    circle = find_circle(follows)
    if circle:
        context.add(
            f"the graph goes round in a circle ({' → '.join(circle)}) and may never end; add max_node_executions or "
            f"execution_timeout",
            path,
            key=True,
            culprit=circle[0],
        )


def _no_circle(context: Context) -> None:
    """No orchestration may hold itself, directly or through others."""
    orchestrations = context.section("orchestrations")
    holds: dict[str, list[str]] = {name: [] for name in orchestrations}
    where: dict[tuple[str, str], KeyPath] = {}
    patterns = (("connections", "*", "agent"), ("agents", "*"), ("edges", "*", "from"), ("edges", "*", "to"))
    for pattern in (*patterns, ("entry_name",)):
        for path, name in context.texts("orchestrations", "*", *pattern):
            if name in orchestrations and name not in context.section("agents"):
                holder = str(path[1])
                holds[holder].append(name)
                where.setdefault((holder, name), path)
    while not context.report.full and (circle := find_circle(holds)):
        first, second = circle[0], circle[1]
        way = "itself" if len(circle) == 2 else f"itself, by way of {' → '.join(circle)}"
        context.add(
            f"the orchestration {first!r} holds {way}; an orchestration can't be part of itself",
            where[first, second],
            culprit=second,
        )
        holds[first] = [name for name in holds[first] if name != second]


def find_circle(follows: dict[str, list[str]]) -> list[str]:
    """One way round, its start named again at its end; empty where every way ends."""
    try:
        TopologicalSorter(follows).prepare()
    except CycleError as error:
        # graphlib reads the lists as what comes before, so its circle runs backwards.
        return [str(name) for name in reversed(error.args[1])]
    return []
