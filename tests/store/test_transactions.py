"""Transactions: all or nothing, joined by what runs inside, fair between threads and processes."""

import asyncio
import signal
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.store import making
from tests.store.processes import die_half_way, exit_code_of
from workbench.store import Store, TransactionMisuse


class Stop(Exception):
    pass


def test_everything_in_a_block_is_kept_together(store: Store) -> None:
    with store.transaction():
        first = making.conversation(store, "one")
        making.conversation(store, "two")
        assert store.conversations.require(first.id).title == "one"
    assert {each.title for each in store.conversations.list()} == {"one", "two"}


def test_a_block_that_raises_keeps_nothing(store: Store) -> None:
    with pytest.raises(Stop), store.transaction():
        making.conversation(store)
        raise Stop
    assert store.conversations.list() == []
    assert making.conversation(store, "after").title == "after"


def test_an_inner_block_that_raises_undoes_only_itself(store: Store) -> None:
    with store.transaction():
        making.conversation(store, "kept")
        with pytest.raises(Stop), store.transaction():
            making.conversation(store, "undone")
            raise Stop
        making.conversation(store, "kept too")
    assert {each.title for each in store.conversations.list()} == {"kept", "kept too"}


def test_an_outer_block_that_raises_undoes_its_inner_ones(store: Store) -> None:
    with pytest.raises(Stop), store.transaction():
        with store.transaction():
            making.conversation(store)
        raise Stop
    assert store.conversations.list() == []


def test_a_durable_step_inside_a_block_that_is_not_durable_is_a_mistake(store: Store) -> None:
    request = making.asked(store, making.queued(store))
    with pytest.raises(TransactionMisuse, match=r"open the outer one with store.transaction\(durable=True\)"):
        with store.transaction():
            making.approve(store, request)
    assert store.requests.require(request.id).status == "open"
    with store.transaction(durable=True):
        making.approve(store, request)
    assert store.requests.require(request.id).decision == "approved"


def waits_for_the_disk(store: Store, step: Callable[[], object]) -> bool:
    """Whether the step's commit was made with SQLite's FULL, seen from the statements it ran."""
    ran: list[str] = []
    with store.transaction() as connection:
        assert isinstance(connection, sqlite3.Connection)
        connection.set_trace_callback(ran.append)
    step()
    connection.set_trace_callback(None)
    assert "COMMIT" in ran, "the step used the connection that is watched"
    return "PRAGMA synchronous=FULL" in ran[: ran.index("BEGIN IMMEDIATE")]


def test_what_decides_or_starts_something_waits_for_the_disk(store: Store) -> None:
    run = making.queued(store)
    first, second, third = (making.asked(store, run, call_key=key) for key in "abc")
    grant = making.grant(store)
    key = making.new_call(run).key
    steps: dict[str, Callable[[], object]] = {
        "approve": lambda: making.approve(store, first),
        "close": lambda: store.requests.close([second.id], decision="skipped", note="", by="anna", via="app"),
        "not run": lambda: store.requests.mark_not_run([first.id], "moved on"),
        "propose": lambda: making.proposed(store, run),
        "allow": lambda: store.journal.allow(key, making.VERDICT),
        "start": lambda: store.journal.start(key, executed_input={}, digest="d1"),
        "attempt ended": lambda: store.journal.attempt_ended(key, "paused"),
        "wait": lambda: store.journal.wait(key, first.id),
        "close call": lambda: store.journal.close(key, "note"),
        "finish": lambda: store.journal.finish(making.started(store, run, "b").key, "ok", "success"),
        "remember": lambda: making.grant(store, tool="other"),
        "revoke": lambda: store.grants.revoke(grant.id, "anna"),
        "apply": lambda: making.version(store, "another text"),
        "a durable block": lambda: making_durably(store),
    }
    assert {name: waits_for_the_disk(store, step) for name, step in steps.items()} == dict.fromkeys(
        steps, True
    )
    assert store.requests.require(third.id).status == "open"


def making_durably(store: Store) -> None:
    with store.transaction(durable=True):
        making.conversation(store)


def test_what_can_be_told_again_does_not_wait_for_the_disk(store: Store) -> None:
    made = making.conversation(store)
    assert not waits_for_the_disk(store, lambda: store.events.append(made.id, "run", [{"type": "A"}]))
    assert not waits_for_the_disk(store, lambda: store.messages.append(made.id, [{"role": "user"}]))
    assert not waits_for_the_disk(store, lambda: store.conversations.touch(made.id))


def test_other_threads_see_a_block_only_when_it_is_done(store: Store) -> None:
    with ThreadPoolExecutor(1) as elsewhere:
        with store.transaction():
            made = making.conversation(store)
            assert elsewhere.submit(store.conversations.get, made.id).result(10) is None
        assert elsewhere.submit(store.conversations.get, made.id).result(10) == made


def test_another_task_can_not_slip_into_a_block_left_open_across_an_await(store: Store) -> None:
    async def both() -> None:
        inside = asyncio.Event()

        async def careless() -> None:
            with store.transaction():
                making.conversation(store, "careless")
                inside.set()
                await asyncio.sleep(0)
                await asyncio.sleep(0)

        async def other() -> None:
            await inside.wait()
            with pytest.raises(TransactionMisuse, match="across an await"):
                making.conversation(store, "other")

        await asyncio.gather(careless(), other())

    asyncio.run(both())
    assert [each.title for each in store.conversations.list()] == ["careless"]


def test_threads_that_come_and_go_leave_no_open_file_behind(store: Store) -> None:
    open_files = Path("/proc/self/fd")
    if not open_files.exists():
        pytest.skip("this system does not list open files")

    def use() -> None:
        making.conversation(store)

    def one_after_the_other(count: int) -> None:
        for _ in range(count):
            thread = threading.Thread(target=use)
            thread.start()
            thread.join()

    one_after_the_other(2)
    before = len(list(open_files.iterdir()))
    one_after_the_other(20)
    assert len(list(open_files.iterdir())) == before


def test_writers_in_many_threads_wait_for_each_other(store: Store) -> None:
    made = making.conversation(store)

    def write(number: int) -> None:
        for _ in range(10):
            store.events.append(made.id, f"run-{number}", [{"type": "A"}])

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(write, number) for number in range(8)]:
            done.result(60)
    assert store.conversations.require(made.id).last_event_seq == 80


def test_a_process_killed_inside_a_block_leaves_nothing_of_it(store: Store) -> None:
    made = making.conversation(store, "whole")
    assert exit_code_of(die_half_way, store.path, made.id) == -signal.SIGKILL
    assert store.conversations.require(made.id).title == "whole"
    assert store.events.append(made.id, "run", [{"type": "WHOLE"}]) == 1
