"""Transcripts kept at hand, so that a page that asks often folds and joins only what is new."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.runs.cards import Cards
from workbench.runs.transcript import Transcript
from workbench.runs.views import CallItem, RunView
from workbench.store import Request, Run, Store

_KEPT = 64
_OPEN_TURNS = 2
"""Turns whose runs may still change: the last one, and the one that its message may have closed."""


@dataclass
class _Kept:
    transcript: Transcript = field(default_factory=Transcript)
    settled: list[RunView] = field(default_factory=list)
    """The first runs, which nothing changes any more."""


class Transcripts:
    """The transcripts of one database."""

    def __init__(self, store: Store, cards: Cards) -> None:
        self._store = store
        self._cards = cards
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def views(self, conversation_id: str, *, last: int | None = None) -> list[RunView]:
        """Return the transcript: the runs in order, the last ``last`` of them when given."""
        kept = self._keep(conversation_id)
        with self._lock:
            transcript = kept.transcript
            transcript.feed(self._store.events.read(conversation_id, after=transcript.last_seq))
            settled = list(kept.settled)
            rest = transcript.runs(after=len(settled))
        number = settled[-1].number if settled else 0
        runs = {run.id: run for run in self._store.runs.of_conversation(conversation_id, after=number)}
        # A call stands in the run that proposed it; a later one of its turn may have paused on it.
        requests = {
            one.id: one
            for view in rest
            if view.status == "paused"
            for one in self._store.requests.of_pause(view.run_id)
        }
        views = [self._joined(view, runs.get(view.run_id), requests) for view in rest]
        with self._lock:
            if len(kept.settled) == len(settled):
                kept.settled += views[: _settling(views)]
        whole = [*settled, *views]
        return whole[-last:] if last else whole

    def _joined(self, view: RunView, run: Run | None, requests: dict[str, Request]) -> RunView:
        """Add what the log does not say: the cards, and numbers."""
        items = tuple(
            replace(item, card=self._cards.of_request(requests[item.request_id]))
            if isinstance(item, CallItem) and item.request_id in requests
            else item
            for item in view.items
        )
        if run is None:
            return replace(view, items=items)
        version = self._store.configs.get(run.config_version_id)
        return replace(view, items=items, config_number=version.number if version else 0, number=run.number)

    def _keep(self, conversation_id: str) -> _Kept:
        with self._lock:
            kept = self._kept.setdefault(conversation_id, _Kept())
            self._kept.move_to_end(conversation_id)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return kept


def _settling(views: Sequence[RunView]) -> int:
    """Return how many of the first runs nothing changes any more."""
    turns = list(dict.fromkeys(view.turn_id for view in views))
    changing = set(turns[-_OPEN_TURNS:])
    for index, view in enumerate(views):
        if view.turn_id in changing or not view.finished:
            return index
    return len(views)
