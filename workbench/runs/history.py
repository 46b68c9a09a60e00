"""The messages of one agent, and how much of them is stored."""

from __future__ import annotations

from typing import Any

from workbench.store import Store

Message = dict[str, Any]


class History:
    """A live message list whose new tail the next transaction stores.

    The list itself is the agent's. It only grows, save for :meth:`replace_last`.

    Args:
        seat: which delegation the messages belong to; empty for the conversation's own.
    """

    def __init__(self, messages: list[Message], seat: str = "") -> None:
        self.messages = messages
        self.seat = seat
        self._saved = len(messages)
        self._rewrite_from: int | None = None

    @classmethod
    def load(cls, store: Store, conversation_id: str, seat: str = "") -> History:
        """Load the whole history of a conversation, or of one delegation in it."""
        if seat:
            return cls(store.seats.load(conversation_id, seat), seat)
        return cls(store.messages.load(conversation_id))

    def replace_last(self, message: Message) -> None:
        """Put another message in the place of the last one."""
        self.messages[-1] = message
        self._touch(len(self.messages) - 1)

    def changed(self, index: int) -> None:
        """Note that a message was replaced in place (a guardrail that redacts does so)."""
        self._touch(index)

    def _touch(self, index: int) -> None:
        if index < self._saved:
            self._rewrite_from = index if self._rewrite_from is None else min(index, self._rewrite_from)

    def save(self, store: Store, conversation_id: str) -> None:
        """Store what is new, in the running transaction."""
        first = self._saved if self._rewrite_from is None else self._rewrite_from
        # The store counts messages from 1.
        if self.seat and first < len(self.messages):
            store.seats.put(conversation_id, self.seat, first + 1, self.messages[first:])
        elif self._rewrite_from is not None:
            store.messages.rewrite_from(conversation_id, first + 1, self.messages[first:])
        elif first < len(self.messages):
            store.messages.append(conversation_id, self.messages[first:])
        self._rewrite_from = None
        self._saved = len(self.messages)

    def mark(self) -> tuple[int, int | None]:
        """Return how much is stored, for :meth:`reset` after a transaction that failed."""
        return self._saved, self._rewrite_from

    def reset(self, mark: tuple[int, int | None]) -> None:
        """Go back to a mark."""
        self._saved, self._rewrite_from = mark

    @property
    def open_batch(self) -> Message | None:
        """The last message when it proposes calls that have no results yet."""
        if self.messages and self.messages[-1]["role"] == "assistant":
            last = self.messages[-1]
            if any("toolUse" in block for block in last["content"]):
                return last
        return None

    def holds(self, tracking_id: str) -> bool:
        """Whether a message with this id is among them; a turn may be long."""
        return any(message.get("tracking_id") == tracking_id for message in reversed(self.messages))
