"""Files that people gave: content under its hash, kept as long as somebody uses it."""

import errno
import hashlib
import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from tests.store import making
from workbench.store import (
    ConversationDeleted,
    DiskFailed,
    DiskFull,
    Request,
    Store,
    TransactionMisuse,
    Upload,
    migrations,
)


def request(store: Store, conversation_id: str | None = None) -> Request:
    return making.asked(store, making.queued(store, conversation_id), kind="question", tool="request_files")


def given(store: Store, asked: Request, data: bytes = b"hello", name: str = "notes.txt") -> Upload:
    return store.files.add(asked.id, asked.conversation_id, data, name=name, type="text/plain", is_text=True)


def on_disk(store: Store) -> set[str]:
    return set(os.listdir(store.files.folder)) if store.files.folder.exists() else set()


def answer(store: Store, asked: Request, *uploads: Upload) -> Request:
    value = {"files": [{"id": one.id, "name": one.name} for one in uploads]}
    return store.requests.answer(
        asked.id, decision="answered", answer={"kind": "answered", "value": value}, by="Ada", via="app"
    )


def test_a_file_is_kept_beside_the_database_under_the_hash_of_its_content(store: Store) -> None:
    upload = given(store, request(store))
    assert store.files.folder == store.path.with_name("workbench.db.files")
    assert upload.sha256 == hashlib.sha256(b"hello").hexdigest()
    assert on_disk(store) == {upload.sha256}
    assert store.files.read(upload.sha256) == b"hello"
    assert (upload.size, store.files.get(upload.id)) == (5, upload)


def test_only_their_owner_may_look_into_the_folder(store: Store) -> None:
    given(store, request(store))
    assert stat.S_IMODE(store.files.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name", ["../../evil.txt", "/etc/passwd", "a\0b", "..", "", "con\u202etxt.exe", "x" * 5000]
)
def test_no_name_ever_becomes_a_path(store: Store, tmp_path: Path, name: str) -> None:
    upload = given(store, request(store), name=name)
    assert on_disk(store) == {upload.sha256}
    assert {path.name for path in tmp_path.iterdir()} <= {
        *("workbench.db", "workbench.db-wal", "workbench.db-shm", "workbench.db.files")
    }


@pytest.mark.parametrize("hash", ["../workbench.db", "", ".", "A" * 64, "../" + "a" * 61])
def test_nothing_but_a_hash_can_be_read(store: Store, hash: str) -> None:
    given(store, request(store))
    assert store.files.read(hash) is None


def test_a_content_given_twice_is_kept_once(store: Store) -> None:
    first, second = request(store), request(store)
    uploads = [given(store, first, name="a"), given(store, second, name="b"), given(store, second, name="c")]
    assert len(on_disk(store)) == 1 and len({one.id for one in uploads}) == 3
    assert [one.name for one in store.files.of_request(second.id)] == ["b", "c"]


def test_a_content_that_is_gone_or_changed_reads_as_none(store: Store) -> None:
    upload = given(store, request(store))
    path = store.files.folder / upload.sha256
    path.write_bytes(b"hellO")
    assert store.files.read(upload.sha256) is None
    path.unlink()
    assert store.files.read(upload.sha256) is None
    given(store, request(store))
    assert store.files.read(upload.sha256) == b"hello"


def test_an_empty_file_is_a_file(store: Store) -> None:
    upload = given(store, request(store), data=b"")
    assert store.files.read(upload.sha256) == b""


def test_deleting_a_conversation_removes_its_files_but_those_another_one_uses(store: Store) -> None:
    mine, theirs = request(store), request(store)
    given(store, mine, b"mine alone")
    shared = given(store, mine, b"shared")
    given(store, theirs, b"shared")
    store.conversations.delete(mine.conversation_id)
    store.files.sweep()
    assert on_disk(store) == {shared.sha256}
    assert store.files.of_request(mine.id) == []
    store.conversations.delete(theirs.conversation_id)
    store.files.sweep()
    assert on_disk(store) == set()


def test_a_deleted_conversation_takes_no_file(store: Store) -> None:
    asked = request(store)
    store.conversations.delete(asked.conversation_id)
    with pytest.raises(ConversationDeleted):
        given(store, asked)
    assert on_disk(store) == set()


def test_a_file_that_is_taken_back_goes_with_the_next_sweep(store: Store) -> None:
    upload = given(store, request(store))
    store.files.drop(upload.id)
    store.files.drop("no such id")
    assert store.files.get(upload.id) is None
    store.files.sweep()
    assert on_disk(store) == set()


def test_an_answer_keeps_its_files_and_lets_the_others_go(store: Store) -> None:
    asked, other = request(store), request(store)
    first, second = given(store, asked, b"one"), given(store, asked, b"two")
    untouched = given(store, other, b"three")
    answer(store, asked, second)
    assert store.files.of_request(asked.id) == [second]
    assert store.files.of_request(other.id) == [untouched]
    store.files.sweep()
    assert on_disk(store) == {second.sha256, untouched.sha256}
    assert first.sha256 not in on_disk(store)


def test_a_request_closed_without_an_answer_keeps_none(store: Store) -> None:
    asked = request(store)
    given(store, asked)
    store.requests.close([asked.id], decision="skipped", note="Skipped: later", by="Ada", via="app")
    assert store.files.of_request(asked.id) == []


def test_sweeping_inside_a_transaction_that_may_be_undone_is_refused(store: Store) -> None:
    with pytest.raises(TransactionMisuse), store.transaction():
        store.files.sweep()


def test_an_answer_that_is_undone_loses_no_file(store: Store) -> None:
    asked = request(store)
    upload = given(store, asked)
    with pytest.raises(ZeroDivisionError), store.transaction(durable=True):
        answer(store, asked)
        raise ZeroDivisionError
    store.files.sweep()
    assert store.files.of_request(asked.id) == [upload] and on_disk(store) == {upload.sha256}


def test_what_a_crash_left_half_written_is_swept_after_a_while(store: Store) -> None:
    upload = given(store, request(store))
    fresh, old = (store.files.folder / name for name in ("fresh.new", "old.new"))
    for path in (fresh, old):
        path.touch()
    os.utime(old, (0, 0))
    (store.files.folder / "README").touch()
    store.files.sweep()
    assert on_disk(store) == {upload.sha256, "fresh.new", "README"}


def test_sweeping_and_adding_at_once_loses_nothing(store: Store) -> None:
    asked = request(store)
    done = threading.Event()

    def sweep() -> None:
        while not done.is_set():
            store.files.sweep()

    sweeper = threading.Thread(target=sweep)
    sweeper.start()
    try:
        for _ in range(30):
            upload = given(store, asked, b"the same")
            assert store.files.read(upload.sha256) == b"the same"
            store.files.drop(upload.id)
    finally:
        done.set()
        sweeper.join()


@pytest.mark.parametrize(("code", "error"), [(errno.ENOSPC, DiskFull), (errno.EIO, DiskFailed)])
def test_a_disk_that_fails_keeps_neither_content_nor_row(
    store: Store, monkeypatch: pytest.MonkeyPatch, code: int, error: type[Exception]
) -> None:
    asked = request(store)

    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patched, pytest.raises(error, match=r"workbench\.db\.files"):
        patched.setattr("workbench.store.files.os.replace", fail)
        given(store, asked)
    assert on_disk(store) == set() and store.files.of_request(asked.id) == []


def test_a_database_of_the_first_release_takes_files_after_its_upgrade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.db"
    first = (migrations.m001_first_release,)
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "STEPS", first)
        patched.setattr(migrations, "RELEASE", 1)
        for module in ("migrations", "opening"):
            patched.setattr(f"workbench.store.{module}.NAMES", frozenset({"m001_first_release"}))
        Store.open(path).close()
    with sqlite3.connect(path) as old:
        assert old.execute("PRAGMA user_version").fetchone() == (1,)
        assert old.execute("SELECT name FROM sqlite_schema WHERE name = 'uploads'").fetchone() is None
    old.close()
    with Store.open(path) as store:
        assert given(store, request(store)).size == 5
