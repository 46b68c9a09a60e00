"""The pasts of the conversations that are being talked in, so that a turn reads only what is new.

A past is a copy of what the store has. It is used only while the store's history still goes on from it, and is
dropped when nobody has talked for a while, so that a conversation that waits holds nothing in memory.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from workbench.agents.past import Past, turn_start
from workbench.runs.history import History
from workbench.store import Conversation, Store

FEWEST = 40
"""Messages of a past that is worth keeping; a shorter one is read as fast."""
MOST = 20_000
"""Messages of all pasts together."""
IDLE_SECONDS = 60.0


@dataclass
class _Kept:
    generation: int
    past: Past
    used: float


class Pasts:
    """The pasts of one database.

    Args:
        clock: counts seconds.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def history(self, conversation: Conversation) -> History:
        """Load a conversation's messages: those of its last turn, after the past.

        To be called by who drives the conversation, which has it alone.
        """
        with self._lock:
            kept = self._kept.pop(conversation.id, None)
        if kept is None or not self._goes_on(kept, conversation):
            kept = _Kept(conversation.generation, Past(), 0.0)
        messages = self._store.messages.load(conversation.id, conversation.generation, after=len(kept.past))
        start = turn_start(messages)
        kept.past.add(messages[:start])
        if len(kept.past) >= FEWEST:
            self._keep(conversation.id, kept)
        return History(messages[start:], past=kept.past, generation=conversation.generation)

    def sweep(self) -> None:
        """Drop what nobody used for a while."""
        latest = self._clock() - IDLE_SECONDS
        with self._lock:
            while self._kept and next(iter(self._kept.values())).used < latest:
                self._kept.popitem(last=False)

    def __len__(self) -> int:
        return len(self._kept)

    @staticmethod
    def _goes_on(kept: _Kept, conversation: Conversation) -> bool:
        # A history that was rewritten is another generation; one is only ever appended to.
        return kept.generation == conversation.generation and len(kept.past) <= conversation.last_message_seq

    def _keep(self, conversation_id: str, kept: _Kept) -> None:
        kept.used = self._clock()
        with self._lock:
            self._kept[conversation_id] = kept
            while len(self._kept) > 1 and sum(len(one.past) for one in self._kept.values()) > MOST:
                self._kept.popitem(last=False)
