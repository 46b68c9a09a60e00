"""What goes in and out of the approval service."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias, get_args

Scope: TypeAlias = Literal["once", "thread", "always"]
"""How far an approval reaches: this call, this conversation, every conversation of the person."""

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
"""Every scope, narrowest first."""

Event: TypeAlias = Literal[
    "asked",
    "approved",
    "denied",
    "skipped",
    "expired",
    "repeated",
    "withdrawn",
    "ignored",
    "refused",
    "used",
    "revoked",
]
"""What an audit entry is about.

- `asked`: a call was not covered, and a request was made.
- `approved`, `denied`, `skipped`, `expired`: the first decision about a request, which counts.
- `repeated`: that decision came again; nothing changed.
- `withdrawn`: a later no took away what was left of an approval.
- `ignored`, `refused`: a decision that does not count; the one that refuses does so for its whole set.
- `used`: a call was allowed, by an approval or by a grant.
- `revoked`: a grant was taken back.
"""


@dataclass(frozen=True)
class Action:
    """What one call would do, in the service's own terms. Ids and labels only: all of it is stored and shown."""

    resource: str
    """What the call touches, such as a store's id."""
    subject_key: str
    """What a remembered approval covers; include the resource."""
    subject_label: str
    """The same, for the card."""
    scopes: tuple[Scope, ...] = ("once",)
    """What a person may choose; `once` is always accepted besides."""
    message: str = ""
    """What the card says that the call would do."""
    arguments: Mapping[str, Any] | None = None
    """The arguments in the one form that is compared, where a call can be written in several (with or without its
    defaults, as 12 or as 12.0); `None` compares them as they were sent."""

    def __post_init__(self) -> None:
        if not self.resource or not self.subject_key or not self.subject_label:
            raise ValueError("An action needs a resource, and a subject with a key and a label.")
        strange = [scope for scope in self.scopes if scope not in SCOPES]
        if strange:
            raise ValueError(f"{strange[0]!r} is not a scope; use {', '.join(SCOPES)}.")

    @property
    def offered(self) -> tuple[Scope, ...]:
        """The scopes with `once` among them, narrowest first."""
        return tuple(scope for scope in SCOPES if scope == "once" or scope in self.scopes)


ActionOf: TypeAlias = Callable[[str, Mapping[str, Any]], Action]
"""`(tool, arguments)` -> what that call would do. Raises for a call that makes no sense."""

Permits: TypeAlias = Callable[[str, Action], bool]
"""`(person, action)` -> whether the person has the right to do that at all, by the roles of this moment."""


@dataclass(frozen=True)
class Allowed:
    """The call may run now, once."""

    by: Literal["approval", "grant"]
    """An approval of this very call, which is used up now, or a remembered one."""
    id: str
    """The request's or the grant's."""


@dataclass(frozen=True)
class Asked:
    """The call may not run: a person has to approve it."""

    request: str
    reply: dict[str, Any]
    """What the tool returns, as a normal result: `{"kaboo_approval": {…}}`."""


@dataclass(frozen=True)
class Outcome:
    """What became of one decision."""

    request: str
    status: Literal["taken", "repeated", "withdrawn", "ignored", "refused"]
    """`taken`: it counts. `repeated`: it was taken before, and nothing changed. `withdrawn`: a later no, which took
    away what was left of the approval. `ignored`: nothing changed. `refused`: an approval that can't be honoured,
    so that nothing of its set was taken."""
    why: str = ""
    """Why it does not count, in a sentence."""


@dataclass(frozen=True)
class Grant:
    """A remembered approval."""

    id: str
    request: str
    person: str
    conversation: str | None
    """`None`: every conversation of the person."""
    tool: str
    resource: str
    subject_key: str
    subject_label: str
    scope: Scope
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True)
class AuditEntry:
    """One line of the audit: who, what, which scope, when."""

    number: int
    at: datetime
    event: Event
    request: str
    grant: str | None
    person: str | None
    """Whose call it is; `None` when the request is none of ours."""
    conversation: str | None
    tool: str | None
    subject_key: str | None
    subject_label: str | None
    scope: Scope | None
    by: str | None
    """Who decided or revoked."""
    why: str


class NotPermitted(PermissionError):
    """The person may not do this at all, with or without an approval; or nobody says who the person is."""


class NotAuthentic(PermissionError):
    """The token is not the host's for these decisions; none was looked at."""


class DecisionRefused(Exception):
    """An approval in the set can't be honoured, so none of the set's decisions was taken."""

    def __init__(self, refused: tuple[Outcome, ...]) -> None:
        super().__init__(" ".join(outcome.why for outcome in refused))
        self.refused = refused
        """The decisions that stand in the way, each with its reason."""
