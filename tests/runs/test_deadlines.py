"""Deadlines: compared with the moment of the answer, and never a trap."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.runs.harness import Bench, price, shop
from workbench.policy import AnswerRefused
from workbench.policy.answer import Approved, Denied, Skipped

MakeBench = Callable[..., Bench]

WITHIN = [{"name": "set_price", "ttl_seconds": 60}]


def test_a_card_says_until_when(bench: MakeBench) -> None:
    b = bench(shop([price()], ask=WITHIN))
    b.say()
    card = b.card()
    assert card.expires_at is not None and not card.expired
    assert timedelta(seconds=55) < card.expires_at - card.created_at <= timedelta(seconds=61)
    assert b.engine.waiting()[0].expires_at == card.expires_at
    b.clock.move(61)
    assert b.card().expired and b.card().status == "open"


def test_a_late_approval_is_recorded_as_expired_and_the_run_goes_on(bench: MakeBench) -> None:
    b = bench(shop([price()], [{"text": "Fine."}], ask=WITHIN))
    b.say()
    b.clock.move(61)
    outcome = b.answer(Approved(), by="Ada")
    assert outcome.card.decision is not None
    assert (outcome.card.decision.decision, outcome.card.decision.by) == ("expired", "deadline")
    assert b.prices() == []
    assert b.results()[0].startswith("Expired: the approval came after its deadline")
    approval = b.events("TOOL_CALL_RESULT")[0]["metadata"]["approval"]
    assert (approval["decision"], approval["by"]) == ("expired", "deadline")
    assert b.page.status == "idle" and b.say("go on") == "idle"


def test_a_late_approval_made_again_is_the_same_answer(bench: MakeBench) -> None:
    b = bench(shop([price()], ask=WITHIN))
    b.say()
    card = b.card()
    b.answer(Approved())
    b.clock.move(61)
    assert b.answer(Approved(), card).card.decision == b.engine.card(card.id).decision
    with pytest.raises(AnswerRefused):
        b.answer(Denied(), card)


@pytest.mark.parametrize(
    ("answer", "decision", "read"),
    [(Denied("no"), "denied", "Declined: no"), (Skipped("meh"), "skipped", "Skipped: meh")],
    ids=["denied", "skipped"],
)
def test_a_late_denial_or_skip_stays_what_it_is(
    bench: MakeBench, answer: Denied, decision: str, read: str
) -> None:
    b = bench(shop([price()], ask=WITHIN))
    b.say()
    b.clock.move(3600)
    outcome = b.answer(answer)
    assert outcome.card.decision is not None
    assert (outcome.card.decision.decision, outcome.card.decision.by) == (decision, "person")
    assert b.results() == [read]


def test_an_approval_in_time_stays_good_while_others_are_answered_later(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [price("A1"), price("B2", 2.0)]}], ask=WITHIN))
    b.say()
    b.answer(Approved(), b.card(sku="A1"))
    b.clock.move(3600)
    b.restart()
    b.answer(Approved(), b.card(sku="B2"))
    assert b.prices() == [("A1", 12)]
    assert b.results()[0] == "A1 now costs 12 in summit" and b.results()[1].startswith("Expired")


def test_a_passed_deadline_starts_nothing_by_itself_and_locks_nothing(bench: MakeBench) -> None:
    b = bench(shop([price()], [{"text": "Fine."}], ask=WITHIN))
    b.say()
    b.clock.move(3600)
    b.restart()
    assert b.page.status == "waiting" and b.statuses() == ["paused"]
    assert b.say("never mind") == "idle"
    assert b.results() == ["Skipped: the person sent a message instead of answering"]


def test_the_blocks_deadline_holds_for_its_rules_and_a_rules_own_beats_it(bench: MakeBench) -> None:
    config = shop(
        [{"tools": [price(), {"tool": "look_up", "input": {"sku": "X"}}]}],
        interrupt={"tools": ["look_up", {"name": "set_price", "ttl_seconds": 10}], "ttl_seconds": 100},
    )
    b = bench(config)
    b.say()
    b.clock.move(50)
    assert b.card("set_price").expired and not b.card("look_up").expired
