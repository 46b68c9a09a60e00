"""Small things the app remembers: acting-as names, what is folded."""

from typing import Any

from workbench.store.codec import decode, encode
from workbench.store.database import Database


class Settings:
    """The remembered values, by name."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, key: str, default: Any = None) -> Any:
        """What was remembered, or the default if nothing ever was."""
        row = self._db.one("SELECT value FROM settings WHERE key = ?", (key,))
        return default if row is None else decode(row[0])

    def set(self, key: str, value: Any) -> None:
        """Remember any JSON value, `None` included."""
        self._db.run(
            "INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES (?, ?, ?)",
            (key, encode(value), self._db.now()),
        )
