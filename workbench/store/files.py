"""Files that people gave: their content beside the database, under its own hash, and who it was given to.

`workbench.db` has its files in `workbench.db.files/`. A file there is named after the SHA-256 of what is in it and
nothing else, so no name that somebody made up ever becomes a path, and what was given twice is kept once. A content
stays as long as a row names it; what no row names any more is swept away.
"""

import errno
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from workbench.store.clock import new_id
from workbench.store.conversations import check_alive
from workbench.store.database import Database, insert
from workbench.store.errors import DiskFailed, DiskFull, TransactionMisuse
from workbench.store.rows import RowShape

ENDING: Final = ".files"
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_HALF_WRITTEN: Final = ".new"
_FORGOTTEN_SECONDS: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that a person gave to a request."""

    id: str
    request_id: str
    conversation_id: str
    sha256: str
    """What its content is kept under."""
    name: str
    """What people call it; never a path."""
    type: str
    """What it is, such as `text/csv`."""
    is_text: bool
    """Whether its content can be read as text."""
    size: int
    """In bytes."""
    added_at: str


_SHAPE = RowShape(Upload, flags=("is_text",))


class Files:
    """The files that people gave."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.folder = db.path.with_name(db.path.name + ENDING)
        """Where the contents are; made with the first of them."""

    def add(
        self,
        request_id: str,
        conversation_id: str,
        data: bytes,
        *,
        name: str,
        type: str,
        is_text: bool,
    ) -> Upload:
        """Keep a file, durably.

        Raises ConversationNotFound, ConversationDeleted, DiskFull and DiskFailed; then nothing is kept.
        """
        upload = Upload(
            id=new_id(),
            request_id=request_id,
            conversation_id=conversation_id,
            sha256=hash_of(data),
            name=name,
            type=type,
            is_text=is_text,
            size=len(data),
            added_at=self._db.now(),
        )
        with self._disk():
            self.folder.mkdir(mode=0o700, exist_ok=True)
            handle, written = tempfile.mkstemp(dir=self.folder, suffix=_HALF_WRITTEN)
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(data)
                    stream.flush()
                    os.fsync(stream.fileno())
                # Inside the transaction, which a sweep needs too: content and row appear together.
                with self._db.transaction(durable=True) as connection:
                    check_alive(self._db, conversation_id)
                    insert(connection, "uploads", {each: getattr(upload, each) for each in _SHAPE.columns})
                    os.replace(written, self.folder / upload.sha256)
                    _sync(self.folder)
            finally:
                Path(written).unlink(missing_ok=True)
        return upload

    def get(self, id: str) -> Upload | None:
        """The file with this id."""
        found = self._where("id = ?", id)
        return found[0] if found else None

    def of_request(self, request_id: str) -> list[Upload]:
        """The files given to a request, in the order they came; once it is answered, those of the answer."""
        return self._where("request_id = ? ORDER BY number", request_id)

    def read(self, sha256: str) -> bytes | None:
        """The content under a hash; None when it isn't there, or isn't what it was."""
        if not _HASH.fullmatch(sha256):
            return None
        try:
            data = (self.folder / sha256).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _failed(error, self.folder) from error
        return data if hash_of(data) == sha256 else None

    def drop(self, id: str) -> None:
        """Forget a file; it is fine if there is none. Its content goes with the next sweep."""
        self._db.run("DELETE FROM uploads WHERE id = ?", (id,))

    def sweep(self) -> None:
        """Remove every content that no row names any more. Not inside a transaction, which might be undone.

        Raises TransactionMisuse, DiskFailed.
        """
        if self._db.in_transaction:
            raise TransactionMisuse("Files were about to be removed for rows that may come back.")
        with self._disk():
            if not self.folder.is_dir() or not self._unused():
                return
            with self._db.transaction():  # nobody adds a row for a content while it is removed
                for path in self._unused():
                    path.unlink(missing_ok=True)

    def _unused(self) -> list[Path]:
        used = {row[0] for row in self._db.all("SELECT DISTINCT sha256 FROM uploads", ())}
        now = time.time()
        unused = []
        for path in self.folder.iterdir():
            if _HASH.fullmatch(path.name):
                if path.name not in used:
                    unused.append(path)
            elif path.name.endswith(_HALF_WRITTEN) and now - _written_at(path) > _FORGOTTEN_SECONDS:
                unused.append(path)
        return unused

    def _where(self, condition: str, *params: Any) -> list[Upload]:
        rows = self._db.all(f"SELECT {_SHAPE.select('u')} FROM uploads u WHERE {condition}", params)
        return [_SHAPE.of(row) for row in rows]

    @contextmanager
    def _disk(self) -> Generator[None, None, None]:
        try:
            yield
        except OSError as error:
            raise _failed(error, self.folder) from error


def hash_of(data: bytes) -> str:
    """What a content is kept under."""
    return hashlib.sha256(data).hexdigest()


def _failed(error: OSError, folder: Path) -> DiskFull | DiskFailed:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"The disk is full: {folder} can't grow. Nothing was kept; make room and try again.")
    return DiskFailed(
        f"{folder} can't be used ({error.strerror or error}). See that you may read and write it, and try again."
    )


def _written_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return time.time()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
