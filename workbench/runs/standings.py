"""What the store knows of a call: where it stands, how it was decided and edited, what its tool was answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.agents.ports import (
    ApprovalMark,
    Closed,
    Doubtful,
    Edit,
    Finished,
    Fresh,
    Ruled,
    Standing,
    Suspended,
    Waiting,
    seat_of,
)
from workbench.policy import Scope, answer_from_dict
from workbench.policy.answer import Answered, Happened
from workbench.runs.answer_words import model_reads
from workbench.store import CallRecord, Request, Store

LOST = "its outcome was lost, and it runs again"
"""Why an attempt ended whose end nobody saw."""


@dataclass
class Standings:
    """Reads the standing of the calls of one run off the journal and the requests."""

    store: Store
    marks: dict[str, ApprovalMark] = field(default_factory=dict)
    """How each call was decided, by its key; known once its standing was asked for."""
    edits: dict[str, Edit] = field(default_factory=dict)
    """How a person edited each call, likewise."""
    whole: frozenset[str] = frozenset()
    """The seats of delegations that a crash tore and that go on from their last pause all the same."""
    _journalled: set[str] = field(default_factory=set)
    _about: dict[str, list[Request]] = field(default_factory=dict)
    """Every request about a call whose standing was asked for; none is answered while the run works."""

    def of(self, key: str) -> Standing:
        """Say where a call stands."""
        record = self.store.journal.get(key)
        if record is not None:
            self._journalled.add(key)
        about = self._about[key] = self.store.requests.about_call(key)
        # What a hook asked has nothing to do with whether the call may run.
        requests = [one for one in about if not _answers_a_hook(one)]
        request = requests[-1] if requests else None
        if record is not None and record.grant_id is not None:
            self.permitted(key, record.grant_id)
        self._note_decisions(key, requests)
        if record is not None and record.state == "finished":
            return Finished(record.result)
        if record is not None and record.state == "closed":
            return Closed(record.note or "Not run")
        if request is not None and request.status == "open":
            return Waiting(request.id)
        if record is not None and record.state == "started" and seat_of(key) in self.whole:
            return Suspended(
                record.input if record.executed_input is None else record.executed_input, torn=True
            )
        if record is not None and record.state == "started":
            # A doubt is about one attempt; its answer does not settle a later one.
            settled = request is not None and request.metadata.get("attempt") == record.attempts
            if request is None or request.kind != "doubt" or not settled:
                return self.doubtful(record)
            return _ruled(self.store, request, requests)
        if record is not None and record.kind == "delegate" and record.attempts:
            # What let it begin is settled; asking or counting a permission again would be for the same call.
            return Suspended(record.input if record.executed_input is None else record.executed_input)
        return Fresh() if request is None else _ruled(self.store, request, requests)

    def permitted(self, key: str, grant_id: str | None, scope: Scope | None = None) -> None:
        """Note that a permission lets a call run: one of the store's, or a client's of this scope."""
        grant = self.store.grants.get(grant_id) if grant_id else None
        self.marks[key] = ApprovalMark(
            "approved", "permission", who=grant.by if grant else "", scope=grant.scope if grant else scope
        )

    def doubtful(self, record: CallRecord) -> Doubtful:
        """Say what is in doubt of a call that was started and has not ended."""
        given = record.input if record.executed_input is None else record.executed_input
        lost = [attempt for attempt in self.store.journal.attempts(record.key) if attempt.why == LOST]
        return Doubtful(given, len(lost))

    def attempts(self, key: str) -> int:
        """Return how often a call was started."""
        record = self.store.journal.get(key)
        return record.attempts if record is not None else 0

    def is_under_way(self, key: str) -> bool:
        """Whether a call was started, or has ended: then nothing new can make it wait."""
        record = self.store.journal.get(key)
        return record is not None and record.state in ("started", "finished", "closed")

    def is_journalled(self, key: str) -> bool:
        """Whether the journal has a call whose standing was asked for."""
        return key in self._journalled

    def interrupt_answers(self, key: str) -> Mapping[str, Any]:
        """Return what was answered to the tool's own interrupts so far, by strands' ids."""
        about = self._about[key] if key in self._about else self.store.requests.about_call(key)
        return {
            request.metadata["interrupt"]: request.answer["value"]
            for request in about
            if request.kind == "tool_interrupt" and request.decision == "answered" and request.answer
        }

    def _note_decisions(self, key: str, requests: Sequence[Request]) -> None:
        for request in requests:
            if request.decision in (None, "superseded"):
                continue
            if key in self.marks and request.decision in ("answered", "run_again"):
                continue  # what a call was asked in between does not change how it was decided
            self.marks[key] = mark_of(request)
            if request.edited and request.executed_input is not None:
                self.edits[key] = Edit(request.input, request.executed_input)
            elif request.decision == "approved":
                self.edits.pop(key, None)


def _answers_a_hook(request: Request) -> bool:
    return bool(request.metadata.get("hook")) and request.decision == "answered"


def mark_of(request: Request) -> ApprovalMark:
    """Return a decided request's mark on its call's result."""
    assert request.decision is not None
    return ApprovalMark(
        request.decision,
        "deadline" if request.decision == "expired" else "person",
        who=request.by or "",
        scope=request.scope,
        reason=request.reason or "",
    )


def _ruled(store: Store, request: Request, about: Sequence[Request]) -> Ruled:
    assert request.decision is not None
    answer = answer_from_dict(request.answer) if request.answer else None
    is_answered = request.kind == "question" and request.decision == "answered"
    value: Any = None
    match answer:
        case Answered(value=given):
            value = given
        case Happened(result=given):
            value = given
        case _:
            pass
    executed = request.executed_input
    if request.kind in ("tool_interrupt", "doubt"):
        executed = request.metadata.get("executed_input", request.input)
    return Ruled(
        request_id=request.id,
        kind=request.kind,
        tool=request.tool,
        decision=request.decision,
        shown_input=request.input,
        executed_input=executed,
        note=request.note or "",
        value=value,
        text=model_reads(store, request) if is_answered else "",
        once_more=any(one.kind == "tool_approval" and one.decision == "approved" for one in about),
    )
