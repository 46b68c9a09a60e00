"""The config changes while a card waits: the pause finishes under the version that raised it, the next message
uses the newest, and the card says so."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.arrangements import BY_NAME, Arrangement, delegate
from tests.runs.harness import Bench, price, shop
from tests.runs.test_delegates import assert_all_ended, calls_to, gated_delegate, make
from workbench.policy.answer import Approved, Denied
from workbench.runs.errors import EngineRefused

MakeBench = Callable[..., Bench]

PLACES = pytest.mark.parametrize(
    "arrangement",
    [
        BY_NAME[name]
        for name in ("plain", "delegate two down", "swarm member after a handoff", "two graph nodes at once")
    ],
    ids=lambda arrangement: arrangement.name,
)


def loosened(text: dict[str, Any]) -> dict[str, Any]:
    """The same config, in which nothing asks."""
    agents = {
        name: {**{key: value for key, value in agent.items() if key != "interrupt"}, "auto": True}
        for name, agent in text["agents"].items()
    }
    return {**text, "agents": agents}


@PLACES
@pytest.mark.parametrize("again", [False, True], ids=["here", "after a restart"])
def test_a_denial_holds_although_the_newest_config_would_run_the_call(
    bench: MakeBench, arrangement: Arrangement, again: bool
) -> None:
    text = arrangement.config("approval")
    b = make(bench, text)
    b.say("please price A1 and B2")
    assert b.apply(loosened(text)) == 2
    for card in b.cards():
        change = b.engine.card(card.id).config_changed
        assert change is not None and change.newest_number == 2
        assert change.verdict_now is not None and change.verdict_now.outcome == "run"
        assert "would run this call without asking" in change.sentence
        if again:
            b.restart()
        b.answer(Denied("no"), card)
    assert b.settle() == "idle" and b.prices() == []
    assert {view.config_number for view in b.views()} == {1}
    b.say("please price A1 and B2")
    assert b.page.status == "idle"
    assert sorted(sku for sku, _ in b.prices()) == sorted(asker.sku for asker in arrangement.askers)
    assert b.views()[-1].config_number == 2
    assert_all_ended(b)


def test_the_rest_of_the_turn_asks_under_the_version_that_began_it(bench: MakeBench) -> None:
    text = shop([price(), price("B2", 2.0)], [price("C3", 3.0)])
    b = bench(text)
    b.say()
    b.apply(loosened(text))
    b.answer(Approved())
    assert b.card().input["sku"] == "B2" and b.card().config_number == 1
    b.answer(Denied("no"))
    assert b.say("next") == "idle"
    assert b.prices() == [("A1", 12.0), ("C3", 3.0)]


def test_a_config_that_is_tightened_asks_from_the_next_message_on_without_a_restart(bench: MakeBench) -> None:
    text = shop([price()], [price("B2", 2.0)])
    b = bench(loosened(text))
    assert b.say() == "idle"
    b.write(text)  # another editor saves the file
    assert b.say("next") == "waiting"
    assert b.card().config_number == 2


@PLACES
def test_agents_that_are_gone_from_the_newest_config_finish_their_pause(
    bench: MakeBench, arrangement: Arrangement
) -> None:
    b = make(bench, arrangement.config("approval"))
    b.say("please price A1 and B2")
    b.apply({"version": "1", "agents": {"other": {"model": {"provider": "scripted"}}}})
    b.restart()
    for card in b.cards():
        change = b.engine.card(card.id).config_changed
        assert change is not None and change.verdict_now is None and "has no agent" in change.sentence
        with pytest.raises(EngineRefused):
            b.engine.ask_again(card.id, by="Ada")
        b.answer(Approved(), card)
    assert b.settle() == "idle"
    assert sorted(sku for sku, _ in b.prices()) == sorted(asker.sku for asker in arrangement.askers)
    assert_all_ended(b)


@PLACES
def test_asked_again_under_the_newest_config_the_old_card_is_superseded_and_the_new_one_decides(
    bench: MakeBench, arrangement: Arrangement
) -> None:
    text = arrangement.config("approval")
    b = make(bench, text)
    b.say("please price A1 and B2")
    tightened = arrangement.config("approval")
    for agent in tightened["agents"].values():
        if "interrupt" in agent:
            agent["interrupt"] = {"tools": [{"name": "set_price", "ttl_seconds": 600}]}
    b.apply(tightened)
    for card in b.cards():
        fresh = b.engine.ask_again(card.id, by="Ada")
        assert (fresh.config_number, fresh.agent_path) == (2, card.agent_path)
        assert fresh.expires_at is not None
        old = b.engine.card(card.id).decision
        assert old is not None and old.decision == "superseded"
        b.restart()
        b.answer(Approved(), b.engine.card(fresh.id))
    assert b.settle() == "idle"
    assert sorted(sku for sku, _ in b.prices()) == sorted(asker.sku for asker in arrangement.askers)
    assert len(calls_to(b, "set_price")) == len(arrangement.askers)
    assert_all_ended(b)


def test_a_gated_delegations_card_says_what_the_newest_config_makes_of_it(bench: MakeBench) -> None:
    b = make(bench, gated_delegate())
    b.say()
    b.apply(gated_delegate(ttl_seconds=600))
    change = b.card().config_changed
    assert change is not None and change.verdict_now is not None and change.verdict_now.outcome == "ask"
    assert b.engine.ask_again(b.card().id, by="Ada").config_number == 2
    b.apply(delegate("approval"))
    change = b.card().config_changed
    assert change is not None and change.verdict_now is not None and change.verdict_now.outcome == "run"
    b.answer(Denied("no"))
    assert b.results() == ["Declined: no"]


def test_a_delegation_that_began_under_one_version_goes_on_when_a_newer_one_gates_it(
    bench: MakeBench,
) -> None:
    b = make(bench, delegate("approval"))
    b.say()
    b.apply(gated_delegate())
    b.restart()
    b.answer(Approved())
    assert b.page.status == "idle" and b.prices() == [("A1", 12.0)]
    b.say("again")
    assert b.card().tool == "seller"
