"""Messages: each stored once, in generations that share what they have in common.

A conversation's messages are numbered from 1. Appending adds to the current generation. When something rewrites
history, a new generation begins at the first changed position; it has its parent's messages up to there, and older
generations stay readable, for a checkpoint may refer to one.
"""

from hashlib import blake2b
from typing import Any

from workbench.store.codec import decode, encode
from workbench.store.conversations import check_alive
from workbench.store.database import Connection, Database, execute
from workbench.store.errors import StoreError

_NEVER = 2**62

# The generation itself, then its ancestors, each with the last position that is still read from it.
_LOAD = """
WITH RECURSIVE line (generation, upto) AS (
  SELECT :generation, :upto
  UNION ALL
  SELECT g.parent, min(line.upto, g.from_seq - 1) FROM line
    JOIN message_generations g ON g.conversation_id = :conversation AND g.generation = line.generation
)
SELECT b.body FROM line
  JOIN messages m ON m.conversation_id = :conversation AND m.generation = line.generation
    AND m.seq > :after AND m.seq <= line.upto
  JOIN message_bodies b ON b.id = m.body_id
ORDER BY m.seq
"""


class Messages:
    """Every conversation's messages."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def load(
        self,
        conversation_id: str,
        generation: int | None = None,
        upto: int | None = None,
        after: int = 0,
    ) -> list[dict[str, Any]]:
        """The messages of a generation (by default the current one) after position `after`, as far as `upto`."""
        with_this = self.generation(conversation_id) if generation is None else generation
        rows = self._db.all(
            _LOAD,
            {
                "conversation": conversation_id,
                "generation": with_this,
                "after": after,
                "upto": _NEVER if upto is None else upto,
            },
        )
        return [decode(row[0]) for row in rows]

    def append(
        self, conversation_id: str, messages: list[dict[str, Any]], *, end: tuple[int, int] | None = None
    ) -> int:
        """Add messages to the current generation; returns the last one's position.

        `end` is the generation and its last position, for who has them: nobody else writes where a lease is held.
        """
        with self._db.writing() as connection:
            check_alive(self._db, conversation_id)
            generation = end[0] if end else self.generation(conversation_id)
            last = end[1] if end else self.last_seq(conversation_id, generation)
            self._store(connection, conversation_id, generation, last + 1, messages)
            return last + len(messages)

    def rewrite_from(self, conversation_id: str, seq: int, messages: list[dict[str, Any]]) -> int:
        """Replace everything from position `seq` on, in a new generation; returns its number.

        The messages before `seq` are shared with the generation that was current, which stays as it is. Raises
        StoreError when `seq` is not a position of it nor the one after its last.
        """
        with self._db.writing() as connection:
            check_alive(self._db, conversation_id)
            parent = self.generation(conversation_id)
            last = self.last_seq(conversation_id, parent)
            if not 1 <= seq <= last + 1:
                raise StoreError(
                    f"Messages can't be rewritten from position {seq}: this conversation has {last} of them."
                )
            generation = parent + 1
            execute(
                connection,
                "INSERT INTO message_generations (conversation_id, generation, parent, from_seq, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (conversation_id, generation, parent, seq, self._db.now()),
            )
            execute(
                connection,
                "UPDATE conversations SET generation = ? WHERE id = ?",
                (generation, conversation_id),
            )
            self._store(connection, conversation_id, generation, seq, messages)
            return generation

    def generation(self, conversation_id: str) -> int:
        """The number of the conversation's current generation."""
        row = self._db.one("SELECT generation FROM conversations WHERE id = ?", (conversation_id,))
        return 1 if row is None else int(row[0])

    def last_seq(self, conversation_id: str, generation: int | None = None) -> int:
        """The position of a generation's last message; 0 when it has none."""
        with_this = self.generation(conversation_id) if generation is None else generation
        row = self._db.one(
            "SELECT coalesce("
            " (SELECT max(seq) FROM messages WHERE conversation_id = :id AND generation = :generation),"
            " (SELECT from_seq - 1 FROM message_generations"
            "   WHERE conversation_id = :id AND generation = :generation), 0)",
            {"id": conversation_id, "generation": with_this},
        )
        return int(row[0]) if row else 0

    def _store(
        self,
        connection: Connection,
        conversation_id: str,
        generation: int,
        first: int,
        messages: list[dict[str, Any]],
    ) -> None:
        for seq, message in enumerate(messages, first):
            body = encode(message)
            key = (conversation_id, str(message.get("tracking_id") or ""), content_hash(body))
            added = execute(
                connection,
                "INSERT INTO message_bodies (conversation_id, tracking_id, hash, body) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING RETURNING id",
                (*key, body),
            ).fetchall()
            body_id = (
                added[0][0]
                if added
                else execute(
                    connection,
                    "SELECT id FROM message_bodies WHERE conversation_id = ? AND tracking_id = ? AND hash = ?",
                    key,
                ).fetchone()[0]
            )
            execute(
                connection,
                "INSERT INTO messages (conversation_id, generation, seq, body_id) VALUES (?, ?, ?, ?)",
                (conversation_id, generation, seq, body_id),
            )


def content_hash(body: str) -> bytes:
    """What tells two contents of one message apart: 128 bits of its JSON text."""
    return blake2b(body.encode("utf-8"), digest_size=16).digest()
