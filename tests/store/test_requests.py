"""Requests: the first answer wins, is kept with its decision, and is never changed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from tests.store import making
from tests.store.making import SetClock
from tests.store.processes import answer_it, side_by_side
from workbench.store import AlreadyDecided, DatabaseRefused, NotFound, Request, Store


def test_a_request_comes_back_as_it_was_opened(store: Store) -> None:
    run = making.queued(store)
    new = making.new_request(run, metadata={"request": "apr_1"}, response_schema={"type": "string"})
    (opened,) = store.requests.open([new])
    given = asdict(new)
    assert {name: getattr(opened, name) for name in given} == given
    assert (opened.status, opened.decision, opened.by, opened.not_run, opened.edited) == (
        "open",
        None,
        None,
        False,
        False,
    )
    assert store.requests.get(new.id) == opened
    assert store.requests.get("nope") is None
    with pytest.raises(NotFound):
        store.requests.require("nope")


@pytest.mark.parametrize(
    "deadline",
    [
        datetime(2026, 3, 1, 13, 0, tzinfo=UTC),
        datetime(2026, 3, 1, 14, 0, tzinfo=timezone(timedelta(hours=1))),
        "2026-03-01T13:00:00Z",
        "2026-03-01T14:00:00+01:00",
    ],
)
def test_a_deadline_is_kept_in_utc(store: Store, deadline: datetime | str) -> None:
    assert (
        making.asked(store, making.queued(store), expires_at=deadline).expires_at
        == "2026-03-01T13:00:00.000000Z"
    )


def test_requests_are_found_by_pause_conversation_and_call(store: Store, clock: SetClock) -> None:
    run = making.queued(store)
    first, second = store.requests.open([making.new_request(run, "a"), making.new_request(run, "b")])
    clock.move(-60)
    again = making.asked(store, run, call_key="a", pause_id="later")
    elsewhere = making.asked(store, making.queued(store))
    making.deny(store, first)

    def ids(found: list[Request]) -> list[str]:
        return [each.id for each in found]

    assert ids(store.requests.of_pause(run.id)) == [first.id, second.id]
    assert ids(store.requests.of_conversation(run.conversation_id)) == [first.id, second.id, again.id]
    assert ids(store.requests.of_conversation(run.conversation_id, open_only=True)) == [second.id, again.id]
    newest = store.requests.of_call(first.call_key)
    assert newest is not None and newest.id == again.id
    assert store.requests.of_call("nope") is None
    assert ids(store.requests.waiting()) == [again.id, elsewhere.id, second.id]
    assert ids(store.requests.waiting(limit=1)) == [again.id]
    assert store.requests.counts() == {run.conversation_id: 2, elsewhere.conversation_id: 1}


def test_an_answer_is_kept_with_all_that_came_of_it(store: Store, clock: SetClock) -> None:
    request = making.asked(store, making.queued(store))
    clock.move(5)
    decided = store.requests.answer(
        request.id,
        decision="approved",
        scope="thread",
        answer={"type": "approved", "tool_input": {"sku": "A1", "price": 11}},
        executed_input={"sku": "A1", "price": 11},
        edited=True,
        by="anna",
        via="notebook",
    )
    assert (decided.status, decided.decision, decided.scope) == ("decided", "approved", "thread")
    assert (decided.executed_input, decided.edited) == ({"sku": "A1", "price": 11}, True)
    assert (decided.by, decided.via, decided.decided_at) == (
        "anna",
        "notebook",
        "2026-03-01T12:00:05.000000Z",
    )
    assert decided.input == request.input, "what was shown stays what was shown"
    assert store.requests.require(request.id) == decided


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_small_values_are_answers_and_stay_what_they_are(store: Store, value: Any) -> None:
    request = making.asked(store, making.queued(store), kind="tool_interrupt")
    decided = store.requests.answer(
        request.id, decision="answered", answer={"type": "answered", "value": value}, by="anna", via="app"
    )
    assert decided.decision == "answered"
    kept = store.requests.require(request.id).answer
    assert kept is not None and kept["value"] == value and type(kept["value"]) is type(value)


def test_the_same_answer_again_changes_nothing(store: Store, clock: SetClock) -> None:
    request = making.asked(store, making.queued(store))
    first = making.approve(store, request, by="anna")
    clock.move(60)
    assert making.approve(store, request, by="bert") == first
    assert len(store.decisions.list()) == 1


def test_an_approval_repeated_after_its_deadline_is_the_same_answer(store: Store) -> None:
    request = making.asked(store, making.queued(store))
    first = making.approve(store, request)
    again = store.requests.answer(
        request.id, decision="expired", answer=first.answer, note="Expired: …", by="tester", via="app"
    )
    assert again == first


@pytest.mark.parametrize(("first", "second"), [(False, 0), (None, ""), ("a", "b")])
def test_another_value_is_another_answer(store: Store, first: Any, second: Any) -> None:
    request = making.asked(store, making.queued(store), kind="question")

    def say(value: Any) -> Request:
        return store.requests.answer(
            request.id, decision="answered", answer={"type": "answered", "value": value}, by="anna", via="app"
        )

    assert say(first) == say(first)
    with pytest.raises(AlreadyDecided):
        say(second)


def test_a_different_answer_is_told_who_decided_what_and_when(store: Store, clock: SetClock) -> None:
    request = making.asked(store, making.queued(store))
    first = making.approve(store, request, by="anna")
    clock.move(60)
    with pytest.raises(AlreadyDecided) as refused:
        making.deny(store, request, by="bert")
    assert refused.value.request == first
    assert "already approved by anna (app) at 2026-03-01T12:00:00.000000Z" in str(refused.value)
    assert store.requests.require(request.id) == first


def test_an_unknown_request_can_not_be_answered(store: Store) -> None:
    with pytest.raises(NotFound):
        store.requests.answer("nope", decision="denied", answer={"type": "denied"}, by="anna", via="app")


def test_one_of_sixteen_threads_wins_and_the_others_are_told(store: Store) -> None:
    request = making.asked(store, making.queued(store))
    together = Barrier(16)

    def answer(number: int) -> tuple[str, str]:
        together.wait(30)
        try:
            return "won", str(making.deny(store, request, by=f"person {number}", reason=str(number)).by)
        except AlreadyDecided as error:
            return "told", str(error.request.by)

    with ThreadPoolExecutor(16) as pool:
        outcomes = list(pool.map(answer, range(16)))
    assert sorted(outcome for outcome, _ in outcomes) == ["told"] * 15 + ["won"]
    assert len({who for _, who in outcomes}) == 1
    (logged,) = store.decisions.list()
    assert {logged.by} == {who for _, who in outcomes}


def test_one_of_several_processes_wins_and_the_others_are_told(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    with Store.open(path) as store:
        request = making.asked(store, making.queued(store))
    told = side_by_side(answer_it, *((path, request.id, who) for who in ("anna", "bert", "cleo")))
    with Store.open(path) as store:
        assert set(told) == {store.requests.require(request.id).by}
        assert len(store.decisions.list()) == 1


def test_an_answer_its_decision_and_the_resume_are_one(store: Store) -> None:
    run = making.queued(store)
    store.runs.set_status(run.id, "paused")
    request = making.asked(store, run)

    def answer_and_resume(fail: bool) -> None:
        with store.transaction(durable=True):
            making.approve(store, request)
            store.runs.queue(
                run.conversation_id, turn_id=run.turn_id, config_version_id=1, kind="resume", input={}
            )
            if fail:
                raise RuntimeError

    with pytest.raises(RuntimeError):
        answer_and_resume(fail=True)
    assert store.requests.require(request.id) == request
    assert store.decisions.list() == []
    assert store.runs.active(run.conversation_id) is None
    answer_and_resume(fail=False)
    assert store.requests.require(request.id).decision == "approved"
    assert len(store.decisions.list()) == 1
    assert store.runs.active(run.conversation_id) is not None


def test_a_set_of_answers_with_one_refused_is_not_applied_at_all(store: Store) -> None:
    run = making.queued(store)
    first, second = store.requests.open([making.new_request(run, "a"), making.new_request(run, "b")])
    making.deny(store, second)
    with pytest.raises(AlreadyDecided), store.transaction(durable=True):
        making.approve(store, first)
        making.approve(store, second)
    assert store.requests.require(first.id).status == "open"
    assert len(store.decisions.list()) == 1


def test_closing_decides_what_is_open_and_leaves_the_rest(store: Store) -> None:
    run = making.queued(store)
    first, second = store.requests.open([making.new_request(run, "a"), making.new_request(run, "b")])
    making.approve(store, first)
    closed = store.requests.close(
        [first.id, second.id], decision="skipped", note="Skipped: moved on", by="anna", via="app"
    )
    assert [(each.id, each.decision, each.note, each.answer) for each in closed] == [
        (second.id, "skipped", "Skipped: moved on", None)
    ]
    assert store.requests.require(first.id).decision == "approved"
    assert store.requests.close([second.id], decision="skipped", note="again", by="bert", via="app") == []
    with pytest.raises(AlreadyDecided):
        making.approve(store, second)
    with pytest.raises(NotFound):
        store.requests.close(["nope"], decision="skipped", note="", by="anna", via="app")


def test_an_approved_request_that_did_not_run_keeps_its_decision_and_says_why(store: Store) -> None:
    run = making.queued(store)
    first, second, third = store.requests.open([making.new_request(run, key) for key in "abc"])
    making.approve(store, first)
    making.deny(store, second)
    every = [first.id, second.id, third.id]
    assert [each.id for each in store.requests.mark_not_run(every, "The person moved on")] == [first.id]
    assert store.requests.mark_not_run(every, "again") == []
    found = store.requests.require(first.id)
    assert (found.decision, found.not_run, found.note) == ("approved", True, "The person moved on")
    logged = store.decisions.of_request(first.id)
    assert logged is not None and (logged.decision, logged.not_run) == ("approved", "The person moved on")


def test_a_decided_request_can_not_be_changed_behind_the_stores_back(store: Store) -> None:
    request = making.deny(store, making.asked(store, making.queued(store)))
    for change in (
        "status = 'open', decision = NULL",
        "decision = 'approved'",
        "answer = '{}'",
        "\"by\" = 'nobody'",
    ):
        with pytest.raises(DatabaseRefused, match="a decided request keeps its decision"):
            store._db.run(f"UPDATE requests SET {change} WHERE id = ?", (request.id,))
    assert store.requests.require(request.id) == request


def test_answering_drops_the_half_typed_answer(store: Store) -> None:
    request = making.asked(store, making.queued(store))
    store.drafts.set(request.id, {"reason": "too ch"})
    making.deny(store, request, reason="too cheap")
    assert store.drafts.get(request.id) is None
