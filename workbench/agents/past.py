"""What was said before the turn that an agent is in, as its model is told it.

strands copies, checks and serialises every message an agent holds several times for each call of its model. Turns that
are over don't change, so an agent is given its present turn alone, and its model is told the past besides: made fit to
be sent once, when it became the past.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strands.event_loop.streaming import _normalize_messages
from strands.types.content import Messages

from workbench.agents.transcript_rule import TranscriptBroken, check_transcript


class Past:
    """The turns of one conversation that are over. It only grows."""

    def __init__(self) -> None:
        self._messages: Messages = []
        self.ids: set[str] = set()
        """The id of every tool call in it."""
        self.broken = ""
        """What breaks the transcript's invariant; empty when nothing does."""

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, messages: Sequence[Any]) -> None:
        """Take up messages that became the past. They are copied."""
        # What strands does before each call, done once: blank texts go, invalid tool names are replaced.
        fit = _normalize_messages(list(messages))
        if not self.broken:
            try:
                check_transcript(fit, first=len(self))
            except TranscriptBroken as broken:
                self.broken = broken.sentence
        for message in fit:
            self._messages.append({"role": message["role"], "content": message["content"]})
            self.ids.update(
                block["toolUse"]["toolUseId"] for block in message["content"] if "toolUse" in block
            )

    def told(self, *, apart: bool = False) -> Messages:
        """Return the past as a model is told it: a list of its own, of messages that it must not change.

        Args:
            apart: return messages that may be changed, down to their blocks.
        """
        if not apart:
            return list(self._messages)
        return [
            {"role": message["role"], "content": [{**block} for block in message["content"]]}
            for message in self._messages
        ]


def turn_start(messages: Sequence[Any]) -> int:
    """Return where the last turn begins that stands on its own: a person's message without tool results before it."""
    for index in range(len(messages) - 1, 0, -1):
        message = messages[index]
        if message["role"] == "user" and not any("toolResult" in block for block in message["content"]):
            return index
    return 0
