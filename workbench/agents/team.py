"""Swarms and graphs: strands' own orchestrators, built of live members, and their whole state as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from strands import Agent
from strands.multiagent import GraphBuilder, Swarm
from strands.multiagent.base import MultiAgentBase, MultiAgentResult

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
        condition = specs.load(edge.condition) if edge.condition else None
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

    strands keeps a nested orchestrator's state with nobody, so each one's is kept under its node's name.
    """
    return {
        "state": team.serialize_state(),
        "nodes": {name: tree_state(node) for name, node in _nested(team)},
    }


def restore_tree(team: Team, saved: Mapping[str, Any]) -> None:
    """Bring a freshly built orchestrator, and every one inside it, to a saved state."""
    team.deserialize_state(saved["state"])
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


def _nested(team: Team) -> Iterator[tuple[str, Team]]:
    for name, node in team.nodes.items():  # type: ignore[attr-defined]
        if isinstance(node.executor, MultiAgentBase):
            yield name, node.executor
