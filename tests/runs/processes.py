"""Workers in processes of their own, which die at a named point when they are told to."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workbench.policy import Answer, AnswerRefused
from workbench.runs.drive import Drive
from workbench.runs.engine import Engine
from workbench.runs.ledger import RunLedger
from workbench.runs.worker import Worker
from workbench.store import Store

# Forked from a server that has imported all this already: fresh processes, without each one's start-up time.
_fresh = multiprocessing.get_context("forkserver")

CRASHES: dict[str, tuple[type[Any], str, str]] = {
    "before it begins": (Drive, "go", "before"),
    "before a call starts": (RunLedger, "start", "before"),
    "after a call started": (RunLedger, "start", "after"),
    "before a result is kept": (RunLedger, "finish", "before"),
    "after a result is kept": (RunLedger, "finish", "after"),
    "before the pause": (Drive, "_pause", "before"),
    "after the pause": (Drive, "_pause", "after"),
    "before the end": (Drive, "_end_done", "before"),
    "after the end": (Drive, "_end_done", "after"),
}
"""Where a process dies: the step, and whether before it or after it. "before commit 3" is such a point, too."""


def prepare() -> None:
    """Have the server of fresh processes import what they need, if it is not running yet."""
    _fresh.set_forkserver_preload(["tests.runs.processes", "tests.store.processes"])


def die() -> None:
    """Be killed, now."""
    os.kill(os.getpid(), signal.SIGKILL)


def _die_in_commit(number: int, when: str) -> None:
    """Die just before or just after the run's so-manieth commit."""
    real = RunLedger.commit
    count = 0

    @contextmanager
    def commit(ledger: RunLedger) -> Iterator[None]:
        nonlocal count
        count += 1
        with real(ledger):
            yield
            if when == "before" and count == number:
                die()
        if when == "after" and count == number:
            die()

    RunLedger.commit = commit  # type: ignore[method-assign]


def _die_at(point: str) -> None:
    if " commit " in point:
        when, _, number = point.split()
        _die_in_commit(int(number), when)
        return
    owner, name, when = CRASHES[point]
    real: Callable[..., Any] = getattr(owner, name)

    def step(*args: Any, **kwargs: Any) -> Any:
        if when == "before":
            die()
        result = real(*args, **kwargs)
        die()
        return result

    setattr(owner, name, step)


def _work(database: Path, folder: Path, dies: str) -> None:
    if dies:
        _die_at(dies)
    store = Store.open(database)
    worker = Worker(store, Engine(store, folder).desk)
    worker.start()
    while True:
        time.sleep(60)


class Apart:
    """A worker in a process of its own."""

    def __init__(self, database: Path, folder: Path, dies: str = "") -> None:
        prepare()
        self._process = _fresh.Process(target=_work, args=(database, folder, dies), daemon=True)
        self._process.start()

    def kill(self) -> None:
        """Kill it and wait until it is gone."""
        self._process.kill()
        self.gone()

    @property
    def alive(self) -> bool:
        """Whether it is running."""
        return self._process.is_alive()

    def gone(self) -> None:
        """Wait until it is dead, by whatever cause."""
        self._process.join(60)
        assert self._process.exitcode is not None, "the process did not die where it should have"


def _answer(
    database: Path, folder: Path, request_id: str, answer: Answer, by: str, gate: Any, told: Any
) -> None:
    with Store.open(database) as store:
        engine = Engine(store, folder)
        engine.card(request_id)  # the config is parsed by now, so that both come at once
        gate.wait(30)
        try:
            card = engine.answer(request_id, answer, by=by).card
            told.put((by, card.decision.decision if card.decision else None))
        except AnswerRefused as refused:
            told.put((by, refused.code))


def answer_at_once(
    database: Path, folder: Path, request_id: str, answers: dict[str, Answer]
) -> dict[str, str | None]:
    """Answer one card from several processes at the same moment; return what each person was told."""
    prepare()
    gate, told = _fresh.Barrier(len(answers)), _fresh.Queue()
    everyone = [
        _fresh.Process(
            target=_answer, args=(database, folder, request_id, answer, by, gate, told), daemon=True
        )
        for by, answer in answers.items()
    ]
    for process in everyone:
        process.start()
    heard = dict(told.get(timeout=60) for _ in everyone)
    for process in everyone:
        process.join(60)
    return heard
