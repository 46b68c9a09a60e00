"""Requests as AG-UI tells of them."""

from __future__ import annotations

from typing import Any

from ag_ui.core import Interrupt

from workbench.runs import agui
from workbench.store import NewRequest, Request
from workbench.store.clock import optional_text


def interrupt_of(request: NewRequest) -> Interrupt:
    """Return the interrupt that tells an AG-UI client of a request."""
    reasons = {"approval": "kaboo:approval", "tool_approval": "kaboo:approval", "doubt": "workbench:doubt"}
    metadata: dict[str, Any] = {
        "type": request.kind,
        "message": request.message,
        "tool_name": request.tool,
        "tool_input": request.input,
        "tool_use_id": request.tool_call_id,
        "subject": {"key": request.subject_key, "label": request.subject_label},
        "scopes": request.scopes,
    }
    if request.expires_at is not None:
        metadata["expiresAt"] = optional_text(request.expires_at)
    return Interrupt(
        id=request.id,
        reason=reasons.get(request.kind, "workbench:tool"),
        tool_call_id=request.tool_call_id,
        message=request.message or f"{request.agent} wants to run {request.tool}",
        response_schema=request.response_schema,
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
