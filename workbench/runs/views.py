"""What a person is shown of a conversation: plain, immutable values.

The app, the HTTP service and the notebook draw these and nothing else. They are folds over the event
log (:mod:`workbench.runs.transcript`) joined with the rows of requests and calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from workbench.policy import Decision, RequestKind, Scope, Subject, Verdict

CallState = Literal["proposed", "waiting", "running", "finished", "failed", "closed"]
ConversationStatus = Literal["idle", "working", "waiting", "failed"]


@dataclass(frozen=True)
class DecisionLine:
    """How a call or a question was decided, in one line."""

    decision: Decision
    by: Literal["person", "permission", "deadline"]
    who: str
    scope: Scope | None = None
    reason: str = ""
    at: datetime | None = None
    via: str = ""


@dataclass(frozen=True)
class ConfigChange:
    """What the newest config version would say of a request raised under an older one."""

    newest_number: int
    verdict_now: Verdict | None
    """None when the agent or the tool is gone from the newest version."""
    sentence: str


@dataclass(frozen=True)
class FileRow:
    """A file that was given to a card."""

    id: str
    name: str
    type: str
    size: int
    """In bytes."""
    is_text: bool
    sha256: str


@dataclass(frozen=True)
class Card:
    """A request, with all that a person needs to decide it."""

    id: str
    kind: RequestKind
    conversation_id: str
    run_id: str
    agent: str
    agent_title: str
    agent_path: tuple[str, ...]
    tool: str
    tool_title: str
    description: str
    message: str
    input: dict[str, Any]
    """The call as it was shown; of a question what is asked, every key filled."""
    input_schema: dict[str, Any] | None
    response_schema: dict[str, Any] | None
    subject: Subject
    scopes: tuple[Scope, ...]
    verdict: Verdict | None
    because_sentence: str
    rule_line: int | None
    config_number: int
    config_file: str
    created_at: datetime
    expires_at: datetime | None = None
    expired: bool = False
    config_changed: ConfigChange | None = None
    status: Literal["open", "decided"] = "open"
    decision: DecisionLine | None = None
    files: tuple[FileRow, ...] = ()
    """What was given to a card that asks for files; once it is answered, what the answer is made of."""
    answer_text: str = ""
    """What the person answered to a question, in words; empty otherwise."""
    executed_input: dict[str, Any] | None = None
    edited: bool = False
    not_run: bool = False
    """Approved, but the person moved on before it ran."""
    note: str = ""
    """What the model reads when the call did not run."""
    held: DecisionLine | None = None
    """An answer that was given and counts once the host (``on_decision``) has heard all of its pause."""
    notice: str = ""
    """What a person should know before deciding: why the host refused the last set, what a tool's reply lacked."""
    also_shown: dict[str, Any] | None = None
    """The earlier input of this call, when it changed after it was approved."""
    position: tuple[int, int] = (1, 1)
    """Which card of how many in its pause."""
    left: int = 1
    """How many cards of its pause are still open."""


@dataclass(frozen=True)
class TextItem:
    """Prose of an agent."""

    agent: str
    agent_path: tuple[str, ...]
    text: str
    streaming: bool = False
    cut: bool = False
    """The stream ended before the text did (a crash, a stop, a failure of the model)."""
    seat: str = ""
    """The delegation it was said in; empty outside of any."""


@dataclass(frozen=True)
class ReasoningItem:
    """Reasoning a model showed."""

    agent: str
    agent_path: tuple[str, ...]
    text: str
    streaming: bool = False
    seat: str = ""


@dataclass(frozen=True)
class CallItem:
    """One tool call, from the moment the model proposes it until its result."""

    key: str
    agent: str
    agent_path: tuple[str, ...]
    tool: str
    tool_call_id: str
    input: dict[str, Any] | None
    """None while the arguments still stream in."""
    input_text: str
    state: CallState
    verdict: Verdict | None = None
    because_sentence: str = ""
    decision: DecisionLine | None = None
    result_text: str | None = None
    result_size: int = 0
    """Characters of the whole result; ``result_text`` may be its first part."""
    edited: bool = False
    executed_input: dict[str, Any] | None = None
    seconds: float | None = None
    request_id: str | None = None
    card: Card | None = None
    is_question: bool = False
    seat: str = ""
    """The delegation that made the call; empty outside of any."""


Item = TextItem | ReasoningItem | CallItem


@dataclass(frozen=True)
class Usage:
    """Tokens of a run, over every agent in it."""

    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True)
class RunView:
    """One run of the transcript."""

    run_id: str
    turn_id: str
    number: int
    kind: Literal["message", "resume", "retry", "recover", "stop"]
    status: Literal["queued", "working", "paused", "done", "failed", "cancelled"]
    config_number: int
    user_text: str | None
    by: str
    agent: str = ""
    items: tuple[Item, ...] = ()
    usage: Usage | None = None
    seconds: float | None = None
    error: str | None = None
    error_code: str | None = None
    started_at: datetime | None = None
    notices: tuple[str, ...] = ()
    """What a person should know of this run, such as an MCP server that is away."""

    @property
    def finished(self) -> bool:
        """Whether the log of this run will not grow any more."""
        return self.status not in ("queued", "working")


@dataclass(frozen=True)
class ConversationRow:
    """A conversation in a list."""

    id: str
    title: str
    updated_at: datetime
    waiting: int
    working: bool
    config_name: str
    agent_title: str


@dataclass(frozen=True)
class WaitingRow:
    """A request in a list of what waits."""

    request_id: str
    conversation_id: str
    conversation_title: str
    kind: RequestKind
    tool: str
    agent_title: str
    created_at: datetime
    expires_at: datetime | None


@dataclass(frozen=True)
class ConversationPage:
    """The head of a conversation: everything but its transcript."""

    id: str
    title: str
    config_file: str
    config_name: str
    entry: str
    agent_title: str
    status: ConversationStatus
    version_number: int
    """The config version of the latest run; 0 before the first."""
    newest_number: int
    running_run_id: str | None = None
    stopping: bool = False
    open_cards: tuple[Card, ...] = ()
    last_error: str | None = None
    last_event_seq: int = 0


@dataclass(frozen=True)
class GrantRow:
    """A remembered permission in a list."""

    id: str
    agent_title: str
    tool: str
    subject: Subject
    scope: Scope
    conversation_id: str | None
    conversation_title: str
    request_id: str | None
    """The card it came from."""
    by: str
    created_at: datetime
    last_used_at: datetime | None
    uses: int
    max_uses: int | None
    expires_at: datetime | None
    revoked_at: datetime | None

    @property
    def holds(self) -> bool:
        """Whether it was neither taken back nor used up; whether its time is over is for a clock to say."""
        return self.revoked_at is None and (self.max_uses is None or self.uses < self.max_uses)


@dataclass(frozen=True)
class MessageWarning:
    """What sending a message now would close."""

    open_cards: tuple[Card, ...] = ()
    approved_not_run: tuple[Card, ...] = ()


@dataclass(frozen=True)
class EditPreview:
    """What an edited call would be, before it is confirmed."""

    errors: Mapping[str, str]
    """Field path (``items.0.sku``; ``""`` for the whole) to what is wrong with it."""
    changed: tuple[tuple[str, Any, Any], ...]
    """Path, value shown, value as edited."""
    subject: Subject
    subject_changed: bool
    sentence: str


@dataclass(frozen=True)
class AnswerOutcome:
    """What became of an answer."""

    card: Card
    left: int
    """Open requests of the same pause."""
    warnings: tuple[str, ...] = field(default=())
