"""The messages of delegates: one list for each call that a coordinator made to one.

A delegate starts with nothing and ends with its result, so its list is short and only grows; the conversation's own
messages are in :mod:`workbench.store.messages`.
"""

from typing import Any

from workbench.store.codec import decode, encode
from workbench.store.conversations import check_alive
from workbench.store.database import Database


class Seats:
    """The delegates' messages, by conversation and seat (the id of one delegation)."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def load(self, conversation_id: str, seat: str) -> list[dict[str, Any]]:
        """A seat's messages in order; empty for a seat that has none."""
        rows = self._db.all(
            "SELECT body FROM seat_messages WHERE conversation_id = ? AND seat = ? ORDER BY seq",
            (conversation_id, seat),
        )
        return [decode(row[0]) for row in rows]

    def put(self, conversation_id: str, seat: str, first: int, messages: list[dict[str, Any]]) -> None:
        """Store messages from position `first` (from 1) on, in place of what stood there.

        Raises ConversationNotFound and ConversationDeleted.
        """
        with self._db.writing() as connection:
            check_alive(self._db, conversation_id)
            connection.executemany(
                "INSERT OR REPLACE INTO seat_messages (conversation_id, seat, seq, body) VALUES (?, ?, ?, ?)",
                [
                    (conversation_id, seat, seq, encode(message))
                    for seq, message in enumerate(messages, first)
                ],
            )
