"""Requests as AG-UI tells of them."""

from __future__ import annotations

from typing import Any

from ag_ui.core import Interrupt

from workbench.runs import agui
from workbench.store import NewRequest, Request
from workbench.store.clock import optional_text

APPROVAL_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["status"],
    "properties": {
        "status": {"enum": ["approved", "cancelled"]},
        "scope": {"enum": ["once", "thread", "always"]},
        "tool_input": {"type": "object"},
        "reason": {"type": "string"},
    },
}
DOUBT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "What became of the call: it happened, with this result; run it again; or give it up.",
    "required": ["outcome"],
    "properties": {
        "outcome": {"enum": ["happened", "run_again", "gave_up"]},
        "result": {"type": "string"},
    },
}


def interrupt_of(request: NewRequest | Request) -> Interrupt:
    """Return the interrupt that tells an AG-UI client of a request."""
    schema: dict[str, Any]
    match request.kind:
        case "approval" | "tool_approval":
            kind, reason, schema = "approval", "kaboo:approval", APPROVAL_SCHEMA
        case "doubt":
            kind, reason, schema = "doubt", "workbench:doubt", DOUBT_SCHEMA
        case _:
            kind, reason, schema = request.kind, "workbench:tool", request.response_schema or {}
    message = request.message or f"{request.agent} wants to run {request.tool}"
    metadata: dict[str, Any] = {
        "type": kind,
        "message": message,
        "tool_name": request.tool,
        "tool_input": request.input,
        "tool_use_id": request.tool_call_id,
        "subject": {"key": request.subject_key, "label": request.subject_label},
        "scopes": request.scopes,
    }
    if request.expires_at is not None:
        metadata["expiresAt"] = optional_text(request.expires_at)
    if request.metadata.get("request"):
        metadata["request"] = request.metadata["request"]
    return Interrupt(
        id=request.id,
        reason=reason,
        subagent_run_id=request.metadata.get("seat") or None,
        tool_call_id=request.tool_call_id,
        message=message,
        response_schema=schema,
        metadata=metadata,
    )


def request_raised(request: NewRequest | Request) -> agui.Event:
    """Return the event that a request was raised for a call."""
    return agui.custom(
        agui.REQUEST,
        {
            "requestId": request.id,
            "key": request.call_key,
            "kind": request.kind,
            "toolCallId": request.tool_call_id,
            "seat": request.metadata.get("seat", ""),
            "agent": request.agent,
            "agentPath": request.agent_path,
            "tool": request.tool,
        },
    )
