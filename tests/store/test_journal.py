"""The journal: a call is started only when something allows it, and finishes at most once."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from threading import Barrier
from typing import Any

import pytest

from tests.store import making
from tests.store.making import VERDICT, SetClock
from workbench.store import (
    CallAlreadyFinished,
    CallClosed,
    CallInDoubt,
    CallNotAllowed,
    CallNotStarted,
    CallRecord,
    GrantGone,
    NotFound,
    Store,
)


def start(store: Store, key: str, **changed: Any) -> CallRecord:
    return store.journal.start(key, **{"executed_input": {"sku": "A1"}, "digest": "d1", **changed})


def test_a_call_is_kept_from_its_proposal_to_its_result(store: Store, clock: SetClock) -> None:
    run = making.queued(store)
    new = making.new_call(run)
    (call,) = store.journal.propose([new])
    assert {name: getattr(call, name) for name in asdict(new)} == asdict(new)
    assert (call.state, call.attempts, call.proposed_at) == ("proposed", 0, "2026-03-01T12:00:00.000000Z")
    allowed = store.journal.allow(call.key, VERDICT, by="rule")
    assert (allowed.state, allowed.verdict, allowed.by) == ("allowed", VERDICT, "rule")
    clock.move(1)
    running = start(store, call.key, executed_input={"sku": "A1", "price": 11}, digest="d2")
    assert (running.state, running.attempts, running.started_at) == (
        "started",
        1,
        "2026-03-01T12:00:01.000000Z",
    )
    assert (running.executed_input, running.executed_digest) == ({"sku": "A1", "price": 11}, "d2")
    clock.move(1)
    done = store.journal.finish(call.key, {"content": [{"text": "ok"}]}, "success")
    assert (done.state, done.result, done.result_status) == (
        "finished",
        {"content": [{"text": "ok"}]},
        "success",
    )
    assert done.finished_at == "2026-03-01T12:00:02.000000Z"
    assert store.journal.get(call.key) == done, "what each step returned is what was stored"
    assert done.input == new.input


def test_a_proposal_made_again_stands_as_it_was(store: Store) -> None:
    run = making.queued(store)
    first = making.started(store, run)
    (again,) = store.journal.propose([making.new_call(run, input={"price": 1}, digest="other")])
    assert again == first


def test_an_unknown_call_is_none_and_stepping_it_says_so(store: Store) -> None:
    assert store.journal.get("nope") is None
    with pytest.raises(NotFound):
        start(store, "nope")


def test_nothing_starts_that_nothing_allowed(store: Store) -> None:
    call = making.proposed(store, making.queued(store))
    with pytest.raises(CallNotAllowed, match=r"set_price \(tool-call\): nothing allows it yet") as refused:
        start(store, call.key)
    assert refused.value.call == call == store.journal.require(call.key)
    assert store.journal.attempts(call.key) == []


def test_a_finished_call_never_starts_again(store: Store) -> None:
    call = making.started(store, making.queued(store))
    done = store.journal.finish(call.key, "ok", "success")
    with pytest.raises(CallAlreadyFinished, match="has its result"):
        start(store, call.key)
    with pytest.raises(CallAlreadyFinished):
        store.journal.finish(call.key, "other", "error")
    for step in (
        lambda: store.journal.allow(call.key, VERDICT),
        lambda: store.journal.wait(call.key, "request"),
        lambda: store.journal.attempt_ended(call.key, "why"),
        lambda: store.journal.close(call.key, "note"),
        lambda: store.journal.doubt(call.key, "request"),
        lambda: store.journal.answered(call.key, "other"),
    ):
        with pytest.raises(CallAlreadyFinished):
            step()
    assert store.journal.require(call.key) == done


def test_a_started_call_is_in_doubt_and_never_starts_again_silently(store: Store) -> None:
    call = making.started(store, making.queued(store))
    with pytest.raises(CallInDoubt, match="its end is not known"):
        start(store, call.key)
    with pytest.raises(CallInDoubt):
        store.journal.allow(call.key, VERDICT)
    assert [attempt.number for attempt in store.journal.attempts(call.key)] == [1]


def test_one_of_many_threads_starts_a_call(store: Store) -> None:
    call = making.allowed(store, making.queued(store))
    together = Barrier(8)

    def try_it(_: int) -> str:
        together.wait(30)
        try:
            return start(store, call.key).state
        except CallInDoubt:
            return "refused"

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(try_it, range(8))) == ["refused"] * 7 + ["started"]
    assert store.journal.require(call.key).attempts == 1


def test_an_attempt_that_ended_without_doubt_makes_room_for_another(store: Store, clock: SetClock) -> None:
    call = making.started(store, making.queued(store))
    clock.move(1)
    assert store.journal.attempt_ended(call.key, "it paused for itself").state == "waiting"
    clock.move(1)
    assert start(store, call.key).attempts == 2
    store.journal.finish(call.key, "ok", "success")
    assert [(each.number, each.why, each.ended_at) for each in store.journal.attempts(call.key)] == [
        (1, "it paused for itself", "2026-03-01T12:00:01.000000Z"),
        (2, "finished", "2026-03-01T12:00:02.000000Z"),
    ]


@pytest.mark.parametrize("step", ["finish", "attempt_ended", "doubt"])
def test_what_is_not_started_can_not_end(store: Store, step: str) -> None:
    call = making.allowed(store, making.queued(store))
    with pytest.raises(CallNotStarted, match="it is not started, it is allowed"):
        match step:
            case "finish":
                store.journal.finish(call.key, "ok", "success")
            case "doubt":
                store.journal.doubt(call.key, "request")
            case _:
                store.journal.attempt_ended(call.key, "why")


def test_a_waiting_call_starts_only_when_its_request_was_approved(store: Store) -> None:
    run = making.queued(store)
    call = making.proposed(store, run)
    request = making.asked(store, run)
    waiting = store.journal.wait(call.key, request.id, {"outcome": "ask"})
    assert (waiting.state, waiting.request_id, waiting.verdict) == ("waiting", request.id, {"outcome": "ask"})
    with pytest.raises(CallNotAllowed, match="nothing is decided"):
        start(store, call.key)
    making.approve(store, request)
    assert start(store, call.key).state == "started"


@pytest.mark.parametrize(
    "decision", ["denied", "skipped", "expired", "superseded", "gave_up", "unknown", "happened"]
)
def test_no_other_decision_starts_it(store: Store, decision: Any) -> None:
    run = making.queued(store)
    call, request = making.proposed(store, run), making.asked(store, run)
    store.journal.wait(call.key, request.id)
    store.requests.answer(request.id, decision=decision, answer={"type": decision}, by="anna", via="app")
    with pytest.raises(CallNotAllowed, match=f"its request was {decision}"):
        start(store, call.key)
    assert store.journal.require(call.key).attempts == 0


def test_an_approved_call_the_person_moved_on_from_does_not_start(store: Store) -> None:
    run = making.queued(store)
    call, request = making.proposed(store, run), making.asked(store, run)
    store.journal.wait(call.key, request.id)
    making.approve(store, request)
    store.requests.mark_not_run([request.id], "The person moved on")
    with pytest.raises(CallNotAllowed):
        start(store, call.key)


def test_a_call_waiting_on_a_request_that_is_not_there_does_not_start(store: Store) -> None:
    call = making.proposed(store, making.queued(store))
    store.journal.wait(call.key, "nope")
    with pytest.raises(CallNotAllowed, match="nothing is decided"):
        start(store, call.key)


def test_a_doubt_leaves_the_call_started_until_it_is_answered(store: Store) -> None:
    run = making.queued(store)
    call = making.started(store, run)
    doubt = making.asked(store, run, kind="doubt")
    asked = store.journal.doubt(call.key, doubt.id)
    assert (asked.state, asked.request_id) == ("started", doubt.id)
    assert store.journal.unfinished(run.conversation_id) == [asked]
    with pytest.raises(CallInDoubt):
        start(store, call.key)
    store.requests.answer(doubt.id, decision="run_again", answer={"type": "run_again"}, by="anna", via="app")
    store.journal.attempt_ended(call.key, "anna had it run again")
    assert start(store, call.key).attempts == 2


def test_a_question_gets_its_result_without_ever_starting(store: Store) -> None:
    run = making.queued(store)
    call = making.proposed(store, run, kind="client")
    with pytest.raises(CallNotAllowed):
        store.journal.answered(call.key, "Summit")
    request = making.asked(store, run, kind="question")
    store.journal.wait(call.key, request.id)
    with pytest.raises(CallNotAllowed, match="nothing is decided"):
        store.journal.answered(call.key, "Summit")
    store.requests.answer(
        request.id, decision="answered", answer={"type": "answered", "value": "Summit"}, by="anna", via="app"
    )
    done = store.journal.answered(call.key, "Summit")
    assert (done.state, done.result, done.result_status, done.attempts) == (
        "finished",
        "Summit",
        "success",
        0,
    )
    assert store.journal.require(call.key) == done


@pytest.mark.parametrize("state", ["proposed", "allowed", "waiting", "started"])
def test_a_call_can_be_closed_until_it_has_its_result(store: Store, state: str) -> None:
    run = making.queued(store)
    match state:
        case "proposed":
            call = making.proposed(store, run)
        case "allowed":
            call = making.allowed(store, run)
        case "waiting":
            call = store.journal.wait(making.proposed(store, run).key, "request")
        case _:
            call = making.started(store, run)
    closed = store.journal.close(call.key, "Declined: too cheap")
    assert (closed.state, closed.note) == ("closed", "Declined: too cheap")
    assert store.journal.close(call.key, "another note") == closed
    for step in (
        lambda: start(store, call.key),
        lambda: store.journal.finish(call.key, "late", "success"),
        lambda: store.journal.allow(call.key, VERDICT),
    ):
        with pytest.raises(CallClosed, match="it was closed: Declined: too cheap"):
            step()
    assert all(attempt.ended_at is not None for attempt in store.journal.attempts(call.key))
    assert store.journal.unfinished(run.conversation_id) == []


def test_starting_under_a_grant_counts_its_use(store: Store, clock: SetClock) -> None:
    grant = making.grant(store)
    call = making.allowed(store, making.queued(store))
    clock.move(5)
    assert start(store, call.key, grant_id=grant.id).grant_id == grant.id
    used = store.grants.require(grant.id)
    assert (used.uses, used.last_used_at) == (1, "2026-03-01T12:00:05.000000Z")


@pytest.mark.parametrize("gone", ["revoked", "expired", "used up", "never was"])
def test_a_call_whose_grant_is_gone_does_not_start(store: Store, clock: SetClock, gone: str) -> None:
    call = making.allowed(store, making.queued(store))
    grant = making.grant(store, expires_at="2026-03-01T12:00:10Z", max_uses=1)
    match gone:
        case "revoked":
            store.grants.revoke(grant.id, "anna")
        case "expired":
            clock.move(10)
        case "used up":
            assert store.grants.use(grant.id)
    before = store.grants.require(grant.id)
    with pytest.raises(GrantGone, match="the call must ask"):
        start(store, call.key, grant_id="nope" if gone == "never was" else grant.id)
    assert store.journal.require(call.key) == call
    assert store.grants.require(grant.id) == before


def test_a_start_that_is_undone_does_not_count_the_grant(store: Store) -> None:
    grant = making.grant(store)
    call = making.allowed(store, making.queued(store))
    with pytest.raises(RuntimeError), store.transaction(durable=True):
        start(store, call.key, grant_id=grant.id)
        raise RuntimeError
    assert store.grants.require(grant.id).uses == 0
    assert store.journal.require(call.key).state == "allowed"


def test_a_call_that_has_lost_its_grant_can_ask_in_the_same_transaction(store: Store) -> None:
    run, grant = making.queued(store), making.grant(store)
    call = making.allowed(store, run)
    store.grants.revoke(grant.id, "anna")
    with store.transaction(durable=True):
        with pytest.raises(GrantGone):
            start(store, call.key, grant_id=grant.id)
        store.journal.wait(call.key, making.asked(store, run).id)
    assert store.journal.require(call.key).state == "waiting"
    assert len(store.requests.waiting()) == 1


def test_calls_are_found_by_conversation_turn_and_run_in_order(store: Store) -> None:
    run, elsewhere = making.queued(store), making.queued(store)
    store.journal.propose([making.new_call(run, key) for key in "bac"])
    making.proposed(store, elsewhere)
    store.runs.set_status(run.id, "paused")
    resume = store.runs.queue(
        run.conversation_id, turn_id=run.turn_id, config_version_id=1, kind="resume", input={}
    )
    making.proposed(store, resume, "d")
    store.runs.set_status(resume.id, "done")
    making.proposed(store, making.queued(store, run.conversation_id), "e")

    def letters(calls: list[CallRecord]) -> str:
        return "".join(call.tool_call_id[-1] for call in calls)

    assert letters(store.journal.of_conversation(run.conversation_id)) == "bacde"
    assert letters(store.journal.of_turn(run.turn_id)) == "bacd"
    assert letters(store.journal.of_run(run.id)) == "bac"
    assert letters(store.journal.of_run(resume.id)) == "d"
    assert store.journal.of_run("nope") == []


def test_calls_are_open_until_they_finish_or_are_closed(store: Store) -> None:
    run = making.queued(store)
    open_ones = [
        making.proposed(store, run, "a"),
        making.allowed(store, run, "b"),
        making.started(store, run, "c"),
        store.journal.wait(making.proposed(store, run, "d").key, "request"),
    ]
    store.journal.finish(making.started(store, run, "e").key, "ok", "success")
    store.journal.close(making.proposed(store, run, "f").key, "Skipped")
    making.proposed(store, making.queued(store), "g")
    assert store.journal.open(run.conversation_id) == open_ones


def test_only_calls_under_way_are_unfinished(store: Store) -> None:
    run = making.queued(store)
    making.proposed(store, run, "a")
    making.allowed(store, run, "b")
    under_way = making.started(store, run, "c")
    store.journal.finish(making.started(store, run, "d").key, None, "success")
    making.started(store, making.queued(store), "e")
    assert store.journal.unfinished(run.conversation_id) == [under_way]


def test_a_result_of_five_megabytes_is_kept_whole(store: Store) -> None:
    call = making.started(store, making.queued(store))
    result = {"content": [{"text": "ä" * 5_000_000}]}
    store.journal.finish(call.key, result, "success")
    assert store.journal.require(call.key).result == result


@pytest.mark.parametrize("result", [None, False, 0, "", {"odd"}, object()])
def test_any_result_can_be_kept(store: Store, result: Any) -> None:
    call = making.started(store, making.queued(store))
    store.journal.finish(call.key, result, "success")
    kept = store.journal.require(call.key)
    assert kept.state == "finished"
    if result is None or isinstance(result, bool | int | str):
        assert kept.result == result and type(kept.result) is type(result)
    else:
        assert kept.result["repr"] == repr(result)


def test_a_tool_call_id_is_known_to_its_own_conversation(store: Store) -> None:
    call = making.proposed(store, making.queued(store))
    assert store.journal.has_id(call.conversation_id, call.tool_call_id)
    assert not store.journal.has_id(call.conversation_id, "another")
    assert not store.journal.has_id("another", call.tool_call_id)
