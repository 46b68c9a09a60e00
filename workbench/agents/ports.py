"""What a built agent needs from the outside: a ledger of its calls.

The gate knows no database. It asks and tells a :class:`Ledger`, which ``workbench.runs`` implements over
the store; tests implement it in memory.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from workbench.agents.approval_reply import ApprovalReply
from workbench.policy import Decision, Grant, RequestKind, Scope, ToolFacts, Verdict

_SEATS = uuid.UUID("6f0c3c0e-6c5e-5f0a-9d3e-2b1f3a7c8d90")


@dataclass(frozen=True)
class Place:
    """Where an agent object stands in a run.

    Attributes:
        path: who asks, from the entry down: agents and orchestrations by their names in the config.
        seat: the delegation it works in (AG-UI's ``subagentRunId``); empty outside of any.
        above: the delegations that this one is part of, the outermost first.
    """

    conversation_id: str
    path: tuple[str, ...]
    seat: str = ""
    above: tuple[str, ...] = ()

    def beside(self, path: tuple[str, ...]) -> Place:
        """Return another place of the same delegation."""
        return replace(self, path=path)

    def below(self, path: tuple[str, ...], seat: str) -> Place:
        """Return the place of a delegation that begins here."""
        return Place(self.conversation_id, path, seat, tuple(self.seats))

    @property
    def seats(self) -> list[str]:
        """The delegations that this place is inside of, the outermost first."""
        return [*self.above, self.seat] if self.seat else list(self.above)

    def call_key(self, tracking_id: str, tool_call_id: str) -> str:
        """Name a call for ever, by the message that proposed it."""
        return ":".join([self.conversation_id, "/".join(self.path), tracking_id, tool_call_id])


def seat_of(call_key: str) -> str:
    """Return the seat of the delegation that a call to a delegate makes: the same in every run and process."""
    return str(uuid.uuid5(_SEATS, call_key))


@dataclass(frozen=True)
class ProposedCall:
    """A tool call as the model proposed it, after every hook of the config had its say."""

    key: str
    """Names the call for ever: conversation, agent path, message and tool call id."""
    agent: str
    place: Place
    tool: str
    facts: ToolFacts
    tool_call_id: str
    input: dict[str, Any]
    digest: str
    description: str = ""
    input_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Fresh:
    """Nobody was asked about this call and it has not run."""


@dataclass(frozen=True)
class Waiting:
    """A request for this call is still open."""

    request_id: str


@dataclass(frozen=True)
class Ruled:
    """A request for this call was decided."""

    request_id: str
    kind: RequestKind
    tool: str
    decision: Decision
    shown_input: dict[str, Any]
    executed_input: dict[str, Any] | None
    """What may run: the shown input or the validated edit; None when nothing may."""
    note: str
    """What the model reads when the call does not run."""
    value: Any
    """The answer to a question or to a tool's own interrupt."""
    text: str = ""
    """What the model reads of the answer to a question."""
    once_more: bool = False
    """The tool asked for approval itself and got it: it is called once more, and only once."""


@dataclass(frozen=True)
class Suspended:
    """A delegate's call: it was let run and has begun, and what it delegated paused."""

    executed_input: dict[str, Any]
    torn: bool = False
    """A crash tore it after that pause, and it goes on from there."""


@dataclass(frozen=True)
class Finished:
    """The call ran and its result is in the journal."""

    result: dict[str, Any]


@dataclass(frozen=True)
class Doubtful:
    """The call was started and nobody knows whether it happened."""

    executed_input: dict[str, Any]
    lost: int = 0
    """How often it was run again already because an attempt's outcome was lost."""


@dataclass(frozen=True)
class Closed:
    """The call was closed with a note and must not run."""

    note: str


Standing = Fresh | Waiting | Ruled | Suspended | Finished | Doubtful | Closed


@dataclass(frozen=True)
class Edit:
    """What a person made of a call's input before approving it."""

    shown_input: dict[str, Any]
    executed_input: dict[str, Any]


@dataclass(frozen=True)
class ApprovalMark:
    """How a gated call was decided, as it rides on the call's result (``metadata.approval``)."""

    decision: Decision
    by: Literal["person", "permission", "deadline"]
    who: str = ""
    scope: Scope | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form; empty fields are left out."""
        mark: dict[str, Any] = {"decision": self.decision, "by": self.by}
        if self.who:
            mark["who"] = self.who
        if self.scope:
            mark["scope"] = self.scope
        if self.reason:
            mark["reason"] = self.reason
        return mark


class GrantWithdrawn(Exception):
    """The permission that let this call run is gone: it must ask after all."""


class Stopped(Exception):
    """The person stopped the run: nothing more may start."""


class StartRefused(Exception):
    """The call may not start: it already finished, or an earlier start is in doubt."""

    def __init__(self, standing: Finished | Doubtful) -> None:
        super().__init__(f"the call may not start again: {standing!r}")
        self.standing = standing


class Ledger(Protocol):
    """Where calls are journalled and requests raised."""

    @property
    def remembers(self) -> bool:
        """Whether wider scopes than ``once`` may be offered."""

    def propose(self, calls: Sequence[ProposedCall]) -> None:
        """Journal calls the model proposed; a call already there is left as it is."""

    def standing(self, call: ProposedCall) -> Standing:
        """Say what is already known of a call."""

    def edit_of(self, call: ProposedCall) -> Edit | None:
        """Say how a person edited a call whose standing was asked for."""

    def interrupt_answers(self, call: ProposedCall) -> Mapping[str, Any]:
        """Return what was answered to the tool's own interrupts so far, by strands' ids."""

    def grants(self, agent: str) -> Sequence[Grant]:
        """Return the live permissions of an agent in this conversation."""

    def judged(self, call: ProposedCall, verdict: Verdict) -> None:
        """Record the verdict on a call."""

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
        """Raise a request for a call and return its id; it is stored when the run pauses.

        ``reply`` is what a tool said that asks for its own approval.
        """

    def start(
        self, call: ProposedCall, executed_input: dict[str, Any], *, grant_id: str | None, again: bool
    ) -> None:
        """Commit that the call starts, using up its grant in the same transaction.

        ``again`` starts a call whose earlier start is in doubt.

        Raises:
            GrantWithdrawn: the grant is gone by now.
            Stopped: the person stopped the run.
            StartRefused: the call finished, or is in doubt and ``again`` is False.
        """

    def suspended(self, call: ProposedCall, why: str) -> None:
        """Commit that this attempt ended without doubt and without a result."""

    def finish(self, call: ProposedCall, result: Mapping[str, Any]) -> None:
        """Commit the result of a call, before the model sees it."""

    def answered(self, call: ProposedCall, result: Mapping[str, Any]) -> None:
        """Commit a person's answer as the result of a client tool's call."""

    def cancel(self, call: ProposedCall, note: str) -> None:
        """Commit that a call was stopped before it started, approved or not."""

    def close(self, call: ProposedCall, note: str) -> None:
        """Commit that the call ends without running."""

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

    def unseen(self, call: ProposedCall, result: dict[str, Any], *, stopped: bool) -> dict[str, Any]:
        """Commit and announce a result that came without the call having run, unless it was announced before.

        Args:
            stopped: the batch was cancelled before the call could start.

        Returns:
            What the model reads.
        """
