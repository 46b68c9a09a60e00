"""What a coordinator is told of the conversation its delegate had with the person."""

from __future__ import annotations

import json

from workbench.agents.ports import seat_of
from workbench.agents.results import result_text
from workbench.policy.notes import UNKNOWN_CALL
from workbench.policy.shown import masked
from workbench.runs.answer_words import answered_words, question_words
from workbench.store import Request, Store

_LONGEST_RESULT = 500


def retell(
    store: Store, turn_id: str, conversation_id: str, seat: str, *, answered_only: bool = False
) -> str:
    """Say in plain words what a delegate asked and what the person said, so that nobody asks again.

    Args:
        seat: the delegation; what was asked in delegations below it is told too.
        answered_only: leave out what was closed without an answer.

    Returns:
        The note, or an empty text when nothing was asked.
    """
    sentences = [
        sentence
        for request in store.requests.of_conversation(conversation_id)
        if request.turn_id == turn_id and seat in request.metadata.get("seats", ())
        if request.answer is not None or not answered_only
        if (sentence := _sentence(request))
    ]
    if not sentences:
        return ""
    return "\n".join(["While this was done, the person was asked. Don't ask again:", *sentences])


def half_done(store: Store, turn_id: str, conversation_id: str, delegate: str, seat: str, words: str) -> str:
    """Add to the result of a delegate that does not finish what it had done and what the person had answered.

    Args:
        seat: the delegation.
        words: why it does not finish.
    """
    done, started = _inside(store, turn_id, seat)
    if done:
        words = f"{words.rstrip('.')}. Before that, {delegate} had done this: {'; '.join(done)}"
    if started:
        words = f"{words.rstrip('.')}. {UNKNOWN_CALL}: {'; '.join(started)}"
    asked = retell(store, turn_id, conversation_id, seat, answered_only=True)
    return f"{words}\n{asked}" if asked else words


def torn(store: Store, turn_id: str, delegate: str, seat: str) -> str:
    """Say what is known of a delegation that a crash tore, for the person who judges what became of it."""
    done, started = _inside(store, turn_id, seat)
    words = f"{delegate} was at work when the app stopped."
    if done:
        words += f"\nIt had done this: {'; '.join(done)}"
    if started:
        words += f"\nIt had started this, and nobody knows whether it happened: {'; '.join(started)}"
    return words


def _inside(store: Store, turn_id: str, seat: str) -> tuple[list[str], list[str]]:
    """Return what was done and what was started inside a delegation, each call in words."""
    calls = [
        call
        for call in store.journal.of_turn(turn_id)
        if seat in call.seats and call.kind not in ("client", "handoff")
    ]
    finished = [call for call in calls if call.state == "finished"]
    # A finished delegate's reply stands for all that was done below it.
    below = {seat_of(call.key) for call in finished if call.kind == "delegate"}
    done = [
        f"{call.tool}: {result_text(call.result)[:_LONGEST_RESULT]}"
        for call in finished
        if below.isdisjoint(call.seats)
    ]
    started = [
        f"{call.tool} {json.dumps(masked(call.executed_input), ensure_ascii=False)[:_LONGEST_RESULT]}"
        for call in calls
        if call.state == "started" and call.kind != "delegate"
    ]
    return done, started


def _sentence(request: Request) -> str:
    if request.not_run:
        why = (request.note or "").removeprefix("Not run: ") or "the person moved on before it ran"
        return f"- The person approved {request.tool}, but it did not run: {why}."
    match request.kind, request.decision:
        case _, None | "superseded":
            return ""
        case "question", "answered":
            said = answered_words(request).replace("\n", "\n  ")
            return f"- {request.agent} asked the person. {said}"
        case "question", _:
            return f"- {request.agent} asked: {question_words(request)} The person did not answer."
        case _, "approved":
            edited = " with changed arguments" if request.edited else ""
            return f"- The person approved {request.tool}{edited}."
        case _, "denied":
            reason = f", saying: {request.reason}" if request.reason else ""
            return f"- The person declined {request.tool}{reason}."
        case _, "happened":
            return f"- The app stopped during {request.tool}. The person says that it did happen."
        case _, "run_again":
            return f"- The app stopped during {request.tool}. The person let it run again."
        case _, "skipped" | "expired" | "unknown" | "gave_up":
            return f"- {request.tool} did not run: {request.note or request.decision}."
        case _, _:
            return ""
