"""A turn at message 1,000 against the same turn at message 10 of one conversation.

Conversations are grown for real, turn by turn, to about a thousand messages. Then a turn of a long one and a turn of a
young one take turns, so that both meet the same machine. The time inside the model's `stream` is taken off: what a
model does with a thousand messages is its own affair. Two kinds of turn are measured: a message that is answered at
once, and one with a call that asks, is approved and runs (two runs, two more messages).

Bytes are those that a turn appends to SQLite's write-ahead log, which is emptied before each of these turns.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from time import perf_counter

from tests.bench.measuring import Shop, Times, settled, shop
from tests.bench.row import Row
from tests.bench.watched import Watched, watched
from workbench.policy.answer import Approved

CONVERSATIONS = 2
"""Long ones; each gives a few turns near message 1,000."""
TURNS = 6
"""Turns measured of each, of each kind, half of them for their bytes."""
LONG = 990
PROMISE = 1.3

PARAMS = {
    "replies": [
        {
            "match": "^set",
            "script": [{"tool": "set_price", "input": {"sku": "A1", "price": 12}}],
            "final_text": "The price of A1 is set to 12. Say so if another article should change too.",
        },
        {"script": [{"text": "A1 costs 12 at the moment; it was changed last by a person, as prices are."}]},
    ]
}
MODEL = {"provider": "scripted", "params": PARAMS}

KINDS = {"answered at once": "what does A1 cost?", "with a gated call": "set A1 to 12"}


async def turn(place: Shop, conversation_id: str, text: str) -> None:
    """Say something, and approve what asks, to the end of the turn."""
    place.engine.send(conversation_id, text, by="Ada")
    await place.drive()
    for request in place.store.requests.of_conversation(conversation_id, open_only=True):
        place.engine.answer(request.id, Approved(), by="Ada")
        await place.drive()
    ended = place.store.runs.latest(conversation_id)
    assert ended is not None and ended.status == "done", ended


async def _seconds(place: Shop, work: Callable[[], Awaitable[None]]) -> float:
    """Return what some work took outside of the model."""
    inside, begun = Watched.inside, perf_counter()
    await work()
    return perf_counter() - begun - (Watched.inside - inside)


async def _bytes(place: Shop, work: Callable[[], Awaitable[None]]) -> float:
    """Return the bytes that some work appended to the write-ahead log."""
    path = place.store.path
    connection = sqlite3.connect(path)
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    connection.close()
    assert not busy, "nobody else uses the database"
    await work()
    return path.with_name(path.name + "-wal").stat().st_size


Measure = Callable[[Shop, Callable[[], Awaitable[None]]], Awaitable[float]]


async def _measure(place: Shop, grown: list[str], text: str, measure: Measure) -> tuple[Times, Times, Times]:
    """Return the measure of long turns, of young ones, and of each pair's ratio."""
    long, young = [], []
    for number in range(TURNS):
        for old in grown:
            fresh = place.conversation()
            for _ in range(3):
                await turn(place, fresh, text)
            pair = [(long, old), (young, fresh)]
            for taken, conversation_id in pair if number % 2 else reversed(pair):
                taken.append(await measure(place, lambda id=conversation_id: turn(place, id, text)))
    ratio = tuple(a / b for a, b in zip(long, young, strict=True))
    return Times(tuple(long)), Times(tuple(young)), Times(ratio)


async def _grow(place: Shop) -> str:
    conversation_id = place.conversation()
    texts = list(KINDS.values())
    turns = 0
    while place.store.messages.last_seq(conversation_id) < LONG:
        await turn(place, conversation_id, texts[turns % 2])
        turns += 1
    return conversation_id


async def _run(place: Shop) -> list[Row]:
    rows = []
    with settled():
        for kind, text in KINDS.items():
            grown = [await _grow(place) for _ in range(CONVERSATIONS)]
            long, young, ratio = await _measure(place, grown, text, _seconds)
            last = place.store.messages.last_seq(grown[0])
            rows.append(
                Row(
                    what=f"time of a turn {kind}, message 1,000 against 10",
                    measured=f"{ratio.middle:.2f} ×",
                    promise=f"≤ {PROMISE} ×",
                    kept=ratio.middle <= PROMISE,
                    note=f"median {long.middle * 1e3:.2f} ms against {young.middle * 1e3:.2f} ms, fastest "
                    f"{long.least * 1e3:.2f} and {young.least * 1e3:.2f} ms; the model's own time is off; "
                    f"{len(ratio.seconds)} pairs, messages {LONG} to {last}",
                )
            )
            long, young, ratio = await _measure(place, grown, text, _bytes)
            rows.append(
                Row(
                    what=f"bytes of a turn {kind}, message 1,000 against 10",
                    measured=f"{ratio.middle:.2f} ×",
                    promise=f"≤ {PROMISE} ×",
                    kept=ratio.middle <= PROMISE,
                    note=f"median {long.middle / 1024:.0f} KiB against {young.middle / 1024:.0f} KiB of log, "
                    f"each page that changed written whole; {len(ratio.seconds)} pairs",
                )
            )
    return rows


def run() -> list[Row]:
    """Measure."""
    with shop(MODEL) as place, watched():
        return asyncio.run(_run(place))
