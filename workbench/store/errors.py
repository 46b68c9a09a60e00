"""What the store says when it can't do what was asked: one class a reason, each with a plain sentence."""

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.store.records import CallRecord, ConfigVersion, Request, Run


class StoreError(Exception):
    """Something the store could not do. `str(error)` is a sentence for a person."""


class DatabaseProblem(StoreError):
    """The file itself, or the disk under it, can't be worked with."""


class NotADatabase(DatabaseProblem):
    """The file is no SQLite database, or belongs to another program. It was left as it is."""


class NewerDatabase(DatabaseProblem):
    """The file was written by a newer release. It was left as it is."""


class ReadOnlyDatabase(DatabaseProblem):
    """The file or its folder can't be written."""


class FolderMissing(DatabaseProblem):
    """The folder the file should be in does not exist."""


class PathIsAFolder(DatabaseProblem):
    """The path names a folder, not a file."""


class DatabaseLocked(DatabaseProblem):
    """Another program held the file for longer than we wait. Nothing was written."""


class DiskFull(DatabaseProblem):
    """The disk has no room left. What was being written was undone."""


class DiskFailed(DatabaseProblem):
    """The disk or the operating system refused to read or write. What was being written was undone."""


class DatabaseDamaged(DatabaseProblem):
    """The file is a database whose content is broken."""


class DatabaseRefused(DatabaseProblem):
    """SQLite refused a statement for another reason; the sentence quotes it."""


class StoreClosed(StoreError):
    """The store was closed before this was asked of it."""


class TransactionMisuse(StoreError):
    """A transaction was used in a way that could lose or mix writes: a mistake in the calling code."""


class NotFound(StoreError):
    """No row has this id."""


class ConversationNotFound(NotFound):
    """No conversation has this id."""


class ConversationDeleted(StoreError):
    """The conversation was deleted. Its id is never used again."""


class ConversationExists(StoreError):
    """The id is taken by a living conversation."""


class ConversationBusy(StoreError):
    """A run of this conversation is queued or working. `run` is that run."""

    def __init__(self, run: "Run") -> None:
        super().__init__(
            f"Run {run.number} of this conversation is still {run.status}; wait for it or stop it."
        )
        self.run = run


class StaleBase(StoreError):
    """A config was edited from a version that is no longer the newest. `newest` is the one that is."""

    def __init__(self, newest: "ConfigVersion", based_on: int) -> None:
        super().__init__(
            f"This text was edited from version {based_on} of {newest.file}, but {newest.by} saved version "
            f"{newest.number} meanwhile. Compare the two texts and apply yours on top of it."
        )
        self.newest = newest
        self.based_on = based_on


class LeaseLost(StoreError):
    """Another holder has this conversation now, or the lease was given back. What was being written was undone."""


class AlreadyDecided(StoreError):
    """Somebody answered first, and otherwise. `request` is the request with the answer that counts."""

    def __init__(self, request: "Request") -> None:
        super().__init__(
            f"This request was already {str(request.decision).replace('_', ' ')} by {request.by} "
            f"({request.via}) at {request.decided_at}. The first answer counts; nothing was changed."
        )
        self.request = request


class AnswerHeld(StoreError):
    """Another answer is held for this request."""


class CallProblem(StoreError):
    """The journal refuses a step of a call. `call` is the call as it stands."""

    def __init__(self, sentence: str, call: "CallRecord") -> None:
        super().__init__(sentence)
        self.call = call


class CallAlreadyFinished(CallProblem):
    """The call has its result; it never runs again."""


class CallInDoubt(CallProblem):
    """The call was started and nobody knows how it ended; it is not run again silently."""


class CallClosed(CallProblem):
    """The call was closed without running to an end; it does not run any more."""


class CallNotAllowed(CallProblem):
    """Nothing allows this call to run: no verdict, or a request that was not approved."""


class CallNotStarted(CallProblem):
    """The call has no attempt under way, so none can end."""


class GrantGone(StoreError):
    """The grant was revoked, has expired or is used up; the call must ask."""


def database_problem(error: sqlite3.Error, path: Path) -> StoreError:
    """The plain error for what SQLite raised about the file at `path`."""
    text = str(error)
    code = getattr(error, "sqlite_errorcode", None)
    match code & 0xFF if isinstance(code, int) else None:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return locked(path)
        case sqlite3.SQLITE_FULL:
            return DiskFull(
                f"The disk is full: {path} can't grow. Nothing was half-written; make room and try again."
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return read_only(path)
        case sqlite3.SQLITE_NOTADB:
            return not_a_database(path)
        case sqlite3.SQLITE_CORRUPT:
            return DatabaseDamaged(
                f"{path} is damaged ({text}). Keep a copy of it and put a backup in its place."
            )
        case sqlite3.SQLITE_IOERR:
            return DiskFailed(
                f"The disk under {path} failed ({text}). Nothing was half-written; see to the disk and try again."
            )
        case sqlite3.SQLITE_CANTOPEN:
            return DiskFailed(
                f"{path} can't be opened ({text}). See that its folder is there and that you may read and write both."
            )
        case _:
            return DatabaseRefused(f"{path}: the database refused this ({text}). Nothing was changed.")


def locked(path: Path) -> DatabaseLocked:
    """What to say when another program holds the file."""
    return DatabaseLocked(
        f"{path} is locked by another program. Nothing was written; close that program, or try again when it is done."
    )


def read_only(path: Path) -> ReadOnlyDatabase:
    """What to say when the file can't be written."""
    return ReadOnlyDatabase(
        f"{path} can't be written. Make the file and its folder writable, or name another file with --db."
    )


def not_a_database(path: Path) -> NotADatabase:
    """What to say when the file is no database."""
    return NotADatabase(
        f"{path} is not a workbench database. It was left as it is; name another file with --db."
    )
