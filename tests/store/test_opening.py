"""Opening the file: created, upgraded or refused, with a sentence that says what to do."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import sqlite_utils

from tests.store import making
from tests.store.processes import open_it, side_by_side
from workbench.store import (
    DatabaseLocked,
    DatabaseProblem,
    DiskFailed,
    DiskFull,
    FolderMissing,
    NewerDatabase,
    NotADatabase,
    PathIsAFolder,
    ReadOnlyDatabase,
    Store,
    StoreClosed,
    StoreError,
)
from workbench.store.migrations import NAMES, RELEASE


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, which pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="store-"))
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


def as_ordinary_user(task: Callable[[], str]) -> str:
    """What the task returns when a user without root's rights runs it."""
    return in_child(task, before=_drop_rights if os.geteuid() == 0 else None)


def in_child(task: Callable[[], str], before: Callable[[], None] | None = None) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if before is not None:
                before()
            said = task()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def _drop_rights() -> None:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def opened(path: Path) -> str:
    with Store.open(path, busy_seconds=0.2) as store:
        return making.conversation(store).title or "opened"


def pragma(store: Store, text: str) -> int:
    """Set or ask something of the connection that this thread uses next."""
    with store.transaction() as connection:
        assert isinstance(connection, sqlite3.Connection)
        row = connection.execute(f"PRAGMA {text}").fetchone()
        return int(row[0]) if row else 0


def test_a_fresh_file_is_created_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    with Store.open(path) as store:
        made = making.conversation(store, "Prices")
    with Store.open(str(path)) as store:
        assert store.conversations.require(made.id) == made
        assert store.path == path


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    assert opened(path) == "opened"


def test_the_file_says_whose_it_is_and_in_which_format(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    opened(path)
    found = sqlite_utils.Database(path)
    steps = found["_sqlite_migrations"]
    assert isinstance(steps, sqlite_utils.db.Table)
    assert found.execute("PRAGMA user_version").fetchone() == (RELEASE,)
    assert found.execute("PRAGMA application_id").fetchone() == (0x574B4248,)
    assert found.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert {row["name"] for row in steps.rows_where("migration_set = ?", ["workbench"])} == NAMES
    found.close()


@pytest.mark.parametrize("content", ["hello", "hello " * 1000, "SQLite format 3\x00 but not really"])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path, content: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(content)
    with pytest.raises(NotADatabase, match="left as it is; name another file with --db"):
        Store.open(path)
    assert path.read_text() == content


def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE items (sku TEXT)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(NotADatabase, match="database of another program"):
        Store.open(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["shop.db"]


def newer_format(database: sqlite3.Connection) -> None:
    database.execute(f"PRAGMA user_version={RELEASE + 1}")


def unknown_migration(database: sqlite3.Connection) -> None:
    database.execute(
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('workbench', 'm999_later', '')"
    )
    database.commit()


@pytest.mark.parametrize("change", [newer_format, unknown_migration])
def test_a_database_of_a_newer_release_is_refused_and_left_as_it_is(
    tmp_path: Path, change: Callable[[sqlite3.Connection], None]
) -> None:
    path = tmp_path / "workbench.db"
    opened(path)
    database = sqlite3.connect(path)
    change(database)
    database.close()
    before = path.read_bytes()
    with pytest.raises(
        NewerDatabase, match="written by a newer release of the workbench.*update the workbench"
    ):
        Store.open(path)
    assert path.read_bytes() == before


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FolderMissing, match=r"The folder .*nowhere does not exist. Create it"):
        Store.open(tmp_path / "nowhere" / "workbench.db")
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(PathIsAFolder, match="is a folder. Name a file in it"):
        Store.open(tmp_path)


def test_a_read_only_file_is_refused(open_folder: Path) -> None:
    path = open_folder / "workbench.db"
    opened(path)
    path.chmod(0o444)
    said = as_ordinary_user(lambda: opened(path))
    assert said.startswith("ReadOnlyDatabase:") and "Make the file and its folder writable" in said


@pytest.mark.parametrize("there_already", [True, False])
def test_a_read_only_folder_is_refused(open_folder: Path, there_already: bool) -> None:
    path = open_folder / "workbench.db"
    if there_already:
        opened(path)
        path.chmod(0o666)
    open_folder.chmod(0o555)
    said = as_ordinary_user(lambda: opened(path))
    assert said.startswith("ReadOnlyDatabase:") and str(path) in said


def test_a_file_that_turns_read_only_says_so(store: Store) -> None:
    pragma(store, "query_only=ON")
    with pytest.raises(ReadOnlyDatabase):
        making.conversation(store)


def test_a_database_locked_by_another_program_says_so_and_goes_on_later(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    with Store.open(path, busy_seconds=0.05) as store:
        made = making.conversation(store)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseLocked, match="locked by another program. Nothing was written"):
            store.conversations.rename(made.id, "New")
        with pytest.raises(DatabaseLocked):
            Store.open(path, busy_seconds=0.05)
        assert store.conversations.require(made.id).title == "", "reading goes on"
        other.execute("ROLLBACK")
        other.close()
        assert store.conversations.rename(made.id, "New").title == "New"


def test_a_full_disk_says_so_leaves_nothing_half_written_and_goes_on_later(store: Store) -> None:
    made = making.conversation(store)
    pragma(store, f"max_page_count={pragma(store, 'page_count') + 10}")
    with pytest.raises(DiskFull, match="make room and try again"):
        store.events.append(made.id, "run", [{"type": "BIG", "text": "x" * 200_000}] * 3)
    assert store.events.read(made.id) == []
    pragma(store, "max_page_count=1000000")
    assert store.events.append(made.id, "run", [{"type": "BIG", "text": "x" * 200_000}] * 3) == 3


def test_a_swallowed_disk_error_can_not_commit_half_of_a_transaction(store: Store) -> None:
    made = making.conversation(store)
    pragma(store, f"max_page_count={pragma(store, 'page_count') + 10}")
    failed: StoreError | None = None
    try:
        with store.transaction():
            store.conversations.rename(made.id, "first half")
            with pytest.raises(DiskFull):
                store.events.append(made.id, "run", [{"type": "BIG", "text": "x" * 400_000}])
            store.conversations.touch(made.id)
    except StoreError as error:
        failed = error
    kept = store.conversations.require(made.id).title
    assert kept == ("first half" if failed is None else "")
    assert store.events.read(made.id) == []


def test_a_disk_that_refuses_to_write_says_so_and_goes_on_later(open_folder: Path) -> None:
    def grow() -> str:
        with Store.open(open_folder / "workbench.db") as store:
            made = making.conversation(store)
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
            try:
                store.events.append(made.id, "run", [{"type": "BIG", "text": "x" * 100_000}] * 10)
                return "nothing failed"
            except (DiskFailed, DiskFull) as error:
                said = str(error)
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
            assert store.events.read(made.id) == []
            assert store.events.append(made.id, "run", [{"type": "SMALL"}]) == 1
            return said

    said = in_child(grow)
    assert "workbench.db" in said and "Nothing was half-written" in said


def test_many_threads_open_one_fresh_file_at_once(tmp_path: Path) -> None:
    path, count = tmp_path / "workbench.db", 8
    together = Barrier(count)

    def open_and_use(_: int) -> str:
        together.wait(30)
        return opened(path)

    with ThreadPoolExecutor(count) as pool:
        assert list(pool.map(open_and_use, range(count))) == ["opened"] * count
    with Store.open(path) as store:
        assert len(store.conversations.list()) == count


def test_processes_open_one_fresh_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    made = side_by_side(open_it, (path,), (path,), (path,))
    with Store.open(path) as store:
        assert {each.id for each in store.conversations.list()} == set(made)


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "workbench.db"
    monkeypatch.setattr("workbench.store.migrations.RELEASE", "not a number")
    with pytest.raises(DatabaseProblem):
        Store.open(path)
    monkeypatch.undo()
    found = sqlite3.connect(path)
    assert found.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
    found.close()
    assert opened(path) == "opened"


def test_opening_a_file_that_needs_no_step_loads_no_migration_library(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    opened(path)
    check = (
        "import sys; from workbench.store import Store; Store.open(sys.argv[1]).close();"
        "sys.exit('sqlite_utils' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", check, str(path)], timeout=60).returncode == 0


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "workbench.db")
    making.conversation(store)
    store.close()
    store.close()
    with pytest.raises(StoreClosed, match="open the store again"):
        store.conversations.list()
    assert not (tmp_path / "workbench.db-wal").exists(), "the last connection tidied up, so all are closed"
