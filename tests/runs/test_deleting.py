"""Deleting a conversation: while it works, while it waits, and what stays of it."""

from collections.abc import Callable

import pytest

from tests.runs.harness import Bench, price, shop
from tests.runs.test_edits import BY_STORE, SUBJECTS
from workbench.policy import AnswerRefused
from workbench.policy.answer import Approved, Denied
from workbench.runs.errors import ConversationUnknown
from workbench.store import ConversationDeleted

MakeBench = Callable[..., Bench]

SHIP = {"tool": "ship", "input": {"order": "7"}}
SLOW = {"stream_chunk": 1, "stream_delay_ms": 10}


def ended(b: Bench, run_id: str) -> None:
    b.wait(lambda: b.store.runs.require(run_id).status == "cancelled", "the run to end")


def test_a_deleted_conversation_is_gone_and_its_decisions_stay(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [price("A1"), price("B2")]}], ask=BY_STORE), files={"subjects.py": SUBJECTS})
    b.say()
    approved, open_card = b.card(sku="A1"), b.card(sku="B2")
    b.answer(Approved("thread"), approved)
    (grant,) = b.store.grants.list()
    b.engine.delete(b.id, by="Bo")
    with pytest.raises(ConversationUnknown):
        b.engine.conversation(b.id)
    assert b.engine.conversations() == [] and b.engine.waiting() == []
    assert b.store.grants.require(grant.id).revoked_by == "Bo"
    kept = {one.request_id: one for one in b.store.decisions.list(b.id)}
    assert kept[approved.id].decision == "approved" and kept[approved.id].input["sku"] == "A1"
    assert kept[approved.id].not_run == "Not run: the conversation was deleted"
    assert kept[open_card.id].decision == "skipped" and kept[open_card.id].by == "Bo"
    assert b.store.messages.load(b.id) == [] and b.store.events.read(b.id) == []
    assert b.prices() == []


def test_an_approval_that_did_run_is_not_said_not_to_have(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    card = b.card()
    b.answer(Approved())
    b.engine.delete(b.id, by="Bo")
    kept = b.store.decisions.of_request(card.id)
    assert kept is not None and kept.decision == "approved" and not kept.not_run


def test_an_answer_that_comes_after_the_deletion_does_nothing(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    card = b.card()
    b.engine.delete(b.id, by="Bo")
    with pytest.raises(AnswerRefused) as refused:
        b.engine.answer(card.id, Approved(), by="Ada")
    assert refused.value.code == "already_decided"
    with pytest.raises(AnswerRefused):
        b.engine.ask_again(card.id, by="Ada")
    assert b.ran() == []


def test_deleting_stops_a_run_in_mid_sentence(bench: MakeBench, caplog: pytest.LogCaptureFixture) -> None:
    b = bench(shop([{"text": "A very long answer. " * 200}], streaming=SLOW))
    run = b.send()
    b.wait(lambda: len("".join(b.texts())) > 3, "some text")
    b.engine.delete(b.id, by="Bo")
    ended(b, run)
    assert b.store.events.read(b.id) == []
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) < 5


def test_deleting_while_a_call_runs_keeps_the_call_in_the_journal_and_ends_the_run(bench: MakeBench) -> None:
    b = bench(shop([SHIP, price()], ask=["nothing"]))
    run = b.send()
    b.waits_in("ship-7")
    b.engine.delete(b.id, by="Bo")
    b.let("ship-7")
    ended(b, run)
    assert b.ran() == [("ship", {"order": "7"})], "and nothing after it"
    assert [call.tool for call in b.store.journal.of_conversation(b.id)] == ["ship"]


def test_a_message_nobody_took_up_yet_is_cancelled_with_its_conversation(bench: MakeBench) -> None:
    b = bench(shop([price()], ask=["nothing"]), apart=True)
    b.stop()
    run = b.send()
    b.engine.delete(b.id, by="Bo")
    assert b.store.runs.require(run).status == "cancelled"
    b.start()
    b.id = b.engine.new_conversation(b.file)
    b.say()
    assert len(b.ran()) == 1, "only the other conversation ran"


def test_a_conversation_deleted_while_its_process_was_dead_is_not_taken_up(bench: MakeBench) -> None:
    b = bench(shop([SHIP]), apart=True)
    run = b.send()
    b.waits_in("ship-7")
    b.stop()
    b.engine.delete(b.id, by="Bo")
    b.start()
    ended(b, run)
    assert len(b.ran()) == 1 and b.store.requests.of_conversation(b.id) == []


def test_the_id_of_a_deleted_conversation_is_not_used_again(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.engine.delete(b.id, by="Bo")
    with pytest.raises(ConversationDeleted):
        b.store.conversations.create(b.file, id=b.id, door="app", entry="merchant")
    with pytest.raises(ConversationUnknown):
        b.engine.delete(b.id, by="Bo")


def test_deleting_one_conversation_leaves_the_others(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    gone, b.id = b.id, b.engine.new_conversation(b.file)
    b.say()
    b.engine.delete(gone, by="Bo")
    b.answer(Denied("no"))
    assert b.results() == ["Declined: no"]
