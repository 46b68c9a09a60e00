"""Permissions, denials and siblings below the entry agent: what is said of one call reaches no other."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.arrangements import (
    asker,
    asker_of_both,
    config,
    delegating,
    graph,
    model,
    price,
    swarm,
    team,
    worker,
)
from tests.runs.harness import Bench
from tests.runs.test_delegates import assert_all_ended, calls_to, make
from workbench.policy.answer import Approved, Denied, Skipped

MakeBench = Callable[..., Bench]

BY_ARTICLE = '''
def article(tool_name, tool_input):
    """What a decision covers: one article."""
    sku = tool_input.get("sku", "")
    return {"key": sku, "label": f"article {sku}"}
'''


def two_of_one(rule: Any, *, remember: str = "thread") -> dict[str, Any]:
    """One agent delegated to twice at once, each time for another article."""
    seller = asker_of_both("seller", "approval")
    seller["interrupt"] = {"tools": [rule], "remember": remember}
    agents = {
        "boss": worker("boss", delegating(("seller", "price A1"), ("seller", "price B2"))),
        "seller": seller,
    }
    return config("team", agents, team=team("boss", "seller"))


def test_allowing_one_delegations_call_for_the_chat_does_not_answer_its_twin(bench: MakeBench) -> None:
    """Allow for this chat on A, then Deny on B of the same run: B must not run."""
    b = make(bench, two_of_one("set_price"))
    b.say()
    b.answer(Approved("thread"), b.card(sku="A1"))
    b.restart()
    assert b.card().input["sku"] == "B2"
    b.answer(Denied("not this one"))
    assert b.prices() == [("A1", 12.0)]
    first, second = b.results()
    assert "approved set_price" in first and "declined set_price, saying: not this one" in second
    assert_all_ended(b)


@pytest.mark.parametrize("scope", ["thread", "always"])
def test_a_permission_from_another_delegation_or_chat_never_overrides_a_denial(
    bench: MakeBench, scope: Any
) -> None:
    b = make(bench, two_of_one("set_price", remember="always"))
    b.say()
    waiting = b.id
    if scope == "always":
        b.id = b.engine.new_conversation(b.file)
        b.say()
        for card in b.cards():
            b.answer(Approved("always"), card)
        assert b.settle() == "idle"
        b.id = waiting
        before = len(b.prices())
        for card in b.cards():
            b.answer(Denied("no"), card)
    else:
        before = 1
        b.answer(Approved("thread"), b.card(sku="B2"))
        b.answer(Denied("no"), b.card(sku="A1"))
    assert b.settle() == "idle"
    assert len(b.prices()) == before
    assert [
        item.decision.decision for item in calls_to(b, "set_price") if item.input == price("A1")["input"]
    ] == ["denied"]


@pytest.mark.parametrize(
    "answer", [Approved(), Denied("no"), Skipped()], ids=["approved", "denied", "skipped"]
)
def test_a_plain_answer_in_a_delegate_remembers_nothing(bench: MakeBench, answer: Any) -> None:
    b = make(bench, two_of_one("set_price"))
    b.say()
    for card in b.cards():
        b.answer(answer, card)
    assert b.store.grants.list() == []
    b.say("again")
    assert len(b.cards()) == 2


def test_a_permission_for_one_article_is_no_wildcard_in_the_next_delegation(bench: MakeBench) -> None:
    rule = {"name": "set_price", "subject": "./subjects.py:article"}
    b = make(bench, two_of_one(rule), files={"subjects.py": BY_ARTICLE})
    b.say()
    b.answer(Approved("thread"), b.card(sku="A1"))
    b.answer(Denied("no"), b.card(sku="B2"))
    b.say("again")
    assert b.card().input["sku"] == "B2", "A1 runs by its permission, B2 asks"
    assert b.prices() == [("A1", 12.0)] * 2


def test_a_later_denial_beats_the_permission_that_an_earlier_run_of_the_same_delegate_left(
    bench: MakeBench,
) -> None:
    """The remembered approval is of another article; the explicit No stands, however often it is proposed."""
    rule = {"name": "set_price", "subject": "./subjects.py:article"}
    b = make(bench, two_of_one(rule), files={"subjects.py": BY_ARTICLE})
    b.say()
    b.answer(Approved("thread"), b.card(sku="A1"))
    b.answer(Denied("no"), b.card(sku="B2"))
    for _ in range(2):
        b.restart()
        b.say("again")
        b.answer(Denied("still no"))
    assert {sku for sku, _ in b.prices()} == {"A1"}
    assert [grant.subject_key for grant in b.store.grants.list()] == ["A1"]


def siblings(kind: str) -> dict[str, Any]:
    """An agent that makes four calls at once: two that ask, two that need nobody."""
    calls = [
        {"tool": "look_up", "input": {"sku": "first"}},
        price("A1"),
        {"tool": "look_up", "input": {"sku": "second"}},
        price("B2"),
    ]
    seller = asker("seller", "approval", "A1")
    seller["model"] = model("seller", script=[{"tools": calls}], final_text="seller is done.")
    if kind == "delegate":
        agents = {"boss": worker("boss", delegating(("seller", "sell"))), "seller": seller}
        return config("team", agents, team=team("boss", "seller"))
    agents = {"seller": seller, "closer": worker("closer")}
    if kind == "swarm":
        return config("peers", agents, peers=swarm("seller", "closer"))
    return config("flow", agents, flow=graph("seller", ("seller", "closer")))


@pytest.mark.parametrize("kind", ["delegate", "swarm", "graph"])
@pytest.mark.parametrize("again", [False, True], ids=["here", "after a restart"])
def test_rejecting_one_of_several_keeps_the_approved_one_and_repeats_no_sibling(
    bench: MakeBench, kind: str, again: bool
) -> None:
    b = make(bench, siblings(kind))
    b.say()
    b.answer(Denied("no"), b.card(sku="A1"))
    if again:
        b.restart()
    b.answer(Approved(), b.card(sku="B2"))
    assert b.page.status == "idle"
    assert b.prices() == [("B2", 12.0)]
    assert sorted(given["sku"] for tool, given in b.ran() if tool == "look_up") == ["first", "second"]
    results = [str(item.result_text) for item in b.items() if item.agent == "seller"]
    assert results == ["first costs 10", "Declined: no", "second costs 10", "B2 now costs 12 in summit"]
    assert_all_ended(b)


def test_two_agents_of_one_name_each_keep_their_own_answer_through_two_pauses(bench: MakeBench) -> None:
    """A sub-agent's approval is neither lost on resume nor credited to another agent of the same name."""
    seller = asker_of_both("seller", "approval")
    for reply in seller["model"]["params"]["replies"]:
        reply["script"] = [*reply["script"], *reply["script"]]  # it asks again after the first answer
    agents = {
        "boss": worker("boss", delegating(("north", "price A1"), ("south", "price B2"))),
        "first": worker("first", delegating(("seller", "price A1"))),
        "second": worker("second", delegating(("seller", "price B2"))),
        "seller": seller,
    }
    teams = {"north": team("first", "seller"), "south": team("second", "seller")}
    b = make(bench, config("team", agents, team=team("boss", "north", "south"), **teams))
    b.say()
    for answers in ({"A1": Approved(), "B2": Denied("no B2")}, {"A1": Denied("no A1"), "B2": Approved()}):
        assert {card.agent_path: card.input["sku"] for card in b.cards()} == {
            ("boss", "first", "seller"): "A1",
            ("boss", "second", "seller"): "B2",
        }
        b.restart()
        for sku, answer in answers.items():
            b.answer(answer, b.card(sku=sku))
    assert b.page.status == "idle"
    assert sorted(b.prices()) == [("A1", 12.0), ("B2", 12.0)]
    north, south = b.results()
    assert "saying: no A1" in north and "B2" not in north.replace("no A1", "")
    assert "saying: no B2" in south and "A1" not in south.replace("no B2", "")
    assert_all_ended(b)
