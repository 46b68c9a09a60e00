"""The seal on a call: the very last code before a tool runs, and the first after it.

Hooks run before it and cannot get behind it: strands executes the object the gate put into
``selected_tool``, and this object runs the stored input of one call, once.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from strands.interrupt import Interrupt, InterruptException
from strands.tools.decorator import DecoratedFunctionTool
from strands.types._events import ToolInterruptEvent, ToolResultEvent
from strands.types.tools import AgentTool, ToolContext, ToolSpec, ToolUse

from workbench.agents.approval_reply import after_approval, read_reply
from workbench.agents.outcome import OutcomeUnknown
from workbench.agents.ports import (
    Doubtful,
    Finished,
    GrantWithdrawn,
    Ledger,
    ProposedCall,
    StartRefused,
    Stopped,
)
from workbench.agents.results import as_json, error_result, well_formed
from workbench.policy import Verdict, digest
from workbench.policy.notes import CANCELLED
from workbench.policy.schema_check import SchemaUnusable, field_errors


class _StandIn(AgentTool):
    """A tool that answers to another tool's name."""

    def __init__(self, inner: AgentTool) -> None:
        super().__init__()
        self.inner = inner

    @property
    def tool_name(self) -> str:
        return self.inner.tool_name

    @property
    def tool_spec(self) -> ToolSpec:
        return self.inner.tool_spec

    @property
    def tool_type(self) -> str:
        return self.inner.tool_type


class Told(_StandIn):
    """Stands in for a tool whose result is known already: an answered question, a journalled result."""

    def __init__(self, inner: AgentTool, result: dict[str, Any]) -> None:
        super().__init__(inner)
        self.result = result

    async def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        """Give the known result."""
        yield ToolResultEvent({**self.result, "toolUseId": tool_use["toolUseId"]})  # type: ignore[typeddict-item]


class Sealed(_StandIn):
    """Runs one call once, with the input that was allowed.

    What happens in which order: the id and the digest of what strands is about to run are compared with
    what was allowed; ``started`` is committed (with the use of a grant); the tool runs with a copy of
    the stored input; its result is committed. A mismatch, a withdrawn grant or an earlier start in doubt
    runs nothing and raises a new request.

    Args:
        again: start a call whose earlier start is in doubt.
        hears_replies: a result that asks for approval (``tool_approvals``) pauses the run in place of
            reaching the model.
        once_more: this is the one call that follows such an approval; asking again gets no second one.
    """

    def __init__(
        self,
        inner: AgentTool,
        call: ProposedCall,
        executed_input: dict[str, Any],
        ledger: Ledger,
        *,
        agent: Any,
        verdict: Verdict | None,
        grant_id: str | None = None,
        again: bool = False,
        rejudge: Callable[[], Verdict] | None = None,
        hears_replies: bool = False,
        once_more: bool = False,
    ) -> None:
        super().__init__(inner)
        self.call = call
        self.executed_input = executed_input
        self.allowed_digest = digest(executed_input)
        self.ledger = ledger
        self.agent = agent
        self.verdict = verdict
        self.grant_id = grant_id
        self.again = again
        self.rejudge = rejudge
        self.hears_replies = hears_replies
        self.once_more = once_more
        self.ran = False

    async def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        """Start the call, run the tool, keep its result; see the class."""
        call = self.call
        if self.ran or tool_use["toolUseId"] != call.tool_call_id or tool_use["name"] != call.tool:
            yield ToolResultEvent(
                _as_result(
                    error_result(tool_use["toolUseId"], "Not run: this is not the call that was allowed")
                )
            )
            return
        if digest(tool_use["input"]) != self.allowed_digest:
            self._ask_again(tool_use, invocation_state, "changed", dict(tool_use["input"]))
            return
        try:
            self._start()
        except GrantWithdrawn:
            self._ask_again(tool_use, invocation_state, "withdrawn", self.executed_input)
            return
        except Stopped:
            self.ledger.cancel(call, CANCELLED)
            yield ToolResultEvent(_as_result(error_result(call.tool_call_id, CANCELLED)))
            return
        except StartRefused as refused:
            match refused.standing:
                case Finished(result):
                    yield ToolResultEvent(_as_result({**result, "toolUseId": call.tool_call_id}))
                case Doubtful():
                    self._ask_again(tool_use, invocation_state, "doubt", self.executed_input)
            return
        self.ran = True
        async for event in self._run(tool_use, invocation_state, **kwargs):
            yield event

    def _start(self) -> None:
        """Commit the start; where a permission is gone by now, judge again: another one may cover the call."""
        while True:
            try:
                self.ledger.start(self.call, self.executed_input, grant_id=self.grant_id, again=self.again)
                return
            except GrantWithdrawn:
                if self.rejudge is None:
                    raise
                self.verdict = self.rejudge()
                self.ledger.judged(self.call, self.verdict)
                if self.verdict.outcome == "ask":
                    raise
                self.grant_id = self.verdict.grant_id

    async def _run(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        last: Any = None
        try:
            stored: ToolUse = {**tool_use, "input": copy.deepcopy(self.executed_input)}
            given = {**kwargs, **self._answered(stored, invocation_state)}
            async for event in self.inner.stream(stored, invocation_state, **given):
                if isinstance(event, ToolInterruptEvent):
                    self._suspend(event.interrupts)
                    yield event
                    return
                if isinstance(event, ToolResultEvent):
                    if isinstance(event.exception, OutcomeUnknown):
                        self._ask_again(tool_use, invocation_state, "lost", self.executed_input)
                    self._pause_for_reply(event.tool_result, tool_use, invocation_state)
                    yield self._kept(event.tool_result, event.exception)
                    return
                last = event
                yield event
        except _Asked:
            raise
        except InterruptException as paused:
            self._suspend([paused.interrupt])
            raise
        except Exception as error:
            yield self._kept(error_result(self.call.tool_call_id, f"Error: {error}"), error)
            return
        except (SystemExit, KeyboardInterrupt) as ended:
            # A tool that calls sys.exit() must not take the process with it, and all other conversations.
            text = f"Error: the tool tried to end the program ({type(ended).__name__}: {ended})"
            yield self._kept(error_result(self.call.tool_call_id, text), RuntimeError(text))
            return
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise  # it is we who are stopped
            text = "Error: the tool's own work was cancelled from within, before it gave a result"
            yield self._kept(error_result(self.call.tool_call_id, text), RuntimeError(text))
            return
        self._pause_for_reply(last, tool_use, invocation_state)
        yield self._kept(last, None)

    def _pause_for_reply(self, result: Any, tool_use: ToolUse, invocation_state: dict[str, Any]) -> None:
        """Pause when the tool ran nothing and asks the person to approve its call (``kaboo_approval``)."""
        if not self.hears_replies or self.once_more:
            return
        reply = read_reply(well_formed(result, self.call.tool_call_id), self.call.tool)
        if reply is None:
            return
        self.ledger.suspended(self.call, "the tool asked for approval")
        shown = copy.deepcopy(self.executed_input)
        asked = replace(self.call, input=shown, digest=self.allowed_digest)
        request_id = self.ledger.ask(asked, "tool_approval", verdict=None, message=reply.message, reply=reply)
        self._pause(request_id, tool_use, invocation_state)

    def _kept(self, result: Any, exception: Exception | None) -> ToolResultEvent:
        kept = well_formed(result, self.call.tool_call_id)
        if self.hears_replies and self.once_more:
            kept = after_approval(kept, self.call.tool)
        self.ledger.finish(self.call, kept)
        return ToolResultEvent(_as_result(kept), exception=exception)

    def _suspend(self, interrupts: Sequence[Interrupt]) -> None:
        """End the attempt without doubt, and turn what the tool asked into requests of its own."""
        self.ledger.suspended(self.call, "the tool paused")
        if self.call.facts.kind == "delegate":
            return  # the agents below have raised their requests themselves
        begun = replace(self.call, input=copy.deepcopy(self.executed_input))
        for interrupt in interrupts:
            ask_for(self.ledger, begun, interrupt, verdict=self.verdict)

    def _answered(self, tool_use: ToolUse, invocation_state: dict[str, Any]) -> dict[str, Any]:
        """Hand the answers given so far to a tool that asked, in place of strands, which takes None for none."""
        answers = self.ledger.interrupt_answers(self.call)
        if not answers or not isinstance(self.inner, DecoratedFunctionTool):
            return {}
        context = _AnsweredContext(
            tool_use=tool_use,
            agent=self.agent,
            invocation_state=invocation_state,
            cancel_signal=self.agent.cancel_signal,
            answers=answers,
        )
        return {"_tool_context": context}

    def _ask_again(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], why: str, shown: dict[str, Any]
    ) -> NoReturn:
        """Raise a new request in place of running, or of a result that was lost, and pause."""
        call = self.call
        if why in ("doubt", "lost"):
            request_id = self.ledger.ask(
                call,
                "doubt",
                verdict=self.verdict,
                metadata={"executed_input": self.executed_input, "why": why},
            )
        else:
            asked = replace(call, input=shown, digest=digest(shown))
            metadata: dict[str, Any] = {"why": why}
            if why == "changed":
                metadata["also_shown"] = self.executed_input
            request_id = self.ledger.ask(asked, "approval", verdict=self.verdict, metadata=metadata)
        self._pause(request_id, tool_use, invocation_state)

    def _pause(self, request_id: str, tool_use: ToolUse, invocation_state: dict[str, Any]) -> NoReturn:
        """Pause on a request that is raised."""
        context: ToolContext[Any] = ToolContext(
            tool_use=tool_use, agent=self.agent, invocation_state=invocation_state
        )
        try:
            context.interrupt(request_id, reason={"request": request_id})
        except InterruptException as paused:
            raise _Asked(paused.interrupt) from None
        raise RuntimeError(f"the request {request_id} was answered before it was asked")


class _Asked(InterruptException):
    """A pause whose request is raised already, unlike a tool's own."""


@dataclass
class _AnsweredContext(ToolContext[Any]):
    """A tool's context in which ``interrupt`` returns what was answered, None included."""

    answers: Mapping[str, Any] = field(default_factory=dict)

    def interrupt(self, name: str, reason: Any = None, response: Any = None) -> Any:
        """Return the answer, or pause."""
        known = self._interrupt_id(name)
        return self.answers[known] if known in self.answers else super().interrupt(name, reason, response)


def ask_for(
    ledger: Ledger,
    call: ProposedCall,
    interrupt: Interrupt,
    *,
    verdict: Verdict | None,
    by_hook: bool = False,
) -> None:
    """Raise a request for what a tool, or a hook ahead of it, asked by itself."""
    hook = {"hook": True} if by_hook else {}
    ledger.ask(
        call,
        "tool_interrupt",
        verdict=verdict,
        message=_asked(interrupt),
        response_schema=_form(interrupt.reason),
        metadata={"interrupt": interrupt.id, "executed_input": call.input, **hook},
    )


def _asked(interrupt: Interrupt) -> str:
    """Say what a tool asks: its message, else its whole reason, else the name it gave its interrupt."""
    match interrupt.reason:
        case {"message": str(message)} if message.strip():
            return message
        case str(reason) if reason.strip():
            return reason
        case reason if not reason:
            return interrupt.name
        case reason:
            return json.dumps(as_json(reason), ensure_ascii=False, indent=1, default=repr)


def _form(reason: Any) -> dict[str, Any] | None:
    """Return the schema that the answer must keep to; one that can't check anything asks for any JSON value."""
    schema = reason.get("responseSchema") if isinstance(reason, dict) else None
    if not isinstance(schema, dict):
        return None
    try:
        field_errors({}, schema)
    except SchemaUnusable:
        return None
    return schema


def _as_result(result: dict[str, Any]) -> Any:
    """Let the type checker take a plain dict for strands' ``ToolResult``."""
    return result
