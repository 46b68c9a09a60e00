"""Half-typed answers, kept until their request is decided."""

from typing import Any

from workbench.store.codec import decode, encode
from workbench.store.database import Database


class Drafts:
    """The half-typed answers, by request id."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, key: str) -> dict[str, Any] | None:
        """What was typed so far for a request."""
        row = self._db.one("SELECT value FROM drafts WHERE key = ?", (key,))
        return None if row is None else decode(row[0])

    def set(self, key: str, value: dict[str, Any]) -> None:
        """Keep what was typed so far."""
        self._db.run(
            "INSERT OR REPLACE INTO drafts (key, value, updated_at) VALUES (?, ?, ?)",
            (key, encode(value), self._db.now()),
        )

    def drop(self, key: str) -> None:
        """Forget it; it is fine if there is nothing."""
        self._db.run("DELETE FROM drafts WHERE key = ?", (key,))
