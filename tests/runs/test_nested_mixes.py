"""Everything at once: several kinds of pause at several positions in one turn, answered in any order by any process."""

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.arrangements import (
    ask_user,
    asker,
    config,
    delegating,
    graph,
    model,
    price,
    question,
    swarm,
    talker,
    team,
    worker,
)
from tests.runs.harness import Bench
from tests.runs.test_delegates import assert_all_ended, calls_to, make
from tests.runs.test_positions import asked
from workbench.policy import Answer
from workbench.policy.answer import Answered, Approved, Denied, Skipped
from workbench.runs.views import Card

MakeBench = Callable[..., Bench]


def mix() -> dict[str, Any]:
    """A coordinator that calls a delegate, a graph, a swarm and a tool of its own, all in one message."""
    both = asker("asker", "approval", "A1")
    both["model"] = model(
        "asker",
        script=[{"tools": [ask_user("A1"), price("A1"), {"tool": "look_up", "input": {"sku": "A1"}}]}],
    )
    booker = {
        "model": model(
            "booker", script=[{"tool": "book", "input": {"room": "12"}}], final_text="{{last_result}}"
        ),
        "tools": ["./kit.py:book"],
        "auto": True,
    }
    boss = worker(
        "boss",
        {
            "tools": [
                {"tool": "asker", "input": "price A1"},
                {"tool": "flow", "input": "price B2"},
                {"tool": "peers", "input": "book"},
                price("own"),
                {"tool": "look_up", "input": {"sku": "own"}},
            ]
        },
    )
    del boss["auto"]
    boss |= {
        "tools": ["./kit.py:look_up", "./kit.py:set_price"],
        "client_tools": ["ask_user"],
        "interrupt": {"tools": ["set_price"]},
    }
    agents = {
        "boss": boss,
        "asker": both,
        "opener": talker("opener"),
        "buyer": asker("buyer", "approval", "B2"),
        "greeter": worker("greeter", {"handoff": "booker", "message": "book"}),
        "booker": booker,
    }
    return config(
        "team",
        agents,
        team=team("boss", "asker", "flow", "peers"),
        flow=graph("opener", ("opener", "buyer")),
        peers=swarm("greeter", "booker"),
    )


def answer(card: Card, drawn: random.Random) -> Answer:
    match card.kind:
        case "question":
            chosen = {"question": question("A1"), "selected": ["north"], "other": None}
            return drawn.choice([Answered({"answers": [chosen]}), Skipped("later")])
        case "tool_interrupt":
            return Answered(3)
        case _:
            return drawn.choice([Approved(), Denied("no"), Approved(tool_input={**card.input, "price": 1.0})])


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_answered_in_whatever_order_runs_what_was_allowed_and_nothing_else(
    bench: MakeBench, seed: int
) -> None:
    drawn = random.Random(seed)
    b = make(bench, mix())
    assert b.say("go") == "waiting"
    cards = b.cards()
    assert Counter((card.kind, card.agent_path[-1]) for card in cards) == {
        ("question", "asker"): 1,
        ("approval", "asker"): 1,
        ("approval", "buyer"): 1,
        ("tool_interrupt", "booker"): 1,
        ("approval", "boss"): 1,
    }
    drawn.shuffle(cards)
    allowed: list[tuple[str, float]] = []
    for number, card in enumerate(cards):
        if drawn.random() < 0.5:
            b.restart()
        given = answer(card, drawn)
        if isinstance(given, Approved):
            allowed.append((card.input["sku"], (given.tool_input or card.input)["price"]))
        assert b.answer(given, card).left == len(cards) - number - 1
    assert b.settle() == "idle"
    assert sorted(b.prices()) == sorted(allowed)
    ran = Counter(tool for tool, _ in b.ran())
    assert (ran["book"], ran["look_up"]) == (1, 3)
    assert len(set(asked(b))) == len(asked(b)), "a model was asked the same thing twice"
    assert_all_ended(b)


def test_one_approval_of_many_starts_nothing_until_all_are_answered(bench: MakeBench) -> None:
    b = make(bench, mix())
    b.say("go")
    for card in [card for card in b.cards() if card.kind == "approval"]:
        b.answer(Approved(), card)
    assert b.settle() == "waiting" and b.prices() == []
    assert len(b.cards()) == 2
    b.say("never mind")
    assert b.prices() == []
    assert_read_once(b)


def assert_read_once(b: Bench) -> None:
    """What was closed says so in the transcript, once for each call."""
    first = [item for item in b.views()[0].items if hasattr(item, "tool")]
    assert {item.state for item in first} <= {"closed", "finished"}
    results = Counter(
        (event.get("subagentRunId"), event["toolCallId"]) for event in b.events("TOOL_CALL_RESULT")
    )
    assert set(results.values()) == {1}, results


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_parallel_delegates_may_be_answered_in_any_order(bench: MakeBench, order: tuple[int, ...]) -> None:
    names = ["one", "two", "three"]
    agents: dict[str, Any] = {"boss": worker("boss", delegating(*((name, name) for name in names)))}
    for name in names:
        agents[name] = asker(name, "approval", name)
    b = make(bench, config("team", agents, team=team("boss", *names)))
    b.say()
    for index in order:
        b.answer(Approved() if index else Denied("no"), b.card(sku=names[index]))
    assert sorted(sku for sku, _ in b.prices()) == ["three", "two"]
    assert [text.splitlines()[-1] for text in b.results()] == [
        "one is done. Declined: no",
        "two is done. two now costs 12 in summit",
        "three is done. three now costs 12 in summit",
    ]
    assert json.loads(json.dumps(b.heard())) and calls_to(b, "set_price")
    assert_all_ended(b)


def slow_seller() -> dict[str, Any]:
    return {
        "model": model(
            "seller",
            script=[{"tool": "read_slowly", "input": {"page": "1"}, "id": "tool_1"}],
            final_text="{{last_result}}",
        ),
        "tools": ["./kit.py:read_slowly"],
        "interrupt": {"tools": ["read_slowly"]},
    }


def test_an_agent_that_reuses_anothers_call_id_after_a_pause_gets_one_of_its_own(bench: MakeBench) -> None:
    """Some providers number their calls anew for each agent; a result must land on its own call all the same."""
    buyer = asker("buyer", "approval", "B2")
    buyer["model"]["params"]["script"] = [
        {**price("B2"), "id": "tool_2"},
        {"tool": "look_up", "input": {"sku": "B2"}, "id": "tool_1"},
    ]
    agents = {"opener": talker("opener"), "seller": slow_seller(), "buyer": buyer}
    flow = graph("opener", ("opener", "seller"), ("opener", "buyer"))
    b = make(bench, config("flow", agents, flow=flow))
    b.say()
    assert {card.tool for card in b.cards()} == {"read_slowly", "set_price"}
    b.restart()
    for card in b.cards():
        b.engine.answer(card.id, Approved(), by="Ada")
    b.waits_in("read-1")
    b.wait(lambda: ("look_up", {"sku": "B2"}) in b.ran(), "the buyer's second call")
    b.let("read-1")
    assert b.settle() == "idle"
    assert sorted((item.tool, item.result_text) for item in b.items()) == [
        ("look_up", "B2 costs 10"),
        ("read_slowly", "page 1 is read"),
        ("set_price", "B2 now costs 12 in summit"),
    ]
    assert_all_ended(b)
    assert_ids_differ(b)


@pytest.mark.parametrize("kind", ["swarm", "graph", "delegate"])
def test_a_call_id_is_used_once_in_a_conversation_whoever_makes_it_up(bench: MakeBench, kind: str) -> None:
    seller = asker("seller", "approval", "A1")
    seller["model"]["params"]["script"] = [{**price("A1"), "id": "tool_1"}]
    closer = {
        **worker("closer", {"tool": "look_up", "input": {"sku": "C"}, "id": "tool_1"}),
        "tools": ["./kit.py:look_up"],
    }
    agents = {"seller": seller, "closer": closer}
    match kind:
        case "swarm":
            seller["model"]["params"]["script"].append({"handoff": "closer", "id": "tool_2"})
            text = config("peers", agents, peers=swarm("seller", "closer"))
        case "graph":
            text = config("flow", agents, flow=graph("seller", ("seller", "closer")))
        case _:
            agents["boss"] = worker("boss", delegating(("seller", "A1")), delegating(("closer", "C")))
            text = config("team", agents, team=team("boss", "seller", "closer"))
    b = make(bench, text)
    for _ in range(2):
        assert b.say() == "waiting"
        b.restart()
        b.answer()
        assert b.page.status == "idle"
    assert_all_ended(b)
    assert_ids_differ(b)


def assert_ids_differ(b: Bench) -> None:
    """No two calls of a conversation share an id: an AG-UI client knows them by it."""
    ids = [event["toolCallId"] for event in b.events("TOOL_CALL_START")]
    assert len(set(ids)) == len(ids), ids


@pytest.mark.parametrize("value", [None, False, 0, ""], ids=repr)
@pytest.mark.parametrize("kind", ["swarm", "graph", "delegate"])
def test_null_false_zero_and_nothing_are_answers_at_every_position(
    bench: MakeBench, kind: str, value: Any
) -> None:
    booker = {
        "model": model(
            "booker", script=[{"tool": "book", "input": {"room": "12"}}], final_text="{{last_result}}"
        ),
        "tools": ["./kit.py:book"],
        "auto": True,
    }
    agents = {"booker": booker, "closer": talker("closer")}
    match kind:
        case "swarm":
            text = config("peers", agents, peers=swarm("booker", "closer"))
        case "graph":
            text = config("flow", agents, flow=graph("booker", ("booker", "closer")))
        case _:
            agents["boss"] = worker("boss", delegating(("booker", "book")))
            text = config("team", agents, team=team("boss", "booker"))
    b = make(bench, text)
    b.say()
    b.restart()
    b.answer(Answered(value))
    assert b.page.status == "idle"
    assert b.ran()[-1] == ("book", {"room": "12", "said": value})
    assert_all_ended(b)


def test_a_delegate_does_what_the_person_made_of_its_task(bench: MakeBench) -> None:
    boss = worker("boss", delegating(("asker", "price A1")))
    del boss["auto"]
    boss["interrupt"] = {"tools": ["asker"]}
    replies = [{"match": sku, "script": [price(sku)]} for sku in ("A1", "B2")]
    both = asker("asker", "approval", "A1")
    both["model"] = model("asker", replies=replies, final_text="{{last_result}}")
    b = make(bench, config("team", {"boss": boss, "asker": both}, team=team("boss", "asker")))
    b.say()
    b.answer(Approved(tool_input={"input": "price B2"}))
    assert b.card().input["sku"] == "B2"
    b.restart()
    b.answer()
    assert b.prices() == [("B2", 12.0)]
    (told,) = b.results()
    assert "changed the arguments" in told and '"price B2" instead of "price A1"' in told
    (item,) = calls_to(b, "asker")
    assert item.edited and item.executed_input == {"input": "price B2"}
    assert_all_ended(b)
