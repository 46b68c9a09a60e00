"""Transactions: all or nothing, joined by what runs inside, fair between threads and processes."""

import asyncio
import signal
import threading
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
