"""Swarms and graphs: strands' own orchestrators, built of live members, and their whole state as JSON."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from strands import Agent
from strands.multiagent import GraphBuilder, Swarm
from strands.multiagent.base import MultiAgentBase, MultiAgentResult
from strands.multiagent.graph import Graph
from strands.types._snapshot import Snapshot

from workbench.config import GraphConfig, ImportSpecs, SwarmConfig

Member = Agent | MultiAgentBase
Team = MultiAgentBase


def build_swarm(config: SwarmConfig, members: Mapping[str, Agent]) -> Swarm:
    """Build a Swarm of agents that are named as the config names them."""
    first = config.entry_name or config.agents[0]
    limits = {
        key: value
        for key in ("max_handoffs", "max_iterations", "execution_timeout", "node_timeout")
        if (value := getattr(config, key)) is not None
    }
    return Swarm(nodes=list(members.values()), entry_point=members[first], **limits)


def build_graph(config: GraphConfig, members: Mapping[str, Member], specs: ImportSpecs) -> Team:
    """Build a Graph of agents and orchestrations."""
    builder = GraphBuilder()
    for name in config.nodes:
        builder.add_node(members[name], name)
    for edge in config.edges:
        condition = _once_done(specs.load(edge.condition), edge.source) if edge.condition else None
        builder.add_edge(edge.source, edge.target, condition=condition)
    builder.set_entry_point(config.entry_name)
    builder.reset_on_revisit(config.reset_on_revisit)
    if config.max_node_executions is not None:
        builder.set_max_node_executions(config.max_node_executions)
    # strands warns of every graph without a limit; the config makes sure that one which goes round has one.
    builder.set_execution_timeout(math.inf if config.execution_timeout is None else config.execution_timeout)
    if config.node_timeout is not None:
        builder.set_node_timeout(config.node_timeout)
    return builder.build()


def tree_state(team: Team) -> dict[str, Any]:
    """Return the state of an orchestrator and of every orchestrator inside it.

    strands keeps a nested orchestrator's state with nobody, so each one's is kept under its node's name; and of
    a graph's agents only those that wait, so what the others remember for another round is kept beside them.
    """
    return {
        "state": team.serialize_state(),
        "nodes": {name: tree_state(node) for name, node in _nested(team)},
        "agents": {
            name: agent.take_snapshot(preset="session").to_dict() for name, agent in _remembering(team)
        },
    }


def restore_tree(team: Team, saved: Mapping[str, Any]) -> None:
    """Bring a freshly built orchestrator, and every one inside it, to a saved state."""
    team.deserialize_state(_resumable(saved["state"]))
    for name, agent in _agents(team):
        if name in saved.get("agents", {}):
            agent.load_snapshot(Snapshot.from_dict(saved["agents"][name]))
    for name, node in _nested(team):
        if name in saved["nodes"]:
            restore_tree(node, saved["nodes"][name])


def agents_of(team: Team) -> Iterator[Agent]:
    """Yield every agent of an orchestrator, at any depth."""
    for node in team.nodes.values():  # type: ignore[attr-defined]
        if isinstance(node.executor, Agent):
            yield node.executor
        else:
            yield from agents_of(node.executor)


def reply_of(result: MultiAgentResult, chat_output: str | None, order: list[str]) -> str:
    """Return the text that answers the person.

    Args:
        chat_output: the node whose text it is; the last of ``order`` that has a text by default.
        order: the nodes in the order they finished.
    """
    names = [chat_output] if chat_output else list(reversed(order)) or list(reversed(result.results))
    for name in names:
        node = result.results.get(name)
        if node is None:
            continue
        if isinstance(node.result, MultiAgentResult):
            text = reply_of(node.result, None, [])
        else:
            text = "" if isinstance(node.result, Exception) else str(node.result)
        if text.strip():
            return text.strip()
    return ""


def _once_done(condition: Callable[..., Any], source: str) -> Callable[..., Any]:
    """Ask an edge's condition only once its source is done; strands also asks at a pause, to see what comes next."""

    @functools.wraps(condition)
    def asked(state: Any, **given: Any) -> bool:
        return source in state.results and bool(condition(state, **given))

    return asked


def _resumable(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state that strands resumes, whichever round of a graph it is in.

    strands begins anew where nothing seems to come next, and passes over a waiting node that was done once: a
    graph that goes round would leave its answers unread.
    """
    waiting = state.get("interrupted_nodes") or []
    if not waiting:
        return dict(state)
    return {
        **state,
        "completed_nodes": [name for name in state["completed_nodes"] if name not in waiting],
        "next_nodes_to_execute": state["next_nodes_to_execute"] or list(waiting),
    }


def _remembering(team: Team) -> Iterator[tuple[str, Agent]]:
    """Yield a graph's agents that were at work, do not wait, and will remember it if they work again."""
    if isinstance(team, Graph) and not team.reset_on_revisit:
        for name, agent in _agents(team):
            if agent.messages and team.nodes[name] not in team.state.interrupted_nodes:
                yield name, agent


def _agents(team: Team) -> Iterator[tuple[str, Agent]]:
    for name, node in team.nodes.items():  # type: ignore[attr-defined]
        if isinstance(node.executor, Agent):
            yield name, node.executor


def _nested(team: Team) -> Iterator[tuple[str, Team]]:
    for name, node in team.nodes.items():  # type: ignore[attr-defined]
        if isinstance(node.executor, MultiAgentBase):
            yield name, node.executor
