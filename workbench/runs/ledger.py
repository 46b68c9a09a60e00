"""The gate's ledger over the store, for one run.

What the model proposes is buffered and goes into the next transaction that matters: the one that starts
a call, or the one that pauses the run. Until then nothing has happened that could be lost.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from workbench.agents.approval_reply import ApprovalReply
from workbench.agents.ports import (
    Edit,
    Finished,
    GrantWithdrawn,
    ProposedCall,
    Standing,
    StartRefused,
    Stopped,
    seat_of,
)
from workbench.agents.results import error_result, result_text
from workbench.policy import Grant, RequestKind, Verdict, digest, whole_tool
from workbench.policy.notes import CANCELLED, UNKNOWN_CALL
from workbench.runs import agui
from workbench.runs.eventlog import EventLog
from workbench.runs.history import History
from workbench.runs.interrupts import request_raised
from workbench.runs.permits import Permits
from workbench.runs.retelling import torn
from workbench.runs.standings import LOST, Standings
from workbench.runs.terms import Terms
from workbench.store import (
    CallAlreadyFinished,
    CallInDoubt,
    DatabaseProblem,
    GrantGone,
    LeaseLost,
    NewCall,
    NewRequest,
    Run,
    Store,
    new_id,
)


@dataclass
class RunLedger:
    """Journals the calls of one run and collects the requests it raises.

    Args:
        run: the run, which is working and whose lease this process holds.
        token: the fencing token of that lease; every commit checks it in its own transaction.
        config_name: which config the grants belong to.
        terms: what the door it came through brings along.
    """

    store: Store
    run: Run
    token: int
    config_name: str
    log: EventLog
    terms: Terms
    histories: list[History] = field(default_factory=list)
    """The messages of every agent at work, of which each transaction stores what is new."""
    requests: list[NewRequest] = field(default_factory=list)
    told_ids: set[tuple[str, str]] = field(default_factory=set)
    """Seat and tool call id of every call whose result was announced in this run."""
    broken: Exception | None = None
    """Why nothing can be stored any more: the lease is lost, or the database fails."""
    running: set[str] = field(default_factory=set)
    """Keys of the calls that were started here and have not ended."""
    stopping: bool = False
    """Whether the person stopped the run; every commit looks."""
    on_stop: Callable[[], None] = field(default=lambda: None)
    """Called once, when a commit finds that out."""
    _proposed: dict[str, ProposedCall] = field(default_factory=dict)
    _verdicts: dict[str, Verdict] = field(default_factory=dict)
    _suspended: dict[str, str] = field(default_factory=dict)
    _cancelled: set[str] = field(default_factory=set)
    _standings: Standings = field(init=False)

    def __post_init__(self) -> None:
        self._standings = Standings(self.store)
        self.permits = Permits(self.store, self.config_name, self.run.conversation_id, self.terms)

    def go_on_at(self, seats: frozenset[str]) -> None:
        """Go on with these delegations from their last pause, although a crash tore them since."""
        self._standings.whole = seats

    @property
    def remembers(self) -> bool:
        """Whether wider scopes than ``once`` may be offered."""
        return self.terms.remembers

    # -- what is known of a call ------------------------------------------------------------

    def propose(self, calls: Sequence[ProposedCall]) -> None:
        """Journal calls the model proposed, in the next transaction."""
        for call in calls:
            self._proposed[call.key] = call

    def standing(self, call: ProposedCall) -> Standing:
        """Say what the journal and the requests know of a call."""
        standing = self._standings.of(call.key)
        if self._standings.is_journalled(call.key):
            self._proposed.pop(call.key, None)
        return standing

    def edit_of(self, call: ProposedCall) -> Edit | None:
        """Say how a person edited a call whose standing was asked for."""
        return self._standings.edits.get(call.key)

    def interrupt_answers(self, call: ProposedCall) -> Mapping[str, Any]:
        """Return what was answered to the tool's own interrupts so far, by strands' ids."""
        return self._standings.interrupt_answers(call.key)

    def grants(self, agent: str) -> Sequence[Grant]:
        """Return the live permissions of an agent in this conversation."""
        return self.permits.of(agent)

    # -- what is decided of a call ----------------------------------------------------------

    def judged(self, call: ProposedCall, verdict: Verdict) -> None:
        """Record the verdict on a call; a grant's is also how the call was decided."""
        self._verdicts.pop(call.key, None)
        self._standings.marks.pop(call.key, None)
        if verdict.outcome == "run":
            self._verdicts[call.key] = verdict
        if verdict.because == "grant":
            self._standings.permitted(
                call.key,
                self.permits.stored(verdict.grant_id),
                self.permits.client_scope(verdict.grant_id),
            )
        self.log.add(
            agui.custom(
                agui.CALL,
                {
                    "key": call.key,
                    "toolCallId": call.tool_call_id,
                    "seat": call.place.seat,
                    "agent": call.agent,
                    "agentPath": list(call.place.path),
                    "tool": call.tool,
                    "verdict": verdict.to_dict(),
                },
            )
        )

    def ask(
        self,
        call: ProposedCall,
        kind: RequestKind,
        *,
        verdict: Verdict | None,
        message: str = "",
        response_schema: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        reply: ApprovalReply | None = None,
    ) -> str:
        """Collect a request; the pause stores it."""
        request_id = new_id()
        # A call that has begun is shown as it runs, not as it was proposed.
        shown = dict((metadata or {}).get("executed_input", call.input))
        attempt = {"attempt": self._standings.attempts(call.key)} if kind == "doubt" else {}
        if kind == "doubt" and call.facts.kind == "delegate":
            message = torn(self.store, self.run.turn_id, call.tool, seat_of(call.key))
        expires_at = None
        if verdict is not None and verdict.ttl_seconds is not None and kind == "approval":
            expires_at = self.store.now() + timedelta(seconds=verdict.ttl_seconds)
        subject = verdict.subject if verdict else whole_tool(call.tool)
        scopes = verdict.scopes if verdict else ("once",)
        service: dict[str, Any] = {}
        if reply is not None:
            subject, scopes, expires_at = reply.subject, reply.scopes, reply.expires_at
            service = {"request": reply.request, "warnings": list(reply.warnings)}
        self.requests.append(
            NewRequest(
                id=request_id,
                conversation_id=self.run.conversation_id,
                run_id=self.run.id,
                turn_id=self.run.turn_id,
                pause_id=self.run.id,
                config_version_id=self.run.config_version_id,
                kind=kind,
                agent=call.agent,
                agent_path=list(call.place.path),
                tool=call.tool,
                tool_call_id=call.tool_call_id,
                call_key=call.key,
                input=shown,
                digest=digest(shown),
                message=message,
                description=call.description,
                input_schema=dict(call.input_schema) if call.input_schema else None,
                response_schema=dict(response_schema) if response_schema else None,
                verdict=verdict.to_dict() if verdict else None,
                subject_key=subject.key,
                subject_label=subject.label,
                scopes=list(scopes) or ["once"],
                expires_at=expires_at,
                metadata={
                    **(metadata or {}),
                    **service,
                    **attempt,
                    **({"door": "agui"} if self.terms.door == "agui" else {}),
                    "seat": call.place.seat,
                    "seats": [*call.place.above, call.place.seat],
                },
            )
        )
        return request_id

    # -- what is committed of a call --------------------------------------------------------

    def start(
        self, call: ProposedCall, executed_input: dict[str, Any], *, grant_id: str | None, again: bool
    ) -> None:
        """Commit that the call starts; see :class:`workbench.agents.ports.Ledger`."""
        try:
            with self.commit():
                if self.stopping:
                    raise Stopped
                if again:
                    self.store.journal.attempt_ended(call.key, LOST)
                self.store.journal.start(
                    call.key,
                    executed_input=executed_input,
                    digest=digest(executed_input),
                    grant_id=self.permits.stored(grant_id),
                )
        except GrantGone:
            raise GrantWithdrawn from None
        except CallAlreadyFinished as done:
            raise StartRefused(Finished(done.call.result)) from None
        except CallInDoubt as doubt:
            raise StartRefused(self._standings.doubtful(doubt.call)) from None
        self.running.add(call.key)

    def suspended(self, call: ProposedCall, why: str) -> None:
        """Commit that an attempt ended without a result and without doubt.

        A delegate's is committed with the pause, which keeps where it was: until then a crash would tear it.
        """
        self.running.discard(call.key)
        if call.facts.kind == "delegate":
            self._suspended[call.key] = why
            return
        with self.commit():
            self.store.journal.attempt_ended(call.key, why)

    def finish(self, call: ProposedCall, result: Mapping[str, Any]) -> None:
        """Commit a result, before the model sees it."""
        with self.commit():
            self.store.journal.finish(
                call.key, dict(result), "error" if result.get("status") == "error" else "success"
            )
        self.running.discard(call.key)

    def answered(self, call: ProposedCall, result: Mapping[str, Any]) -> None:
        """Commit the answer to a question as its call's result."""
        with self.commit():
            self.store.journal.answered(call.key, dict(result))

    def wait(self) -> None:
        """Note in the journal and the log what waits on each collected request, in the running transaction."""
        for key, why in self._suspended.items():
            self.store.journal.attempt_ended(key, why)
        for request in self.requests:
            if request.kind == "doubt":
                self.store.journal.doubt(request.call_key, request.id)
            elif not (request.metadata.get("hook") and self._standings.is_under_way(request.call_key)):
                self.store.journal.wait(request.call_key, request.id, request.verdict)
            self.log.add(request_raised(request))

    def cancel(self, call: ProposedCall, note: str) -> None:
        """Commit that a call was stopped before it started, approved or not."""
        self._cancelled.add(call.key)
        with self.commit():
            self.store.journal.close(call.key, note)
            about = self.store.requests.about_call(call.key)
            self.store.requests.mark_not_run([request.id for request in about], note)

    def close(self, call: ProposedCall, note: str) -> None:
        """Commit that a call ends without running."""
        with self.commit():
            self.store.journal.close(call.key, note)

    def told(
        self,
        call: ProposedCall,
        result: Mapping[str, Any],
        *,
        executed_input: dict[str, Any] | None,
        edited: bool,
        seconds: float | None,
    ) -> None:
        """Announce the result that the model is about to read."""
        self.told_ids.add((call.place.seat, call.tool_call_id))
        content = result_text(result)
        metadata: dict[str, Any] = {"key": call.key, "status": result.get("status", "success")}
        mark = self._standings.marks.get(call.key)
        if mark is not None:
            metadata["approval"] = mark.to_dict()
            metadata |= {"notRun": True} if call.key in self._cancelled else {}
        if edited and executed_input is not None:
            metadata["executedInput"] = executed_input
        if seconds is not None:
            metadata["seconds"] = round(seconds, 4)
        self.log.add(
            agui.call_result(call.place.seat, uuid.uuid4().hex, call.tool_call_id, content, metadata)
        )

    def unseen(self, call: ProposedCall, result: dict[str, Any], *, stopped: bool) -> dict[str, Any]:
        """Commit and announce a result that came without the call having run, unless it was announced before."""
        if (call.place.seat, call.tool_call_id) in self.told_ids:
            return result
        record = self.store.journal.get(call.key)
        state = record.state if record is not None else "proposed"
        if state in ("finished", "closed"):
            return result
        if state == "started" and call.facts.kind != "delegate":
            result = error_result(call.tool_call_id, UNKNOWN_CALL)
        elif stopped:
            result = error_result(call.tool_call_id, CANCELLED)
        if state == "started":
            self.close(call, result_text(result))
        else:
            self.cancel(call, result_text(result))
        self.told(call, result, executed_input=None, edited=False, seconds=None)
        return result

    @contextmanager
    def commit(self) -> Iterator[None]:
        """One durable transaction of this run, with everything that was buffered before it.

        Raises:
            LeaseLost: another process took the conversation over; nothing is stored.
        """
        buffered = dict(self._proposed), dict(self._verdicts), self.log.mark()
        marks = [(history, history.mark()) for history in self.histories]
        was_stopping = self.stopping
        try:
            with self.store.transaction(durable=True):
                asked = self.store.leases.check(self.run.conversation_id, self.token, self.run.id)
                self.stopping = self.stopping or asked
                for history in self.histories:
                    history.save(self.store, self.run.conversation_id)
                if self._proposed:
                    self.store.journal.propose([self._row(call) for call in self._proposed.values()])
                    self._proposed = {}
                for key, verdict in self._verdicts.items():
                    self.store.journal.allow(
                        key, verdict.to_dict(), grant_id=self.permits.stored(verdict.grant_id)
                    )
                self._verdicts = {}
                yield
                self.log.flush()
        except BaseException as error:
            self._proposed, self._verdicts, log = buffered
            self.log.reset(log)
            for history, mark in marks:
                history.reset(mark)
            if isinstance(error, (LeaseLost, DatabaseProblem)):
                self.broken = error
            raise
        finally:
            if self.stopping and not was_stopping:
                self.on_stop()

    def _row(self, call: ProposedCall) -> NewCall:
        return NewCall(
            key=call.key,
            conversation_id=self.run.conversation_id,
            run_id=self.run.id,
            turn_id=self.run.turn_id,
            config_version_id=self.run.config_version_id,
            agent=call.agent,
            agent_path=list(call.place.path),
            seats=call.place.seats,
            tool=call.tool,
            kind=call.facts.kind,
            tool_call_id=call.tool_call_id,
            input=call.input,
            digest=call.digest,
        )
