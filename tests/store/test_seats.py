"""The delegates' messages: one list a delegation."""

from typing import Any

import pytest

from tests.store import making
from workbench.store import ConversationNotFound, Store


def said(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"text": text}]}


def test_a_seats_messages_come_back_in_order(store: Store) -> None:
    made = making.conversation(store)
    store.seats.put(made.id, "analyst", 1, [said("a"), said("b")])
    store.seats.put(made.id, "analyst", 3, [said("c")])
    assert store.seats.load(made.id, "analyst") == [said("a"), said("b"), said("c")]
    assert store.seats.load(made.id, "nobody") == []


def test_a_message_put_where_one_stands_takes_its_place(store: Store) -> None:
    made = making.conversation(store)
    store.seats.put(made.id, "analyst", 1, [said("a"), said("b")])
    store.seats.put(made.id, "analyst", 2, [said("B")])
    assert store.seats.load(made.id, "analyst") == [said("a"), said("B")]


def test_seats_and_conversations_are_kept_apart(store: Store) -> None:
    one, other = making.conversation(store), making.conversation(store)
    store.seats.put(one.id, "analyst", 1, [said("a")])
    store.seats.put(one.id, "merchant", 1, [said("b")])
    store.seats.put(other.id, "analyst", 1, [said("c")])
    assert store.seats.load(one.id, "analyst") == [said("a")]
    assert store.seats.load(other.id, "analyst") == [said("c")]
    assert store.messages.load(one.id) == []


def test_an_unknown_conversation_has_no_seats(store: Store) -> None:
    with pytest.raises(ConversationNotFound):
        store.seats.put("nope", "analyst", 1, [said("a")])
