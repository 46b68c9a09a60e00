"""The event log: numbered without a gap, whoever writes."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.store import making
from workbench.store import ConversationNotFound, Store


def test_events_come_back_in_order_with_their_numbers(store: Store) -> None:
    made = making.conversation(store)
    assert (
        store.events.append(made.id, "run-1", [{"type": "RUN_STARTED"}, {"type": "TEXT", "delta": "Hé"}]) == 2
    )
    assert store.events.append(made.id, "run-2", [{"type": "RUN_FINISHED"}]) == 3
    first, second, third = store.events.read(made.id)
    assert (first.seq, first.run_id, first.type, first.at) == (
        1,
        "run-1",
        "RUN_STARTED",
        "2026-03-01T12:00:00.000000Z",
    )
    assert second.data == {"type": "TEXT", "delta": "Hé"}
    assert (third.seq, third.run_id) == (3, "run-2")
    assert store.events.last_seq(made.id) == 3


def test_reading_goes_on_after_a_number(store: Store) -> None:
    made = making.conversation(store)
    store.events.append(made.id, "run-1", [{"type": str(number)} for number in range(1, 11)])
    store.events.append(made.id, "run-2", [{"type": "11"}])
    assert [event.seq for event in store.events.read(made.id, after=8)] == [9, 10, 11]
    assert [event.seq for event in store.events.read(made.id, after=2, limit=3)] == [3, 4, 5]
    assert [event.seq for event in store.events.read(made.id, run_id="run-1", after=9)] == [10]
    assert [event.seq for event in store.events.read(made.id, run_id="run-2")] == [11]


def test_appending_nothing_says_where_the_log_stands(store: Store) -> None:
    made = making.conversation(store)
    assert store.events.append(made.id, "run", []) == 0
    store.events.append(made.id, "run", [{"type": "A"}])
    assert store.events.append(made.id, "run", []) == 1


def test_conversations_are_numbered_apart_and_never_mixed(store: Store) -> None:
    one, other = making.conversation(store), making.conversation(store)
    store.events.append(one.id, "same-run", [{"type": "A"}])
    store.events.append(other.id, "same-run", [{"type": "B"}])
    assert [(event.seq, event.type) for event in store.events.read(one.id, run_id="same-run")] == [(1, "A")]
    assert [(event.seq, event.type) for event in store.events.read(other.id)] == [(1, "B")]


def test_an_unknown_conversation_has_no_log(store: Store) -> None:
    with pytest.raises(ConversationNotFound):
        store.events.append("nope", "run", [{"type": "A"}])


def test_numbers_have_no_gap_when_many_threads_write(store: Store) -> None:
    one, other = making.conversation(store), making.conversation(store)

    def write(number: int) -> list[int]:
        return [
            store.events.append(
                (one, other)[number % 2].id, f"run-{number}", [{"type": "A"}] * (1 + number % 3)
            )
            for _ in range(8)
        ]

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(write, range(8)))
    for made in (one, other):
        numbers = [event.seq for event in store.events.read(made.id)]
        assert numbers == list(range(1, len(numbers) + 1))
    assert all(each == sorted(set(each)) for each in said)


def test_a_failed_append_uses_up_no_number(store: Store) -> None:
    made = making.conversation(store)
    with pytest.raises(RuntimeError), store.transaction():
        store.events.append(made.id, "run", [{"type": "A"}])
        raise RuntimeError
    assert store.events.append(made.id, "run", [{"type": "B"}]) == 1


def test_an_event_with_odd_values_and_half_a_character_is_kept(store: Store) -> None:
    made = making.conversation(store)
    store.events.append(made.id, "run", [{"type": "half \ud83d", "delta": "\ud83d", "odd": {1, 2}}])
    (event,) = store.events.read(made.id)
    assert event.data["delta"] == "\ud83d"
    assert event.data["odd"]["__not_json__"] == "set"
    assert event.type == "half \\ud83d"
