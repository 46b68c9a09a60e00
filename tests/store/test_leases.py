"""Leases: one holder, and a token that a holder who lost it can't write with."""

import pytest

from tests.store import making
from tests.store.making import SetClock
from workbench.store import LeaseLost, Store, TransactionMisuse


def test_a_lease_has_one_holder_until_it_is_given_back(store: Store) -> None:
    assert store.leases.take("c", "one", 30) == 1
    assert store.leases.take("c", "two", 30) is None
    assert store.leases.held() == [("c", 1, "one")]
    store.leases.release("c", 1)
    assert store.leases.held() == []
    assert store.leases.take("c", "two", 30) == 2


def test_a_lease_that_ran_out_can_be_taken(store: Store, clock: SetClock) -> None:
    store.leases.take("c", "one", 30)
    clock.move(29.9)
    assert store.leases.take("c", "two", 30) is None
    clock.move(0.1)
    assert store.leases.take("c", "two", 30) == 2


def test_renewing_keeps_it(store: Store, clock: SetClock) -> None:
    store.leases.take("c", "one", 30)
    clock.move(20)
    assert store.leases.renew("c", 1, 30)
    clock.move(20)
    assert store.leases.take("c", "two", 30) is None


def test_a_late_holder_keeps_a_lease_nobody_took(store: Store, clock: SetClock) -> None:
    store.leases.take("c", "one", 30)
    clock.move(300)
    with store.transaction():
        store.leases.check("c", 1)
    assert store.leases.renew("c", 1, 30)


def test_a_holder_that_slept_past_its_lease_can_not_write_any_more(store: Store, clock: SetClock) -> None:
    run = making.queued(store)
    claim = store.runs.claim_next("sleeper", 30)
    assert claim is not None
    clock.move(31)
    store.runs.reclaim(run.conversation_id, "other", 30)
    assert not store.leases.renew(run.conversation_id, claim.token, 30)
    with pytest.raises(LeaseLost, match="driven from elsewhere"), store.transaction():
        store.events.append(run.conversation_id, run.id, [{"type": "TOO_LATE"}])
        store.leases.check(run.conversation_id, claim.token)
    assert store.events.read(run.conversation_id) == []


@pytest.mark.parametrize("lose", ["release", "fence", "delete"])
def test_a_lease_that_was_ended_does_not_come_back(store: Store, lose: str) -> None:
    run = making.queued(store)
    claim = store.runs.claim_next("worker", 30)
    assert claim is not None
    match lose:
        case "release":
            store.leases.release(run.conversation_id, claim.token)
        case "fence":
            store.leases.fence(run.conversation_id)
        case _:
            store.conversations.delete(run.conversation_id)
    assert not store.leases.renew(run.conversation_id, claim.token, 30)
    with pytest.raises(LeaseLost), store.transaction():
        store.leases.check(run.conversation_id, claim.token)


def test_giving_back_what_is_anothers_changes_nothing(store: Store, clock: SetClock) -> None:
    store.leases.take("c", "one", 30)
    clock.move(31)
    store.leases.take("c", "two", 30)
    store.leases.release("c", 1)
    assert store.leases.held() == [("c", 2, "two")]


def test_a_check_outside_a_transaction_is_a_mistake(store: Store) -> None:
    store.leases.take("c", "one", 30)
    with pytest.raises(TransactionMisuse, match="inside the transaction it guards"):
        store.leases.check("c", 1)


def test_working_runs_that_nobody_holds_are_found(store: Store, clock: SetClock) -> None:
    held, lapsed, never = making.queued(store), making.queued(store), making.queued(store)
    store.runs.claim_next("worker", 600)
    store.runs.claim_next("worker", 30)
    store.runs.set_status(never.id, "working")
    making.queued(store)
    assert store.leases.expired() == [never.conversation_id]
    clock.move(31)
    assert sorted(store.leases.expired()) == sorted([lapsed.conversation_id, never.conversation_id])
    assert held.conversation_id not in store.leases.expired()


def test_a_clock_set_back_does_not_keep_a_dead_holders_conversation_for_long(
    store: Store, clock: SetClock
) -> None:
    run = making.queued(store)
    store.runs.claim_next("dead", 30)
    clock.move(-3600)
    assert store.leases.expired() == [run.conversation_id]
    assert store.leases.take(run.conversation_id, "other", 30) == 2


def test_a_clock_set_back_a_little_leaves_the_holder_alone(store: Store, clock: SetClock) -> None:
    store.leases.take("c", "one", 30)
    clock.move(-20)
    assert store.leases.take("c", "two", 30) is None
