"""Orchestrations: who may stand where, and that none goes round for ever."""

import pytest

from tests.config.texts import MODELS, config_of, parsed, pointed

AGENTS = "agents: {a: {description: A}, b: {description: B}, c: {description: C, tools: [x], client_tools: [y]}}\nentry: a\n"


def arranged(orchestrations: str) -> str:
    return f"{AGENTS}{MODELS}orchestrations:\n{orchestrations}\n"


@pytest.mark.parametrize(
    ("orchestration", "message"),
    [
        ("{mode: delegate, entry_name: «d, connections: [{agent: b}]}", "'d' is not an agent here; use a, b or c"),
        ("{mode: delegate, entry_name: a, connections: [{agent: «d}]}", "'d' is not an agent or an orchestration here; use a, b, c or t"),
        ("{mode: delegate, entry_name: a, connections: [{agent: «a}]}", "'a' coordinates, and can't delegate to itself"),
        ("{mode: delegate, entry_name: a, connections: [{agent: b}, {agent: «b}]}", "'b' is connected already (line 6); remove one of them"),
        ("{mode: swarm, agents: [a, «d]}", "'d' is not an agent or an orchestration here; use a, b, c or t"),
        ("{mode: swarm, agents: [a, b, «a]}", "'a' is listed already (line 6); remove it"),
        ("{mode: swarm, agents: [a, b], entry_name: «c}", "'c' is not one of the swarm's agents; use a or b"),
        ("{mode: swarm, agents: [a, b], chat_output: «c}", "'c' is not one of the swarm's agents; use a or b"),
        ("{mode: graph, entry_name: a, edges: [{from: a, to: «d}]}", "'d' is not an agent or an orchestration here; use a, b, c or t"),
        ("{mode: graph, entry_name: a, edges: [{from: a, to: b}], chat_output: «c}", "'c' is not a node of the graph; use a or b"),
        ("{mode: graph, entry_name: a, edges: [{from: a, to: b}, «{from: a, to: b}]}", "an edge from 'a' to 'b' is there already (line 6); strands keeps only one"),
    ],
)  # fmt: skip
def test_a_member_that_cannot_be_is_named(orchestration: str, message: str) -> None:
    assert pointed(arranged(f"  t: {orchestration}")).message == message


def test_a_coordinator_is_an_agent() -> None:
    text = arranged(
        "  s: {mode: swarm, agents: [a]}\n  t: {mode: delegate, entry_name: «s, connections: [{agent: b}]}"
    )
    assert pointed(text).message == "'s' is an orchestration; who coordinates must be an agent"


@pytest.mark.parametrize(
    "mode", ["{mode: swarm, agents: [b]}", "{mode: graph, entry_name: b, edges: [{from: b, to: c}]}"]
)
def test_a_swarm_holds_agents_and_coordinators_only(mode: str) -> None:
    text = arranged(f"  s: {mode}\n  t: {{mode: swarm, agents: [a, «s]}}")
    assert "the peers of a swarm are agents or delegate orchestrations" in pointed(text).message
    config_of(
        arranged(
            "  s: {mode: delegate, entry_name: b, connections: [{agent: c}]}\n  t: {mode: swarm, agents: [a, s]}"
        )
    )


@pytest.mark.parametrize(("name", "key"), [("x", "tools"), ("y", "client_tools")])
def test_a_delegate_cannot_have_the_name_of_a_tool_of_its_coordinator(name: str, key: str) -> None:
    text = arranged(f"  t: {{mode: delegate, entry_name: c, connections: [{{agent: «{name}}}]}}")
    text = text.replace("agents: {", f"agents: {{{name}: {{description: N}}, ", 1)
    assert pointed(text).message.startswith(f"'{name}' is also one of the {key} of 'c' (line 1)")


def test_a_delegate_that_nothing_describes_is_a_hint() -> None:
    text = arranged("  t: {mode: delegate, entry_name: a, connections: [{agent: «q}]}").replace(
        "agents: {", "agents: {q: {}, ", 1
    )
    problem = pointed(text)
    assert problem.severity == "hint"
    assert (
        problem.message
        == "nothing says what 'q' is for, so the coordinator can't know when to call it; add a description"
    )


def test_a_node_that_nothing_leads_to_is_a_hint() -> None:
    problem = pointed(
        arranged("  t: {mode: graph, entry_name: a, edges: [{from: a, to: b}, {from: «c, to: b}]}")
    )
    assert (problem.severity, problem.message) == ("hint", "no way leads from 'a' to 'c', so it never runs")


def test_a_graph_that_goes_round_needs_a_limit() -> None:
    text = arranged(
        "  «t: {mode: graph, entry_name: a, edges: [{from: a, to: b}, {from: b, to: c}, {from: c, to: a}]}"
    )
    problem = pointed(text)
    assert "goes round in a circle" in problem.message
    assert "add max_node_executions or execution_timeout" in problem.message
    for limit in ("max_node_executions: 5", "execution_timeout: 60"):
        config_of(text.replace("«", "").replace("mode: graph", f"mode: graph, {limit}"))


def test_a_node_that_follows_itself_goes_round_too() -> None:
    assert (
        "(a → a)"
        in pointed(arranged("  «t: {mode: graph, entry_name: a, edges: [{from: a, to: a}]}")).message
    )


def test_a_graph_of_many_ways_that_all_end_is_judged_at_once() -> None:
    agents = ", ".join(f"n{i}x: {{}}, n{i}y: {{}}" for i in range(40))
    edges = [f"{{from: n{i}{x}, to: n{i + 1}{y}}}" for i in range(39) for x in "xy" for y in "xy"]
    edges += [f"{{from: a, to: n0{y}}}" for y in "xy"]
    config_of(
        f"agents: {{a: {{}}, {agents}}}\nentry: a\n{MODELS}orchestrations: {{t: {{mode: graph, entry_name: a, edges: [{', '.join(edges)}]}}}}\n"
    )


@pytest.mark.parametrize(
    ("orchestrations", "message"),
    [
        ("  t: {mode: graph, entry_name: a, edges: [{from: a, to: «t}]}", "the orchestration 't' holds itself; an orchestration can't be part of itself"),
        ("  t: {mode: delegate, entry_name: a, connections: [{agent: «t, description: x}]}", "the orchestration 't' holds itself; an orchestration can't be part of itself"),
        (
            "  t: {mode: graph, entry_name: a, edges: [{from: a, to: «u}]}\n  u: {mode: delegate, entry_name: a, connections: [{agent: t, description: x}]}",
            "the orchestration 't' holds itself, by way of t → u → t; an orchestration can't be part of itself",
        ),
    ],
)  # fmt: skip
def test_an_orchestration_cannot_be_part_of_itself(orchestrations: str, message: str) -> None:
    assert pointed(arranged(orchestrations)).message == message


def test_every_circle_of_orchestrations_is_named() -> None:
    text = arranged(
        "  t: {mode: graph, entry_name: a, edges: [{from: a, to: t}]}\n  u: {mode: graph, entry_name: a, edges: [{from: a, to: u}]}"
    )
    assert len(parsed(text).errors) == 2


def test_orchestrations_nest_in_every_combination_strands_has() -> None:
    config = config_of(
        arranged(
            "  d: {mode: delegate, entry_name: a, connections: [{agent: s, description: x}, {agent: g, description: x}]}\n"
            "  e: {mode: delegate, entry_name: b, connections: [{agent: d, description: x}]}\n"
            "  s: {mode: swarm, agents: [b, c]}\n"
            "  g: {mode: graph, entry_name: s, edges: [{from: s, to: b}, {from: b, to: e2}]}\n"
            "  e2: {mode: delegate, entry_name: b, connections: [{agent: c}]}"
        )
    )
    assert list(config.orchestrations) == ["d", "e", "s", "g", "e2"]
