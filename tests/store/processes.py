"""What other processes do in these tests. Importable by name, so that a fresh interpreter can run it."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, TypeVar

from workbench.store import AlreadyDecided, Store

T = TypeVar("T")

_together: Barrier | None = None

# Forked from a server that has imported this module already: fresh processes, without each one's start-up time.
_fresh = multiprocessing.get_context("forkserver")
_fresh.set_forkserver_preload([__name__])


def _meet(barrier: Barrier) -> None:
    global _together
    _together = barrier


def side_by_side(task: Callable[..., T], *each: tuple[Any, ...]) -> list[T]:
    """Run the task once a tuple of arguments, each in its own process, all let go at the same moment."""
    barrier = _fresh.Barrier(len(each))
    with ProcessPoolExecutor(len(each), mp_context=_fresh, initializer=_meet, initargs=(barrier,)) as pool:
        return [future.result(60) for future in [pool.submit(task, *arguments) for arguments in each]]


def exit_code_of(task: Callable[..., object], *arguments: Any) -> int | None:
    """How a process that runs the task ends."""
    process = _fresh.Process(target=task, args=arguments)
    process.start()
    process.join(60)
    return process.exitcode


def let_go() -> None:
    """Wait until every process of `side_by_side` is here."""
    if _together is not None:
        _together.wait(30)


def open_it(path: Path) -> str:
    """Open a store and use it."""
    let_go()
    with Store.open(path) as store:
        return store.conversations.create("shop.yaml", door="app", entry="merchant").id


def claim_all(path: Path, holder: str) -> list[tuple[str, int]]:
    """Claim queued runs until none is left."""
    with Store.open(path) as store:
        let_go()
        claims = []
        while (claim := store.runs.claim_next(holder, 60)) is not None:
            claims.append((claim.run.conversation_id, claim.token))
        return claims


def answer_it(path: Path, request_id: str, by: str) -> str:
    """Answer a request in this process's own way; returns who won, as this process was told."""
    with Store.open(path) as store:
        let_go()
        try:
            request = store.requests.answer(
                request_id, decision="denied", answer={"type": "denied", "reason": by}, by=by, via="app"
            )
        except AlreadyDecided as error:
            request = error.request
        return str(request.by)


def die_half_way(path: Path, conversation_id: str) -> None:
    """Be killed in the middle of a transaction that has written already."""
    with Store.open(path) as store, store.transaction(durable=True):
        store.events.append(conversation_id, "run", [{"type": "HALF"}] * 2000)
        store.conversations.rename(conversation_id, "half")
        os.kill(os.getpid(), signal.SIGKILL)
