"""What an AG-UI client sends: a `RunAgentInput`, read as what it means here."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ag_ui.core import Message, ResumeEntry, RunAgentInput, ToolMessage, UserMessage

from workbench.policy import SCOPES, SKIPPED_BY_MESSAGE, Answer
from workbench.policy.answer import Answered, Approved, Denied, GaveUp, Happened, RunAgain, Skipped
from workbench.runs.terms import Terms
from workbench.store import Request

LONGEST_ID = 256


class RunRefused(Exception):
    """A run that is not begun, told to the client as `RUN_ERROR`; nothing changed.

    Attributes:
        code: a stable word for programs.
        message: what is wrong and what can be done, in a sentence.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def check_ids(given: RunAgentInput) -> None:
    """Raise RunRefused for ids that can't be any."""
    for name, id in (("threadId", given.thread_id), ("runId", given.run_id)):
        if not id or len(id) > LONGEST_ID or any(unicodedata.category(one) in ("Cc", "Cs") for one in id):
            raise RunRefused(
                "invalid_id", f"{name} must have 1 to {LONGEST_ID} characters and no control characters."
            )


@dataclass(frozen=True)
class Said:
    """A user message: its text, and what tells it from others that the client sends again."""

    key: str
    text: str


def new_messages(messages: Sequence[Message], seen: frozenset[str]) -> list[Said]:
    """Return the user messages that nobody answered yet: those after the agent's last words that weren't seen."""
    said: list[Said] = []
    for message in messages:
        if message.role == "assistant":
            said = []
        elif isinstance(message, UserMessage):
            text = _text(message.content)
            key = hashlib.sha256(f"{message.id}\0{text}".encode(errors="replace")).hexdigest()[:32]
            if key not in seen and text.strip():
                said.append(Said(key, text))
    return said


def earlier(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return what was said before the newest messages, for a thread that began elsewhere: words, no calls."""
    last = max((i for i, one in enumerate(messages) if one.role == "assistant"), default=-1)
    told: list[dict[str, Any]] = []
    for message in messages[: last + 1]:
        if message.role not in ("user", "assistant"):
            continue
        text = _text(getattr(message, "content", None))
        if not text.strip():
            continue
        if told and told[-1]["role"] == message.role:
            told[-1]["content"].append({"text": text})
        elif told or message.role == "user":
            told.append({"role": message.role, "content": [{"text": text}], "tracking_id": message.id})
    return told if told and told[-1]["role"] == "assistant" else told[:-1]


def tool_answers(messages: Sequence[Message], waiting: Sequence[Request]) -> dict[str, Answer]:
    """Return the answers to the open client calls, by request.

    Raises:
        RunRefused: one call has two different answers.
    """
    open_calls = {one.tool_call_id: one.id for one in waiting if one.kind == "question"}
    answers: dict[str, Answer] = {}
    for message in messages:
        if not isinstance(message, ToolMessage) or message.tool_call_id not in open_calls:
            continue
        text = _text(message.content)
        if message.error:
            text = f"{text}\nError: {message.error}".strip()
        answer: Answer = Skipped() if text.strip() == SKIPPED_BY_MESSAGE else Answered(text)
        request_id = open_calls[message.tool_call_id]
        if answers.get(request_id, answer) != answer:
            raise RunRefused("twice", f"The call {message.tool_call_id!r} has two different results.")
        answers[request_id] = answer
    return answers


def resume_answers(entries: Sequence[ResumeEntry], requests: dict[str, Request | None]) -> dict[str, Answer]:
    """Return the answers of a resume, by request.

    Args:
        requests: what is stored under each id.

    Raises:
        RunRefused: an id is unknown, or there twice, or an edit is none.
    """
    answers: dict[str, Answer] = {}
    for entry in entries:
        request = requests.get(entry.interrupt_id)
        if request is None or request.kind == "question":
            raise RunRefused("unknown_id", f"Nothing waits under the id {entry.interrupt_id[:80]!r} here.")
        if request.id in answers:
            raise RunRefused("twice", f"The id {request.id!r} is answered twice in one resume.")
        answers[request.id] = _answer(entry, request)
    return answers


def _answer(entry: ResumeEntry, request: Request) -> Answer:
    if entry.status == "cancelled":
        return Skipped()
    match request.kind:
        case "approval" | "tool_approval":
            return _approval(entry.payload)
        case "doubt":
            return _doubt(entry.payload)
        case "tool_interrupt" | "question":
            return Answered(entry.payload)


def _approval(payload: Any) -> Answer:
    if not isinstance(payload, dict):
        return Skipped()
    match payload.get("status"):
        case "approved":
            scope, edit = payload.get("scope"), payload.get("tool_input")
            if edit is not None and not isinstance(edit, dict):
                raise RunRefused("invalid_edit", "tool_input must be an object: the call's whole input.")
            return Approved(scope if isinstance(scope, str) and scope in SCOPES else "once", edit)
        case "cancelled":
            reason = payload.get("reason")
            return Denied(reason if isinstance(reason, str) else "")
        case _:
            return Skipped()


def _doubt(payload: Any) -> Answer:
    match payload:
        case {"outcome": "happened"}:
            result = payload.get("result")
            return Happened(result if isinstance(result, str) else "")
        case {"outcome": "run_again"}:
            return RunAgain()
        case {"outcome": "gave_up"}:
            return GaveUp()
        case _:
            return Skipped()


def terms_of_input(given: RunAgentInput, *, channel: bool) -> Terms:
    """Return the terms of a run.

    Args:
        channel: whether the state channel is on.

    Raises:
        RunRefused: the grants are none.
    """
    props = given.forwarded_props if isinstance(given.forwarded_props, dict) else {}
    listed = props.get("kaboo_grants")
    if listed is not None and not isinstance(listed, list):
        raise RunRefused("invalid_grants", "forwardedProps.kaboo_grants must be a list.")
    return Terms(
        "agui",
        remembers=listed is not None and channel,
        grants=tuple(_grant(one) for one in listed or ()),
        client_tools=tuple(
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in given.tools or ()
        ),
        context=tuple({"description": one.description, "value": one.value} for one in given.context or ()),
    )


def _grant(one: Any) -> dict[str, Any]:
    subject = one.get("subject") if isinstance(one, dict) else None
    if isinstance(subject, dict):
        subject = subject.get("key")
    tool, scope = (one.get("tool"), one.get("scope")) if isinstance(one, dict) else (None, None)
    if not isinstance(tool, str) or not isinstance(subject, str) or scope not in ("thread", "always"):
        raise RunRefused(
            "invalid_grants", "Each grant is {tool, subject, scope}, with the scope thread or always."
        )
    return {"tool": tool, "subject": subject, "scope": scope}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part.text for part in content if getattr(part, "type", "") == "text")
    return ""
