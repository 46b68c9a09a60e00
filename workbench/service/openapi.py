"""The OpenAPI document of the invoke API."""

from __future__ import annotations

from typing import Any

from workbench.service.turn import DENY, ONCE, SESSION

_TEXT = {"type": "string"}
_APPROVAL = {
    "type": "object",
    "required": [
        "approval_id", "run_id", "agent_id", "tool_name", "description", "arguments", "decisions", "expires_at",
        "expired",
    ],
    "additionalProperties": False,
    "properties": {
        "approval_id": _TEXT,
        "run_id": _TEXT,
        "agent_id": {**_TEXT, "description": "The agent whose call it is."},
        "tool_name": _TEXT,
        "description": _TEXT,
        "arguments": {
            "type": "object",
            "description": "What the tool gets; values under secret-looking keys are masked.",
        },
        "decisions": {"type": "array", "items": {"enum": [ONCE, SESSION, DENY]}},
        "expires_at": {"type": ["string", "null"], "format": "date-time"},
        "expired": {"type": "boolean"},
    },
}  # fmt: skip
_RUN = {
    "type": "object",
    "required": [
        "run_id", "status", "answer", "pending_approval", "pending_approvals", "visited", "used_tools"
    ],
    "additionalProperties": False,
    "properties": {
        "run_id": {**_TEXT, "description": "Names the turn: it stays the same through every pause."},
        "status": {
            "enum": ["completed", "pending_approval", "pending_input", "running", "cancelled", "failed"]
        },
        "answer": {**_TEXT, "description": "What the agent said in the end; empty while it waits."},
        "pending_approval": {"anyOf": [{"$ref": "#/components/schemas/Approval"}, {"type": "null"}]},
        "pending_approvals": {"type": "array", "items": {"$ref": "#/components/schemas/Approval"}},
        "visited": {"type": "array", "items": _TEXT, "description": "The agents that spoke or acted."},
        "used_tools": {"type": "array", "items": _TEXT, "description": "The tools that really ran."},
        "error": {
            "type": "object",
            "description": "Why it failed.",
            "properties": {"id": _TEXT, "code": _TEXT, "message": _TEXT},
        },
    },
}  # fmt: skip
_PROBLEM = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["id", "code", "message"],
            "properties": {
                "id": {**_TEXT, "description": "What the log knows the request by."},
                "code": _TEXT,
                "message": _TEXT,
                "fields": {"type": "object", "additionalProperties": _TEXT},
            },
        }
    },
}
_LINE = {
    "type": "object",
    "required": ["data"],
    "properties": {"data": {**_TEXT, "description": "One line: a JSON object with a type."}},
}
_SAID = {
    400: "The body says something that can't be done, or a session id can't be one.",
    401: "The token is missing or wrong.",
    403: "The session is another one, or the host or origin is not expected.",
    404: "There is no such run, or no such approval in it.",
    405: "The path knows other methods.",
    408: "The body took too long to arrive.",
    409: "It was decided otherwise already, a run is working, or the conversation was deleted.",
    413: "The body is too large.",
    422: "The body is no JSON, or lacks something.",
    500: "Something went wrong; the log has the id.",
    503: "No valid config is served.",
}
_SESSION = {
    "name": "X-Session-Id",
    "in": "header",
    "description": "Names the conversation, exactly as sent. Without it every call is its own conversation.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[!-~]+$"},
}


def document() -> dict[str, Any]:
    """Return the document."""
    message = {
        "type": "object",
        "required": ["message"],
        "properties": {"message": {**_TEXT, "minLength": 1, "maxLength": 200_000}},
    }
    decision = {
        "type": "object",
        "required": ["decision"],
        "properties": {
            "decision": {
                "type": "string",
                "enum": [ONCE, SESSION, DENY],
                "description": "Case and spacing are forgiven, underscores too.",
            }
        },
    }
    body = (400, 401, 403, 408, 409, 413, 422, 500, 503)
    found = (400, 401, 403, 404, 409, 500, 503)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Workbench: the invoke API", "version": "1"},
        "security": [{"token": []}, {}],
        "paths": {
            "/health": {
                "get": _operation("health", "Say that the service runs.", (403, 500), answer=_health())
            },
            "/invoke": {
                "post": _operation(
                    "invoke", "Send a message and wait for the next pause or the end.", body, body=message
                )
            },
            "/stream": {
                "post": _operation(
                    "stream",
                    "The same, as server-sent lines: answer_delta, then final, pending_approval or error.",
                    body,
                    body=message,
                    answer={"text/event-stream": {"schema": _LINE}},
                )
            },
            "/runs/{run_id}": {"get": _operation("run", "How a run stands.", found, path=("run_id",))},
            "/runs/{run_id}/approvals/{approval_id}/decision": {
                "post": _operation(
                    "decide",
                    "Decide an approval and wait for the next pause or the end.",
                    (*body, 404),
                    body=decision,
                    path=("run_id", "approval_id"),
                )
            },
            "/runs/{run_id}/cancel": {"post": _operation("cancel", "Stop a run.", found, path=("run_id",))},
        },
        "components": {
            "schemas": {"Run": _RUN, "Approval": _APPROVAL, "Problem": _PROBLEM},
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Needed where the service was started with a token.",
                }
            },
        },
    }


def _health() -> dict[str, Any]:
    status = {"type": "object", "required": ["status"], "properties": {"status": {"const": "ok"}}}
    return {"application/json": {"schema": status}}


def _operation(
    id: str,
    summary: str,
    refusals: tuple[int, ...],
    *,
    body: dict[str, Any] | None = None,
    path: tuple[str, ...] = (),
    answer: dict[str, Any] | None = None,
) -> dict[str, Any]:
    run = {"application/json": {"schema": {"$ref": "#/components/schemas/Run"}}}
    problem = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    operation: dict[str, Any] = {
        "operationId": id,
        "summary": summary,
        "parameters": [{"name": name, "in": "path", "required": True, "schema": _TEXT} for name in path],
        "responses": {
            "200": {"description": "How it stands." if answer is None else summary, "content": answer or run},
            **{
                str(status): {"description": _SAID[status], "content": problem}
                for status in sorted({*refusals, 405})
            },
        },
    }
    if id != "health":
        operation["parameters"].append(_SESSION)
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return operation
