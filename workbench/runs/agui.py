"""The events of the log: AG-UI's, as the plain JSON values that its own types say.

They are written out here, because a type's validation and dump cost more than storing its event does; tests hold every
one of them to its type.

What AG-UI has no event for travels as ``CUSTOM`` events named ``workbench:…``:

- ``workbench:call``: who asked, what ``decide()`` said of a call
- ``workbench:request``: a request was raised for a call
- ``workbench:decision``: a request was decided
- ``workbench:notice``: something that a person should know of the run, such as a server that is away
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ag_ui.core import Interrupt

from workbench.agents.ports import Place

Event = dict[str, Any]

CALL = "workbench:call"
REQUEST = "workbench:request"
DECISION = "workbench:decision"
NOTICE = "workbench:notice"


def run_started(
    conversation_id: str, run_id: str, *, text: str | None, turn_id: str, metadata: Mapping[str, Any]
) -> Event:
    """A run begins; ``text`` is the person's message when the run answers one."""
    messages = [{"id": turn_id, "role": "user", "content": text}] if text is not None else []
    return {
        "type": "RUN_STARTED",
        "threadId": conversation_id,
        "runId": run_id,
        "input": {"threadId": conversation_id, "runId": run_id, "messages": messages},
        "metadata": dict(metadata),
    }


def run_finished(
    conversation_id: str,
    run_id: str,
    *,
    pending: Sequence[str] = (),
    interrupts: Sequence[Interrupt] = (),
    cancelled: bool = False,
    usage: Mapping[str, int] | None = None,
) -> Event:
    """A run ends without failing: done, waiting on client tools, waiting on requests, or stopped."""
    outcome: dict[str, Any] = {"type": "success"}
    if cancelled:
        outcome = {"type": "cancelled"}
    elif interrupts:
        plain = [one.model_dump(mode="json", by_alias=True) for one in interrupts]
        outcome = {"type": "interrupt", "interrupts": plain}
    elif pending:
        outcome["pendingToolCallIds"] = list(pending)
    finished = {
        "type": "RUN_FINISHED",
        "threadId": conversation_id,
        "runId": run_id,
        "outcome": outcome,
    }
    return _with_usage(finished, usage)


def run_error(code: str, message: str, *, usage: Mapping[str, int] | None = None) -> Event:
    """A run fails."""
    return _with_usage({"type": "RUN_ERROR", "message": message, "code": code}, usage)


def text_start(place: Place, message_id: str) -> Event:
    """An agent begins to speak."""
    return _said_by(place, {"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": "assistant"})


def text_delta(place: Place, message_id: str, delta: str) -> Event:
    """An agent says a piece of text."""
    return _at(place, {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta})


def text_end(place: Place, message_id: str, *, cut: bool = False) -> Event:
    """An agent has spoken; ``cut`` when the stream ended before the text did."""
    ended: Event = {"type": "TEXT_MESSAGE_END", "messageId": message_id}
    if cut:
        ended["metadata"] = {"cut": True}
    return _at(place, ended)


def reasoning_start(place: Place, message_id: str) -> Event:
    """A model begins to show its reasoning."""
    started = {"type": "REASONING_MESSAGE_START", "messageId": message_id, "role": "reasoning"}
    return _said_by(place, started)


def reasoning_delta(place: Place, message_id: str, delta: str) -> Event:
    """A piece of reasoning."""
    return _at(place, {"type": "REASONING_MESSAGE_CONTENT", "messageId": message_id, "delta": delta})


def reasoning_end(place: Place, message_id: str) -> Event:
    """The reasoning ends."""
    return _at(place, {"type": "REASONING_MESSAGE_END", "messageId": message_id})


def call_start(place: Place, tool_call_id: str, tool: str) -> Event:
    """A model begins to propose a call."""
    return _said_by(place, {"type": "TOOL_CALL_START", "toolCallId": tool_call_id, "toolCallName": tool})


def call_args(place: Place, tool_call_id: str, delta: str) -> Event:
    """A piece of a call's arguments."""
    return _at(place, {"type": "TOOL_CALL_ARGS", "toolCallId": tool_call_id, "delta": delta})


def call_end(place: Place, tool_call_id: str) -> Event:
    """A call's arguments are whole."""
    return _at(place, {"type": "TOOL_CALL_END", "toolCallId": tool_call_id})


def subagent_started(place: Place, name: str, description: str, *, parent: Place, tool_call_id: str) -> Event:
    """A delegate begins to work, or goes on after a pause."""
    started: Event = {
        "type": "SUBAGENT_STARTED",
        "subagentRunId": place.seat,
        "name": name,
        "parentToolCallId": tool_call_id,
        "metadata": _who(place),
    }
    if description:
        started["description"] = description
    if parent.seat:
        started["parentSubagentRunId"] = parent.seat
    return started


def subagent_finished(place: Place, *, waiting: Sequence[str] | None = None) -> Event:
    """A delegate is done, or waits on requests of its own or of somebody below it."""
    outcome: dict[str, Any] = {"type": "success" if waiting is None else "suspended"}
    if waiting:
        outcome["interruptIds"] = list(waiting)
    return {"type": "SUBAGENT_FINISHED", "subagentRunId": place.seat, "outcome": outcome}


def subagent_error(place: Place, message: str) -> Event:
    """A delegate failed; its coordinator is told and goes on."""
    return {"type": "SUBAGENT_ERROR", "subagentRunId": place.seat, "message": message}


def step_started(place: Place, step: str) -> Event:
    """A node of a Swarm or Graph begins."""
    return _said_by(place, {"type": "STEP_STARTED", "stepName": step})


def step_finished(place: Place, step: str) -> Event:
    """A node of a Swarm or Graph is done."""
    return _said_by(place, {"type": "STEP_FINISHED", "stepName": step})


def call_result(
    seat: str, message_id: str, tool_call_id: str, content: str, metadata: Mapping[str, Any]
) -> Event:
    """What the model reads as a call's result."""
    result: Event = {
        "type": "TOOL_CALL_RESULT",
        "messageId": message_id,
        "toolCallId": tool_call_id,
        "content": content,
        "role": "tool",
    }
    if metadata:
        result["metadata"] = dict(metadata)
    if seat:
        result["subagentRunId"] = seat
    return result


def custom(name: str, value: Mapping[str, Any]) -> Event:
    """An event of the workbench's own."""
    return {"type": "CUSTOM", "name": name, "value": dict(value)}


def _at(place: Place, event: Event) -> Event:
    """Add the delegation that an event belongs to."""
    if place.seat:
        event["subagentRunId"] = place.seat
    return event


def _said_by(place: Place, event: Event) -> Event:
    """Add who speaks."""
    event["metadata"] = _who(place)
    return _at(place, event)


def _with_usage(event: Event, usage: Mapping[str, int] | None) -> Event:
    if usage:
        event["usage"] = [{"inputTokens": usage["input_tokens"], "outputTokens": usage["output_tokens"]}]
    return event


def _who(place: Place) -> dict[str, Any]:
    return {"agentPath": list(place.path)}
