"""The rows of the store as values: frozen, JSON decoded, times as ISO text in UTC (`clock.as_time` reads them)."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from workbench.policy.vocabulary import Decision, RequestKind, Scope, ToolKind
from workbench.store.clock import new_id
from workbench.store.stored import Stored

Door: TypeAlias = Literal["app", "notebook", "agui", "invoke"]
"""Where somebody came in."""

RunKind: TypeAlias = Literal["message", "resume", "retry", "recover", "stop"]
"""What a run starts from: a person's message, the answers to a pause, another try after a failure, a crash of the
process that drove it, or Stop pressed while it waited."""

RunStatus: TypeAlias = Literal["queued", "working", "paused", "done", "failed", "cancelled"]

CallState: TypeAlias = Literal["proposed", "allowed", "waiting", "started", "finished", "closed"]
"""Where a call stands.

- `proposed`: the model asked for it, nothing is decided.
- `allowed`: a verdict or an answer lets it run.
- `waiting`: a request about it is open, or was answered and the call has not gone on yet.
- `started`: its tool may have done something; a crash here leaves a doubt.
- `finished`: it has its result.
- `closed`: it does not run (any more); the model reads the note.
"""

ResultStatus: TypeAlias = Literal["success", "error"]


@dataclass(frozen=True, slots=True)
class ConfigVersion(Stored):
    """One immutable, validated text of a config, with the variables it was resolved with (secrets aside)."""

    id: int
    file: str
    number: int
    """Counts from 1 for each file."""
    name: str
    folder: str
    entry: str
    text: str
    variables: dict[str, Any]
    sha256: str
    by: str
    based_on: int | None
    created_at: str


@dataclass(frozen=True, slots=True)
class ConfigDraft:
    """A text of a config that is not applied yet: it loosens the policy, or somebody is still writing it."""

    file: str
    text: str
    by: str
    reason: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, living or deleted."""

    id: str
    title: str
    config_file: str
    entry: str
    door: Door
    created_at: str
    updated_at: str
    deleted_at: str | None
    generation: int
    last_message_seq: int
    """Position of the last message of this generation; 0 when there is none."""
    last_event_seq: int


@dataclass(frozen=True, slots=True)
class Run(Stored):
    """One stretch of work: from an input to a finish, a pause, a failure or a cancel."""

    id: str
    conversation_id: str
    turn_id: str
    number: int
    """Counts from 1 in each conversation."""
    config_version_id: int
    kind: RunKind
    input: dict[str, Any]
    status: RunStatus
    error: dict[str, Any] | None
    usage: dict[str, Any] | None
    model_ms: int | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    cancel_requested: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """A run and the token of the lease it is driven under."""

    run: Run
    token: int


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a conversation, as it was appended."""

    seq: int
    run_id: str
    type: str
    data: dict[str, Any]
    at: str


@dataclass(frozen=True, slots=True)
class Checkpoint(Stored):
    """What lets any process continue a run, besides the messages, which it refers to."""

    run_id: str
    conversation_id: str
    format: int
    generation: int
    last_message_seq: int
    data: dict[str, Any]
    created_at: str


@dataclass(frozen=True, slots=True)
class NewRequest:
    """A request about to be opened."""

    conversation_id: str
    run_id: str
    turn_id: str
    pause_id: str
    """The run that pauses on it."""
    config_version_id: int
    kind: RequestKind
    agent: str
    agent_path: list[str]
    tool: str
    tool_call_id: str
    call_key: str
    input: dict[str, Any]
    digest: str
    message: str = ""
    description: str = ""
    input_schema: dict[str, Any] | None = None
    response_schema: dict[str, Any] | None = None
    verdict: dict[str, Any] | None = None
    subject_key: str = ""
    subject_label: str = ""
    scopes: list[Scope] = field(default_factory=list)
    expires_at: datetime | str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Request(Stored):
    """What a pause waits on, and once decided, what was decided."""

    id: str
    conversation_id: str
    run_id: str
    turn_id: str
    pause_id: str
    config_version_id: int
    kind: RequestKind
    agent: str
    agent_path: list[str]
    tool: str
    tool_call_id: str
    call_key: str
    input: dict[str, Any]
    digest: str
    message: str
    description: str
    input_schema: dict[str, Any] | None
    response_schema: dict[str, Any] | None
    verdict: dict[str, Any] | None
    subject_key: str
    subject_label: str
    scopes: list[Scope]
    expires_at: str | None
    status: Literal["open", "decided"]
    decision: Decision | None
    scope: Scope | None
    reason: str | None
    answer: dict[str, Any] | None
    """What the person said; None while open, and when the request was closed without being asked."""
    executed_input: dict[str, Any] | None
    edited: bool
    note: str | None
    not_run: bool
    """Approved, but the person moved on before the call ran."""
    by: str | None
    via: Door | None
    created_at: str
    decided_at: str | None
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DecisionRecord(Stored):
    """One recorded decision, with its own copy of what it was about: it outlives its conversation."""

    id: int
    request_id: str
    conversation_id: str
    conversation_title: str
    run_id: str
    turn_id: str
    call_key: str
    config_name: str | None
    config_number: int | None
    config_version_id: int
    kind: RequestKind
    agent: str
    agent_path: list[str]
    tool: str
    tool_call_id: str
    input: dict[str, Any]
    message: str
    description: str
    verdict: dict[str, Any] | None
    subject_key: str
    subject_label: str
    scopes: list[Scope]
    asked_at: str
    expires_at: str | None
    decision: Decision
    scope: Scope | None
    reason: str | None
    answer: dict[str, Any] | None
    executed_input: dict[str, Any] | None
    edited: bool
    note: str | None
    by: str
    via: Door
    decided_at: str
    not_run: str | None
    """Why an approved call did not run after all; None when nothing of the kind was recorded."""


@dataclass(frozen=True, slots=True)
class NewCall:
    """A call the model proposes."""

    key: str
    """Conversation, agent path, the message's tracking id and the tool use id, joined by colons."""
    conversation_id: str
    run_id: str
    turn_id: str
    config_version_id: int
    agent: str
    agent_path: list[str]
    tool: str
    kind: ToolKind
    tool_call_id: str
    input: dict[str, Any]
    digest: str
    seats: list[str] = field(default_factory=list)
    """The delegations it is made in, the outermost first; empty outside of any."""


@dataclass(frozen=True, slots=True)
class CallRecord(Stored):
    """One tool call, from its proposal to its result."""

    key: str
    conversation_id: str
    run_id: str
    turn_id: str
    config_version_id: int
    agent: str
    agent_path: list[str]
    tool: str
    kind: ToolKind
    tool_call_id: str
    input: dict[str, Any]
    digest: str
    state: CallState
    verdict: dict[str, Any] | None
    by: str | None
    request_id: str | None
    grant_id: str | None
    executed_input: dict[str, Any] | None
    executed_digest: str | None
    result: Any
    """JSON null and no result yet are both None: `state` tells them apart."""
    result_status: ResultStatus | None
    note: str | None
    attempts: int
    proposed_at: str
    started_at: str | None
    finished_at: str | None
    seats: list[str]

    @property
    def seat(self) -> str:
        """The delegation it was made in; empty outside of any."""
        return self.seats[-1] if self.seats else ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One time a call's tool was started."""

    call_key: str
    number: int
    started_at: str
    ended_at: str | None
    why: str | None
    """How it ended: `finished`, or what `attempt_ended` or `close` was told."""


@dataclass(frozen=True, slots=True)
class GrantRecord(Stored):
    """A remembered permission: tool, subject and scope, bound to a config and an agent."""

    id: str
    config_name: str
    agent: str
    tool: str
    subject_key: str
    subject_label: str
    scope: Scope
    conversation_id: str | None
    request_id: str | None
    by: str
    via: Door
    created_at: str
    last_used_at: str | None
    uses: int
    max_uses: int | None
    expires_at: str | None
    revoked_at: str | None
    revoked_by: str | None
    holder: str | None
    """The process that it ends with; None for one that outlives every process."""
