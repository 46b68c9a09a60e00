"""The tools of the test configs. Copied beside each config; every call that really runs leaves a line on the disk."""

import json
import os
import time
from pathlib import Path
from typing import Any

import strands
from strands import ToolContext

HERE = Path(__file__).parent


def note(tool: str, **given: Any) -> None:
    """Write down that a call really ran, so that not even a kill loses it."""
    with (HERE / "ran.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps([tool, given]) + "\n")
        file.flush()
        os.fsync(file.fileno())


def wait_for(name: str) -> None:
    """Wait until the test makes the file ``name``; the test sees that we are here by ``name.here``."""
    (HERE / f"{name}.here").touch()
    until = time.monotonic() + 60
    while not (HERE / name).exists() and time.monotonic() < until:
        time.sleep(0.005)


@strands.tool
def look_up(sku: str) -> str:
    """Look an article up.

    Args:
        sku: its number.
    """
    note("look_up", sku=sku)
    return f"{sku} costs 10"


@strands.tool
def set_price(sku: str, price: float, store: str = "summit") -> str:
    """Set a price.

    Args:
        sku: the article's number.
        price: the new price.
        store: whose price.
    """
    note("set_price", sku=sku, price=price, store=store)
    return f"{sku} now costs {price:g} in {store}"


@strands.tool
def close_shop(shop: str = "summit", tidy: bool = True) -> str:
    """Close a shop.

    Args:
        shop: which.
        tidy: whether to tidy up first.
    """
    note("close_shop", shop=shop, tidy=tidy)
    return f"{shop} is closed"


@strands.tool
def ship(order: str) -> str:
    """Ship an order: the effect comes first, then a wait that the test ends.

    Args:
        order: its number.
    """
    note("ship", order=order)
    wait_for(f"ship-{order}")
    return f"order {order} is on its way"


@strands.tool
def linger(sku: str) -> str:
    """Have an effect and take a little while.

    Args:
        sku: an article's number.
    """
    note("linger", sku=sku)
    time.sleep(0.1)
    return f"lingered over {sku}"


@strands.tool
def read_slowly(page: str) -> str:
    """Read a page, and take as long as the test likes.

    Args:
        page: which.
    """
    note("read_slowly", page=page)
    wait_for(f"read-{page}")
    return f"page {page} is read"


@strands.tool
def stumble(over: str) -> str:
    """Fail.

    Args:
        over: what to fail on.
    """
    note("stumble", over=over)
    raise RuntimeError(f"stumbled over {over}")


class Stranger:
    """Something JSON has never heard of."""

    def __repr__(self) -> str:
        return "<a stranger>"


CIRCLE: dict[str, Any] = {"status": "success", "content": []}
CIRCLE["content"].append({"json": CIRCLE})

ODD: dict[str, Any] = {
    "nothing": None,
    "empty": "",
    "no content": {"status": "success", "content": []},
    "nan": {"status": "success", "content": [{"json": {"value": float("nan")}}]},
    "stranger": {"status": "success", "content": [{"json": {"value": Stranger()}}]},
    "bytes in json": {"status": "success", "content": [{"json": {"raw": b"\x00\xff"}}]},
    "many parts": {"status": "success", "content": [{"text": "z" * 90_000}] * 50},
    "in a circle": CIRCLE,
    "image": {
        "status": "success",
        "content": [{"image": {"format": "png", "source": {"bytes": b"\x89PNG\x00\xff"}}}],
    },
    "big": "x" * 5_000_000,
    "big json": {"status": "success", "content": [{"json": ["y" * 100] * 20_000}]},
    "set": {1},
    "half a letter": "\ud83d",
}


@strands.tool
def give(what: str) -> Any:
    """Return something odd.

    Args:
        what: which of the odd things.
    """
    note("give", what=what)
    return ODD[what]


@strands.tool(context=True)
def book(room: str, tool_context: ToolContext) -> str:
    """Book a room, and ask in between.

    Args:
        room: which.
    """
    note("book asks", room=room)
    said = tool_context.interrupt(
        "guests",
        reason={
            "message": "How many guests?",
            "responseSchema": {"type": ["integer", "string", "boolean", "null"]},
        },
    )
    note("book", room=room, said=said)
    return f"booked {room} for {said!r}"


@strands.tool(context=True)
def book_twice(room: str, tool_context: ToolContext) -> str:
    """Book a room, and ask twice in between.

    Args:
        room: which.
    """
    first = tool_context.interrupt("from", reason="From when?")
    second = tool_context.interrupt(
        "to", reason={"message": "Until when?", "responseSchema": {"type": "no type"}}
    )
    note("book_twice", room=room, first=first, second=second)
    return f"booked {room} from {first!r} to {second!r}"
