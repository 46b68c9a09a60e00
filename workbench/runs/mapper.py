"""strands' stream -> AG-UI events, for the agent at one position."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, Literal

from workbench.agents.ports import Place
from workbench.runs import agui
from workbench.runs.eventlog import EventLog


@dataclass
class Spent:
    """Tokens of a run, over every agent in it."""

    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def usage(self) -> dict[str, int] | None:
        """Tokens so far, or None when no provider reported any."""
        if not self.input_tokens and not self.output_tokens:
            return None
        return {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens}


class ChunkMapper:
    """Maps raw model chunks; strands' own digests of them are ignored.

    A text or reasoning delta may come without a ``contentBlockStart``, so a message opens with its first
    delta and closes with the block.
    """

    def __init__(self, log: EventLog, place: Place, spent: Spent) -> None:
        self._log = log
        self.place = place
        self._spent = spent
        self._open: tuple[Literal["text", "reasoning", "call"], str] | None = None

    def chunk(self, chunk: dict[str, Any]) -> None:
        """Map one raw chunk."""
        if "contentBlockDelta" in chunk:
            self._delta(chunk["contentBlockDelta"]["delta"])
        elif "contentBlockStart" in chunk:
            tool_use = chunk["contentBlockStart"]["start"].get("toolUse")
            if tool_use:
                self.close()
                self._open = ("call", tool_use["toolUseId"])
                self._log.add(agui.call_start(self.place, tool_use["toolUseId"], tool_use["name"]))
        elif "contentBlockStop" in chunk or "messageStop" in chunk:
            self.close()
        elif "metadata" in chunk:
            usage = chunk["metadata"].get("usage") or {}
            self._spent.input_tokens += usage.get("inputTokens", 0)
            self._spent.output_tokens += usage.get("outputTokens", 0)

    def _delta(self, delta: dict[str, Any]) -> None:
        if delta.get("text"):
            self._log.add(agui.text_delta(self.place, self._message("text"), delta["text"]))
        elif "toolUse" in delta and self._open is not None and self._open[0] == "call":
            piece = delta["toolUse"].get("input", "")
            if piece:
                self._log.add(agui.call_args(self.place, self._open[1], piece))
        elif (delta.get("reasoningContent") or {}).get("text"):
            self._log.add(
                agui.reasoning_delta(
                    self.place, self._message("reasoning"), delta["reasoningContent"]["text"]
                )
            )

    def _message(self, kind: Literal["text", "reasoning"]) -> str:
        if self._open is not None and self._open[0] == kind:
            return self._open[1]
        self.close()
        message_id = uuid.uuid4().hex
        self._open = (kind, message_id)
        self._log.add(
            agui.text_start(self.place, message_id)
            if kind == "text"
            else agui.reasoning_start(self.place, message_id)
        )
        return message_id

    def close(self, *, cut: bool = False) -> None:
        """Close what is open; ``cut`` when it was not the model that ended it."""
        match self._open:
            case None:
                return
            case ("text", message_id):
                self._log.add(agui.text_end(self.place, message_id, cut=cut))
            case ("reasoning", message_id):
                self._log.add(agui.reasoning_end(self.place, message_id))
            case ("call", tool_call_id):
                self._log.add(agui.call_end(self.place, tool_call_id))
        self._open = None
