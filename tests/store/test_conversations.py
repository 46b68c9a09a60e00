"""Conversations: found by what was said, deleted for good."""

import pytest

from tests.store import making
from tests.store.making import SetClock
from workbench.store import (
    ConversationDeleted,
    ConversationExists,
    ConversationNotFound,
    LeaseLost,
    Store,
)


def found(store: Store, search: str) -> set[str]:
    return {each.title for each in store.conversations.list(search)}


def test_a_conversation_is_there_as_it_was_made(store: Store) -> None:
    made = store.conversations.create(
        "shop.yaml", id="thread 1", title="Prices", door="agui", entry="merchant"
    )
    assert store.conversations.get("thread 1") == made
    assert (made.title, made.door, made.entry, made.config_file) == (
        "Prices",
        "agui",
        "merchant",
        "shop.yaml",
    )
    assert (made.generation, made.last_message_seq, made.last_event_seq) == (1, 0, 0)
    assert made.created_at == made.updated_at == "2026-03-01T12:00:00.000000Z"


def test_an_id_is_used_exactly_as_given(store: Store) -> None:
    for id in ("a", "A", " a", "a ", "ä", "a\u0308"):
        making.conversation(store, title=repr(id), id=id)
    assert store.conversations.require(" a").title == "' a'"
    assert len(store.conversations.list()) == 6


def test_an_unknown_conversation_is_none_and_requiring_it_says_so(store: Store) -> None:
    assert store.conversations.get("nope") is None
    with pytest.raises(ConversationNotFound, match="no conversation with this id"):
        store.conversations.require("nope")
    for step in (store.conversations.touch, store.conversations.delete):
        with pytest.raises(ConversationNotFound):
            step("nope")


def test_a_taken_id_is_refused(store: Store) -> None:
    making.conversation(store, id="one")
    with pytest.raises(ConversationExists):
        making.conversation(store, id="one")


def test_the_last_used_comes_first(store: Store, clock: SetClock) -> None:
    first, second, third = (making.conversation(store, title) for title in "abc")
    assert [each.title for each in store.conversations.list()] == ["c", "b", "a"]
    clock.move(1)
    assert store.conversations.touch(first.id).updated_at == "2026-03-01T12:00:01.000000Z"
    assert [each.title for each in store.conversations.list()] == ["a", "c", "b"]
    assert [each.title for each in store.conversations.list(limit=1)] == ["a"]


def test_a_search_looks_at_titles_and_at_what_people_wrote(store: Store) -> None:
    by_text, _ = making.conversation(store, "first"), making.conversation(store, "Éclair prices")
    run = making.queued(store, by_text.id, "What does the ÉCLAIR cost?")
    store.runs.set_status(run.id, "done")
    making.queued(store, by_text.id, "and the croissant?")
    assert found(store, "éclair") == {"first", "Éclair prices"}
    assert found(store, "CROISSANT") == {"first"}
    assert found(store, "baguette") == set()


def test_a_search_takes_every_character_at_its_word(store: Store) -> None:
    for title in ("100%", "1000", "a_b", "axb", "back\\slash", "it's"):
        making.conversation(store, title)
    assert found(store, "0%") == {"100%"}
    assert found(store, "a_b") == {"a_b"}
    assert found(store, "k\\s") == {"back\\slash"}
    assert found(store, "t's") == {"it's"}


def test_a_conversation_is_renamed_and_found_by_its_new_name(store: Store) -> None:
    made = making.conversation(store, "Old")
    assert store.conversations.rename(made.id, "New").title == "New"
    assert (found(store, "new"), found(store, "old")) == ({"New"}, set())


def test_text_that_is_not_valid_unicode_is_kept_readable(store: Store) -> None:
    assert making.conversation(store, "half \ud83d pair").title == "half \\ud83d pair"


def test_a_deleted_conversation_is_gone_from_the_list_and_leaves_a_tombstone(store: Store) -> None:
    made = making.conversation(store, "Gone")
    assert store.conversations.delete(made.id).deleted_at == "2026-03-01T12:00:00.000000Z"
    assert store.conversations.list() == []
    assert [each.title for each in store.conversations.list(include_deleted=True)] == ["Gone"]
    for step in (store.conversations.require, store.conversations.touch):
        with pytest.raises(ConversationDeleted, match="Start a new one"):
            step(made.id)


def test_a_deleted_id_is_never_used_again(store: Store) -> None:
    making.conversation(store, id="one")
    store.conversations.delete("one")
    with pytest.raises(ConversationDeleted, match="not used again"):
        making.conversation(store, id="one")


def test_deleting_again_changes_nothing(store: Store, clock: SetClock) -> None:
    made = making.conversation(store)
    once = store.conversations.delete(made.id)
    clock.move(60)
    assert store.conversations.delete(made.id) == once


def test_what_was_said_is_erased_with_the_conversation_and_nothing_else(store: Store) -> None:
    gone, stays = making.queued(store, text="secret"), making.queued(store, text="open")
    for run in (gone, stays):
        store.events.append(run.conversation_id, run.id, [{"type": "A"}])
        store.messages.append(run.conversation_id, [{"role": "user", "content": []}])
        store.messages.rewrite_from(run.conversation_id, 1, [{"role": "user", "content": [{"text": "b"}]}])
        store.checkpoints.save(run.id, run.conversation_id, generation=2, last_message_seq=1, data={})
        store.seats.put(run.conversation_id, "seat", 1, [{"role": "user", "content": []}])
        store.drafts.set(making.asked(store, run).id, {"reason": "half"})
    store.conversations.delete(gone.conversation_id)
    left = {
        run.id: (
            len(store.events.read(run.conversation_id)),
            len(store.messages.load(run.conversation_id)),
            len(store.seats.load(run.conversation_id, "seat")),
            store.checkpoints.latest(run.conversation_id) is not None,
            store.drafts.get(store.requests.of_pause(run.id)[0].id),
        )
        for run in (gone, stays)
    }
    assert left[gone.id] == (0, 0, 0, False, None)
    assert left[stays.id] == (1, 1, 1, True, {"reason": "half"})


def test_nothing_is_written_to_a_deleted_conversation(store: Store) -> None:
    run = making.queued(store)
    claim = store.runs.claim_next("worker", 60)
    assert claim is not None
    ready = making.allowed(store, run)
    store.conversations.delete(run.conversation_id)
    id = run.conversation_id
    for refused in (
        lambda: store.events.append(id, run.id, [{"type": "A"}]),
        lambda: store.messages.append(id, [{"role": "user"}]),
        lambda: store.messages.rewrite_from(id, 1, []),
        lambda: store.seats.put(id, "seat", 1, [{"role": "user"}]),
        lambda: store.checkpoints.save(run.id, id, generation=1, last_message_seq=0, data={}),
        lambda: making.queued(store, id),
        lambda: making.asked(store, run),
        lambda: making.proposed(store, run, "another"),
        lambda: store.journal.start(ready.key, executed_input={}, digest="d1"),
        lambda: making.grant(store, scope="thread", conversation_id=id),
    ):
        with pytest.raises(ConversationDeleted):
            refused()
    with pytest.raises(LeaseLost), store.transaction():
        store.leases.check(id, claim.token)


def test_a_call_under_way_can_still_be_recorded_when_its_conversation_is_deleted(store: Store) -> None:
    run = making.queued(store)
    call = making.started(store, run)
    store.conversations.delete(run.conversation_id)
    assert store.journal.finish(call.key, "done", "success").state == "finished"
    assert store.runs.set_status(run.id, "cancelled").status == "cancelled"
