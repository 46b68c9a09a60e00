"""Times: UTC text whose order is the order of time."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.making import SetClock
from workbench.store import Store, as_text, as_time, new_id

moments = st.datetimes(
    min_value=datetime(1000, 1, 2), max_value=datetime(9998, 12, 30), timezones=st.timezones()
).filter(lambda moment: moment.utcoffset() is not None)


@given(moments, moments)
def test_text_order_is_time_order_and_nothing_is_lost(one: datetime, other: datetime) -> None:
    assert (as_text(one) < as_text(other)) == (one.astimezone(UTC) < other.astimezone(UTC))
    assert as_time(as_text(one)) == one.astimezone(UTC)
    assert len(as_text(one)) == len("2026-03-01T12:00:00.000000Z") and as_text(one).endswith("Z")


def test_a_whole_second_has_its_microseconds_too() -> None:
    noon = datetime(2026, 3, 1, 13, 0, tzinfo=timezone(timedelta(hours=1)))
    assert as_text(noon) == "2026-03-01T12:00:00.000000Z"


def test_a_moment_without_a_zone_is_not_guessed() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        as_text(datetime(2026, 3, 1))


def test_the_store_goes_by_its_clock(store: Store, clock: SetClock) -> None:
    assert store.now() == clock.at
    clock.move(1)
    assert store.now() == clock.at


def test_ids_are_random_and_128_bits_long() -> None:
    assert len({new_id() for _ in range(1000)}) == 1000
    assert all(len(bytes.fromhex(new_id())) == 16 for _ in range(10))
