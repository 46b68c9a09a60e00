"""Times as the store keeps them: ISO 8601 text in UTC, with microseconds and a Z, so that text order is time order."""

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import uuid4

Clock = Callable[[], datetime]
"""Says what time it is; always with a time zone."""


def utc_now() -> datetime:
    """The machine's time, in UTC."""
    return datetime.now(UTC)


def as_text(moment: datetime) -> str:
    """A moment as the store writes it. A moment without a time zone raises ValueError: it would be a guess."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone")
    there = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return there.isoformat(timespec="microseconds").replace("+00:00", "Z")


def as_time(text: str) -> datetime:
    """The moment that stored text names, in UTC."""
    return datetime.fromisoformat(text).astimezone(UTC)


def optional_text(moment: datetime | str | None) -> str | None:
    """A moment, or text of one in any ISO form, as the store writes it; None stays None."""
    match moment:
        case None:
            return None
        case datetime():
            return as_text(moment)
        case str():
            return as_text(datetime.fromisoformat(moment))


def new_id() -> str:
    """A fresh random id of 128 bits, as 32 hex digits."""
    return uuid4().hex
