"""The messages of one agent, and how much of them is stored."""

from __future__ import annotations

from typing import Any

from workbench.agents.past import Past
from workbench.store import Store

Message = dict[str, Any]


class History:
    """A live message list whose new tail the next transaction stores.

    The list itself is the agent's. It only grows, save for :meth:`replace_last`.

    Args:
        seat: which delegation the messages belong to; empty for the conversation's own.
        past: the turns before these messages, which the list leaves out.
        generation: the generation of a conversation's messages.
    """

    def __init__(
        self, messages: list[Message], seat: str = "", past: Past | None = None, generation: int = 1
    ) -> None:
        self.messages = messages
        self._generation = generation
        self.seat = seat
        self.past = past or Past()
        self._before = len(self.past)
        self._saved = len(messages)
        self._rewrite_from: int | None = None

    @classmethod
    def load(cls, store: Store, conversation_id: str, seat: str) -> History:
        """Load the history of one delegation; :class:`workbench.runs.pasts.Pasts` has the conversation's own."""
        return cls(store.seats.load(conversation_id, seat), seat)

    def unfold(self, store: Store, conversation_id: str) -> None:
        """Bring the past back into the list, for an agent that looks at it."""
        if not self._before:
            return
        self.messages[:0] = store.messages.load(conversation_id, upto=self._before)
        self._saved += self._before
        if self._rewrite_from is not None:
            self._rewrite_from += self._before
        self.past, self._before = Past(), 0

    @property
    def whole(self) -> list[Message]:
        """Everything that was said, the past as a model is told it."""
        return [*self.past.told(), *self.messages]  # type: ignore[list-item]

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
        position = self._before + first + 1  # the store counts messages from 1
        if self.seat and first < len(self.messages):
            store.seats.put(conversation_id, self.seat, position, self.messages[first:])
        elif self._rewrite_from is not None:
            self._generation = store.messages.rewrite_from(conversation_id, position, self.messages[first:])
        elif first < len(self.messages):
            end = self._generation, position - 1
            store.messages.append(conversation_id, self.messages[first:], end=end)
        self._rewrite_from = None
        self._saved = len(self.messages)

    @property
    def end(self) -> tuple[int, int]:
        """The generation and the last position that are stored, of a conversation's messages."""
        return self._generation, self._before + self._saved

    def mark(self) -> tuple[int, int | None, int]:
        """Return how much is stored, for :meth:`reset` after a transaction that failed."""
        return self._saved, self._rewrite_from, self._generation

    def reset(self, mark: tuple[int, int | None, int]) -> None:
        """Go back to a mark."""
        self._saved, self._rewrite_from, self._generation = mark

    def drop_hollow(self) -> None:
        """Drop a last message without content: a batch that was torn away left it, and no model takes it."""
        if self.messages and not self.messages[-1]["content"]:
            self.messages.pop()
            self._touch(len(self.messages))

    @property
    def open_batch(self) -> Message | None:
        """The last message when it proposes calls that have no results yet."""
        if self.messages and self.messages[-1]["role"] == "assistant":
            last = self.messages[-1]
            if any("toolUse" in block for block in last["content"]):
                return last
        return None

    def holds(self, tracking_id: str) -> bool:
        """Whether the message with this id is in the present turn, however long that is."""
        return any(message.get("tracking_id") == tracking_id for message in reversed(self.messages))
