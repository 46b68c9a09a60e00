"""The events of the log: AG-UI's own types, as plain JSON values.

What AG-UI has no event for travels as ``CUSTOM`` events named ``workbench:…``:

- ``workbench:call``: who asked, what ``decide()`` said of a call
- ``workbench:request``: a request was raised for a call
- ``workbench:decision``: a request was decided
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ag_ui.core import (
    BaseEvent,
    CustomEvent,
    Interrupt,
    Message,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    TokenUsage,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
    UserMessage,
)

Event = dict[str, Any]

CALL = "workbench:call"
REQUEST = "workbench:request"
DECISION = "workbench:decision"


def _plain(event: BaseEvent) -> Event:
    plain: Event = event.model_dump(mode="json", by_alias=True)
    return plain


def run_started(
    conversation_id: str, run_id: str, *, text: str | None, turn_id: str, metadata: Mapping[str, Any]
) -> Event:
    """A run begins; ``text`` is the person's message when the run answers one."""
    messages: list[Message] = [UserMessage(id=turn_id, content=text)] if text is not None else []
    given = RunAgentInput(thread_id=conversation_id, run_id=run_id, messages=messages)
    return _plain(
        RunStartedEvent(thread_id=conversation_id, run_id=run_id, input=given, metadata=dict(metadata))
    )


def run_finished(
    conversation_id: str,
    run_id: str,
    *,
    pending: Sequence[str] = (),
    interrupts: Sequence[Interrupt] = (),
    cancelled: bool = False,
    usage: Mapping[str, int] | None = None,
) -> Event:
    """A run ends without failing: done, waiting on client tools, waiting on requests, or stopped."""
    outcome: Any
    if cancelled:
        outcome = RunFinishedCancelledOutcome()
    elif interrupts:
        outcome = RunFinishedInterruptOutcome(interrupts=list(interrupts))
    else:
        outcome = RunFinishedSuccessOutcome(pending_tool_call_ids=list(pending) or None)
    spent = [TokenUsage.model_validate(usage)] if usage else None
    return _plain(RunFinishedEvent(thread_id=conversation_id, run_id=run_id, outcome=outcome, usage=spent))


def run_error(code: str, message: str, *, usage: Mapping[str, int] | None = None) -> Event:
    """A run fails."""
    spent = [TokenUsage.model_validate(usage)] if usage else None
    return _plain(RunErrorEvent(code=code, message=message, usage=spent))


def text_start(message_id: str) -> Event:
    """An agent begins to speak."""
    return _plain(TextMessageStartEvent(message_id=message_id, role="assistant"))


def text_delta(message_id: str, delta: str) -> Event:
    """An agent says a piece of text."""
    return _plain(TextMessageContentEvent(message_id=message_id, delta=delta))


def text_end(message_id: str, *, cut: bool = False) -> Event:
    """An agent has spoken; ``cut`` when the stream ended before the text did."""
    return _plain(TextMessageEndEvent(message_id=message_id, metadata={"cut": True} if cut else None))


def reasoning_start(message_id: str) -> Event:
    """A model begins to show its reasoning."""
    return _plain(ReasoningMessageStartEvent(message_id=message_id, role="reasoning"))


def reasoning_delta(message_id: str, delta: str) -> Event:
    """A piece of reasoning."""
    return _plain(ReasoningMessageContentEvent(message_id=message_id, delta=delta))


def reasoning_end(message_id: str) -> Event:
    """The reasoning ends."""
    return _plain(ReasoningMessageEndEvent(message_id=message_id))


def call_start(tool_call_id: str, tool: str) -> Event:
    """A model begins to propose a call."""
    return _plain(ToolCallStartEvent(tool_call_id=tool_call_id, tool_call_name=tool))


def call_args(tool_call_id: str, delta: str) -> Event:
    """A piece of a call's arguments."""
    return _plain(ToolCallArgsEvent(tool_call_id=tool_call_id, delta=delta))


def call_end(tool_call_id: str) -> Event:
    """A call's arguments are whole."""
    return _plain(ToolCallEndEvent(tool_call_id=tool_call_id))


def call_result(message_id: str, tool_call_id: str, content: str, metadata: Mapping[str, Any]) -> Event:
    """What the model reads as a call's result."""
    return _plain(
        ToolCallResultEvent(
            message_id=message_id,
            tool_call_id=tool_call_id,
            content=content,
            role="tool",
            metadata=dict(metadata) or None,
        )
    )


def custom(name: str, value: Mapping[str, Any]) -> Event:
    """An event of the workbench's own."""
    return _plain(CustomEvent(name=name, value=dict(value)))
