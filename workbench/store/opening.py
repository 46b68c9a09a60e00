"""Opening the file: what is wrong with it said plainly, migrations run once, a newer file left as it is."""

import os
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

from workbench.store.database import Connection, connect
from workbench.store.errors import (
    DatabaseRefused,
    FolderMissing,
    NewerDatabase,
    NotADatabase,
    PathIsAFolder,
    database_problem,
    read_only,
)
from workbench.store.migrations import APPLICATION_ID, NAMES, RELEASE, applied, ready

OLDEST_SQLITE = (3, 37, 0)


def prepare(path: Path, busy_seconds: float) -> None:
    """Make the file at `path` one that this release can use, creating it if need be.

    Raises a DatabaseProblem with what to do about it. Several threads and processes may do this at once.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise DatabaseRefused(
            f"Python was built with SQLite {sqlite3.sqlite_version}; the workbench needs 3.37 or newer. "
            "Use a newer Python."
        )
    if path.is_dir():
        raise PathIsAFolder(f"{path} is a folder. Name a file in it, for example {path / 'workbench.db'}.")
    if not path.parent.is_dir():
        raise FolderMissing(
            f"The folder {path.parent} does not exist. Create it, or name another file with --db."
        )
    if not os.access(path if path.exists() else path.parent, os.W_OK) or not os.access(path.parent, os.W_OK):
        raise read_only(path)
    try:
        if path.exists() and path.stat().st_size > 0 and _is_current(path, busy_seconds):
            _check_writable(path, busy_seconds)
        else:
            _migrate(path, busy_seconds)
    except sqlite3.Error as error:
        raise database_problem(error, path) from error


def _is_current(path: Path, busy_seconds: float) -> bool:
    # Read-only, so that a file that turns out not to be ours is not even tidied up by SQLite.
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=busy_seconds, isolation_level=None
    )
    try:
        return _inspect(connection, path) and connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    finally:
        connection.close()


def _inspect(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the schema is this release's. Raises NotADatabase or NewerDatabase where the file isn't for us."""
    release: int = connection.execute("PRAGMA user_version").fetchone()[0]
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    empty = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
    if empty and application in (0, APPLICATION_ID) and release == 0:
        return False
    if application != APPLICATION_ID:
        raise NotADatabase(
            f"{path} is a database of another program. It was left as it is; name another file with --db."
        )
    taken = applied(connection)
    if release > RELEASE or not taken <= NAMES:
        raise NewerDatabase(
            f"{path} was written by a newer release of the workbench (its format is {release}, this release knows "
            f"up to {RELEASE}). It was left as it is; update the workbench, or name another file with --db."
        )
    return taken == NAMES


def _migrate(path: Path, busy_seconds: float) -> None:
    take_steps = ready()
    connection = connect(path, busy_seconds)
    try:
        _into_wal(connection, path, busy_seconds)
        connection.execute("PRAGMA synchronous=FULL")
        # One transaction around them all: whoever comes second waits here and then finds nothing left to do,
        # and a process that dies half-way leaves the file as it was.
        connection.execute("BEGIN IMMEDIATE")
        try:
            if not _inspect(connection, path):
                take_steps(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    finally:
        connection.close()


def _into_wal(connection: Connection, path: Path, busy_seconds: float) -> None:
    # SQLite does not wait by itself when two connections switch a file to WAL at the same moment.
    until = time.monotonic() + busy_seconds
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            if mode != "wal":
                raise DatabaseRefused(
                    f"{path} is on a disk that can't share a database between processes (a network folder?). "
                    "Name a file on a local disk with --db."
                )
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.005)


def _check_writable(path: Path, busy_seconds: float) -> None:
    connection = connect(path, busy_seconds)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    finally:
        connection.close()
