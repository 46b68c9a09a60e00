"""The pulse: wakes those who follow a run when something was stored, by this process or another one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.store import Event, Store
from workbench.store.watch import Watch

BEAT_SECONDS = 0.005
LONGEST_WAIT = 0.5
"""After which a follower looks anyway."""
ENDS = frozenset({"RUN_FINISHED", "RUN_ERROR"})


class Pulse:
    """Beats while anybody follows. Use one in each event loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._followers: set[asyncio.Event] = set()
        self._beating: asyncio.Task[None] | None = None

    @contextmanager
    def followed(self) -> Iterator[asyncio.Event]:
        """Follow: the event is set when something was stored; who has looked clears it."""
        wake = asyncio.Event()
        self._followers.add(wake)
        if self._beating is None or self._beating.done():
            self._beating = asyncio.create_task(self._beat(), name="pulse")
        try:
            yield wake
        finally:
            self._followers.discard(wake)

    async def _beat(self) -> None:
        watch = Watch(self._path)
        try:
            while self._followers:
                if watch.changed():
                    for wake in self._followers:
                        wake.set()
                await asyncio.sleep(BEAT_SECONDS)
        finally:
            watch.close()


async def look(wake: asyncio.Event) -> None:
    """Wait for the next change, or a little while."""
    try:
        async with asyncio.timeout(LONGEST_WAIT):
            await wake.wait()
    except TimeoutError:
        return
    finally:
        wake.clear()


async def settled(pulse: Pulse, store: Store, conversation_id: str, turn_id: str) -> None:
    """Wait until a turn pauses or ends."""
    with pulse.followed() as wake:
        while True:
            active = store.runs.active(conversation_id)
            if active is None or active.turn_id != turn_id:
                return
            await look(wake)


async def events_of(pulse: Pulse, store: Store, conversation_id: str, run_id: str) -> AsyncIterator[Event]:
    """Yield a run's events from its first to its last, as they are stored.

    A run whose conversation is deleted meanwhile ends without a last event.
    """
    seen = 0
    with pulse.followed() as wake:
        while True:
            over = store.runs.require(run_id).status not in ("queued", "working")
            for event in store.events.read(conversation_id, after=seen, run_id=run_id):
                seen = event.seq
                yield event
                if event.type in ENDS:
                    return
            if over:
                return
            await look(wake)
