"""The connections to one SQLite file, and the transactions everything else in the store runs in."""

import asyncio
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from workbench.store.clock import Clock, as_text
from workbench.store.codec import encodable
from workbench.store.errors import StoreClosed, TransactionMisuse, database_problem, locked

Params = Sequence[Any] | Mapping[str, Any]
_Sync = Literal["NORMAL", "FULL"]

_left_to_the_parent: list[sqlite3.Connection] = []


class Connection(sqlite3.Connection):
    """A connection that knows how carefully it commits at the moment."""

    synchronous: _Sync | None = None


@dataclass
class _Transaction:
    connection: Connection
    durable: bool
    task: object
    depth: int = 0
    alive: set[str] = field(default_factory=set)
    """Conversations known not to be deleted: nobody else can delete one while this transaction writes."""


class _Here(threading.local):
    transaction: _Transaction | None = None


def connect(path: Path, busy_seconds: float) -> Connection:
    """A new connection with the store's settings. Raises sqlite3.Error."""
    connection = sqlite3.connect(
        path,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        factory=Connection,
    )
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.synchronous = "NORMAL"
    connection.execute("PRAGMA recursive_triggers=ON")
    # The pages of one conversation change again and again: copied into the file less often, each is copied once.
    connection.execute("PRAGMA wal_autocheckpoint=4000")
    connection.execute("PRAGMA journal_size_limit=67108864")
    return connection


class Database:
    """One file, reached from any thread.

    A thread holds a connection only while it is inside a statement or a transaction; idle connections wait in a pool,
    so that threads that come and go (a web page's do) leave nothing behind.
    """

    def __init__(self, path: Path, clock: Clock, busy_seconds: float) -> None:
        self.path = path
        self.clock = clock
        self._busy_seconds = busy_seconds
        self._idle: deque[Connection] = deque()
        self._here = _Here()
        # Threads of one process queue here rather than in SQLite's busy handler, which sleeps between its tries.
        self._writing = threading.Lock()
        self._process = os.getpid()
        self._closed = False

    def now(self) -> str:
        """The clock's time as the store writes it."""
        return as_text(self.clock())

    @property
    def in_transaction(self) -> bool:
        """Whether this thread is inside `transaction()`."""
        return self._here.transaction is not None

    @property
    def alive(self) -> set[str] | None:
        """The conversations that the running transaction has seen alive; None outside of any."""
        current = self._here.transaction
        return None if current is None else current.alive

    def transaction(self, durable: bool = False) -> AbstractContextManager[Connection]:
        """Run the block as one transaction, or join the one this thread is in.

        `durable` waits until the disk has it (`synchronous=FULL`); otherwise the commit survives the process but
        perhaps not a power cut. A block that raises leaves nothing behind; a joined block that raises undoes only
        itself, so its caller may catch that and go on. No `await` inside: another task would join by accident.
        Raises DatabaseProblem, StoreClosed, and TransactionMisuse for a durable block inside one that is not.
        """
        current = self._here.transaction
        return self._begin(durable) if current is None else self._join(current, durable)

    def writing(self, durable: bool = False) -> AbstractContextManager[Connection]:
        """Like `transaction`, for a block in which nothing is refused any more once something is written.

        Joining costs next to nothing then: there is no need to undo the block alone. What it can still fail with
        after its first write is the database itself, and that is no state to go on from.
        """
        current = self._here.transaction
        if current is None:
            return self._begin(durable)
        self._check(current, durable)
        return _Joined(current.connection, self.path)

    @contextmanager
    def _begin(self, durable: bool) -> Generator[Connection, None, None]:
        connection = self._take()
        try:
            if not self._writing.acquire(timeout=self._busy_seconds):
                raise locked(self.path)
            try:
                self._synchronous(connection, "FULL" if durable else "NORMAL")
                connection.execute("BEGIN IMMEDIATE")
                self._here.transaction = _Transaction(connection, durable, _task())
                try:
                    yield connection
                    _still_open(connection)
                    connection.execute("COMMIT")
                finally:
                    self._here.transaction = None
            except sqlite3.Error as error:
                raise database_problem(error, self.path) from error
            finally:
                try:
                    _roll_back(connection)
                finally:
                    self._writing.release()
        finally:
            self._give_back(connection)

    def _check(self, current: _Transaction, durable: bool) -> None:
        if durable and not current.durable:
            raise TransactionMisuse(
                "A durable write was asked for inside a transaction that is not durable: "
                "open the outer one with store.transaction(durable=True)."
            )
        if current.task is not _task():
            raise TransactionMisuse(
                "A transaction was left open across an await; another task was about to join it."
            )
        _still_open(current.connection)

    @contextmanager
    def _join(self, current: _Transaction, durable: bool) -> Generator[Connection, None, None]:
        self._check(current, durable)
        connection = current.connection
        current.depth += 1
        savepoint = f"nested_{current.depth}"
        try:
            connection.execute(f"SAVEPOINT {savepoint}")
            try:
                yield connection
                _still_open(connection)
                connection.execute(f"RELEASE {savepoint}")
            except BaseException:
                current.alive.clear()
                if connection.in_transaction:
                    connection.execute(f"ROLLBACK TO {savepoint}")
                    connection.execute(f"RELEASE {savepoint}")
                raise
        except sqlite3.Error as error:
            raise database_problem(error, self.path) from error
        finally:
            current.depth -= 1

    def run(self, sql: str, params: Params = ()) -> int:
        """Run one writing statement, inside the running transaction or as its own. Returns the rows it changed."""
        with self.writing() as connection:
            return execute(connection, sql, params).rowcount

    def all(self, sql: str, params: Params = ()) -> list[Any]:
        """Every row of a query, read inside the running transaction or as committed."""
        current = self._here.transaction
        try:
            if current is not None:
                _still_open(current.connection)
                return execute(current.connection, sql, params).fetchall()
            connection = self._take()
            try:
                return execute(connection, sql, params).fetchall()
            finally:
                self._give_back(connection)
        except sqlite3.Error as error:
            raise database_problem(error, self.path) from error

    def one(self, sql: str, params: Params = ()) -> Any | None:
        """The first row of a query, or None."""
        rows = self.all(sql, params)
        return rows[0] if rows else None

    def close(self) -> None:
        """Close every connection; one in use closes when its thread is done with it."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def _take(self) -> Connection:
        if self._closed:
            raise StoreClosed(f"{self.path} was closed here; open the store again.")
        if os.getpid() != self._process:
            # A connection must not be used, nor closed, on the other side of a fork.
            _left_to_the_parent.extend(self._idle)
            self._idle = deque()
            self._here = _Here()
            self._writing = threading.Lock()
            self._process = os.getpid()
        try:
            return self._idle.pop()
        except IndexError:
            pass
        try:
            return connect(self.path, self._busy_seconds)
        except sqlite3.Error as error:
            raise database_problem(error, self.path) from error

    def _give_back(self, connection: Connection) -> None:
        # An open transaction here means that even the rollback failed: closing the connection undoes it.
        if self._closed or connection.in_transaction:
            connection.close()
        else:
            self._idle.append(connection)

    def _synchronous(self, connection: Connection, wanted: _Sync) -> None:
        if connection.synchronous != wanted:
            connection.execute(f"PRAGMA synchronous={wanted}")
            connection.synchronous = wanted


class _Joined(AbstractContextManager[Connection]):
    """A block inside a transaction that is not undone alone."""

    def __init__(self, connection: Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def __enter__(self) -> Connection:
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.Error):
            raise database_problem(error, self._path) from error
        if error is None:
            _still_open(self._connection)


def execute(connection: Connection, sql: str, params: Params = ()) -> sqlite3.Cursor:
    """Execute a statement; text that is not valid Unicode (half a surrogate pair) is written with an escape."""
    try:
        return connection.execute(sql, params)
    except UnicodeEncodeError:
        return connection.execute(sql, _encodable(params))


def insert(
    connection: Connection, table: str, values: Mapping[str, Any], otherwise: str = ""
) -> sqlite3.Cursor:
    """Insert one row, given by column; `otherwise` is an ON CONFLICT clause."""
    columns = ", ".join(f'"{name}"' for name in values)
    places = ", ".join("?" * len(values))
    return execute(
        connection, f"INSERT INTO {table} ({columns}) VALUES ({places}) {otherwise}", list(values.values())
    )


def _encodable(params: Params) -> Params:
    if isinstance(params, Mapping):
        return {name: encodable(value) if isinstance(value, str) else value for name, value in params.items()}
    return [encodable(value) if isinstance(value, str) else value for value in params]


def _task() -> object:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def _still_open(connection: Connection) -> None:
    if not connection.in_transaction:
        raise TransactionMisuse(
            "The transaction was already undone by an earlier error that was swallowed; nothing of it was kept."
        )


def _roll_back(connection: Connection) -> None:
    if connection.in_transaction:
        try:
            connection.execute("ROLLBACK")
        except sqlite3.Error:
            return  # `_give_back` closes a connection that can't even roll back.
