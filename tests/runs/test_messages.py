"""Messages: while something waits, while something works, and after things went wrong."""

from collections.abc import Callable

import pytest

from tests.runs.harness import Bench, price, shop
from tests.runs.test_answering import ASK_COLOUR, RED
from workbench.policy import AnswerRefused
from workbench.policy.answer import Answered, Approved, Denied
from workbench.runs.errors import Busy, ConversationUnknown, MessageRefused, NothingToDo

MakeBench = Callable[..., Bench]

BYE = [{"text": "As you like."}]
MOVED_ON = "Not run: the person approved this call and then moved on before it started"
SKIPPED = "Skipped: the person sent a message instead of answering"


@pytest.mark.parametrize("apart", [False, True], ids=["here", "after a kill"])
def test_a_message_instead_of_an_answer_closes_the_card_and_is_answered(
    bench: MakeBench, apart: bool
) -> None:
    b = bench(shop([price()], BYE), apart=apart)
    b.say()
    card = b.card()
    b.restart()
    assert b.say("forget it") == "idle"
    assert (b.results(), b.said(), b.prices()) == ([SKIPPED], ["As you like."], [])
    closed = b.engine.card(card.id)
    assert closed.decision is not None and (closed.decision.decision, closed.status) == ("skipped", "decided")
    assert [view.user_text for view in b.views()] == ["go", "forget it"]


def test_closing_a_pause_costs_no_model_call_of_its_own(bench: MakeBench) -> None:
    b = bench(shop([price()], BYE))
    b.say()
    b.say("forget it")
    roles = [message["role"] for message in b.heard()]
    assert roles == ["user", "assistant", "user", "assistant"]
    last_of_person = b.heard()[2]["content"]
    assert [next(iter(block)) for block in last_of_person] == ["toolResult", "text"]


def test_a_card_closed_by_a_message_takes_no_late_answer(bench: MakeBench) -> None:
    b = bench(shop([price()], BYE))
    b.say()
    card = b.card()
    b.say("forget it", by="Bo")
    with pytest.raises(AnswerRefused) as refused:
        b.answer(Approved(), card)
    assert refused.value.code == "already_decided" and "skipped by Bo" in refused.value.message
    assert b.prices() == []


def test_what_was_approved_in_a_pause_that_a_message_ends_does_not_run(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [price("A1"), price("B2"), price("C3")]}], BYE))
    b.say()
    approved, denied = b.card(sku="A1"), b.card(sku="B2")
    b.answer(Approved(), approved)
    b.answer(Denied("no"), denied)
    warning = b.engine.open_for_message(b.id)
    assert [card.input["sku"] for card in warning.open_cards] == ["C3"]
    assert [card.input["sku"] for card in warning.approved_not_run] == ["A1"]
    b.say("forget it")
    assert b.results() == [MOVED_ON, "Declined: no", SKIPPED]
    assert b.prices() == []
    card = b.engine.card(approved.id)
    assert card.not_run and card.decision is not None and card.decision.decision == "approved"
    kept = b.store.decisions.of_request(approved.id)
    assert kept is not None and kept.decision == "approved" and kept.not_run == MOVED_ON


def test_an_answered_question_keeps_its_answer_when_a_message_ends_the_pause(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [ASK_COLOUR, price()]}], BYE, [price("B2")]))
    b.say()
    b.answer(RED, b.card("ask_user"))
    b.say("forget the price")
    assert b.results() == ["Question: Which colour?\nThe person's answer: red", SKIPPED]
    # What was closed once stays closed: the next closing speaks of its own calls only.
    b.say("and now?")
    b.say("forget that, too")
    told = [event["toolCallId"] for event in b.events("TOOL_CALL_RESULT")]
    assert len(told) == len(set(told)) == 3
    assert b.store.journal.open(b.id) == []


def test_an_answer_to_a_tools_own_question_is_not_taken_for_its_result(bench: MakeBench) -> None:
    calls = [{"tool": "book", "input": {"room": room}} for room in ("1", "2")]
    b = bench(shop([{"tools": calls}], BYE))
    b.say()
    b.answer(Answered(3), b.card(room="1"))
    b.say("forget it")
    assert b.results()[0].startswith("Not run") and b.results()[1] == SKIPPED
    assert [tool for tool, _ in b.ran()] == ["book asks", "book asks"]


def test_a_message_while_a_run_works_is_refused_and_queued_nowhere(bench: MakeBench) -> None:
    b = bench(shop([{"tool": "ship", "input": {"order": "7"}}], BYE))
    b.send()
    b.waits_in("ship-7")
    with pytest.raises(Busy) as busy:
        b.send("hello?")
    assert "still working" in str(busy.value)
    b.let("ship-7")
    b.settle()
    assert [view.user_text for view in b.views()] == ["go"]
    assert b.say("hello?") == "idle"
    assert b.said() == ["Done.", "As you like."]


def test_a_message_after_the_last_answer_is_busy_not_lost(bench: MakeBench) -> None:
    b = bench(shop([price()], BYE), apart=True)
    b.say()
    b.stop()
    b.engine.answer(b.card().id, Approved(), by="Ada")
    with pytest.raises(Busy):
        b.send("hello?")
    b.start()
    b.settle()
    assert b.prices() == [("A1", 12)]


@pytest.mark.parametrize("text", ["", "   ", "\n\t"], ids=repr)
def test_an_empty_message_is_refused_and_closes_nothing(bench: MakeBench, text: str) -> None:
    b = bench(shop([price()]))
    b.say()
    with pytest.raises(MessageRefused):
        b.send(text)
    assert b.card().status == "open"


def test_a_very_long_message_is_heard_whole_and_one_beyond_the_limit_is_refused(bench: MakeBench) -> None:
    b = bench(shop(BYE))
    long = "ü" * 199_999 + "!"
    assert b.say(long) == "idle"
    assert b.heard()[0]["content"] == [{"text": long}]
    assert len(b.page.title) <= 60
    with pytest.raises(MessageRefused) as refused:
        b.send("x" * 200_001)
    assert "200,001" in str(refused.value) and "200,000" in str(refused.value)


@pytest.mark.parametrize("text", ["half a letter: \ud83d", "nul \x00 and bell \a", "\u202etxet", "🧾" * 10])
def test_odd_characters_come_through(bench: MakeBench, text: str) -> None:
    b = bench(shop(BYE))
    assert b.say(text) == "idle"
    b.restart()
    assert b.heard()[0]["content"] == [{"text": text}]
    assert b.views()[0].user_text == text


def test_a_conversation_nobody_knows_is_said_so(bench: MakeBench) -> None:
    b = bench(shop(BYE))
    b_id, b.id = b.id, "no-such-conversation"
    for ask in (lambda: b.page, lambda: b.send("hi"), lambda: b.engine.stop(b.id, by="Ada")):
        with pytest.raises(ConversationUnknown):
            ask()
    b.id = b_id
    with pytest.raises(NothingToDo):
        b.engine.stop(b.id, by="Ada")
    with pytest.raises(NothingToDo):
        b.engine.retry(b.id, by="Ada")


def test_the_transcript_shows_what_the_person_answered(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [ASK_COLOUR, price(), price("B2")]}]))
    b.say()
    b.answer(RED, b.card("ask_user"), by="Bo")
    b.answer(Approved(tool_input={"sku": "A1", "price": 9.0}), b.card(sku="A1"), by="Cy")
    b.answer(Denied("too dear"), b.card(sku="B2"))
    b.restart()
    question, edited, denied = b.items()
    assert (
        question.is_question
        and question.card.answer_text == "Question: Which colour?\nThe person's answer: red"
    )
    assert (question.decision.decision, question.decision.who) == ("answered", "Bo")
    assert (edited.state, edited.edited, edited.executed_input) == (
        "finished",
        True,
        {"sku": "A1", "price": 9.0},
    )
    assert edited.decision.who == "Cy" and edited.input["price"] == 12
    assert (denied.state, denied.decision.decision, denied.decision.reason) == (
        "closed",
        "denied",
        "too dear",
    )


def test_a_turn_longer_than_any_window_is_gone_back_to_not_begun_anew(bench: MakeBench) -> None:
    """A turn of many steps whose message is far back is mended, and the message is not delivered twice."""
    looks = [{"tool": "look_up", "input": {"sku": f"S{n}"}} for n in range(110)]
    b = bench(shop([*looks, {"tool": "ship", "input": {"order": "7"}}]), apart=True)
    b.send()
    b.waits_in("ship-7")
    b.restart()
    b.until("waiting")
    assert b.card().kind == "doubt"
    said = [block for message in b.heard() for block in message["content"] if "text" in block]
    assert said == [{"text": "go"}]
