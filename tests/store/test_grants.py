"""Grants: bound to what a person saw, counted, and taken back."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.store import making
from tests.store.making import SetClock
from workbench.store import NotFound, Store, StoreError


def test_a_grant_comes_back_as_it_was_made(store: Store) -> None:
    made = making.grant(store, request_id="r1", expires_at="2026-03-02T00:00:00Z", max_uses=3)
    assert store.grants.get(made.id) == made
    assert (made.config_name, made.agent, made.tool, made.subject_key, made.scope, made.conversation_id) == (
        "shop",
        "merchant",
        "set_price",
        "store:summit",
        "always",
        None,
    )
    assert (made.uses, made.max_uses, made.expires_at, made.revoked_at) == (
        0,
        3,
        "2026-03-02T00:00:00.000000Z",
        None,
    )
    assert store.grants.get("nope") is None
    with pytest.raises(NotFound):
        store.grants.require("nope")


def test_a_grant_holds_for_its_config_agent_and_conversation_only(store: Store) -> None:
    here, elsewhere = making.conversation(store), making.conversation(store)
    always = making.grant(store)
    thread = making.grant(store, scope="thread", conversation_id=here.id)
    making.grant(store, config_name="other")
    making.grant(store, agent="other")
    assert store.grants.live("shop", "merchant", here.id) == [always, thread]
    assert store.grants.live("shop", "merchant", elsewhere.id) == [always]
    assert store.grants.live("shop", "merchant", None) == [always]
    assert store.grants.live("shop", "Merchant", here.id) == []


def test_a_decision_for_one_call_is_never_remembered(store: Store) -> None:
    with pytest.raises(StoreError, match="not remembered"):
        making.grant(store, scope="once")


def test_a_permission_for_a_conversation_needs_one(store: Store) -> None:
    with pytest.raises(StoreError, match="needs to know which"):
        making.grant(store, scope="thread")


def test_an_always_grant_is_bound_to_no_conversation(store: Store) -> None:
    assert making.grant(store, conversation_id=making.conversation(store).id).conversation_id is None


def test_a_request_makes_at_most_one_grant(store: Store) -> None:
    assert making.grant(store, request_id="r1") == making.grant(store, request_id="r1", by="another")
    assert len(store.grants.list()) == 1


def test_a_grant_is_used_as_often_as_it_says(store: Store) -> None:
    made = making.grant(store, max_uses=3)
    with ThreadPoolExecutor(8) as pool:
        used = list(pool.map(lambda _: store.grants.use(made.id), range(8)))
    assert sorted(used) == [False] * 5 + [True] * 3
    assert store.grants.require(made.id).uses == 3
    assert store.grants.live("shop", "merchant", None) == []


def test_a_grant_ends_at_its_time(store: Store, clock: SetClock) -> None:
    made = making.grant(store, expires_at=clock())
    clock.move(-1)
    assert store.grants.live("shop", "merchant", None) == [made]
    assert store.grants.use(made.id)
    clock.move(1)
    assert store.grants.live("shop", "merchant", None) == []
    assert not store.grants.use(made.id)


def test_a_grant_taken_back_stays_taken_back(store: Store, clock: SetClock) -> None:
    made = making.grant(store)
    first = store.grants.revoke(made.id, "anna")
    assert (first.revoked_at, first.revoked_by) == ("2026-03-01T12:00:00.000000Z", "anna")
    clock.move(60)
    assert store.grants.revoke(made.id, "bert") == first
    assert not store.grants.use(made.id)
    assert store.grants.live("shop", "merchant", None) == []
    with pytest.raises(NotFound):
        store.grants.revoke("nope", "anna")


def test_all_of_a_conversations_grants_are_taken_back_at_once(store: Store) -> None:
    here = making.conversation(store)
    for tool in ("set_price", "create_return"):
        making.grant(store, scope="thread", conversation_id=here.id, tool=tool)
    always = making.grant(store)
    assert store.grants.revoke_of_conversation(here.id, "anna") == 2
    assert store.grants.revoke_of_conversation(here.id, "anna") == 0
    assert store.grants.live("shop", "merchant", here.id) == [always]


def test_grants_are_listed_newest_first(store: Store) -> None:
    here = making.conversation(store)
    first = making.grant(store)
    second = making.grant(store, scope="thread", conversation_id=here.id)
    other = making.grant(store, config_name="other")
    revoked = store.grants.revoke(first.id, "anna")
    assert store.grants.list() == [other, second, revoked]
    assert store.grants.list(config_name="shop") == [second, revoked]
    assert store.grants.list(conversation_id=here.id) == [second]
    assert store.grants.list(live_only=True) == [other, second]


def test_a_grant_may_end_with_the_process_that_keeps_it(store: Store) -> None:
    kept, other = making.grant(store), making.grant(store, holder="host|1|2|abc")
    assert store.grants.revoke_held("host|1|2|abc", "the end") == 1
    assert store.grants.live("shop", "merchant", None) == [kept]
    assert store.grants.require(other.id).revoked_by == "the end"
    assert store.grants.revoke_held("host|1|2|abc", "the end") == 0
