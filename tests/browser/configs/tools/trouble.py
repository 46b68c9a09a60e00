"""Tools that fail, or give back what nobody expects."""

import asyncio
from typing import Any

from strands import tool

MUCH = "0123456789abcdef" * 327_680


@tool
def break_down(why: str) -> str:
    """Fail."""
    raise RuntimeError(why)


@tool
def say_much() -> str:
    """Give back five megabytes."""
    return MUCH


@tool
def be_odd() -> Any:
    """Give back something that JSON can't say."""
    return {"when": object(), "what": {1, 2}}


@tool
async def take_time() -> str:
    """Take a few seconds."""
    await asyncio.sleep(3)
    return "Done at last."


@tool
def keep(note: str, token: str = "") -> str:
    """Keep a note."""
    return f"Kept {len(note)} characters."
