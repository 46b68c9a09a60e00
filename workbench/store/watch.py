"""A watch over a database: whether anybody, in this process or another one, committed since the last look."""

import sqlite3
from pathlib import Path


class Watch:
    """Looks cheaply, without reading any table. Use it from one thread."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._seen = self._version()

    def changed(self) -> bool:
        """Say whether something was committed since the last look."""
        version = self._version()
        if version == self._seen:
            return False
        self._seen = version
        return True

    def close(self) -> None:
        """Stop watching."""
        self._connection.close()

    def _version(self) -> int:
        # A connection of its own: SQLite counts only what other connections commit.
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
