"""Runs: one active at a time in a conversation, claimed by one holder."""

from pathlib import Path

import pytest

from tests.store import making
from tests.store.making import SetClock
from tests.store.processes import claim_all, side_by_side
from workbench.store import ConversationBusy, ConversationNotFound, NotFound, Store


def test_a_message_begins_a_turn_named_after_its_run(store: Store) -> None:
    first = making.queued(store)
    assert (first.turn_id, first.number, first.status, first.kind) == (first.id, 1, "queued", "message")
    store.runs.set_status(first.id, "paused")
    second = store.runs.queue(
        first.conversation_id, turn_id=first.turn_id, config_version_id=1, kind="resume", input={}
    )
    assert (second.turn_id, second.number) == (first.id, 2)
    assert store.runs.get(second.id) == second
    assert store.runs.get("nope") is None
    with pytest.raises(NotFound):
        store.runs.require("nope")


def test_a_run_needs_its_conversation(store: Store) -> None:
    with pytest.raises(ConversationNotFound):
        making.queued(store, "nope")


@pytest.mark.parametrize("status", ["queued", "working"])
def test_a_second_run_is_refused_while_one_is_active(store: Store, status: str) -> None:
    first = making.queued(store)
    if status == "working":
        store.runs.claim_next("worker", 60)
    with pytest.raises(ConversationBusy, match=f"Run 1 of this conversation is still {status}") as refused:
        making.queued(store, first.conversation_id)
    assert refused.value.run.id == first.id
    assert making.queued(store).number == 1, "another conversation is not busy"


@pytest.mark.parametrize("status", ["paused", "done", "failed", "cancelled"])
def test_a_run_that_is_over_makes_room_for_the_next(store: Store, status: str, clock: SetClock) -> None:
    first = making.queued(store)
    assert store.runs.active(first.conversation_id) == first
    clock.move(2)
    over = store.runs.set_status(first.id, status)  # type: ignore[arg-type]
    assert over.finished_at == "2026-03-01T12:00:02.000000Z"
    assert store.runs.active(first.conversation_id) is None
    assert store.runs.latest(first.conversation_id) == over
    assert making.queued(store, first.conversation_id).number == 2


def test_what_a_run_cost_and_how_it_failed_is_kept(store: Store) -> None:
    run = making.queued(store)
    store.runs.set_status(run.id, "working", usage={"inputTokens": 3}, model_ms=120)
    failed = store.runs.set_status(run.id, "failed", error={"message": "The model is gone"})
    assert (failed.usage, failed.model_ms, failed.error) == (
        {"inputTokens": 3},
        120,
        {"message": "The model is gone"},
    )
    assert failed.started_at is not None


def test_runs_of_a_conversation_come_in_order(store: Store) -> None:
    first = making.queued(store)
    for _ in range(3):
        store.runs.set_status(store.runs.latest(first.conversation_id).id, "done")  # type: ignore[union-attr]
        making.queued(store, first.conversation_id)
    making.queued(store)
    assert [run.number for run in store.runs.of_conversation(first.conversation_id)] == [1, 2, 3, 4]
    assert [run.number for run in store.runs.of_conversation(first.conversation_id, after=2)] == [3, 4]


def test_the_oldest_queued_run_is_claimed_first(store: Store, clock: SetClock) -> None:
    first = making.queued(store)
    clock.move(-60)
    older = making.queued(store)
    assert [run.id for run in store.runs.queued()] == [older.id, first.id]
    claim = store.runs.claim_next("worker", 60)
    assert claim is not None and claim.run.id == older.id
    assert (claim.run.status, claim.token) == ("working", 1)
    assert [run.id for run in store.runs.working()] == [older.id]
    assert [run.id for run in store.runs.queued(limit=5)] == [first.id]


def test_nothing_queued_is_nothing_claimed(store: Store) -> None:
    assert store.runs.claim_next("worker", 60) is None


def test_a_conversation_somebody_holds_is_not_claimed(store: Store, clock: SetClock) -> None:
    first = making.queued(store)
    claim = store.runs.claim_next("worker", 60)
    assert claim is not None
    store.runs.set_status(first.id, "done")
    making.queued(store, first.conversation_id)
    assert store.runs.claim_next("other", 60) is None
    store.leases.release(first.conversation_id, claim.token)
    again = store.runs.claim_next("other", 60)
    assert again is not None and again.token == 2


def test_a_conversation_somebody_holds_does_not_keep_the_others_waiting(store: Store) -> None:
    first, second = making.queued(store), making.queued(store)
    store.leases.take(first.conversation_id, "somebody", 60)
    claim = store.runs.claim_next("worker", 60)
    assert claim is not None and claim.run.id == second.id


def test_a_working_run_whose_holder_is_gone_is_taken_over(store: Store, clock: SetClock) -> None:
    run = making.queued(store)
    claim = store.runs.claim_next("worker", 60)
    assert claim is not None
    assert store.runs.reclaim(run.conversation_id, "other", 60) is None
    clock.move(61)
    again = store.runs.reclaim(run.conversation_id, "other", 60)
    assert again is not None
    assert (again.run.id, again.run.status, again.token) == (run.id, "working", 2)
    assert again.run.started_at == claim.run.started_at
    assert store.runs.reclaim(making.conversation(store).id, "other", 60) is None


def test_a_wish_to_cancel_is_kept_until_the_driver_sees_it(store: Store) -> None:
    run = making.queued(store)
    assert not run.cancel_requested
    assert store.runs.request_cancel(run.id).cancel_requested
    assert store.runs.require(run.id).status == "queued"


def test_two_processes_never_claim_one_conversation(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    with Store.open(path) as store:
        made = {making.queued(store).conversation_id for _ in range(60)}
    claims = side_by_side(claim_all, (path, "one"), (path, "two"))
    assert sorted(id for each in claims for id, _ in each) == sorted(made)
    assert {token for each in claims for _, token in each} == {1}
