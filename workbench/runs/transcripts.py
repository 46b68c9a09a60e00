"""Transcripts kept at hand, so that a page that asks often folds only what is new."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace

from workbench.runs.cards import Cards
from workbench.runs.transcript import Transcript
from workbench.runs.views import CallItem, RunView
from workbench.store import Request, Run, Store

_KEPT = 64


class Transcripts:
    """The transcripts of one database."""

    def __init__(self, store: Store, cards: Cards) -> None:
        self._store = store
        self._cards = cards
        self._kept: OrderedDict[str, Transcript] = OrderedDict()
        self._lock = threading.Lock()

    def views(self, conversation_id: str, *, last: int | None = None) -> list[RunView]:
        """Return the transcript: the runs in order, the last ``last`` of them when given."""
        transcript = self._transcript(conversation_id)
        with self._lock:
            transcript.feed(self._store.events.read(conversation_id, after=transcript.last_seq))
            views = transcript.runs(last)
        runs = {run.id: run for run in self._store.runs.of_conversation(conversation_id)}
        numbers = {
            version_id: self._number(version_id)
            for version_id in {r.config_version_id for r in runs.values()}
        }
        requests = {one.id: one for one in self._store.requests.of_conversation(conversation_id)}
        return [self._joined(view, runs.get(view.run_id), numbers, requests) for view in views]

    def _joined(
        self, view: RunView, run: Run | None, numbers: dict[int, int], requests: dict[str, Request]
    ) -> RunView:
        items = tuple(
            replace(item, card=self._cards.of_request(requests[item.request_id]))
            if isinstance(item, CallItem) and item.request_id in requests
            else item
            for item in view.items
        )
        number = numbers.get(run.config_version_id, 0) if run else 0
        return replace(view, items=items, config_number=number, number=run.number if run else view.number)

    def _number(self, version_id: int) -> int:
        version = self._store.configs.get(version_id)
        return version.number if version else 0

    def _transcript(self, conversation_id: str) -> Transcript:
        with self._lock:
            transcript = self._kept.setdefault(conversation_id, Transcript())
            self._kept.move_to_end(conversation_id)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return transcript
