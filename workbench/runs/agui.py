"""The events of the log: AG-UI's own types, as plain JSON values.

What AG-UI has no event for travels as ``CUSTOM`` events named ``workbench:…``:

- ``workbench:call``: who asked, what ``decide()`` said of a call
- ``workbench:request``: a request was raised for a call
- ``workbench:decision``: a request was decided
- ``workbench:notice``: something that a person should know of the run, such as a server that is away
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
    StepFinishedEvent,
    StepStartedEvent,
    SubagentErrorEvent,
    SubagentFinishedEvent,
    SubagentFinishedSuccessOutcome,
    SubagentFinishedSuspendedOutcome,
    SubagentStartedEvent,
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

from workbench.agents.ports import Place

Event = dict[str, Any]

CALL = "workbench:call"
REQUEST = "workbench:request"
DECISION = "workbench:decision"
NOTICE = "workbench:notice"


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


def text_start(place: Place, message_id: str) -> Event:
    """An agent begins to speak."""
    return _plain(
        TextMessageStartEvent(
            message_id=message_id, role="assistant", subagent_run_id=_seat(place), metadata=_who(place)
        )
    )


def text_delta(place: Place, message_id: str, delta: str) -> Event:
    """An agent says a piece of text."""
    return _plain(TextMessageContentEvent(message_id=message_id, delta=delta, subagent_run_id=_seat(place)))


def text_end(place: Place, message_id: str, *, cut: bool = False) -> Event:
    """An agent has spoken; ``cut`` when the stream ended before the text did."""
    return _plain(
        TextMessageEndEvent(
            message_id=message_id, subagent_run_id=_seat(place), metadata={"cut": True} if cut else None
        )
    )


def reasoning_start(place: Place, message_id: str) -> Event:
    """A model begins to show its reasoning."""
    return _plain(
        ReasoningMessageStartEvent(
            message_id=message_id, role="reasoning", subagent_run_id=_seat(place), metadata=_who(place)
        )
    )


def reasoning_delta(place: Place, message_id: str, delta: str) -> Event:
    """A piece of reasoning."""
    return _plain(
        ReasoningMessageContentEvent(message_id=message_id, delta=delta, subagent_run_id=_seat(place))
    )


def reasoning_end(place: Place, message_id: str) -> Event:
    """The reasoning ends."""
    return _plain(ReasoningMessageEndEvent(message_id=message_id, subagent_run_id=_seat(place)))


def call_start(place: Place, tool_call_id: str, tool: str) -> Event:
    """A model begins to propose a call."""
    return _plain(
        ToolCallStartEvent(
            tool_call_id=tool_call_id, tool_call_name=tool, subagent_run_id=_seat(place), metadata=_who(place)
        )
    )


def call_args(place: Place, tool_call_id: str, delta: str) -> Event:
    """A piece of a call's arguments."""
    return _plain(ToolCallArgsEvent(tool_call_id=tool_call_id, delta=delta, subagent_run_id=_seat(place)))


def call_end(place: Place, tool_call_id: str) -> Event:
    """A call's arguments are whole."""
    return _plain(ToolCallEndEvent(tool_call_id=tool_call_id, subagent_run_id=_seat(place)))


def subagent_started(place: Place, name: str, description: str, *, parent: Place, tool_call_id: str) -> Event:
    """A delegate begins to work, or goes on after a pause."""
    return _plain(
        SubagentStartedEvent(
            subagent_run_id=place.seat,
            name=name,
            description=description or None,
            parent_subagent_run_id=_seat(parent),
            parent_tool_call_id=tool_call_id,
            metadata=_who(place),
        )
    )


def subagent_finished(place: Place, *, waiting: Sequence[str] | None = None) -> Event:
    """A delegate is done, or waits on requests of its own or of somebody below it."""
    outcome: Any
    if waiting is None:
        outcome = SubagentFinishedSuccessOutcome()
    else:
        outcome = SubagentFinishedSuspendedOutcome(interrupt_ids=list(waiting) or None)
    return _plain(SubagentFinishedEvent(subagent_run_id=place.seat, outcome=outcome))


def subagent_error(place: Place, message: str) -> Event:
    """A delegate failed; its coordinator is told and goes on."""
    return _plain(SubagentErrorEvent(subagent_run_id=place.seat, message=message))


def step_started(place: Place, step: str) -> Event:
    """A node of a Swarm or Graph begins."""
    return _plain(StepStartedEvent(step_name=step, subagent_run_id=_seat(place), metadata=_who(place)))


def step_finished(place: Place, step: str) -> Event:
    """A node of a Swarm or Graph is done."""
    return _plain(StepFinishedEvent(step_name=step, subagent_run_id=_seat(place), metadata=_who(place)))


def call_result(
    seat: str, message_id: str, tool_call_id: str, content: str, metadata: Mapping[str, Any]
) -> Event:
    """What the model reads as a call's result."""
    return _plain(
        ToolCallResultEvent(
            message_id=message_id,
            tool_call_id=tool_call_id,
            content=content,
            role="tool",
            metadata=dict(metadata) or None,
            subagent_run_id=seat or None,
        )
    )


def custom(name: str, value: Mapping[str, Any]) -> Event:
    """An event of the workbench's own."""
    return _plain(CustomEvent(name=name, value=dict(value)))


def _seat(place: Place) -> str | None:
    return place.seat or None


def _who(place: Place) -> dict[str, Any]:
    return {"agentPath": list(place.path)}
