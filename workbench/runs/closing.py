"""Closing a batch of calls that will not be resumed: what the model reads in place of their results.

A pause is closed when the person sends a message instead of answering, or stops it; a batch that a
failure tore is closed by the next message. Closing makes no model call: the results and the person's
words go into one user message (a plain prompt would make strands invent results of its own).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.agents.ports import ApprovalMark, seat_of
from workbench.agents.results import error_result, fitted, success_result
from workbench.policy.notes import CUT_OFF, NOT_RUN_MOVED_ON, SKIPPED_BY_MESSAGE, UNKNOWN_CALL
from workbench.runs.answer_words import model_reads
from workbench.runs.retelling import half_done
from workbench.runs.standings import mark_of
from workbench.store import CallRecord, Request, Store


@dataclass(frozen=True)
class ClosedCall:
    """One call of the batch and how it ended."""

    key: str
    tool_call_id: str
    result: dict[str, Any]
    mark: ApprovalMark | None
    ran: bool
    close_note: str | None
    """The note to journal; None when the journal knows the end already."""
    not_run_request: str = ""
    """The request that had approved it, although it will not run."""
    answered: bool = False
    """A question whose answer is to be journalled as its result."""
    seat: str = ""


def close_batch(
    store: Store, keys: Sequence[tuple[str, str]], note: str = SKIPPED_BY_MESSAGE
) -> list[ClosedCall]:
    """Say how each call of a batch ended.

    Args:
        keys: journal key and tool call id of each call, in the order of the message.
        note: what the model reads of a call nobody decided and that never started.
    """
    ended = []
    for key, tool_call_id in keys:
        record = store.journal.get(key)
        words = note
        if record is not None and record.kind == "delegate":
            seat = seat_of(key)
            words = half_done(store, record.turn_id, record.conversation_id, record.tool, seat, note)
        ended.append(_close(store, record, store.requests.of_call(key), key, tool_call_id, words))
    return ended


def close_rest(
    store: Store, conversation_id: str, apart_from: Collection[str], note: str
) -> list[ClosedCall]:
    """Say how the other open calls of a conversation ended: those of delegates and of teams.

    Their agents will not go on, so nobody reads their results; the log and the journal do.
    """
    closed = []
    for record in store.journal.open(conversation_id):
        if record.key not in apart_from:
            ended = _close(
                store, record, store.requests.of_call(record.key), record.key, record.tool_call_id, note
            )
            closed.append(replace(ended, seat=record.seat))
    return closed


def close_inside(store: Store, conversation_id: str, seat: str) -> list[ClosedCall]:
    """Say how the open calls of a delegation ended that a crash tore and that can't be gone on with."""
    outside = {call.key for call in store.journal.open(conversation_id) if seat not in call.seats}
    return close_rest(store, conversation_id, outside, CUT_OFF)


def finished(call: CallRecord) -> ClosedCall:
    """Say how a call ended that has its result."""
    result = {**fitted(call.result), "toolUseId": call.tool_call_id}
    return ClosedCall(call.key, call.tool_call_id, result, None, True, None, seat=call.seat)


def _close(
    store: Store,
    record: CallRecord | None,
    request: Request | None,
    key: str,
    tool_call_id: str,
    note: str,
) -> ClosedCall:
    def closed(text: str, mark: ApprovalMark | None = None) -> ClosedCall:
        return ClosedCall(key, tool_call_id, error_result(tool_call_id, text), mark, False, text)

    if record is not None and record.state == "finished":
        return finished(record)
    if record is not None and record.state == "started" and request is not None and request.kind == "doubt":
        if request.decision == "happened" and request.note:
            told = success_result(tool_call_id, request.note)
            return ClosedCall(key, tool_call_id, told, mark_of(request), True, request.note)
        if request.decision == "gave_up" and request.note:
            return closed(request.note, mark_of(request))
    if record is not None and record.state == "started":
        # A delegate that was at work is no doubt of its own; the calls it made are.
        return closed(note if record.kind == "delegate" else UNKNOWN_CALL)
    if record is not None and record.state == "closed":
        return ClosedCall(
            key, tool_call_id, error_result(tool_call_id, record.note or note), None, False, None
        )
    if request is None or request.status == "open" or request.decision is None:
        return closed(note)
    mark = mark_of(request)
    if record is not None and record.kind == "delegate" and record.attempts:
        return closed(note, mark)  # it was approved and had begun
    if request.decision == "answered" and request.kind == "question":
        # An answer already given is not thrown away with the pause.
        told = success_result(tool_call_id, model_reads(store, request))
        return ClosedCall(key, tool_call_id, told, mark, True, None, answered=True)
    if request.decision in ("approved", "answered", "run_again"):
        moved_on = closed(NOT_RUN_MOVED_ON if note.startswith(SKIPPED_BY_MESSAGE) else note, mark)
        return replace(moved_on, not_run_request=request.id)
    return closed(request.note or note, mark)
