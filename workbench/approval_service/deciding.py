"""What becomes of a decision about a request: whether it counts, and if not, why."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from workbench.approval_service.request import Request
from workbench.approval_service.values import Action, Outcome, Scope

NOES: Final = ("denied", "skipped", "expired")
"""The decisions that close a request without allowing anything."""

_REACH: Final[dict[str, str]] = {"once": "once", "thread": "for this conversation", "always": "always"}

Judge = Callable[[str, Mapping[str, Any]], tuple[Action, str]]
"""`(tool, arguments)` -> what the call would do, and its hash. Raises for one that makes no sense."""


@dataclass(frozen=True)
class Heard:
    """One decision as the host sent it."""

    request: str
    conversation: Any
    by: str | None
    decision: Any
    scope: Any
    hash: str
    """Recognises the same decision when it comes again."""
    allows: str | None = None
    """The hash of the call that it would allow; `None` when it can't allow one."""
    trouble: str = ""
    """Why it can't, in a sentence."""


def what_it_allows(
    request: Request, tool: Any, shown: Any, edited: Any, judge: Judge
) -> tuple[str | None, str]:
    """The hash of the call that approving would allow, or `None` and why nothing can be.

    The call on the card must be the one the request was made for: else someone who learned a request's id could have
    it approved under another text. An edited call must keep the resource and the subject.
    """
    if tool is not None and tool != request.tool:
        return None, f"The card was about {tool!r}, and this request is about {request.tool!r}."
    try:
        if not isinstance(shown, Mapping) or judge(request.tool, shown)[1] != request.call_hash:
            return None, "The card showed another call than the one that this was asked for."
    except Exception as error:
        return None, f"The call can't be judged any more: {error}"
    if edited is None:
        return request.call_hash, ""
    try:
        if not isinstance(edited, Mapping):
            return None, "The edited call has no arguments."
        action, edited_hash = judge(request.tool, edited)
    except Exception as error:
        return None, f"The edited call can't be judged: {error}"
    if (action.resource, action.subject_key) != (request.resource, request.subject_key):
        return None, (
            f"The edited call is about {action.subject_label}, and this request about {request.subject_label}; "
            "ask for the other one by itself."
        )
    return edited_hash, ""


def judged(request: Request | None, heard: Heard, now: datetime) -> Outcome:
    """Say whether a decision counts. Of those that don't, only an approval refuses its set: a no is in nobody's way."""
    approves = heard.decision == "approved"
    against: Literal["refused", "ignored"] = "refused" if approves else "ignored"
    if request is None:
        # Not refused: a forged id must not keep a conversation from going on.
        return Outcome(heard.request, "ignored", "This service knows no such request.")
    if not approves and heard.decision not in NOES:
        return Outcome(request.id, "ignored", f"{heard.decision!r} is not a decision about an approval.")
    if heard.conversation != request.conversation:
        return Outcome(request.id, against, "This was asked for in another conversation.")
    if heard.by != request.person:
        why = f"This was asked for {request.person}, and nobody else can decide it."
        return Outcome(request.id, against, why)
    if request.decision is not None:
        return _once_more(request, heard, against)
    if not approves:
        return Outcome(request.id, "taken")
    if request.expires_at is not None and now > request.expires_at:
        return Outcome(request.id, "refused", "The time to approve this is over.")
    if heard.scope not in request.scopes:
        return Outcome(request.id, "refused", f"This can be approved {_or(request.scopes)}, and no wider.")
    if heard.allows is None:
        return Outcome(request.id, "refused", heard.trouble)
    return Outcome(request.id, "taken")


def _once_more(request: Request, heard: Heard, against: Literal["refused", "ignored"]) -> Outcome:
    """The first decision counts. A later no is not a decision either, but it takes an approval back."""
    if heard.decision == "approved" and request.withdrawn:
        return Outcome(
            request.id, "refused", "This approval was taken back; the call has to be asked for again."
        )
    same = (
        heard.hash == request.decision_hash
        if heard.decision == "approved"
        else heard.decision == request.decision
    )
    if same:
        return Outcome(request.id, "repeated")
    if request.decision == "approved" and heard.decision in NOES:
        return Outcome(request.id, "withdrawn")
    reach = f" {_REACH[request.scope]}" if request.scope else ""
    return Outcome(
        request.id, against, f"This was {request.decision}{reach} before, and the first answer counts."
    )


def _or(scopes: tuple[Scope, ...]) -> str:
    return " or ".join(_REACH[scope] for scope in scopes)
