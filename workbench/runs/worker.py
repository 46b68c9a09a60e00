"""The worker: one asyncio loop in a background thread that drives runs as they are queued.

Any process may queue a run by writing rows; a worker of any process claims it. Nothing is owned by a web
page, so a rerun, a refresh or a closed tab changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from contextlib import suppress

from workbench.policy import AnswerRefused
from workbench.runs.answers import Answers
from workbench.runs.cards import Cards
from workbench.runs.desk import ConfigDesk
from workbench.runs.drive import Drive
from workbench.runs.process import is_gone, process_name
from workbench.runs.recovery import recover, unfinished_sets
from workbench.runs.taking import Taken, take_next
from workbench.store import Store, StoreError

logger = logging.getLogger(__name__)

LEASE_SECONDS = 15.0
HEARTBEAT_SECONDS = 4.0
POLL_SECONDS = 0.02
RECOVERY_SECONDS = 5.0


class Worker:
    """Drives queued runs until it is stopped.

    Args:
        store: the database; the worker uses it from its own threads.
        desk: opens config versions.
        at_once: how many runs work at the same time; the others stay queued.
    """

    def __init__(self, store: Store, desk: ConfigDesk | None = None, *, at_once: int = 50) -> None:
        self.store = store
        self.desk = desk or ConfigDesk(store)
        self._answers = Answers(store, self.desk, Cards(store, self.desk))
        self.holder = process_name()
        self._at_once = at_once
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._held: dict[str, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._sets: threading.Thread | None = None

    def start(self) -> None:
        """Recover what a dead process left, then begin to work; returns at once."""
        for name, target in (("workbench-runs", self._loop), ("workbench-heartbeat", self._heartbeat)):
            thread = threading.Thread(target=target, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, timeout: float = 5.0) -> None:
        """Claim nothing more and leave; runs still at work are recovered by the next start."""
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout)
        self.desk.mcp.close()

    # -- the loop ---------------------------------------------------------------------------

    def _loop(self) -> None:
        asyncio.run(self._work())

    async def _work(self) -> None:
        recovered = -RECOVERY_SECONDS
        while not self._stop.is_set():
            try:
                if time.monotonic() - recovered >= RECOVERY_SECONDS:
                    recovered = time.monotonic()
                    recover(self.store, is_gone)
                    self.desk.pasts.sweep()
                    self._look_for_sets()
                while len(self._tasks) < self._at_once:
                    taken = take_next(self.store, self.holder, LEASE_SECONDS)
                    if taken is None:
                        break
                    self._drive(taken)
            except StoreError as error:
                logger.warning("the worker waits for the database: %s", error)
                await asyncio.sleep(1)
            except Exception:
                # One conversation's trouble must not keep all others waiting.
                logger.exception("the worker goes on after something nobody foresaw")
                await asyncio.sleep(1)
            await asyncio.sleep(POLL_SECONDS)
        held = dict(self._held)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for conversation_id, token in held.items():
            # Whoever starts next need not wait for the lease to run out.
            with suppress(StoreError):
                self.store.leases.release(conversation_id, token)

    def _look_for_sets(self) -> None:
        """Tell hosts, in a thread beside the runs, of complete sets of answers that a crash kept from them."""
        if self._sets is None or not self._sets.is_alive():
            self._sets = threading.Thread(target=self._finish_sets, name="workbench-sets", daemon=True)
            self._sets.start()

    def _finish_sets(self) -> None:
        try:
            for pause_id in unfinished_sets(self.store):
                try:
                    self._answers.finish_set(pause_id)
                except AnswerRefused as refused:
                    logger.info("pause=<%s> | %s", pause_id, refused)
        except StoreError as error:
            logger.warning("complete sets of answers wait for the database: %s", error)
        except Exception:
            logger.exception("a complete set of answers could not be told to its host")

    def _drive(self, taken: Taken) -> None:
        claim = taken.claim
        conversation_id = claim.run.conversation_id
        self._held[conversation_id] = claim.token
        task = asyncio.create_task(Drive(self.store, self.desk, taken).go(), name=f"run {claim.run.id}")
        self._tasks.add(task)

        def done(finished: asyncio.Task[None]) -> None:
            self._tasks.discard(finished)
            if self._held.get(conversation_id) == claim.token:
                del self._held[conversation_id]

        task.add_done_callback(done)

    def _heartbeat(self) -> None:
        # A thread of its own: a tool that blocks the loop must not cost the leases.
        while not self._stop.wait(HEARTBEAT_SECONDS):
            for conversation_id, token in list(self._held.items()):
                try:
                    self.store.leases.renew(conversation_id, token, LEASE_SECONDS)
                except StoreError as error:
                    logger.warning("conversation=<%s> | lease not renewed: %s", conversation_id, error)
