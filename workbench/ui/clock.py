"""The person's clock: now, and the zone their browser is in."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st

from workbench.ui import words


def now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


def zone() -> tzinfo | None:
    """The browser's time zone; the machine's own where the browser doesn't say."""
    name = st.context.timezone
    return ZoneInfo(name) if name else None


def when(at: datetime | None) -> str:
    """A moment in the person's words, or nothing."""
    return "" if at is None else words.when(at, now(), zone())
