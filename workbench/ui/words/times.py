"""Numbers and moments in words."""

from datetime import datetime, timedelta, tzinfo


def count(number: int, one: str, many: str) -> str:
    """`1 thing`, `3 things`."""
    return f"{number:,} {one if number == 1 else many}"


def when(at: datetime, now: datetime, zone: tzinfo | None) -> str:
    """A moment as a person says it: the time today, otherwise the day with it."""
    local, today = at.astimezone(zone), now.astimezone(zone).date()
    clock = f"{local:%H:%M}"
    if local.date() == today:
        return clock
    if local.date() == today - timedelta(days=1):
        return f"yesterday {clock}"
    day = f"{local.day} {local:%b}"
    return f"{day} {clock}" if local.year == today.year else f"{day} {local.year} {clock}"


def day(at: datetime, now: datetime, zone: tzinfo | None) -> str:
    """The heading a conversation is listed under."""
    age = (now.astimezone(zone).date() - at.astimezone(zone).date()).days
    if age <= 0:
        return "Today"
    if age == 1:
        return "Yesterday"
    if age < 7:
        return "This week"
    return f"{at.astimezone(zone):%B %Y}"


def time_left(expires_at: datetime, now: datetime) -> str:
    """How long a card can still be approved."""
    seconds = int((expires_at - now).total_seconds())
    if seconds <= 0:
        return "Time is up"
    if seconds < 3600:
        return f"{seconds // 60}:{seconds % 60:02d} left"
    if seconds < 86_400:
        return f"{seconds // 3600} h {seconds % 3600 // 60} min left"
    return f"{count(seconds // 86_400, 'day', 'days')} left"


def lasted(seconds: float) -> str:
    """A length of time."""
    if seconds < 0.05:
        return "under 0.1 s"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def size(characters: int) -> str:
    """How long a text is."""
    return count(characters, "character", "characters")
