"""Answers held back: given, but not decided until the host has heard the whole set of its pause."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from workbench.store.clock import as_text
from workbench.store.codec import decode, encode
from workbench.store.conversations import check_alive
from workbench.store.database import Database, execute
from workbench.store.errors import AnswerHeld
from workbench.store.records import Door


@dataclass(frozen=True, slots=True)
class HeldAnswer:
    """An answer that waits for the others of its pause."""

    request_id: str
    pause_id: str
    answer: dict[str, Any]
    by: str
    via: Door
    at: str
    """When it was given: what a deadline is compared with."""


class Held:
    """The held answers, and who is telling a host of a complete set of them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def hold(
        self,
        request_id: str,
        pause_id: str,
        conversation_id: str,
        answer: dict[str, Any],
        *,
        by: str,
        via: Door,
    ) -> HeldAnswer:
        """Hold an answer, durably; the first one to a request counts.

        Raises AnswerHeld when another answer is held already; the same one again is fine.
        """
        with self._db.transaction(durable=True) as connection:
            check_alive(self._db, conversation_id)
            execute(
                connection,
                'INSERT INTO held_answers (request_id, pause_id, answer, "by", via, at) VALUES (?, ?, ?, ?, ?, ?)'
                " ON CONFLICT (request_id) DO NOTHING",
                (request_id, pause_id, encode(answer), by, via, self._db.now()),
            )
            held = self.get(request_id)
            if held is None or json.dumps(held.answer, sort_keys=True) != json.dumps(answer, sort_keys=True):
                raise AnswerHeld(
                    f"This card was already answered by {held.by if held else 'somebody'}; "
                    "the answer counts once all cards of this pause are answered."
                )
            execute(connection, "DELETE FROM drafts WHERE key = ?", (request_id,))
            return held

    def get(self, request_id: str) -> HeldAnswer | None:
        """The answer held for a request."""
        rows = self._where("request_id = ?", request_id)
        return rows[0] if rows else None

    def of_pause(self, pause_id: str) -> list[HeldAnswer]:
        """The answers held for a pause."""
        return self._where("pause_id = ?", pause_id)

    def pauses(self) -> list[str]:
        """The pauses that any answer is held for."""
        return [row[0] for row in self._db.all("SELECT DISTINCT pause_id FROM held_answers", ())]

    def drop(self, pause_id: str) -> None:
        """Forget the answers of a pause: they were decided, or all is open again."""
        self._db.run("DELETE FROM held_answers WHERE pause_id = ?", (pause_id,))

    def claim(self, pause_id: str, seconds: float) -> bool:
        """Take it on oneself to tell the host; False while somebody else is at it."""
        now = self._db.clock()
        with self._db.transaction() as connection:
            execute(connection, "DELETE FROM held_claims WHERE until <= ?", (as_text(now),))
            return bool(
                execute(
                    connection,
                    "INSERT INTO held_claims (pause_id, until) VALUES (?, ?) ON CONFLICT (pause_id) DO NOTHING",
                    (pause_id, as_text(now + timedelta(seconds=seconds))),
                ).rowcount
            )

    def unclaim(self, pause_id: str) -> None:
        """Be done with telling the host."""
        self._db.run("DELETE FROM held_claims WHERE pause_id = ?", (pause_id,))

    def _where(self, condition: str, *params: Any) -> list[HeldAnswer]:
        rows = self._db.all(
            f'SELECT request_id, pause_id, answer, "by", via, at FROM held_answers WHERE {condition}', params
        )
        return [HeldAnswer(row[0], row[1], decode(row[2]), row[3], row[4], row[5]) for row in rows]
