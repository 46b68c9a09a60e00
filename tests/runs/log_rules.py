"""What holds of every event log, whatever happened: checked after every test that has a bench."""

from typing import Any

from ag_ui.core import Event as AgUiEvent
from pydantic import TypeAdapter

from workbench.store import Event, Run, Store

_EVENTS: TypeAdapter[Any] = TypeAdapter(AgUiEvent)

_ENDS = ("RUN_FINISHED", "RUN_ERROR")
_OPENS = {
    "TEXT_MESSAGE_START": "messageId",
    "REASONING_MESSAGE_START": "messageId",
    "TOOL_CALL_START": "toolCallId",
}
_GROWS = {
    "TEXT_MESSAGE_CONTENT": "messageId",
    "REASONING_MESSAGE_CONTENT": "messageId",
    "TOOL_CALL_ARGS": "toolCallId",
}
_CLOSES = {
    "TEXT_MESSAGE_END": "messageId",
    "REASONING_MESSAGE_END": "messageId",
    "TOOL_CALL_END": "toolCallId",
}


def check_log(store: Store, conversation_id: str) -> None:
    """Check the log of a conversation whose worker was ended."""
    events = store.events.read(conversation_id)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    for event in events:
        _EVENTS.validate_python(event.data)
    proposed: set[str] = set()
    for event in events:
        if event.type == "TOOL_CALL_START":
            proposed.add(event.data["toolCallId"])
        elif event.type == "TOOL_CALL_RESULT":
            assert event.data["toolCallId"] in proposed, f"a result of a call nobody saw begin: {event.data}"
    for run in store.runs.of_conversation(conversation_id):
        _check_run(run, [event for event in events if event.run_id == run.id])


def _check_run(run: Run, events: list[Event]) -> None:
    if not events:
        assert run.status in ("queued", "working", "cancelled"), f"a run that left no trace: {run}"
        return
    types = [event.type for event in events]
    assert types[0] == "RUN_STARTED" and types.count("RUN_STARTED") == 1, types
    ends = [index for index, name in enumerate(types) if name in _ENDS]
    if run.status in ("queued", "working"):
        assert not ends, types
        return
    assert len(ends) == 1, f"{run.status}: {types}"
    assert (types[ends[0]] == "RUN_ERROR") == (run.status == "failed"), f"{run.status}: {types}"
    assert set(types[ends[0] + 1 :]) <= {"CUSTOM"}, f"after the end: {types}"
    died = run.status == "failed" and (run.error or {}).get("code") == "interrupted"
    _check_pairs(events, died)


def _check_pairs(events: list[Event], died: bool) -> None:
    """Whatever begins also ends, and nothing grows before it began; a process that died could not see to that."""
    going: set[str] = set()
    for event in events:
        if event.type in _OPENS:
            going.add(event.data[_OPENS[event.type]])
        elif event.type in _GROWS:
            assert event.data[_GROWS[event.type]] in going, event
        elif event.type in _CLOSES:
            assert event.data[_CLOSES[event.type]] in going, event
            going.discard(event.data[_CLOSES[event.type]])
    assert died or not going, f"begun and never ended: {going}"
