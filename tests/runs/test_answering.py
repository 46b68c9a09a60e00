"""Answers to cards: what each makes of its call, one by one, in any order, once."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from tests.runs.harness import Bench, price, shop
from tests.runs.processes import answer_at_once
from workbench.policy import Answer, AnswerRefused
from workbench.policy.answer import Answered, Approved, Denied, GaveUp, Happened, RunAgain, Skipped

MakeBench = Callable[..., Bench]

COLOUR = {"question": "Which colour?", "options": ["red", "blue"]}
ASK_COLOUR = {"tool": "ask_user", "input": COLOUR}
RED = Answered({"answers": [{"question": "Which colour?", "selected": ["red"], "other": None}]})
THREE = {"tools": [price("A1", 1.0), price("B2", 2.0), price("C3", 3.0)]}

DECISIONS: list[tuple[dict[str, Any], Answer, str, str, list[float]]] = [
    (price(), Approved(), "approved", "A1 now costs 12 in summit", [12]),
    (price(), Denied("too cheap"), "denied", "Declined: too cheap", []),
    (price(), Denied(), "denied", "Declined: the person did not approve this call and gave no reason", []),
    (price(), Skipped("later"), "skipped", "Skipped: later", []),
    (price(), Skipped(), "skipped", "Skipped: the person chose not to answer", []),
    (ASK_COLOUR, RED, "answered", "Question: Which colour?\nThe person's answer: red", []),
    (ASK_COLOUR, Skipped("no idea"), "skipped", "Skipped: no idea", []),
]


@pytest.mark.parametrize("apart", [False, True], ids=["here", "another process after a kill"])
@pytest.mark.parametrize(
    ("step", "answer", "decision", "read", "set_to"),
    DECISIONS,
    ids=[
        "approved",
        "denied with a reason",
        "denied",
        "skipped with a reason",
        "skipped",
        "answered",
        "not answered",
    ],
)
def test_what_the_model_reads_and_what_runs_is_what_the_person_said(
    bench: MakeBench, step: Any, answer: Answer, decision: str, read: str, set_to: list[float], apart: bool
) -> None:
    b = bench(shop([step]), apart=apart)
    assert b.say() == "waiting"
    if apart:
        b.restart()
    asked = b.card()
    b.answer(answer, by="Bo")
    assert b.page.status == "idle"
    assert b.results() == [read]
    assert [value for _, value in b.prices()] == set_to
    card = b.engine.card(asked.id)
    assert card.decision is not None
    assert (card.status, card.decision.decision, card.decision.who) == ("decided", decision, "Bo")
    approval = b.events("TOOL_CALL_RESULT")[0]["metadata"]["approval"]
    assert (approval["decision"], approval["by"], approval["who"]) == (decision, "person", "Bo")
    kept = b.store.decisions.of_request(asked.id)
    assert kept is not None and (kept.decision, kept.by, kept.via) == (decision, "Bo", "app")
    assert b.said()[-1] == "Done."


def test_a_call_that_nothing_gated_carries_no_approval(bench: MakeBench) -> None:
    b = bench(shop([{"tool": "look_up", "input": {"sku": "A1"}}]))
    assert b.say() == "idle"
    assert b.results() == ["A1 costs 10"]
    assert "approval" not in b.events("TOOL_CALL_RESULT")[0]["metadata"]
    assert b.store.requests.of_conversation(b.id) == []


@pytest.mark.parametrize("order", list(permutations(["A1", "B2", "C3"])), ids="".join)
def test_several_cards_of_one_turn_are_answered_in_any_order(
    bench: MakeBench, order: tuple[str, ...]
) -> None:
    b = bench(shop([THREE]))
    b.say()
    answers: dict[str, Answer] = {"A1": Approved(), "B2": Denied("no"), "C3": Approved()}
    left = [b.answer(answers[sku], b.card(sku=sku)).left for sku in order]
    assert left == [2, 1, 0]
    assert sorted(b.prices()) == [("A1", 1), ("C3", 3)]
    assert b.results() == ["A1 now costs 1 in summit", "Declined: no", "C3 now costs 3 in summit"]


def test_nothing_of_a_pause_runs_before_its_last_card_is_answered(bench: MakeBench) -> None:
    b = bench(shop([THREE]))
    b.say()
    b.answer(Approved(), b.card(sku="A1"))
    b.restart()
    b.answer(Approved(), b.card(sku="C3"))
    assert (b.prices(), b.page.status, b.card().input["sku"]) == ([], "waiting", "B2")
    assert b.card().position == (2, 3)
    b.answer()
    assert sorted(b.prices()) == [("A1", 1), ("B2", 2), ("C3", 3)]


@pytest.mark.parametrize("apart", [False, True], ids=["here", "after a kill"])
def test_ungated_siblings_run_once_and_before_the_pause(bench: MakeBench, apart: bool) -> None:
    looks = [{"tool": "look_up", "input": {"sku": sku}} for sku in ("X", "Y")]
    b = bench(shop([{"tools": [looks[0], price(), looks[1]]}]), apart=apart)
    b.say()
    assert sorted(given["sku"] for _, given in b.ran()) == ["X", "Y"]
    b.restart()
    b.answer(Denied())
    assert sorted(given["sku"] for _, given in b.ran()) == ["X", "Y"]
    assert b.results()[0] == "X costs 10" and b.results()[2] == "Y costs 10"
    assert b.results()[1].startswith("Declined:")


def test_a_question_and_an_approval_wait_in_one_pause_and_go_each_its_way(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [ASK_COLOUR, price()]}]))
    b.say()
    assert sorted(card.kind for card in b.cards()) == ["approval", "question"]
    b.answer(Approved(), b.card("set_price"))
    assert b.prices() == []
    b.answer(RED, b.card("ask_user"))
    assert b.results() == ["Question: Which colour?\nThe person's answer: red", "A1 now costs 12 in summit"]
    assert b.prices() == [("A1", 12)]


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({}, "there is no question"),
        ({"questions": []}, "`questions` is empty"),
        ({"question": "Which?", "optoins": ["a"]}, "did you mean `options`?"),
        ({"question": "Which?", "options": ["a", "a"]}, "twice"),
        ({"question": 5}, "must be a text"),
    ],
)
def test_a_malformed_question_goes_back_to_the_model_and_no_card_appears(
    bench: MakeBench, asked: dict[str, Any], complaint: str
) -> None:
    b = bench(shop([{"tool": "ask_user", "input": asked}, ASK_COLOUR]))
    assert b.say() == "waiting"
    assert complaint in b.results()[0]
    assert b.card().input["questions"][0]["question"] == "Which colour?"
    b.answer(RED)
    assert b.results()[1].endswith("red")
    assert len(b.store.requests.of_conversation(b.id)) == 1


NO_ANSWERS: list[Any] = [
    None,
    {},
    [],
    "red",
    {"answers": []},
    {"answers": [{"selected": []}]},
    {"answers": [{"selected": ["green"]}]},
    {"answers": [{"selected": ["red", "blue"]}]},
    {"answers": [{"selected": ["red"]}, {"selected": ["red"]}]},
]


@pytest.mark.parametrize("value", NO_ANSWERS, ids=repr)
def test_what_does_not_answer_the_question_is_never_stored(bench: MakeBench, value: Any) -> None:
    b = bench(shop([ASK_COLOUR]))
    b.say()
    with pytest.raises(AnswerRefused) as refused:
        b.answer(Answered(value))
    assert refused.value.code == "invalid_answer"
    stored = b.store.requests.require(b.card().id)
    assert (stored.status, stored.answer) == ("open", None)


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        (price(), Answered(True)),
        (price(), Answered("approved")),
        (price(), Happened("it did")),
        (price(), RunAgain()),
        (price(), GaveUp()),
        (ASK_COLOUR, Approved()),
        (ASK_COLOUR, Denied()),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, dict) else value["tool"],
)
def test_an_answer_of_another_kind_changes_nothing(bench: MakeBench, step: Any, answer: Answer) -> None:
    b = bench(shop([step]))
    b.say()
    with pytest.raises(AnswerRefused) as refused:
        b.answer(answer)
    assert refused.value.code == "wrong_answer"
    assert b.card().status == "open" and b.ran() == []


def test_an_answer_without_a_name_is_refused(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    with pytest.raises(AnswerRefused) as refused:
        b.answer(Approved(), by=" ")
    assert refused.value.code == "no_name"
    assert b.card().status == "open"


def test_one_bad_answer_of_a_set_arms_nothing(bench: MakeBench) -> None:
    """An approval that came along with a refused answer must not fire when another card is decided later."""
    b = bench(shop([{"tools": [price("A1"), price("B2")]}]))
    b.say()
    with pytest.raises(AnswerRefused):
        b.engine.answer("no-such-card", Approved(), by="Ada")
    with pytest.raises(AnswerRefused):
        b.answer(Approved(tool_input={"sku": "A1", "price": "a lot"}), b.card(sku="A1"))
    b.answer(Denied(), b.card(sku="B2"))
    assert b.prices() == [] and b.page.status == "waiting"
    b.answer(Denied())
    assert b.prices() == [] and b.page.status == "idle"


def test_the_same_answer_again_changes_nothing(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    card = b.card()
    b.answer(Approved(), card)
    once_more = b.answer(Approved(), card, by="Bo")
    assert once_more.card.decision is not None and once_more.card.decision.who == "Ada"
    assert b.prices() == [("A1", 12)]
    assert len(b.statuses()) == 2, "a second answer must not call the model again"
    assert b.said() == ["Done."]


@pytest.mark.parametrize(
    "second", [Denied(), Approved("always"), Approved(tool_input={"sku": "Z", "price": 1.0})]
)
def test_another_answer_is_refused_with_who_said_what(bench: MakeBench, second: Answer) -> None:
    b = bench(shop([price()]))
    b.say()
    card = b.card()
    b.answer(Approved(), card, by="Ada")
    with pytest.raises(AnswerRefused) as refused:
        b.answer(second, card, by="Bo")
    assert refused.value.code == "already_decided"
    assert "approved by Ada" in refused.value.message
    assert b.prices() == [("A1", 12)]


def test_a_decided_card_says_so_even_to_an_answer_that_would_not_fit(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    card = b.card()
    b.answer(Denied(), card, by="Ada")
    for late in (Approved(tool_input={"sku": 1}), Answered(1), GaveUp()):
        with pytest.raises(AnswerRefused) as refused:
            b.answer(late, card, by="Bo")
        assert refused.value.code == "already_decided"


def test_approve_and_deny_at_once_from_two_processes_one_wins_and_one_runs(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    card = b.card()
    told = answer_at_once(b.database, b.folder, card.id, {"Ada": Approved(), "Bo": Denied("no")})
    b.settle()
    decided = b.engine.card(card.id).decision
    assert decided is not None
    assert sorted(map(str, told.values())) == sorted(["already_decided", decided.decision])
    assert told[decided.who] == decided.decision
    assert b.prices() == ([("A1", 12)] if decided.decision == "approved" else [])
    assert len(b.statuses()) == 2


def test_the_same_approval_at_once_from_three_processes_runs_once(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    card = b.card()
    told = answer_at_once(
        b.database, b.folder, card.id, {"Ada": Approved(), "Bo": Approved(), "Cy": Approved()}
    )
    b.settle()
    assert set(told.values()) == {"approved"}
    assert b.prices() == [("A1", 12)]
    assert len(b.store.decisions.list(b.id)) == 1


def test_a_card_shows_in_its_own_conversation_and_an_answer_reaches_no_other(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    first, mine = b.id, b.card()
    b.id = b.engine.new_conversation(b.file)
    b.say()
    assert b.card().id != mine.id and b.card().conversation_id == b.id
    assert {row.conversation_id for row in b.engine.waiting()} == {first, b.id}
    b.engine.answer(mine.id, Denied(), by="Ada")
    assert b.card().status == "open"


def test_a_card_can_be_decided_although_its_config_does_not_load_here_any_more(
    bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_SECRET", "s3cret")
    b = bench(shop([price()], system_prompt="The key is ${SHOP_SECRET}."))
    b.say()
    card = b.card()
    monkeypatch.delenv("SHOP_SECRET")
    b.restart()
    assert b.engine.preview_edit(card.id, {"sku": "A1", "price": 1.0}).errors == {}
    b.answer(Denied("no"), card)
    decided = b.engine.card(card.id).decision
    assert decided is not None and decided.decision == "denied"
    assert b.page.status == "failed" and "SHOP_SECRET" in str(b.page.last_error)
    monkeypatch.setenv("SHOP_SECRET", "s3cret")
    b.engine.retry(b.id, by="Ada")
    assert b.settle() == "idle"
    assert (b.results(), b.prices()) == (["Declined: no"], [])


def test_instructions_that_are_gone_are_named_and_nothing_is_lost(bench: MakeBench) -> None:
    b = bench(shop([price()], system_prompt_file="prompt.md"), files={"prompt.md": "Be kind."})
    b.say()
    (b.folder / "prompt.md").unlink()
    b.restart()
    b.answer(Approved())
    assert b.page.last_error == "there is no file 'prompt.md' beside the config"
    b.beside("prompt.md", "Be kind.")
    b.engine.retry(b.id, by="Ada")
    assert b.settle() == "idle"
    assert b.prices() == [("A1", 12)]
