"""Checkpoints: one a run, the newest state it was saved in."""

from typing import Any, Final

from workbench.store.codec import encode
from workbench.store.conversations import check_alive
from workbench.store.database import Database, execute
from workbench.store.records import Checkpoint
from workbench.store.rows import RowShape

FORMAT: Final = 1
"""The form of `Checkpoint.data` that this release writes. An older one is read as what it says it is."""

_SHAPE = RowShape(Checkpoint, json=("data",))
_SELECT = f"SELECT {_SHAPE.select('c')} FROM checkpoints c "


class Checkpoints:
    """The checkpoints table."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def save(
        self,
        run_id: str,
        conversation_id: str,
        *,
        generation: int,
        last_message_seq: int,
        data: dict[str, Any],
        format: int = FORMAT,
    ) -> Checkpoint:
        """Keep the run's state, in place of an earlier one of the same run.

        The messages are not in it: it names the generation and the last position they are read up to.
        """
        now = self._db.now()
        with self._db.writing() as connection:
            check_alive(self._db, conversation_id)
            execute(
                connection,
                "INSERT OR REPLACE INTO checkpoints (run_id, conversation_id, format, generation, last_message_seq,"
                " data, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run_id, conversation_id, format, generation, last_message_seq, encode(data), now),
            )
        return Checkpoint(run_id, conversation_id, format, generation, last_message_seq, data, now)

    def get(self, run_id: str) -> Checkpoint | None:
        """What the run was last saved as."""
        row = self._db.one(_SELECT + "WHERE c.run_id = ?", (run_id,))
        return None if row is None else _SHAPE.of(row)

    def latest(self, conversation_id: str) -> Checkpoint | None:
        """The conversation's checkpoint saved last."""
        row = self._db.one(
            _SELECT + "WHERE c.conversation_id = ? ORDER BY c.id DESC LIMIT 1", (conversation_id,)
        )
        return None if row is None else _SHAPE.of(row)
