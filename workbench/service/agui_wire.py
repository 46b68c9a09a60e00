"""Stored events as they go over the wire: AG-UI's own, for the client that asked, and no other."""

from __future__ import annotations

from typing import Any

from ag_ui.core import (
    BaseEvent,
    Event,
    RunErrorEvent,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    StateDeltaEvent,
    StateSnapshotEvent,
)
from ag_ui.encoder import EventEncoder
from pydantic import TypeAdapter

from workbench.runs.interrupts import interrupt_of
from workbench.service.agui_state import KEY
from workbench.store import Request

_EVENTS: TypeAdapter[Any] = TypeAdapter(Event)
_ENCODER = EventEncoder()
_ON_RESULTS = ("approval", "status", "executedInput", "notRun", "seconds")


def encoded(event: BaseEvent) -> str:
    """Return an event as a server-sent message."""
    return _ENCODER.encode(event)


def started(thread_id: str, run_id: str) -> str:
    """A run begins."""
    return encoded(RunStartedEvent(thread_id=thread_id, run_id=run_id))


def snapshot(state: Any) -> str:
    """The state that the run starts from."""
    return encoded(StateSnapshotEvent(snapshot=state if isinstance(state, dict) else {}))


def delta(value: dict[str, Any]) -> str:
    """What the client is to keep."""
    return encoded(
        StateDeltaEvent.model_validate({"delta": [{"op": "add", "path": f"/{KEY}", "value": value}]})
    )


def failed(code: str, message: str) -> str:
    """A run fails, or isn't begun."""
    return encoded(RunErrorEvent(code=code, message=message))


def finished(thread_id: str, run_id: str, waiting: list[Request]) -> str:
    """A run ends that did nothing but tell what still waits."""
    others = [interrupt_of(one) for one in waiting if one.kind != "question"]
    calls = [one.tool_call_id for one in waiting if one.kind == "question"]
    outcome: Any = (
        RunFinishedInterruptOutcome(interrupts=others)
        if others
        else RunFinishedSuccessOutcome(pending_tool_call_ids=calls or None)
    )
    return encoded(RunFinishedEvent(thread_id=thread_id, run_id=run_id, outcome=outcome))


def wired(data: dict[str, Any], run_id: str) -> str:
    """Return a stored event as the client gets it, under the run's id that the client chose."""
    told = dict(data)
    metadata = told.get("metadata") or {}
    if told["type"] == "TOOL_CALL_RESULT":
        metadata = {name: metadata[name] for name in _ON_RESULTS if name in metadata}
        if "approval" in metadata:
            # Who decided is the log's to know.
            metadata["approval"] = {k: v for k, v in metadata["approval"].items() if k != "who"}
        told["metadata"] = metadata or None
    if "runId" in told:
        told["runId"] = run_id
    return encoded(_EVENTS.validate_python(told))
