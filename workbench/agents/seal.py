"""The seal on a call: the very last code before a tool runs, and the first after it.

Hooks run before it and cannot get behind it: strands executes the object the gate put into
``selected_tool``, and this object runs the stored input of one call, once.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator
from typing import Any

from strands.interrupt import InterruptException
from strands.types._events import ToolInterruptEvent, ToolResultEvent
from strands.types.tools import AgentTool, ToolContext, ToolSpec, ToolUse

from workbench.agents.ports import (
    Doubtful,
    Finished,
    GrantWithdrawn,
    Ledger,
    ProposedCall,
    StartRefused,
)
from workbench.agents.results import error_result, well_formed
from workbench.policy import Verdict, digest


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
            self.ledger.start(call, self.executed_input, grant_id=self.grant_id, again=self.again)
        except GrantWithdrawn:
            self._ask_again(tool_use, invocation_state, "withdrawn", self.executed_input)
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

    async def _run(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        last: Any = None
        try:
            stored: ToolUse = {**tool_use, "input": copy.deepcopy(self.executed_input)}
            async for event in self.inner.stream(stored, invocation_state, **kwargs):
                if isinstance(event, ToolInterruptEvent):
                    self.ledger.suspended(self.call, "the tool paused")
                    yield event
                    return
                if isinstance(event, ToolResultEvent):
                    yield self._kept(event.tool_result, event.exception)
                    return
                last = event
                yield event
        except InterruptException as paused:
            raise self._own_pause(paused, tool_use, invocation_state) from None
        except Exception as error:
            yield self._kept(error_result(self.call.tool_call_id, f"Error: {error}"), error)
            return
        yield self._kept(last, None)

    def _kept(self, result: Any, exception: Exception | None) -> ToolResultEvent:
        kept = well_formed(result, self.call.tool_call_id)
        self.ledger.finish(self.call, kept)
        return ToolResultEvent(_as_result(kept), exception=exception)

    def _own_pause(
        self, paused: InterruptException, tool_use: ToolUse, invocation_state: dict[str, Any]
    ) -> InterruptException:
        """Turn a tool's own interrupt into a request; strands hands the answer to the tool on resume."""
        self.ledger.suspended(self.call, "the tool asked")
        reason = paused.interrupt.reason
        described = reason if isinstance(reason, dict) else {}
        schema = described.get("responseSchema")
        message = (
            described.get("message") or (reason if isinstance(reason, str) else "") or paused.interrupt.name
        )
        self.ledger.ask(
            self.call,
            "tool_interrupt",
            verdict=self.verdict,
            message=str(message),
            response_schema=schema if isinstance(schema, dict) else None,
            metadata={"interrupt": paused.interrupt.id, "executed_input": self.executed_input},
        )
        return paused

    def _ask_again(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], why: str, shown: dict[str, Any]
    ) -> None:
        """Raise a new request in place of running, and pause."""
        call = self.call
        if why == "doubt":
            request_id = self.ledger.ask(
                call, "doubt", verdict=self.verdict, metadata={"executed_input": self.executed_input}
            )
        else:
            asked = ProposedCall(**{**call.__dict__, "input": shown, "digest": digest(shown)})
            metadata: dict[str, Any] = {"why": why}
            if why == "changed":
                metadata["also_shown"] = self.executed_input
            request_id = self.ledger.ask(asked, "approval", verdict=self.verdict, metadata=metadata)
        context: ToolContext[Any] = ToolContext(
            tool_use=tool_use, agent=self.agent, invocation_state=invocation_state
        )
        context.interrupt(request_id, reason={"request": request_id})


def _as_result(result: dict[str, Any]) -> Any:
    """Let the type checker take a plain dict for strands' ``ToolResult``."""
    return result
