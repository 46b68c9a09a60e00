"""A tool that pauses for itself: what it asked becomes a card, and the answer is what it gets."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.harness import Bench, price, shop
from workbench.policy import AnswerRefused
from workbench.policy.answer import Answered, Approved, Skipped

MakeBench = Callable[..., Bench]

BOOK = {"tool": "book", "input": {"room": "12"}}
BOOK_TWICE = {"tool": "book_twice", "input": {"room": "12"}}


@pytest.mark.parametrize("apart", [False, True], ids=["here", "after a kill"])
def test_what_a_tool_asks_becomes_a_card_with_its_message_and_its_form(bench: MakeBench, apart: bool) -> None:
    b = bench(shop([BOOK]), apart=apart)
    assert b.say() == "waiting"
    card = b.card()
    assert (card.kind, card.tool, card.input, card.message) == (
        "tool_interrupt",
        "book",
        {"room": "12"},
        "How many guests?",
    )
    assert card.response_schema == {"type": ["integer", "string", "boolean", "null"]}
    b.restart()
    b.answer(Answered(3))
    assert b.results() == ["booked 12 for 3"]
    assert b.ran()[-1] == ("book", {"room": "12", "said": 3})


@pytest.mark.parametrize("value", [False, 0, "", None], ids=repr)
@pytest.mark.parametrize("again", [False, True], ids=["at once", "after a restart"])
def test_false_zero_nothing_and_null_are_answers(bench: MakeBench, value: Any, again: bool) -> None:
    b = bench(shop([BOOK]))
    b.say()
    if again:
        b.restart()
    b.answer(Answered(value))
    assert b.page.status == "idle"
    assert b.ran()[-1] == ("book", {"room": "12", "said": value})
    assert b.results() == [f"booked 12 for {value!r}"]


def test_an_answer_that_breaks_the_tools_own_form_is_refused_and_the_card_stays(bench: MakeBench) -> None:
    b = bench(shop([BOOK]))
    b.say()
    with pytest.raises(AnswerRefused) as refused:
        b.answer(Answered(["three"]))
    assert refused.value.code == "invalid_answer"
    assert b.card().status == "open"


def test_a_tool_may_ask_twice_and_keeps_what_it_heard_first(bench: MakeBench) -> None:
    b = bench(shop([BOOK_TWICE]))
    b.say()
    assert b.card().message == "From when?"
    b.answer(Answered(None))
    assert b.card().message == "Until when?"
    b.restart()
    b.answer(Answered("Sunday"))
    assert b.ran() == [("book_twice", {"room": "12", "first": None, "second": "Sunday"})]


def test_a_form_that_is_no_schema_takes_any_value(bench: MakeBench) -> None:
    b = bench(shop([BOOK_TWICE]))
    b.say()
    b.answer(Answered("Friday"))
    assert b.card().response_schema is None
    b.answer(Answered({"any": ["thing"]}))
    assert b.ran()[-1][1]["second"] == {"any": ["thing"]}


def test_a_skipped_question_of_a_tool_ends_the_call_unfinished(bench: MakeBench) -> None:
    b = bench(shop([BOOK]))
    b.say()
    b.answer(Skipped("not today"))
    assert b.results() == ["Skipped: not today"]
    assert [tool for tool, _ in b.ran()] == ["book asks"]


def test_a_gated_tool_that_asks_is_approved_first_and_runs_the_edit(bench: MakeBench) -> None:
    b = bench(shop([BOOK], ask=["book"]))
    b.say()
    assert b.card().kind == "approval"
    b.answer(Approved(tool_input={"room": "14"}))
    assert (b.card().kind, b.card().input) == ("tool_interrupt", {"room": "14"})
    b.answer(Answered(2))
    assert b.ran()[-1] == ("book", {"room": "14", "said": 2})
    assert "14" in b.results()[0] and "changed the arguments" in b.results()[0]


def test_two_tools_that_ask_in_one_turn_are_answered_each_on_its_own(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [BOOK, {"tool": "book", "input": {"room": "13"}}, price()]}]))
    b.say()
    assert len(b.cards()) == 3
    b.answer(Answered(1), b.card("book", room="13"))
    b.answer(Approved(), b.card("set_price"))
    b.answer(Answered(None), b.card("book", room="12"))
    assert b.results() == ["booked 12 for None", "booked 13 for 1", "A1 now costs 12 in summit"]


def test_a_tool_without_a_message_shows_its_whole_reason(bench: MakeBench) -> None:
    source = '''
import strands
from strands import ToolContext

@strands.tool(context=True)
def pay(tool_context: ToolContext) -> str:
    """Pay."""
    return str(tool_context.interrupt("pay", reason={"amount": 5, "to": "Bo"}))
'''
    b = bench(shop([{"tool": "pay"}], tools="./pay.py"), files={"pay.py": source})
    b.say()
    assert '"amount": 5' in b.card().message and "Bo" in b.card().message
