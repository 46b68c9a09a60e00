"""The gate: what happens between a model's proposal of a call and the call itself.

It is the last hook before every tool call (strands runs hooks by ``order``; ours is infinite) and the
last after it. It decides nothing: an answered request decides, else :func:`workbench.policy.decide`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from strands import Agent
from strands.hooks import (
    AfterInvocationEvent,
    AfterToolCallEvent,
    AfterToolsEvent,
    BeforeToolCallEvent,
    BeforeToolsEvent,
)
from strands.types.tools import AgentTool, ToolUse

from workbench.agents.client_tools import (
    BadArguments,
    ClientToolAgentTool,
    ClientToolSpec,
    answer_schema,
    check_arguments,
)
from workbench.agents.inside import UnsafeMiddleware, asked_by_hooks, has_tool_middleware
from workbench.agents.ports import (
    Closed,
    Doubtful,
    Finished,
    Fresh,
    Ledger,
    Place,
    ProposedCall,
    Ruled,
    Standing,
    Suspended,
    Waiting,
)
from workbench.agents.results import fitted, success_result, well_formed, with_note
from workbench.agents.seal import Sealed, Told, ask_for
from workbench.policy import (
    AgentPolicy,
    Call,
    ToolFacts,
    Verdict,
    decide,
    digest,
    edit_note,
)

LAST = math.inf
"""Hook order of the gate: after every hook of the config."""

TOOL_GONE = "Not run: the tool {} can't be loaded any more"
"""What the model reads of a call that was allowed and whose tool is gone."""

MOST_LOST = 2
"""How often a harmless call is run again unasked after its outcome was lost."""


@dataclass
class Gate:
    """Guards the tool calls of one agent object.

    Args:
        agent: the agent's name in the config.
        place: where the agent object stands in the run.
        policy: the agent's policy.
        facts: what is known of each tool, by name; a tool that is not there is a local one.
        client_tools: the client tools this agent may call.
        ledger: where calls are journalled and requests raised.
        missing: why tools are missing whose code can't be loaded.
    """

    agent: str
    place: Place
    policy: AgentPolicy
    facts: Mapping[str, ToolFacts]
    client_tools: Mapping[str, ClientToolSpec]
    ledger: Ledger
    missing: Sequence[str] = ()

    def attach(self, agent: Agent) -> None:
        """Hook into a freshly built agent; call it after all other hooks are registered."""
        agent.add_hook(self._before_batch, BeforeToolsEvent, order=LAST)
        agent.add_hook(self._before_call, BeforeToolCallEvent, order=LAST)
        agent.add_hook(self._after_call, AfterToolCallEvent, order=LAST)
        agent.add_hook(self._after_batch, AfterToolsEvent, order=LAST)
        agent.add_hook(_stay, AfterInvocationEvent, order=LAST)

    def _before_batch(self, event: BeforeToolsEvent) -> None:
        uses = [block["toolUse"] for block in event.message["content"] if "toolUse" in block]
        self.ledger.propose([self._call(event.agent, use) for use in uses])

    def _call(self, agent: Any, tool_use: ToolUse, selected: AgentTool | None = None) -> ProposedCall:
        """Return a call as it stands, under the name of the tool that would run."""
        name = selected.tool_name if selected is not None else tool_use["name"]
        tool: AgentTool | None = agent.tool_registry.registry.get(name)
        spec = tool.tool_spec if tool is not None else None
        given = tool_use["input"]
        arguments = given if isinstance(given, dict) else {"input": given}
        return ProposedCall(
            key=self.place.call_key(agent.messages[-1]["tracking_id"], tool_use["toolUseId"]),
            agent=self.agent,
            place=self.place,
            tool=name,
            facts=self.facts.get(name, ToolFacts()),
            tool_call_id=tool_use["toolUseId"],
            input=arguments,
            digest=digest(arguments),
            description=spec["description"] if spec else "",
            input_schema=_json_schema(spec),
        )

    def _before_call(self, event: BeforeToolCallEvent) -> None:
        if has_tool_middleware(event.agent):
            raise UnsafeMiddleware(
                "Something of this config registers middleware around tool calls, which could run another call "
                "than the one that was approved. Use BeforeToolCallEvent and AfterToolCallEvent instead."
            )
        tool = _chosen(event)
        call = self._call(event.agent, event.tool_use, tool)
        standing = self.ledger.standing(call)
        if event.cancel_tool and not isinstance(standing, Finished | Doubtful):
            note = event.cancel_tool if isinstance(event.cancel_tool, str) else "Cancelled by a hook"
            self.ledger.cancel(call, note)
            return
        event.cancel_tool = False
        asked = asked_by_hooks(event.agent, call.tool_call_id)
        if asked:
            for interrupt in asked:
                ask_for(self.ledger, call, interrupt, verdict=None, by_hook=True)
            return  # strands pauses for the hook
        if tool is None:
            if _would_run(standing):
                unknown = isinstance(standing, Fresh) and not self.missing
                gone = ": ".join([TOOL_GONE.format(call.tool), *self.missing])
                note = f"Unknown tool: {call.tool}" if unknown else gone
                self.ledger.cancel(call, note)
                event.cancel_tool = note
                return
            # What was asked or done before its tool was gone is answered all the same.
            tool = ClientToolAgentTool(ClientToolSpec(call.tool, "", {}))
        match standing:
            case Fresh():
                self._judge(event, call, tool)
            case Waiting(request_id):
                event.interrupt(request_id, reason={"request": request_id})
            case Ruled() as ruled if ruled.tool != call.tool and ruled.executed_input is not None:
                self._ask_anew(event, call, ruled)
            case Ruled() as ruled:
                self._obey(event, call, tool, ruled)
            case Suspended(given, torn):
                on = Sealed(tool, call, given, self.ledger, agent=event.agent, verdict=None, again=torn)
                self._seal(event, on)
            case Finished(result):
                event.selected_tool = Told(tool, result)
            case Doubtful() as doubt:
                self._doubt(event, call, tool, doubt)
            case Closed(note):
                event.cancel_tool = note

    def _judge(self, event: BeforeToolCallEvent, call: ProposedCall, tool: AgentTool) -> None:
        question = self.client_tools.get(call.tool)
        if question is not None:
            try:
                asked = check_arguments(question, call.input)
            except BadArguments as bad:
                if not question.by_client:
                    self.ledger.close(call, str(bad))
                    event.cancel_tool = str(bad)
                    return
                asked = call.input
            request_id = self.ledger.ask(
                call,
                "question",
                verdict=None,
                response_schema=None if question.by_client else answer_schema(question, asked),
                metadata={"asked": asked, "title": question.title, "by_client": question.by_client},
            )
            self._pause(event, request_id)
            return
        verdict = self._decide(call)
        self.ledger.judged(call, verdict)
        if verdict.outcome == "ask":
            self._pause(event, self.ledger.ask(call, "approval", verdict=verdict))
            return
        self._seal(
            event,
            Sealed(
                tool,
                call,
                copy.deepcopy(call.input),
                self.ledger,
                agent=event.agent,
                verdict=verdict,
                grant_id=verdict.grant_id,
                rejudge=partial(self._decide, call),
                hears_replies=self._hears_replies(call),
            ),
        )

    def _decide(self, call: ProposedCall) -> Verdict:
        return decide(
            Call(call.tool, copy.deepcopy(call.input)),
            self.policy,
            self.ledger.grants(self.agent),
            call.facts,
            remembers=self.ledger.remembers,
        )

    def _ask_anew(self, event: BeforeToolCallEvent, call: ProposedCall, ruled: Ruled) -> None:
        """Ask about a call that a hook made another tool's after the person had answered."""
        verdict = self._decide(call)
        metadata = {"why": "changed", "also_shown": ruled.executed_input}
        asks = verdict if verdict.outcome == "ask" else None
        self._pause(event, self.ledger.ask(call, "approval", verdict=asks, metadata=metadata))

    def _obey(self, event: BeforeToolCallEvent, call: ProposedCall, tool: AgentTool, ruled: Ruled) -> None:
        """An answered request decides, whatever the config says by now (FAILURES 1)."""
        match ruled.decision:
            case "answered" if ruled.kind == "question":
                result = success_result(call.tool_call_id, ruled.text)
                self.ledger.answered(call, result)
                event.selected_tool = Told(tool, result)
            case "happened":
                result = success_result(call.tool_call_id, ruled.note)
                self.ledger.finish(call, result)
                event.selected_tool = Told(tool, result)
            case "approved" | "run_again" | "answered" if ruled.executed_input is not None:
                self._seal(
                    event,
                    Sealed(
                        tool,
                        call,
                        ruled.executed_input,
                        self.ledger,
                        agent=event.agent,
                        verdict=None,
                        again=ruled.decision == "run_again",
                        hears_replies=self._hears_replies(call),
                        once_more=ruled.once_more,
                    ),
                )
            case _:
                self.ledger.close(call, ruled.note)
                event.cancel_tool = ruled.note or "Not run"

    def _doubt(
        self, event: BeforeToolCallEvent, call: ProposedCall, tool: AgentTool, doubt: Doubtful
    ) -> None:
        # Reading twice, doing the same twice and going back to a delegate at work all change nothing. But a
        # call that takes the process with it each time must not do so for ever.
        harmless = call.facts.read_only or call.facts.idempotent
        if harmless and (doubt.lost < MOST_LOST or call.facts.kind == "delegate"):
            self._seal(
                event,
                Sealed(
                    tool,
                    call,
                    doubt.executed_input,
                    self.ledger,
                    agent=event.agent,
                    verdict=None,
                    again=True,
                ),
            )
            return
        request_id = self.ledger.ask(
            call, "doubt", verdict=None, metadata={"executed_input": doubt.executed_input}
        )
        self._pause(event, request_id)

    def _hears_replies(self, call: ProposedCall) -> bool:
        """Whether a result may ask for approval: only of tools, never the text of a delegate's model."""
        return self.policy.tool_approvals and call.facts.kind in ("local", "mcp")

    @staticmethod
    def _seal(event: BeforeToolCallEvent, sealed: Sealed) -> None:
        # A new dict: changing the old one in place would rewrite the model's own words in history.
        given = copy.deepcopy(sealed.executed_input)
        event.tool_use = {**event.tool_use, "name": sealed.call.tool, "input": given}
        event.selected_tool = sealed

    @staticmethod
    def _pause(event: BeforeToolCallEvent, request_id: str) -> None:
        # The request id is the interrupt's name, so a model that reuses a tool call id cannot make an
        # old interrupt answer for a new call.
        event.interrupt(request_id, reason={"request": request_id})

    def _after_call(self, event: AfterToolCallEvent) -> None:
        sealed = event.selected_tool if isinstance(event.selected_tool, Sealed) else None
        event.retry = False  # a call runs once, whatever another hook would like
        call = sealed.call if sealed is not None else self._call(event.agent, event.tool_use)
        result = fitted(well_formed(event.result, call.tool_call_id))
        ran = isinstance(event.selected_tool, Told) or (sealed is not None and sealed.ran)
        edit = self.ledger.edit_of(call) if ran else None
        if edit is not None:
            result = with_note(result, edit_note(edit.shown_input, edit.executed_input))
        event.result = result  # type: ignore[assignment]
        self.ledger.told(
            call,
            result,
            executed_input=sealed.executed_input if sealed is not None and sealed.ran else None,
            edited=edit is not None,
            seconds=event.duration,
        )

    def _after_batch(self, event: AfterToolsEvent) -> None:
        """Put results into the order of the calls, and hear of those that came without a hook of ours.

        After a resume results come as they complete. A tool name that strands would not run and a batch that
        was cancelled before it began give results that no ``AfterToolCallEvent`` tells of.
        """
        content = event.message["content"]
        uses = [block["toolUse"] for block in event.agent.messages[-1]["content"] if "toolUse" in block]
        order = {use["toolUseId"]: index for index, use in enumerate(uses)}
        content.sort(
            key=lambda block: order.get(block.get("toolResult", {}).get("toolUseId", ""), len(order))
        )
        stopped = event.agent.cancel_signal.is_set()
        for block in content:
            index = order.get(block.get("toolResult", {}).get("toolUseId", ""))
            if index is not None:
                call = self._call(event.agent, uses[index])
                result: Any = self.ledger.unseen(call, dict(block["toolResult"]), stopped=stopped)
                block["toolResult"] = result


def _would_run(standing: Standing) -> bool:
    match standing:
        case Fresh() | Suspended():
            return True
        case Ruled(kind="question"):
            return False
        case Ruled(decision="approved" | "answered" | "run_again"):
            return True
        case _:
            return False


def _chosen(event: BeforeToolCallEvent) -> AgentTool | None:
    """Return the tool that would run: a hook may have chosen another one, or written another name."""
    registry = event.agent.tool_registry.registry
    proposed = next(
        block["toolUse"]["name"]
        for block in event.agent.messages[-1]["content"]
        if block.get("toolUse", {}).get("toolUseId") == event.tool_use["toolUseId"]
    )
    untouched = event.selected_tool is registry.get(proposed)
    return registry.get(event.tool_use["name"]) if untouched else event.selected_tool


def _stay(event: AfterInvocationEvent) -> None:
    """Keep an agent that waits, or was stopped, from being sent back: it would ask the same again, or go on."""
    if event.result is not None and event.result.stop_reason in ("interrupt", "cancelled"):
        event.resume = None


def _json_schema(spec: Any) -> dict[str, Any] | None:
    if not spec:
        return None
    schema = spec["inputSchema"]
    return dict(schema.get("json", schema))
