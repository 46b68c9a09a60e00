"""The reply by which a tool asks for the approval of its own call: `kaboo_approval`.

A tool that enforces its own approvals runs nothing and returns, as a normal result,

    {"kaboo_approval": {"request": "apr_7Qm2", "subject": {"key": …, "label": …}, "scopes": ["once", "thread"],
                        "message": "Update the price of 3 variants", "expiresAt": "2026-03-14T12:00:00Z"}}

Only `request` is needed. `read_reply` finds it wherever it may stand; the run then pauses with a request of the kind
`tool_approval`, and the model never reads the reply. Once approved, the tool is called **once more and only once**:
what that second call returns goes through `after_approval`, which puts *Still needs approval* in the place of another
reply, so an agent can't loop.

A delegate's result must not be read as a reply: it is text of a model, and a model doesn't ask for approvals.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from workbench.agents.results import error_result
from workbench.policy import SCOPES, Scope, Subject, whole_tool
from workbench.policy.notes import STILL_NEEDS_APPROVAL

REPLY_KEY: Final = "kaboo_approval"
LONGEST_ID: Final = 256
"""Characters of a request's or a subject's id; a longer one is none."""
LONGEST_LABEL: Final = 500
LONGEST_MESSAGE: Final = 4_000
LONGEST_TEXT: Final = 100_000
"""Characters of a text that is looked into; a reply holds ids and labels, so a longer text is none."""


@dataclass(frozen=True)
class ApprovalReply:
    """What a tool says when it asks for the approval of a call."""

    request: str
    """The id its service knows the request by, exactly as it was given."""
    subject: Subject
    """What a decision covers; the whole tool where the reply doesn't say, or not so that it can be read."""
    scopes: tuple[Scope, ...]
    """What the person may choose, narrowest first; `once` is always among them."""
    message: str = ""
    """What the call would do, in the service's words."""
    expires_at: datetime | None = None
    """The deadline, in UTC; `None` without one."""
    warnings: tuple[str, ...] = ()
    """What in the reply could not be read, and what was made of it."""


def read_reply(result: Mapping[str, Any], tool: str) -> ApprovalReply | None:
    """The reply in a tool's result, or `None` for every other result.

    It is looked for in the structured content, in `json` blocks and in the text, when the result has one text and
    that is JSON; at each place as the object itself or as what an MCP server makes of it, `{"result": …}` around the
    object or around its JSON text, and no deeper. An error result never holds a reply.

    Without a usable `request` there is nothing to answer, so that is no reply, and the model reads it as any result.
    Anything else that is broken costs only itself: a broken subject is the whole tool, for `once` at most; unknown
    scopes are dropped; a broken message or deadline counts as left out (the service still has its own deadline).

    Args:
        result: the tool's result, well formed or raw.
        tool: the tool's name, which is the subject when the reply names none.
    """
    if result.get("status") == "error" or result.get("isError"):
        return None
    for place in _places(result):
        body = _body(place)
        if body is not None:
            return _read(body, tool)
    return None


def after_approval(result: dict[str, Any], tool: str) -> dict[str, Any]:
    """What the model reads of the one call that follows an approval: its result, or that it still needs approval."""
    if read_reply(result, tool) is None:
        return result
    return error_result(str(result.get("toolUseId", "")), STILL_NEEDS_APPROVAL)


def _places(result: Mapping[str, Any]) -> Iterator[Any]:
    yield result.get("structuredContent")
    content = result.get("content")
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    yield from (block["json"] for block in blocks if "json" in block)
    texts = [block["text"] for block in blocks if "text" in block]
    # Of several texts none is the reply: they may quote whatever a search came across.
    if len(texts) == 1:
        yield texts[0]


def _body(value: Any) -> Mapping[str, Any] | None:
    """What stands under `kaboo_approval`, wrapped once at most."""
    found = _object(value)
    if found is not None and REPLY_KEY not in found and set(found) == {"result"}:
        found = _object(found["result"])
    body = found.get(REPLY_KEY) if found is not None else None
    return body if isinstance(body, Mapping) and _is_id(body.get("request")) else None


def _object(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, str) and len(value) <= LONGEST_TEXT and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, Mapping) else None


def _read(body: Mapping[str, Any], tool: str) -> ApprovalReply:
    warnings: list[str] = []
    subject, scopes = _subject(body.get("subject"), tool), _scopes(body.get("scopes"))
    if subject is None:
        warnings.append("Its subject can't be read, so this covers one call of the tool.")
        subject, scopes = whole_tool(tool), ("once",)
    deadline = body.get("expiresAt")
    expires_at = _time(deadline)
    if deadline is not None and expires_at is None:
        warnings.append("Its deadline can't be read, so none is shown; its service may still keep one.")
    message = body.get("message")
    return ApprovalReply(
        request=str(body["request"]),
        subject=subject,
        scopes=scopes,
        message=_cut(message.strip(), LONGEST_MESSAGE) if isinstance(message, str) else "",
        expires_at=expires_at,
        warnings=tuple(warnings),
    )


def _is_id(value: Any) -> bool:
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_ID:
        return False
    # Half a surrogate pair: JSON can write it, and nobody can store it.
    return not any("\ud800" <= char <= "\udfff" for char in value)


def _subject(value: Any, tool: str) -> Subject | None:
    """The subject; the whole tool for none, `None` for one that can't be read."""
    key: Any
    label: Any
    match value:
        case None:
            return whole_tool(tool)
        case str():
            key, label = value, value
        case Mapping():
            key, label = value.get("key"), value.get("label")
        case _:
            return None
    if not _is_id(key) or not (label is None or isinstance(label, str)):
        return None
    return Subject(key, _cut(label.strip(), LONGEST_LABEL) if label and label.strip() else key)


def _scopes(value: Any) -> tuple[Scope, ...]:
    offered = value if isinstance(value, list | tuple) else ()
    return tuple(scope for scope in SCOPES if scope == "once" or scope in offered)


def _time(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value.strip())
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
