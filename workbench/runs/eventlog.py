"""A run's end of the event log: deltas are joined before they are stored."""

from __future__ import annotations

from workbench.runs.agui import Event
from workbench.store import Store

_JOINED = {
    "TEXT_MESSAGE_CONTENT": "messageId",
    "REASONING_MESSAGE_CONTENT": "messageId",
    "TOOL_CALL_ARGS": "toolCallId",
}


class EventLog:
    """Collects the events of one run and appends them to the store.

    Consecutive deltas of one message or call become one event. Nothing is stored until :meth:`flush`,
    which joins the caller's transaction when there is one.
    """

    def __init__(self, store: Store, conversation_id: str, run_id: str) -> None:
        self._store = store
        self._conversation_id = conversation_id
        self._run_id = run_id
        self._waiting: list[Event] = []

    def add(self, event: Event) -> None:
        """Append one event."""
        if self._waiting:
            last = self._waiting[-1]
            same = _JOINED.get(event["type"])
            if same and last["type"] == event["type"] and last[same] == event[same]:
                last["delta"] += event["delta"]
                return
        self._waiting.append(event)

    @property
    def waits(self) -> bool:
        """Whether anything is to be stored."""
        return bool(self._waiting)

    def flush(self) -> None:
        """Store what has been collected; a no-op when nothing has."""
        if self._waiting:
            events, self._waiting = self._waiting, []
            try:
                self._store.events.append(self._conversation_id, self._run_id, events)
            except BaseException:
                self._waiting = events + self._waiting
                raise

    def mark(self) -> list[Event]:
        """Return what is collected, for :meth:`reset` after a transaction that failed."""
        return list(self._waiting)

    def reset(self, mark: list[Event]) -> None:
        """Go back to a mark."""
        self._waiting = mark
