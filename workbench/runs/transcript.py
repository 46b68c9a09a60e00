"""The transcript: a fold over the event log.

:class:`Transcript` is fed the events of one conversation in order and can be asked for its runs at any
time. A call stands where it was proposed, and what later runs say of it (a result after an approval)
changes it there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any

from workbench.policy import Verdict
from workbench.runs import agui
from workbench.runs.sentences import because_sentence
from workbench.runs.views import CallItem, DecisionLine, Item, ReasoningItem, RunView, TextItem, Usage
from workbench.store import Event, as_time

LONGEST_SHOWN_RESULT = 4_000
"""Characters of a result that the transcript carries; the whole is read on demand."""


_CallName = tuple[str, str]
"""Seat and tool call id."""


@dataclass
class _Run:
    view: RunView
    items: list[Item] = field(default_factory=list)
    started: datetime | None = None


class Transcript:
    """Folds events into runs; feed it each event once, in order."""

    def __init__(self) -> None:
        self.last_seq = 0
        self._runs: dict[str, _Run] = {}
        self._texts: dict[str, tuple[_Run, int]] = {}
        self._calls: dict[_CallName, tuple[_Run, int]] = {}

    def runs(self, after: int = 0) -> list[RunView]:
        """Return the runs so far in order, but for the first ``after`` of them."""
        return [replace(run.view, items=tuple(run.items)) for run in islice(self._runs.values(), after, None)]

    def feed(self, events: Iterable[Event]) -> None:
        """Fold more events in; those already folded are passed over."""
        for event in events:
            if event.seq <= self.last_seq:
                continue
            self.last_seq = event.seq
            self._fold(event.run_id, event.data, as_time(event.at))

    # -- one event --------------------------------------------------------------------------

    def _fold(self, run_id: str, data: dict[str, Any], at: datetime) -> None:
        run = self._runs.get(run_id)
        if run is None:
            run = self._runs[run_id] = _Run(_blank(run_id, len(self._runs) + 1), started=at)
        match data["type"]:
            case "RUN_STARTED":
                self._started(run, data, at)
            case "TEXT_MESSAGE_START":
                path = _path(run, data)
                self._add(
                    run, data["messageId"], TextItem(path[-1], path, "", streaming=True, seat=_seat(data))
                )
            case "REASONING_MESSAGE_START":
                path = _path(run, data)
                self._add(
                    run,
                    data["messageId"],
                    ReasoningItem(path[-1], path, "", streaming=True, seat=_seat(data)),
                )
            case "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT":
                self._grow(data["messageId"], data["delta"])
            case "TEXT_MESSAGE_END" | "REASONING_MESSAGE_END":
                self._close_text(data["messageId"], cut=bool((data.get("metadata") or {}).get("cut")))
            case "TOOL_CALL_START":
                self._call_started(run, data)
            case "TOOL_CALL_ARGS":
                self._change(
                    _call_name(data), lambda call: replace(call, input_text=call.input_text + data["delta"])
                )
            case "TOOL_CALL_END":
                self._change(_call_name(data), _with_input)
            case "TOOL_CALL_RESULT":
                self._result(data)
            case "CUSTOM":
                self._custom(run, data["name"], data["value"], at)
            case "RUN_FINISHED" | "RUN_ERROR":
                self._ended(run, data, at)

    def _started(self, run: _Run, data: dict[str, Any], at: datetime) -> None:
        metadata = data.get("metadata") or {}
        messages = (data.get("input") or {}).get("messages") or []
        run.started = at
        run.view = replace(
            run.view,
            turn_id=metadata.get("turnId", ""),
            kind=metadata.get("kind", "message"),
            by=metadata.get("by", ""),
            status="working",
            user_text=messages[-1]["content"] if messages else None,
            agent=metadata.get("agent", ""),
            started_at=at,
        )

    def _add(self, run: _Run, message_id: str, item: Item) -> None:
        self._texts[message_id] = (run, len(run.items))
        run.items.append(item)

    def _grow(self, message_id: str, delta: str) -> None:
        if message_id in self._texts:
            run, index = self._texts[message_id]
            item = run.items[index]
            if isinstance(item, (TextItem, ReasoningItem)):
                run.items[index] = replace(item, text=item.text + delta)

    def _close_text(self, message_id: str, *, cut: bool) -> None:
        if message_id in self._texts:
            run, index = self._texts.pop(message_id)
            item = run.items[index]
            if isinstance(item, TextItem):
                run.items[index] = replace(item, streaming=False, cut=cut)
            elif isinstance(item, ReasoningItem):
                run.items[index] = replace(item, streaming=False)

    def _call_started(self, run: _Run, data: dict[str, Any]) -> None:
        path = _path(run, data)
        self._calls[_call_name(data)] = (run, len(run.items))
        run.items.append(
            CallItem(
                key="",
                agent=path[-1],
                agent_path=path,
                tool=data["toolCallName"],
                tool_call_id=data["toolCallId"],
                input=None,
                input_text="",
                state="proposed",
                seat=_seat(data),
            )
        )

    def _change(self, name: _CallName, change: Callable[[Any], CallItem]) -> None:
        if name in self._calls:
            run, index = self._calls[name]
            run.items[index] = change(run.items[index])

    def _custom(self, run: _Run, name: str, value: dict[str, Any], at: datetime) -> None:
        call_name = (value.get("seat", ""), value.get("toolCallId", ""))
        if name == agui.NOTICE:
            run.view = replace(run.view, notices=(*run.view.notices, value["sentence"]))
        elif name == agui.CALL:
            verdict = Verdict.from_dict(value["verdict"])
            self._change(
                call_name,
                lambda call: replace(
                    call,
                    key=value["key"],
                    verdict=verdict,
                    because_sentence=because_sentence(verdict),
                    state="running" if verdict.outcome == "run" else call.state,
                ),
            )
        elif name == agui.REQUEST:
            self._change(
                call_name,
                lambda call: replace(
                    call,
                    key=value["key"],
                    state="waiting",
                    request_id=value["requestId"],
                    is_question=value["kind"] == "question",
                ),
            )
        elif name == agui.DECISION:
            line = DecisionLine(
                decision=value["decision"],
                by="deadline" if value["decision"] == "expired" else "person",
                who=value.get("by", ""),
                scope=value.get("scope"),
                reason=value.get("reason", ""),
                at=at,
                via=value.get("via", ""),
            )
            self._change(
                call_name,
                lambda call: replace(
                    call, decision=line, request_id=value["requestId"], edited=bool(value.get("edited"))
                ),
            )

    def _result(self, data: dict[str, Any]) -> None:
        metadata = data.get("metadata") or {}
        content = data["content"] if isinstance(data["content"], str) else json.dumps(data["content"])
        not_run = metadata.get("notRun") or (
            metadata.get("approval", {}).get("decision")
            not in (None, "approved", "answered", "happened", "run_again")
        )

        def change(call: CallItem) -> CallItem:
            failed = metadata.get("status") == "error"
            return replace(
                call,
                key=metadata.get("key") or call.key,
                state="closed" if not_run else "failed" if failed else "finished",
                decision=call.decision or _mark(metadata.get("approval")),
                result_text=content[:LONGEST_SHOWN_RESULT],
                result_size=len(content),
                edited=call.edited or "executedInput" in metadata,
                executed_input=metadata.get("executedInput"),
                seconds=metadata.get("seconds"),
            )

        self._change(_call_name(data), change)

    def _ended(self, run: _Run, data: dict[str, Any], at: datetime) -> None:
        usage = (data.get("usage") or [None])[0]
        outcome = (data.get("outcome") or {}).get("type", "success")
        failed = data["type"] == "RUN_ERROR"
        if failed:
            self._cut_open(run)
        waiting = outcome == "interrupt" or (data.get("outcome") or {}).get("pendingToolCallIds")
        run.view = replace(
            run.view,
            status="failed"
            if failed
            else "cancelled"
            if outcome == "cancelled"
            else "paused"
            if waiting
            else "done",
            usage=Usage(usage.get("inputTokens") or 0, usage.get("outputTokens") or 0) if usage else None,
            seconds=(at - run.started).total_seconds() if run.started else None,
            error=data["message"] if failed else None,
            error_code=data.get("code") if failed else None,
        )

    def _cut_open(self, run: _Run) -> None:
        """A process that died could not close what it was saying."""
        for index, item in enumerate(run.items):
            if isinstance(item, TextItem) and item.streaming:
                run.items[index] = replace(item, streaming=False, cut=True)
            elif isinstance(item, ReasoningItem) and item.streaming:
                run.items[index] = replace(item, streaming=False)


def _seat(data: dict[str, Any]) -> str:
    return data.get("subagentRunId") or ""


def _call_name(data: dict[str, Any]) -> _CallName:
    return _seat(data), data["toolCallId"]


def _path(run: _Run, data: dict[str, Any]) -> tuple[str, ...]:
    """Who speaks: the agent path that the event carries, else the entry agent."""
    path = (data.get("metadata") or {}).get("agentPath")
    return tuple(path) if path else (run.view.agent,)


def _blank(run_id: str, number: int) -> RunView:
    return RunView(
        run_id=run_id,
        turn_id="",
        number=number,
        kind="message",
        status="queued",
        config_number=0,
        user_text=None,
        by="",
    )


def _with_input(call: CallItem) -> CallItem:
    if not call.input_text.strip():
        return replace(call, input={})
    try:
        given = json.loads(call.input_text)
    except ValueError:
        return call
    return replace(call, input=given if isinstance(given, dict) else {"input": given})


def _mark(approval: dict[str, Any] | None) -> DecisionLine | None:
    if approval is None:
        return None
    return DecisionLine(
        decision=approval["decision"],
        by=approval["by"],
        who=approval.get("who", ""),
        scope=approval.get("scope"),
        reason=approval.get("reason", ""),
    )


def fold(events: Sequence[Event]) -> list[RunView]:
    """Fold a whole log at once."""
    transcript = Transcript()
    transcript.feed(events)
    return transcript.runs()
