"""What an answer makes of a request."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, assert_never

from workbench.policy import notes
from workbench.policy.answer import (
    Answer,
    Answered,
    Approved,
    Denied,
    GaveUp,
    Happened,
    RunAgain,
    Skipped,
    answer_from_dict,
    answer_to_dict,
)
from workbench.policy.call import Call, digest
from workbench.policy.decide import decide
from workbench.policy.facts import ToolFacts
from workbench.policy.rule import AgentPolicy, Subject
from workbench.policy.schema_check import SchemaUnusable, field_errors
from workbench.policy.vocabulary import SCOPES, Decision, RequestKind, Scope


@dataclass(frozen=True)
class RequestFacts:
    """What settling an answer needs to know of its request."""

    kind: RequestKind
    tool: str
    tool_input: dict[str, Any]
    """The input as the card showed it."""
    input_schema: dict[str, Any] | None
    """The tool's schema, which an edit must keep to; `None` when the tool has none."""
    response_schema: dict[str, Any] | None
    """What an answered value must keep to; `None` takes any JSON value."""
    subject: Subject
    """What the card said that a wider decision would cover."""
    scopes: tuple[Scope, ...]
    """What the card offered."""
    expires_at: datetime | None
    """The deadline, in UTC; `None` without one."""


@dataclass(frozen=True)
class Settlement:
    """What becomes of a request, ready to be recorded."""

    decision: Decision
    scope: Scope | None
    """How far an approval reaches; `None` for any other decision."""
    tool_input: dict[str, Any] | None
    """What will run, the shown input or the validated edit; `None` when no call starts."""
    edited: bool
    """Whether that differs from what was shown."""
    reason: str
    """What the person gave as a reason."""
    note: str | None
    """The exact text the model reads in place of a result; `None` when the call runs or has an answer."""
    remember: Scope | None
    """The scope of the grant to create; `None` creates none."""
    subject: Subject
    """What the decision covers: the card's subject, or that of an edited call that has another."""
    uses: int | None = None
    """How many calls the grant lets run; `None` without a limit."""
    lifetime_seconds: int | None = None
    """How long the grant lasts at most, from the answer on; `None` for as long as its scope says."""
    warnings: tuple[str, ...] = ()
    """What the person should hear about it."""

    @property
    def runs(self) -> bool:
        """Whether a call starts because of this."""
        return self.tool_input is not None


class AnswerRefused(Exception):
    """An answer that can't be taken. Nothing changes, and the request stays open.

    Attributes:
        code: `wrong_answer` (this kind of request takes other answers), `invalid_edit`, `invalid_answer`,
            `schema_unusable` or `no_name`.
        message: what is wrong and what can be done, in a sentence.
        fields: what is wrong with each field, by its path; empty when it is not about fields.
    """

    def __init__(self, code: str, message: str, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fields: dict[str, str] = dict(fields or {})


def settle(
    request: RequestFacts,
    answer: Answer,
    *,
    now: datetime,
    policy: AgentPolicy | None,
    facts: ToolFacts | None,
    who: str,
) -> Settlement:
    """Say what an answer makes of a request. Of the answers to an approval, only `Approved` ever runs the call.

    Args:
        request: the request as it was shown.
        answer: what the person said.
        now: the moment of the answer, which the deadline is compared with.
        policy: the policy the request was raised under. An edit is judged by it; without one, an edited call is
            approved once.
        facts: what is known of the tool.
        who: who answers.

    Returns:
        The settlement. Whether the request is still open is for the store to say.

    Raises:
        AnswerRefused: the answer does not fit this kind of request, an edit or a value breaks its schema, or
            nobody's name is given.
    """
    if not who.strip():
        raise AnswerRefused("no_name", "An answer needs a name: say who gives it.")
    _check_kept(answer)
    match request.kind:
        case "approval" | "tool_approval":
            return _settle_approval(request, answer, now, policy, facts)
        case "question" | "tool_interrupt":
            return _settle_question(request, answer)
        case "doubt":
            return _settle_doubt(request, answer)
        case _:
            assert_never(request.kind)


def _check_kept(answer: Answer) -> None:
    """Refuse what can't be stored and read again: it would break whatever shows it later.

    What an edit or an answered value holds is judged by its schema, not here.
    """
    plain = replace(answer, tool_input=None) if isinstance(answer, Approved) else answer
    try:
        if not isinstance(plain, Answered):
            answer_from_dict(answer_to_dict(plain))
    except (ValueError, TypeError, AttributeError, KeyError, AssertionError) as error:
        raise AnswerRefused(
            "wrong_answer", f"This is no answer that can be kept: {error}. Nothing was done."
        ) from error


def _settle_approval(
    request: RequestFacts,
    answer: Answer,
    now: datetime,
    policy: AgentPolicy | None,
    facts: ToolFacts | None,
) -> Settlement:
    match answer:
        case Approved():
            if request.expires_at is not None and now > request.expires_at:
                return _closed(request, "expired", notes.expired(request.expires_at))
            return _approve(request, answer, policy, facts)
        case Denied(reason):
            return _closed(request, "denied", notes.declined(reason), reason)
        case Skipped(reason):
            return _closed(request, "skipped", notes.skipped(reason), reason)
        case Answered() | Happened() | RunAgain() | GaveUp():
            raise _wrong("An approval is approved, denied or skipped.")
        case _:
            assert_never(answer)


def _settle_question(request: RequestFacts, answer: Answer) -> Settlement:
    match answer:
        case Answered(value):
            _check(value, request.response_schema, "invalid_answer", "This answer")
            return replace(_closed(request, "answered", ""), note=None)
        case Skipped(reason):
            return _closed(request, "skipped", notes.skipped(reason), reason)
        case Approved() | Denied() | Happened() | RunAgain() | GaveUp():
            raise _wrong("A question is answered or skipped.")
        case _:
            assert_never(answer)


def _settle_doubt(request: RequestFacts, answer: Answer) -> Settlement:
    match answer:
        case Happened(result):
            return _closed(request, "happened", notes.happened(result))
        case RunAgain():
            again = copy.deepcopy(request.tool_input)
            return replace(_closed(request, "run_again", ""), note=None, tool_input=again)
        case GaveUp():
            return _closed(request, "gave_up", notes.GAVE_UP)
        case Skipped(reason):
            return _closed(request, "unknown", notes.UNKNOWN_CALL, reason)
        case Approved() | Denied() | Answered():
            raise _wrong("A doubt is settled by saying that it happened, running it again, or giving up.")
        case _:
            assert_never(answer)


def _approve(
    request: RequestFacts, answer: Approved, policy: AgentPolicy | None, facts: ToolFacts | None
) -> Settlement:
    if answer.tool_input is not None:
        _check(answer.tool_input, {"type": "object"}, "invalid_edit", "The edited call")
    edited = answer.tool_input is not None and digest(answer.tool_input) != digest(request.tool_input)
    shown_or_edit = answer.tool_input if edited and answer.tool_input is not None else request.tool_input
    scope, subject = answer.scope, request.subject
    warnings: list[str] = []
    if edited:
        _check(shown_or_edit, request.input_schema, "invalid_edit", "The edited call")
    if scope not in request.scopes:
        # `once` is always offered, whatever a request lists.
        if scope != "once":
            warnings.append(f"{_SCOPE_WORDS[scope]} was not offered here, so this allows only this one call.")
        scope = "once"
    # The service of a tool that asks for itself knows what its calls touch; a policy of ours does not.
    if edited and request.kind == "approval":
        subject, reach, warning = _judge_edit(request, shown_or_edit, policy, facts)
        if scope not in reach:
            scope = "once"
        if warning is not None:
            warnings.append(warning)
    remembered = request.kind == "approval" and scope != "once"
    return Settlement(
        decision="approved",
        scope=scope,
        tool_input=copy.deepcopy(shown_or_edit),
        edited=edited,
        reason="",
        note=None,
        remember=scope if remembered else None,
        subject=subject,
        uses=answer.uses if remembered else None,
        lifetime_seconds=answer.lifetime_seconds if remembered else None,
        warnings=tuple(warnings),
    )


def edited_subject(
    request: RequestFacts,
    tool_input: Mapping[str, Any],
    policy: AgentPolicy | None,
    facts: ToolFacts | None,
) -> tuple[Subject, bool]:
    """What a decision about the edited call would cover, and whether that is another subject than the card's.

    A subject that can't be told, because there is no policy to ask, because its function fails or because it says
    that the edited call needs no approval, counts as another one.
    """
    if request.kind != "approval":
        return request.subject, False
    subject, reach, _ = _judge_edit(request, tool_input, policy, facts)
    return subject, not reach


_SCOPE_WORDS: dict[Scope, str] = {
    "once": "Approve once",
    "thread": "Allow for this chat",
    "always": "Always allow",
}


def _judge_edit(
    request: RequestFacts, tool_input: Mapping[str, Any], policy: AgentPolicy | None, facts: ToolFacts | None
) -> tuple[Subject, tuple[Scope, ...], str | None]:
    """The subject of an edited call, the scopes that its approval may have, and what to tell the person."""
    if policy is None:
        return (
            request.subject,
            (),
            "What the edited call covers can't be told, so this allows only this one call.",
        )
    # Permissions are left out: what the edited call covers does not depend on whether it is covered already.
    verdict = decide(Call(request.tool, tool_input), policy, (), facts or ToolFacts())
    if verdict.warnings:
        return verdict.subject, (), " ".join(verdict.warnings)
    if verdict.because == "no_subject" or verdict.subject.key != request.subject.key:
        sentence = (
            f"The edited call is about {verdict.subject.label} and no longer about {request.subject.label}, "
            "so this allows only this one call."
        )
        return verdict.subject, (), sentence
    return request.subject, SCOPES, None


def _check(value: Any, schema: Mapping[str, Any] | None, code: str, what: str) -> None:
    try:
        fields = field_errors(value, schema if schema is not None else {})
    except SchemaUnusable as error:
        raise AnswerRefused(
            "schema_unusable",
            f"{what} can't be checked, because the schema it must keep to is broken: {error}",
        ) from error
    if fields:
        raise AnswerRefused(code, f"{what} does not fit: {_listed(fields)}.", fields)


def _listed(fields: Mapping[str, str]) -> str:
    return "; ".join(f"{path} {message}" if path else f"it {message}" for path, message in fields.items())


def _wrong(sentence: str) -> AnswerRefused:
    return AnswerRefused("wrong_answer", f"{sentence} This answer is something else, so nothing was done.")


def _closed(request: RequestFacts, decision: Decision, note: str, reason: str = "") -> Settlement:
    """A settlement that starts no call."""
    return Settlement(
        decision=decision,
        scope=None,
        tool_input=None,
        edited=False,
        reason=reason.strip(),
        note=note,
        remember=None,
        subject=request.subject,
    )
