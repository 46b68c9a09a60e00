"""Swarms and graphs: what a message or Stop does to them, how they fail, and who speaks for them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.arrangements import (
    asker,
    config,
    delegating,
    graph,
    graph_node,
    model,
    price,
    swarm,
    swarm_member,
    talker,
    team,
    worker,
)
from tests.runs.harness import Bench
from tests.runs.test_delegates import assert_all_ended, calls_to, make
from tests.runs.test_positions import asked
from workbench.policy.answer import Approved, Denied
from workbench.policy.notes import CANCELLED, SKIPPED_BY_MESSAGE
from workbench.runs.views import CallItem, TextItem

MakeBench = Callable[..., Bench]

TEAMS = pytest.mark.parametrize("text", [swarm_member, graph_node], ids=["swarm", "graph"])


# -- a message or Stop instead of an answer -----------------------------------------------------


@TEAMS
def test_a_message_abandons_a_paused_team_keeps_what_it_had_done_and_begins_anew(
    bench: MakeBench, text: Callable[[Any], dict[str, Any]]
) -> None:
    b = make(bench, text("approval"))
    b.say("first")
    assert b.say("second") == "waiting"
    first, second = ([i for i in v.items if isinstance(i, CallItem)] for v in b.views()[:2])
    assert {i.tool: i.state for i in first if i.tool != "handoff_to_agent"} == {
        "look_up": "finished",
        "set_price": "closed",
    }
    assert [i.result_text for i in first if i.tool == "set_price"] == [SKIPPED_BY_MESSAGE]
    assert [c.state for c in b.store.journal.of_conversation(b.id) if c.tool == "look_up"] == ["finished"] * 2
    assert [i.state for i in second if i.tool == "set_price"] == ["waiting"]
    b.answer()
    assert b.prices() == [("A1", 12.0)]
    assert_all_ended(b)


@TEAMS
def test_a_team_hears_what_was_said_before(bench: MakeBench, text: Callable[[Any], dict[str, Any]]) -> None:
    heard = model("seller", replies=[{"match": "What was said before", "final_text": "I remember."}])
    made = text("approval")
    made["agents"]["seller"]["model"] = {
        "provider": heard["provider"],
        "params": {**heard["params"], "final_text": "We have only met."},
    }
    made["agents"].pop("closer", None)
    made["orchestrations"] = {
        name: graph("seller", ("seller", "opener")) | {"chat_output": "seller"}
        if one["mode"] == "graph"
        else one
        for name, one in made["orchestrations"].items()
    }
    b = make(bench, made)
    b.say("first")
    b.say("second")
    assert b.said() == ["We have only met.", "I remember."]


@TEAMS
def test_stop_closes_a_paused_team_and_the_conversation_goes_on(
    bench: MakeBench, text: Callable[[Any], dict[str, Any]]
) -> None:
    b = make(bench, text("approval"))
    b.say("first")
    b.engine.stop(b.id, by="Ada")
    assert b.settle() == "idle"
    (item,) = calls_to(b, "set_price")
    assert (item.state, item.result_text) == ("closed", CANCELLED)
    assert_all_ended(b)
    assert b.say("second") == "waiting"
    b.answer()
    assert b.prices() == [("A1", 12.0)]
    assert_all_ended(b)


def slow(who: str) -> dict[str, Any]:
    """An agent that reads slowly, then sets a price, unasked."""
    read = {"tool": "read_slowly", "input": {"page": who}}
    return {
        "model": model(who, script=[read, price("A1")], final_text=f"{who} is done."),
        "tools": ["./kit.py:read_slowly", "./kit.py:set_price"],
        "auto": True,
    }


@pytest.mark.parametrize("kind", ["swarm", "graph", "graph in a delegate"])
def test_stop_reaches_members_at_work_and_nothing_starts_after_it(bench: MakeBench, kind: str) -> None:
    flow = graph("opener", ("opener", "seller"), ("opener", "buyer"), ("seller", "closer"))
    agents = {name: talker(name) for name in ("opener", "closer")} | {n: slow(n) for n in ("seller", "buyer")}
    match kind:
        case "swarm":
            text = config(
                "peers", {"seller": slow("seller"), "buyer": slow("buyer")}, peers=swarm("seller", "buyer")
            )
        case "graph":
            text = config("flow", agents, flow=flow)
        case _:
            agents["boss"] = worker("boss", delegating(("flow", "read")))
            text = config("team", agents, team=team("boss", "flow"), flow=flow)
    b = make(bench, text)
    b.send()
    at_work = ["seller"] if kind == "swarm" else ["seller", "buyer"]
    for name in at_work:
        b.waits_in(f"read-{name}")
    b.engine.stop(b.id, by="Ada")
    for name in at_work:
        b.let(f"read-{name}")
    assert b.settle() == "idle"
    assert b.statuses() == ["cancelled"] and b.prices() == []
    assert [item.state for item in calls_to(b, "read_slowly")] == ["finished"] * len(at_work)
    assert not [who for who, _ in asked(b) if who == "closer"]
    assert_all_ended(b)
    assert b.say("again") == "idle"


# -- parallel nodes and repeated teams ----------------------------------------------------------


def test_one_team_may_be_delegated_to_twice_at_once_each_with_its_own_pause(bench: MakeBench) -> None:
    agents = {
        "boss": worker("boss", delegating(("flow", "price A1"), ("flow", "price A1 again"))),
        "opener": talker("opener"),
        "seller": asker("seller", "approval", "A1"),
    }
    flow = graph("opener", ("opener", "seller"))
    b = make(bench, config("team", agents, team=team("boss", "flow"), flow=flow))
    b.say()
    first, second = b.cards()
    b.restart()
    b.answer(Denied("no"), first)
    b.restart()
    b.answer(Approved(), second)
    assert b.page.status == "idle" and b.prices() == [("A1", 12.0)]
    steps = {event["subagentRunId"] for event in b.events("STEP_STARTED")}
    assert len(steps) == 2, "each delegation's steps are its own"
    told = b.results()
    assert sum("declined" in one for one in told) == 1 and sum("approved" in one for one in told) == 1
    assert_all_ended(b)


def test_a_node_that_is_done_waits_for_its_paused_neighbour_and_is_not_run_again(bench: MakeBench) -> None:
    agents = {
        "opener": talker("opener"),
        "seller": asker("seller", "approval", "A1"),
        "helper": {
            **worker("helper", {"tool": "look_up", "input": {"sku": "H"}}),
            "tools": ["./kit.py:look_up"],
        },
        "closer": talker("closer"),
    }
    edges = (("opener", "seller"), ("opener", "helper"), ("seller", "closer"))
    b = make(bench, config("flow", agents, flow=graph("opener", *edges)))
    b.say()
    b.restart()
    b.answer()
    assert b.page.status == "idle"
    assert [given["sku"] for tool, given in b.ran() if tool == "look_up"].count("H") == 1
    assert_all_ended(b)


# -- how they end -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["swarm", "graph"])
def test_a_member_that_fails_fails_the_run_with_a_sentence_and_can_be_tried_again(
    bench: MakeBench, kind: str
) -> None:
    broken = {"model": model("seller", script=[{"error": "the provider is down"}]), "auto": True}
    agents = {"seller": broken, "closer": talker("closer")}
    text = (
        config("peers", agents, peers=swarm("seller", "closer"))
        if kind == "swarm"
        else config("flow", agents, flow=graph("seller", ("seller", "closer")))
    )
    b = make(bench, text)
    assert b.say() == "failed"
    error = str(b.page.last_error)
    assert "the provider is down" in error and "Traceback" not in error
    assert_all_ended(b)
    agents["seller"] = talker("seller")
    b.apply(text)
    b.engine.retry(b.id, by="Ada")
    assert b.settle() == "idle"


@pytest.mark.parametrize("answer", ["approved", "message"])
def test_a_team_that_fails_after_its_pause_can_go_on(bench: MakeBench, answer: str) -> None:
    agents = {
        "seller": asker("seller", "approval", "A1"),
        "closer": {"model": model("closer", script=[{"error": "the provider is down"}]), "auto": True},
    }
    text = config("flow", agents, flow=graph("seller", ("seller", "closer")))
    b = make(bench, text)
    b.say("first")
    b.answer()
    assert b.page.status == "failed" and b.prices() == [("A1", 12.0)]
    agents["closer"] = talker("closer")
    b.apply(text)
    if answer == "approved":
        b.engine.retry(b.id, by="Ada")
        assert b.settle() == "idle"
        assert b.prices() == [("A1", 12.0)], "what the person approved once ran once"
    else:
        assert b.say("second") == "waiting"
        b.answer(Denied("no"))
    assert_all_ended(b)


def test_a_swarm_that_hands_over_for_ever_meets_its_limit_and_says_so(bench: MakeBench) -> None:
    agents = {
        "ping": worker("ping", {"handoff": "pong"}),
        "pong": worker("pong", {"handoff": "ping"}),
    }
    b = make(bench, config("peers", agents, peers={**swarm("ping", "pong"), "max_handoffs": 3}))
    assert b.say() == "failed"
    assert "limit" in str(b.page.last_error)
    assert_all_ended(b)


def test_a_graph_that_goes_round_ends_at_its_limit(bench: MakeBench) -> None:
    agents = {"one": talker("one"), "two": talker("two")}
    flow = {**graph("one", ("one", "two"), ("two", "one")), "max_node_executions": 5}
    b = make(bench, config("flow", agents, flow=flow))
    assert b.say() == "failed"
    assert "limit" in str(b.page.last_error)
    assert sum(who in ("one", "two") for who, _ in asked(b)) == 5
    assert_all_ended(b)


def test_the_node_that_chat_output_names_speaks_for_the_team(bench: MakeBench) -> None:
    agents = {"one": talker("one"), "two": talker("two")}
    flow = {**graph("one", ("one", "two")), "chat_output": "one"}
    b = make(bench, config("flow", agents, flow=flow))
    b.say()
    assert b.said() == ["one is done."]
    assert [item.text for item in b.items(TextItem)] == ["one is done.", "two is done."]


def test_an_edge_is_taken_when_its_condition_says_so_before_and_after_a_pause(bench: MakeBench) -> None:
    conditions = '''
def priced(state) -> bool:
    """Whether the seller set the price."""
    return "now costs" in str(state.results["seller"].result)


def not_priced(state) -> bool:
    """Whether the seller did not."""
    return not priced(state)
'''
    agents = {
        "seller": asker("seller", "approval", "A1"),
        "yes": talker("yes"),
        "no": talker("no"),
    }
    flow = graph("seller")
    flow["edges"] = [
        {"from": "seller", "to": "yes", "condition": "./conditions.py:priced"},
        {"from": "seller", "to": "no", "condition": "./conditions.py:not_priced"},
    ]
    for answer, speaks in ((Approved(), "yes"), (Denied("dear"), "no")):
        b = make(bench, config("flow", agents, flow=flow), files={"conditions.py": conditions})
        b.say()
        b.restart()
        b.answer(answer)
        assert b.said()[-1] == f"{speaks} is done."
        assert_all_ended(b)


@pytest.mark.parametrize("again", [False, True], ids=["here", "after a restart"])
@pytest.mark.parametrize("forgets", [False, True], ids=["remembers", "forgets"])
def test_a_pause_in_a_graph_that_goes_round_is_resumed_in_every_round(
    bench: MakeBench, again: bool, forgets: bool
) -> None:
    conditions = '''
def not_yet(state) -> bool:
    """Whether the seller has spoken once only."""
    return sum(node.node_id == "seller" for node in state.execution_order) < 2
'''
    seller = asker("seller", "approval", "A1")
    flow: dict[str, Any] = {
        "mode": "graph",
        "entry_name": "seller",
        "edges": [
            {"from": "seller", "to": "closer"},
            {"from": "closer", "to": "seller", "condition": "./conditions.py:not_yet"},
        ],
        "max_node_executions": 9,
        "reset_on_revisit": forgets,
    }
    remembering = '''
from .counting import Counting


class Remembering(Counting):
    """Says how often it has spoken."""

    async def stream(self, messages, tool_specs=None, system_prompt=None, **kwargs):
        spoken = sum(message["role"] == "assistant" for message in messages)
        self.update_config(final_text=f"round {spoken + 1}")
        async for event in super().stream(messages, tool_specs, system_prompt, **kwargs):
            yield event
'''
    rounds = {"provider": "./remembering.py:Remembering", "params": {"who": "closer"}}
    agents = {"seller": seller, "closer": {"model": rounds, "auto": True}}
    files = {"conditions.py": conditions, "remembering.py": remembering}
    b = make(bench, config("flow", agents, flow=flow), files=files)
    assert b.say() == "waiting"
    if again:
        b.restart()
    b.answer(Approved(tool_input={"sku": "A1", "price": 1.0, "store": "summit"}))
    assert b.settle() == "waiting", b.page
    if again:
        b.restart()
    b.answer(Approved(tool_input={"sku": "A1", "price": 2.0, "store": "summit"}))
    assert b.settle() == "idle"
    assert b.prices() == [("A1", 1.0), ("A1", 2.0)]
    assert len(set(asked(b))) == len(asked(b)) == 6
    assert b.said() == ["round 1" if forgets else "round 2"]
    assert_all_ended(b)
