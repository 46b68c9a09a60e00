"""The event log: each conversation's events, numbered without a gap."""

from typing import Any

from workbench.store.codec import decode, encodable, encode
from workbench.store.conversations import check_alive
from workbench.store.database import Database
from workbench.store.records import Event


class Events:
    """The event log of every conversation."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def append(self, conversation_id: str, run_id: str, events: list[dict[str, Any]]) -> int:
        """Append events, whose `type` is kept beside them, and return the last one's number.

        Numbers start at 1 and have no gaps, whoever appends at the same time. With no events it returns the number
        reached so far. Raises ConversationNotFound and ConversationDeleted.
        """
        with self._db.writing() as connection:
            check_alive(self._db, conversation_id)
            last = self.last_seq(conversation_id)
            now = self._db.now()
            connection.executemany(
                "INSERT INTO events (conversation_id, seq, run_id, type, data, at) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (conversation_id, seq, run_id, encodable(str(event.get("type", ""))), encode(event), now)
                    for seq, event in enumerate(events, last + 1)
                ],
            )
            return last + len(events)

    def read(
        self, conversation_id: str, after: int = 0, limit: int | None = None, run_id: str | None = None
    ) -> list[Event]:
        """The conversation's events numbered above `after`, in order; with `run_id`, that run's."""
        most = -1 if limit is None else limit
        if run_id is None:
            rows = self._db.all(
                "SELECT seq, run_id, type, data, at FROM events WHERE conversation_id = ? AND seq > ?"
                " ORDER BY seq LIMIT ?",
                (conversation_id, after, most),
            )
        else:
            rows = self._db.all(
                "SELECT seq, run_id, type, data, at FROM events INDEXED BY events_run"
                " WHERE run_id = ? AND seq > ? AND conversation_id = ? ORDER BY seq LIMIT ?",
                (run_id, after, conversation_id, most),
            )
        return [Event(seq, run, type, decode(data), at) for seq, run, type, data, at in rows]

    def last_seq(self, conversation_id: str) -> int:
        """The number of the conversation's last event; 0 when it has none."""
        row = self._db.one("SELECT max(seq) FROM events WHERE conversation_id = ?", (conversation_id,))
        return int(row[0] or 0) if row else 0
