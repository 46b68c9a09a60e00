"""Checkpoints: the newest state of each run, with the messages left where they are."""

from tests.store import making
from workbench.store import Store
from workbench.store.checkpoints import FORMAT


def test_a_checkpoint_comes_back_as_it_was_saved(store: Store) -> None:
    run = making.queued(store)
    data = {"interrupt_state": {"activated": True}, "blob": b"\x00"}
    saved = store.checkpoints.save(run.id, run.conversation_id, generation=2, last_message_seq=7, data=data)
    assert store.checkpoints.get(run.id) == saved
    assert (saved.format, saved.generation, saved.last_message_seq, saved.data) == (FORMAT, 2, 7, data)
    assert store.checkpoints.get("nope") is None
    assert store.checkpoints.latest("nope") is None


def test_a_run_keeps_its_newest_checkpoint(store: Store) -> None:
    run = making.queued(store)
    for number in range(3):
        store.checkpoints.save(
            run.id, run.conversation_id, generation=1, last_message_seq=number, data={"n": number}
        )
    newest = store.checkpoints.get(run.id)
    assert newest is not None and newest.data == {"n": 2}
    assert store._db.all("SELECT count(*) FROM checkpoints") == [(1,)]


def test_the_latest_is_the_one_saved_last_whichever_run_it_is_of(store: Store) -> None:
    run = making.queued(store)
    for run_id in ("first", "second", "first"):
        store.checkpoints.save(run_id, run.conversation_id, generation=1, last_message_seq=0, data={})
    elsewhere = making.queued(store)
    store.checkpoints.save(elsewhere.id, elsewhere.conversation_id, generation=1, last_message_seq=0, data={})
    latest = store.checkpoints.latest(run.conversation_id)
    assert latest is not None and latest.run_id == "first"


def test_a_checkpoint_of_an_older_format_says_so(store: Store) -> None:
    run = making.queued(store)
    store.checkpoints.save(run.id, run.conversation_id, generation=1, last_message_seq=0, data={}, format=0)
    found = store.checkpoints.get(run.id)
    assert found is not None and found.format == 0
