"""Remembered permissions: only when asked for, only for what the card said, only as long as they hold."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.harness import Bench, price, shop
from tests.runs.test_edits import BY_STORE, SUBJECTS
from workbench.policy.answer import Approved, Denied, Skipped

MakeBench = Callable[..., Bench]


def stores(bench: MakeBench, *turns: list[dict[str, Any]], **more: Any) -> Bench:
    return bench(shop(*turns, ask=BY_STORE), files={"subjects.py": SUBJECTS}, **more)


A, B_, C = price("A1", 1.0), price("B2", 2.0), price("C3", 3.0)
HARBOR = price("H1", 9.0, "harbor")


@pytest.mark.parametrize(
    "answer", [Approved(), Denied("no"), Skipped()], ids=["approved", "denied", "skipped"]
)
def test_a_plain_answer_remembers_nothing(bench: MakeBench, answer: Any) -> None:
    b = stores(bench, [A], [B_])
    b.say()
    b.answer(answer)
    assert b.store.grants.list() == []
    assert b.say("next") == "waiting"


@pytest.mark.parametrize("scope", ["thread", "always"])
def test_what_was_allowed_for_the_chat_or_always_runs_next_time_and_says_by_what(
    bench: MakeBench, scope: Any
) -> None:
    b = stores(bench, [A], [B_])
    b.say()
    b.answer(Approved(scope))
    b.restart()
    assert b.say("next") == "idle"
    assert b.prices() == [("A1", 1), ("B2", 2)]
    item = b.items()[1]
    assert item.verdict.because == "grant" and "allowed before, for prices in summit" in item.because_sentence
    assert (item.decision.decision, item.decision.by) == ("approved", "permission")
    assert b.events("TOOL_CALL_RESULT")[1]["metadata"]["approval"]["by"] == "permission"
    (grant,) = b.store.grants.list()
    assert (grant.uses, grant.subject_label, grant.by) == (1, "prices in summit", "Ada")


def test_another_subject_asks_all_the_same(bench: MakeBench) -> None:
    b = stores(bench, [A], [HARBOR])
    b.say()
    b.answer(Approved("always"))
    assert b.say("next") == "waiting"
    assert b.card().subject.label == "prices in harbor"


def test_for_this_chat_is_for_this_chat_only(bench: MakeBench) -> None:
    b = stores(bench, [A], [B_])
    b.say()
    b.answer(Approved("thread"))
    b.id = b.engine.new_conversation(b.file)
    assert b.say() == "waiting"


def test_always_is_for_every_chat_of_this_agent(bench: MakeBench) -> None:
    b = stores(bench, [A], [B_])
    b.say()
    b.answer(Approved("always"))
    b.id = b.engine.new_conversation(b.file)
    assert b.say() == "idle"
    assert b.prices() == [("A1", 1), ("A1", 1)]


@pytest.mark.parametrize("scope", ["thread", "always"])
def test_a_scope_the_card_did_not_offer_is_taken_as_once(bench: MakeBench, scope: Any) -> None:
    b = bench(shop([A], [B_], ask=[{"name": "set_price", "remember": "once"}]))
    b.say()
    assert b.card().scopes == ("once",)
    outcome = b.answer(Approved(scope))
    assert outcome.card.decision is not None and outcome.card.decision.scope == "once"
    assert outcome.warnings and b.store.grants.list() == []
    assert b.prices() == [("A1", 1)] and b.say("next") == "waiting"


def test_allowing_one_of_a_turn_answers_no_other_card_of_it(bench: MakeBench) -> None:
    """Allow for this chat on one, then Deny on the other of the same turn: the other must not run."""
    b = stores(bench, [{"tools": [A, B_]}])
    b.say()
    b.answer(Approved("thread"), b.card(sku="A1"))
    assert b.card().input["sku"] == "B2"
    b.answer(Denied("not this one"))
    assert b.prices() == [("A1", 1)]
    assert b.results() == ["A1 now costs 1 in summit", "Declined: not this one"]


def test_a_permission_that_comes_from_elsewhere_does_not_override_a_denial(bench: MakeBench) -> None:
    b = stores(bench, [A])
    b.say()
    waiting, other = b.id, b.engine.new_conversation(b.file)
    b.id = other
    b.say()
    b.answer(Approved("always"))
    b.id = waiting
    b.answer(Denied("no"))
    assert b.results() == ["Declined: no"]
    assert b.prices() == [("A1", 1)], "only the other conversation's call ran"


def test_a_permission_that_comes_from_elsewhere_answers_no_open_card(bench: MakeBench) -> None:
    b = stores(bench, [A])
    b.say()
    waiting, other = b.id, b.engine.new_conversation(b.file)
    b.id = other
    b.say()
    b.answer(Approved("always"))
    b.id = waiting
    b.restart()
    assert b.page.status == "waiting" and b.card().status == "open"


def test_a_later_denial_beats_an_earlier_permission_of_the_same_kind_of_call(bench: MakeBench) -> None:
    b = stores(bench, [A], [HARBOR], [B_])
    b.say()
    b.answer(Approved("always"))
    b.say("harbor")
    b.answer(Denied("never"))
    assert b.results()[1] == "Declined: never"
    assert b.say("summit") == "idle", "the denial was about harbor"
    assert b.prices() == [("A1", 1), ("B2", 2)]


def test_revoking_makes_the_next_call_ask_again(bench: MakeBench) -> None:
    b = stores(bench, [A], [B_])
    b.say()
    b.answer(Approved("always"))
    (grant,) = b.store.grants.list()
    b.store.grants.revoke(grant.id, by="Bo")
    assert b.say("next") == "waiting"


def test_revoking_while_paused_does_not_undo_the_approval_of_the_call_itself(bench: MakeBench) -> None:
    b = stores(bench, [{"tools": [A, HARBOR]}])
    b.say()
    b.answer(Approved("always"), b.card(sku="A1"))
    (grant,) = b.store.grants.list()
    b.store.grants.revoke(grant.id, by="Bo")
    b.answer(Denied(), b.card(sku="H1"))
    assert b.prices() == [("A1", 1)]


def test_a_broken_subject_function_opens_nothing_and_remembers_nothing(bench: MakeBench) -> None:
    broken = "def store_of(tool, tool_input):\n    raise KeyError('store')\n"
    b = bench(shop([A], [B_], ask=BY_STORE), files={"subjects.py": broken})
    b.say()
    card = b.card()
    assert card.scopes == ("once",) and card.subject.label == "set_price"
    assert card.verdict is not None and card.verdict.warnings
    b.answer(Approved("always"))
    assert b.store.grants.list() == [] and b.say("next") == "waiting"


def test_a_subject_of_empty_arguments_is_no_wildcard(bench: MakeBench) -> None:
    nothing = "def store_of(tool, tool_input):\n    return {'key': '', 'label': ''}\n"
    b = bench(shop([A], [HARBOR], ask=BY_STORE), files={"subjects.py": nothing})
    b.say()
    b.answer(Approved("always"))
    assert b.store.grants.list() == [] and b.say("next") == "waiting"


def test_a_door_that_remembers_nothing_is_offered_once_only(bench: MakeBench) -> None:
    b = stores(bench, [A], door="agui")
    b.say()
    assert b.card().scopes == ("once",)


def test_a_permission_is_counted_where_the_call_starts(bench: MakeBench) -> None:
    """A permission for one use lets one of two equal calls run; the other asks."""
    b = stores(bench, [{"tools": [A, B_]}])
    b.store.grants.create(
        config_name=b.file,
        agent="merchant",
        tool="set_price",
        subject_key="store:summit",
        subject_label="prices in summit",
        scope="always",
        by="Ada",
        via="app",
        max_uses=1,
    )
    b.say()
    assert len(b.prices()) == 1 and len(b.cards()) == 1
    b.answer(Denied())
    assert len(b.prices()) == 1
