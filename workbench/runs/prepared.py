"""Answers that are validated and not recorded yet, and where a wider one means anything."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.policy import Answer, Settlement
from workbench.store import Door, Request


@dataclass(frozen=True)
class Prepared:
    """A validated answer, ready to be recorded."""

    request: Request
    answer: Answer
    settlement: Settlement
    by: str
    via: Door


def remembered_at(request: Request, via: Door) -> bool:
    """Whether a wider decision on a request means anything at a door: a client keeps its own, we keep ours."""
    return (request.metadata.get("door") == "agui") == (via == "agui")
