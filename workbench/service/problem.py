"""What the service refuses, and its JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response


class Refused(Exception):
    """A request that is not done; nothing changed.

    Attributes:
        status: the HTTP status.
        code: a stable word for programs.
        message: what is wrong and what can be done, in a sentence.
        fields: what is wrong with each field, by its path.
    """

    def __init__(
        self, status: int, code: str, message: str, *, fields: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.fields = dict(fields or {})


class Json(Response):
    """A JSON answer; text that UTF-8 can't carry is escaped."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return dumped(content).encode()


def dumped(content: Any) -> str:
    """Return a value as JSON text on one line."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text


def problem(status: int, code: str, message: str, request_id: str, **more: Any) -> Json:
    """Return the answer that says why a request was not done, with the id under which the log knows it."""
    error = {"id": request_id, "code": code, "message": message, **more}
    headers = {"www-authenticate": "Bearer"} if status == 401 else None
    return Json({"error": error}, status, headers)
