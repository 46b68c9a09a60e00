"""The last step before a model call: the transcript is checked, its ids kept unique, its window fitted."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from typing import Any, TypeVar

from pydantic import BaseModel
from strands.models.model import Model
from strands.types.content import Messages
from strands.types.exceptions import ContextWindowOverflowException
from strands.types.streaming import StreamEvent
from strands.types.tools import ToolSpec

from workbench.agents.past import Past
from workbench.agents.transcript_rule import TOOL_USE_ID, TranscriptBroken, check_transcript

logger = logging.getLogger(__name__)

T = TypeVar("T", bound=BaseModel)


class GuardedModel(Model):
    """A model behind the promises that hold for every provider.

    - G10: a transcript in which a tool use lacks its one result is never sent; ``TranscriptBroken`` is
      raised instead.
    - A tool call id that the conversation already used, or that some provider would refuse, is renamed as
      it streams out, so that no two calls of a run ever share one (FAILURES 5).
    - When the provider says that the window is full, the oldest whole turns are left out of a copy and
      the call is tried again; the stored history stays whole.

    Args:
        used_ids: tool call ids that must not be used again; it grows.
        on_chunk: is shown each chunk before strands sees it. strands' orchestrators pass their members'
            streams through queues, so what is read off those comes later than the hooks' events.
        past: the turns before what strands knows of; the inner model is told them first.
        apart: whether the inner model might change what it is given.
    """

    def __init__(
        self,
        inner: Model,
        used_ids: set[str] | None = None,
        on_chunk: Callable[[StreamEvent], None] | None = None,
        past: Past | None = None,
        apart: bool = False,
    ) -> None:
        self.inner = inner
        self._past = past or Past()
        self._apart = apart
        self._on_chunk = on_chunk
        self._used_ids = set() if used_ids is None else used_ids
        self._seeded = False

    @property
    def stateful(self) -> bool:
        """Whether the provider keeps the conversation on its side."""
        return self.inner.stateful

    @property
    def config(self) -> Any:
        """The provider's own settings; strands reads ``model_id`` off them."""
        return self.inner.get_config()

    def update_config(self, **model_config: Any) -> None:
        """Change the provider's settings."""
        self.inner.update_config(**model_config)

    def get_config(self) -> Any:
        """Return the provider's settings."""
        return self.inner.get_config()

    async def count_tokens(self, *args: Any, **kwargs: Any) -> int:
        """Count tokens as the provider does.

        strands asks for an estimate ahead of each call, for hooks; it goes without one when this raises.

        Raises:
            NotImplementedError: there is a past that strands doesn't know of, so its count would be wrong.
        """
        if len(self._past):
            raise NotImplementedError("the past is not counted")
        return await self.inner.count_tokens(*args, **kwargs)

    async def structured_output(
        self, output_model: type[T], prompt: Messages, system_prompt: str | None = None, **kwargs: Any
    ) -> AsyncGenerator[dict[str, T | Any], None]:
        """Pass a structured output request on."""
        async for event in self.inner.structured_output(output_model, prompt, system_prompt, **kwargs):
            yield event

    async def stream(
        self,
        messages: Messages,
        tool_specs: list[ToolSpec] | None = None,
        system_prompt: str | None = None,
        **kwargs: Any,
    ) -> AsyncIterable[StreamEvent]:
        """Stream one model call.

        Raises:
            TranscriptBroken: the transcript breaks the invariant; nothing was sent.
            ContextWindowOverflowException: not even the latest turn fits the model's window.
        """
        if self._past.broken:
            raise TranscriptBroken(self._past.broken)
        check_transcript(messages, first=len(self._past))
        used = self._ids_used(messages)
        window = [*self._past.told(apart=self._apart), *messages]
        while True:
            said_something = False
            try:
                async for event in self.inner.stream(window, tool_specs, system_prompt, **kwargs):
                    said_something = True
                    fresh = _with_fresh_ids(event, used)
                    if self._on_chunk is not None:
                        self._on_chunk(fresh)
                    yield fresh
                return
            except ContextWindowOverflowException:
                shorter = without_oldest_turn(window)
                if said_something or shorter is None:
                    raise
                logger.info(
                    "messages=<%d>, kept=<%d> | window full, oldest turn left out", len(window), len(shorter)
                )
                window = shorter

    def _ids_used(self, messages: Messages) -> set[str]:
        if not self._seeded:
            self._seeded = True
            self._used_ids.update(self._past.ids)
            self._used_ids.update(
                block["toolUse"]["toolUseId"]
                for message in messages
                for block in message["content"]
                if "toolUse" in block
            )
        return self._used_ids


def _with_fresh_ids(event: StreamEvent, used: set[str]) -> StreamEvent:
    start = event.get("contentBlockStart")
    tool_use = start["start"].get("toolUse") if start else None
    if start is None or not tool_use:
        return event
    wanted = tool_use["toolUseId"]
    fits = wanted not in used and TOOL_USE_ID.fullmatch(wanted)
    given = wanted if fits else f"call_{uuid.uuid4().hex}"
    used.add(given)
    if given == wanted:
        return event
    return {**event, "contentBlockStart": {**start, "start": {"toolUse": {**tool_use, "toolUseId": given}}}}


def without_oldest_turn(messages: Messages) -> Messages | None:
    """Return the messages from the second human turn on, or None when there is only one left."""
    for index in range(1, len(messages)):
        message = messages[index]
        if message["role"] == "user" and not any("toolResult" in block for block in message["content"]):
            return messages[index:]
    return None
