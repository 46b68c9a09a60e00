"""The event log and the transcript that is folded from it: the same for everybody, at any time."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.harness import Bench, price, shop
from tests.runs.test_answering import ASK_COLOUR, RED
from workbench.policy.answer import Approved, Denied
from workbench.runs.engine import Engine
from workbench.runs.views import CallItem, ReasoningItem, RunView, TextItem
from workbench.store import Store

MakeBench = Callable[..., Bench]

SLOW = {"stream_chunk": 1, "stream_delay_ms": 2}
LOOK = {"tool": "look_up", "input": {"sku": "X"}}


def test_somebody_who_looks_all_the_time_sees_what_somebody_sees_who_comes_late(bench: MakeBench) -> None:
    """A page that is open, a page that is refreshed and another process fold the same log to the same transcript."""
    step = {"before": [{"reasoning": "Let me see."}, {"text": "Two things, then."}], "tools": [LOOK, price()]}
    b = bench(shop([step, {"text": "All done now."}], streaming=SLOW))
    b.send()
    looked: list[list[RunView]] = []
    while b.page.status == "working":
        looked.append(b.views())
    b.answer(Approved())
    at_last = b.views()
    with Store.open(b.database) as store:
        late = Engine(store, b.folder).run_views(b.id)
    assert late == at_last
    lengths = [
        sum(len(getattr(item, "text", "")) for item in view.items) for views in looked for view in views
    ]
    assert lengths == sorted(lengths), "what was shown once never shrinks"


def test_pieces_are_joined_before_they_are_stored(bench: MakeBench) -> None:
    text = "A sentence of many letters. " * 20
    b = bench(shop([{"text": text}], streaming={"stream_chunk": 1}))
    b.say()
    assert b.texts() == [text]
    assert len(b.events("TEXT_MESSAGE_CONTENT")) < len(text) / 5


def test_a_run_of_the_transcript_says_what_was_said_thought_called_and_spent(bench: MakeBench) -> None:
    step = {"before": [{"reasoning": "Let me see."}, {"text": "One moment."}], **LOOK}
    b = bench(shop([step]))
    b.say("what does X cost?", by="Bo")
    (view,) = b.views()
    assert (view.user_text, view.by, view.agent, view.status, view.kind) == (
        "what does X cost?",
        "Bo",
        "merchant",
        "done",
        "message",
    )
    assert [type(item) for item in view.items] == [ReasoningItem, TextItem, CallItem, TextItem]
    assert view.usage is not None and view.usage.input_tokens > 0 and view.usage.output_tokens > 0
    assert view.seconds is not None and view.started_at is not None
    call = b.items()[0]
    assert (call.tool, call.input, call.state, call.result_text) == (
        "look_up",
        {"sku": "X"},
        "finished",
        "X costs 10",
    )
    assert call.seconds is not None and call.agent_path == ("merchant",)


def test_a_call_stands_where_it_was_proposed_and_what_later_runs_say_changes_it_there(
    bench: MakeBench,
) -> None:
    b = bench(shop([{"tools": [ASK_COLOUR, price()]}]))
    b.say()
    states = [(item.tool, item.state) for item in b.views()[0].items if isinstance(item, CallItem)]
    assert states == [("ask_user", "waiting"), ("set_price", "waiting")]
    b.answer(RED, b.card("ask_user"))
    b.answer(Denied("no"), b.card("set_price"))
    first, second = b.views()
    assert [(item.tool, item.state) for item in first.items] == [
        ("ask_user", "finished"),
        ("set_price", "closed"),
    ]
    assert [type(item) for item in second.items] == [TextItem]


def test_a_finished_run_never_changes_again(bench: MakeBench) -> None:
    b = bench(shop([LOOK], [LOOK], [LOOK]))
    b.say()
    (before,) = b.views()
    b.say("again")
    b.restart()
    b.say("and again")
    assert b.views()[0] == before
    assert b.engine.run_views(b.id, last=1) == [b.views()[-1]]


def test_a_pause_tells_an_ag_ui_client_what_waits(bench: MakeBench) -> None:
    b = bench(shop([ASK_COLOUR], [{"tools": [ASK_COLOUR, price()]}]))
    b.say()
    (question,) = b.cards()
    pending = b.events("RUN_FINISHED")[0]["outcome"]
    call = b.store.requests.require(question.id).tool_call_id
    assert pending == {"type": "success", "pendingToolCallIds": [call]}
    b.answer(RED)
    b.say("again")
    outcome = b.events("RUN_FINISHED")[-1]["outcome"]
    assert outcome["type"] == "interrupt"
    (interrupt,) = outcome["interrupts"]
    card = b.card("set_price")
    assert interrupt["id"] == card.id, "our own id, and never strands'"
    assert interrupt["metadata"]["tool_input"] == card.input


@pytest.mark.parametrize("answer", [Approved(), Denied("no")], ids=["approved", "denied"])
def test_a_decision_is_in_the_log_with_who_where_and_what(bench: MakeBench, answer: Any) -> None:
    b = bench(shop([price()]))
    b.say()
    card = b.card()
    b.engine.answer(card.id, answer, by="Bo", via="notebook")
    b.settle()
    (decided,) = [e["value"] for e in b.events("CUSTOM") if e["name"] == "workbench:decision"]
    assert decided["requestId"] == card.id and decided["by"] == "Bo" and decided["via"] == "notebook"
    assert decided["decision"] == ("approved" if isinstance(answer, Approved) else "denied")
    line = b.items()[0].decision
    assert (line.who, line.via) == ("Bo", "notebook")


def test_conversations_are_found_by_their_words_and_show_what_waits(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say("please lower the KÄSE price")
    other = b.engine.new_conversation(b.file, title="About cheese")
    assert [row.id for row in b.engine.conversations("käse")] == [b.id]
    assert [row.id for row in b.engine.conversations("cheese")] == [other]
    assert [row.id for row in b.engine.conversations("%")] == []
    row = next(row for row in b.engine.conversations() if row.id == b.id)
    assert (row.waiting, row.working, row.config_name) == (1, False, "shop")
    b.engine.rename(b.id, "  Käse  ")
    assert b.page.title == "Käse"
    (waiting,) = b.engine.waiting()
    assert (waiting.conversation_id, waiting.tool, waiting.kind) == (b.id, "set_price", "approval")


def test_a_half_typed_answer_survives_a_restart_and_goes_with_the_answer(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    card = b.card()
    b.engine.save_draft(card.id, {"reason": "too ch"})
    b.restart()
    assert b.engine.draft(card.id) == {"reason": "too ch"}
    b.answer(Denied("too cheap"))
    assert b.engine.draft(card.id) is None


def test_the_views_of_two_conversations_do_not_mix(bench: MakeBench) -> None:
    b = bench(shop([LOOK]))
    b.say("one")
    first, b.id = b.id, b.engine.new_conversation(b.file)
    b.say("two")
    assert [view.user_text for view in b.views()] == ["two"]
    b.id = first
    assert [view.user_text for view in b.views()] == ["one"]
