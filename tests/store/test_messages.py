"""Messages: stored once, in generations that share what they have in common."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store import making
from workbench.store import Store, StoreError


def said(text: str, id: str | None = None) -> dict[str, Any]:
    return {"role": "user", "content": [{"text": text}], "tracking_id": id or f"id-{text}"}


def bodies(store: Store) -> int:
    return int(store._db.all("SELECT count(*) FROM message_bodies")[0][0])


def test_messages_come_back_in_order(store: Store) -> None:
    made = making.conversation(store)
    assert store.messages.append(made.id, [said("a"), said("b")]) == 2
    assert store.messages.append(made.id, [said("c")]) == 3
    assert store.messages.load(made.id) == [said("a"), said("b"), said("c")]
    assert store.messages.load(made.id, upto=2) == [said("a"), said("b")]
    assert store.conversations.require(made.id).last_message_seq == 3


def test_images_survive(store: Store) -> None:
    made = making.conversation(store)
    picture = {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": b"\x89PNG\x00"}}}]}
    store.messages.append(made.id, [picture])
    assert store.messages.load(made.id) == [picture]


def test_a_rewrite_begins_a_generation_that_shares_what_came_before(store: Store) -> None:
    made = making.conversation(store)
    store.messages.append(made.id, [said("a"), said("b"), said("c")])
    assert store.messages.rewrite_from(made.id, 2, [said("B")]) == 2
    store.messages.append(made.id, [said("d")])
    assert store.messages.load(made.id) == [said("a"), said("B"), said("d")]
    assert store.messages.load(made.id, 1) == [said("a"), said("b"), said("c")]
    assert store.messages.load(made.id, 2, upto=2) == [said("a"), said("B")]
    now = store.conversations.require(made.id)
    assert (now.generation, now.last_message_seq) == (2, 3)
    assert store.messages.last_seq(made.id, 1) == 3


def test_a_message_is_stored_once_however_often_it_is_rewritten(store: Store) -> None:
    made = making.conversation(store)
    store.messages.append(made.id, [said(text) for text in "abcde"])
    for _ in range(4):
        store.messages.rewrite_from(made.id, 2, [said(text) for text in "bcde"])
    assert bodies(store) == 5
    store.messages.rewrite_from(made.id, 1, [said(text) for text in "bcde"])
    assert bodies(store) == 5, "a message that moved is still the same"
    store.messages.rewrite_from(made.id, 1, [said("redacted", "id-b")])
    assert bodies(store) == 6, "another content under the same tracking id is another row"
    assert store.messages.load(made.id) == [said("redacted", "id-b")]


def test_the_same_message_twice_is_there_twice(store: Store) -> None:
    made = making.conversation(store)
    store.messages.append(made.id, [said("a"), said("a")])
    assert store.messages.load(made.id) == [said("a"), said("a")]


def test_messages_without_a_tracking_id_are_told_apart_by_content(store: Store) -> None:
    made = making.conversation(store)
    plain = [
        {"role": "user", "content": []},
        {"role": "assistant", "content": []},
        {"role": "user", "content": []},
    ]
    store.messages.append(made.id, plain)
    assert store.messages.load(made.id) == plain
    assert bodies(store) == 2


def test_a_rewrite_to_nothing_leaves_the_shared_part(store: Store) -> None:
    made = making.conversation(store)
    store.messages.append(made.id, [said("a"), said("b")])
    store.messages.rewrite_from(made.id, 2, [])
    assert store.messages.load(made.id) == [said("a")]
    assert store.conversations.require(made.id).last_message_seq == 1
    store.messages.rewrite_from(made.id, 1, [])
    assert store.messages.load(made.id) == []
    assert store.messages.append(made.id, [said("c")]) == 1


@pytest.mark.parametrize("seq", [0, -1, 4])
def test_a_rewrite_can_not_begin_where_nothing_is(store: Store, seq: int) -> None:
    made = making.conversation(store)
    store.messages.append(made.id, [said("a"), said("b")])
    with pytest.raises(StoreError, match="this conversation has 2 of them"):
        store.messages.rewrite_from(made.id, seq, [said("c")])
    assert store.conversations.require(made.id).generation == 1


def test_conversations_never_share_messages(store: Store) -> None:
    one, other = making.conversation(store), making.conversation(store)
    store.messages.append(one.id, [said("a")])
    store.messages.append(other.id, [said("a"), said("b")])
    store.conversations.delete(one.id)
    assert store.messages.load(one.id) == []
    assert store.messages.load(other.id) == [said("a"), said("b")]


steps = st.lists(
    st.tuples(st.sampled_from(["append", "rewrite"]), st.integers(0, 8), st.text("abcd", max_size=4)),
    max_size=12,
)


@settings(max_examples=40)
@given(steps)
def test_every_generation_reads_as_it_was_left(todo: list[tuple[str, int, str]]) -> None:
    left: dict[int, list[dict[str, Any]]] = {1: []}
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "workbench.db") as store:
        made = making.conversation(store)
        current = 1
        for step, place, letters in todo:
            new = [said(letter) for letter in letters]
            if step == "append":
                store.messages.append(made.id, new)
                left[current] = left[current] + new
            else:
                seq = min(place, len(left[current])) + 1
                before = left[current][: seq - 1]
                current = store.messages.rewrite_from(made.id, seq, new)
                left[current] = before + new
        for generation, messages in left.items():
            assert store.messages.load(made.id, generation) == messages
            assert store.messages.last_seq(made.id, generation) == len(messages)
        assert store.messages.load(made.id) == left[current]
