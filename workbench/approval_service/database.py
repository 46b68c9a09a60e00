"""The service's file: requests, grants, and an audit that can only grow."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

_OURS: Final = 0x41505256
_VERSION: Final = 1
_BUSY_SECONDS: Final = 10.0

# No column holds an argument: a call is its keyed hash.
_SCHEMA: Final = """
CREATE TABLE requests (
    id TEXT PRIMARY KEY, person TEXT NOT NULL, conversation TEXT NOT NULL, tool TEXT NOT NULL, call_id TEXT NOT NULL,
    resource TEXT NOT NULL, call_hash TEXT NOT NULL, subject_key TEXT NOT NULL, subject_label TEXT NOT NULL,
    scopes TEXT NOT NULL, message TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT,
    decision TEXT, scope TEXT, decided_by TEXT, decided_at TEXT,
    decision_hash TEXT, allowed_hash TEXT, usable_until TEXT, used_at TEXT, withdrawn_at TEXT);
CREATE INDEX requests_by_call ON requests (allowed_hash) WHERE used_at IS NULL;
CREATE TABLE grants (
    id TEXT PRIMARY KEY, request TEXT NOT NULL REFERENCES requests (id), person TEXT NOT NULL, conversation TEXT,
    tool TEXT NOT NULL, resource TEXT NOT NULL, subject_key TEXT NOT NULL, subject_label TEXT NOT NULL,
    scope TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL, revoked_at TEXT);
CREATE INDEX grants_by_subject ON grants (person, tool, subject_key);
CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, event TEXT NOT NULL, request TEXT NOT NULL,
    "grant" TEXT, person TEXT, conversation TEXT, tool TEXT, subject_key TEXT, subject_label TEXT, scope TEXT,
    "by" TEXT, why TEXT NOT NULL);
CREATE TRIGGER audit_keeps BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END;
-- INSERT OR REPLACE deletes without asking the trigger above.
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END;
"""


class Database:
    """One SQLite file. Every transaction has a connection of its own, so threads, forks and processes don't meet."""

    def __init__(self, path: str | Path) -> None:
        if not str(path) or str(path) == ":memory:":
            raise ValueError(
                "The approvals need a file: what is kept in memory is forgotten, and seen by no one else."
            )
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.transaction():
            pass

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block alone, as one transaction; a block that raises leaves nothing behind.

        Raises:
            sqlite3.Error: the file can't be used, or stays locked.
            ValueError: it is some other database, or one of a newer release.
        """
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("BEGIN IMMEDIATE")
            self._prepare(connection)
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()

    def _prepare(self, connection: sqlite3.Connection) -> None:
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if (owner, version) == (_OURS, _VERSION):
            return
        if owner == _OURS:
            raise ValueError(f"{self.path} was written by a newer release; this one can't read it.")
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise ValueError(f"{self.path} is some other database; name a file of its own for the approvals.")
        statement = ""
        for line in _SCHEMA.splitlines():
            statement += line + "\n"
            if sqlite3.complete_statement(statement):
                connection.execute(statement)
                statement = ""
        connection.execute(f"PRAGMA application_id = {_OURS}")
        connection.execute(f"PRAGMA user_version = {_VERSION}")


def insert(connection: sqlite3.Connection, table: str, **values: Any) -> None:
    """Insert one row, given by column."""
    columns = ", ".join(f'"{name}"' for name in values)
    connection.execute(
        f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(values))})",
        [encodable(value) if isinstance(value, str) else value for value in values.values()],
    )


def encodable(text: str) -> str:
    """The text with what no file can hold, half a surrogate pair, written as an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def as_text(moment: datetime) -> str:
    """A moment as the file holds it: texts compare as the moments do."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def as_moment(text: str) -> datetime:
    """The moment that a text of the file stands for."""
    return datetime.fromisoformat(text)


def as_moment_or_none(text: str | None) -> datetime | None:
    """The same, for a column that may be empty."""
    return None if text is None else as_moment(text)
