"""A request: what a call was asked for, to whom it is bound, and what was decided."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime

from workbench.approval_service.database import as_moment_or_none
from workbench.approval_service.values import Scope


@dataclass(frozen=True)
class Request:
    """A request as the file has it."""

    id: str
    person: str
    conversation: str
    tool: str
    resource: str
    call_hash: str
    subject_key: str
    subject_label: str
    scopes: tuple[Scope, ...]
    expires_at: datetime | None
    decision: str | None
    scope: Scope | None
    decision_hash: str | None
    withdrawn: bool


def find(connection: sqlite3.Connection, request_id: str) -> Request | None:
    """The request of this id, or `None`."""
    row = connection.execute("SELECT * FROM requests WHERE id = ?", (request_id,)).fetchone()
    if row is None:
        return None
    return Request(
        id=row["id"],
        person=row["person"],
        conversation=row["conversation"],
        tool=row["tool"],
        resource=row["resource"],
        call_hash=row["call_hash"],
        subject_key=row["subject_key"],
        subject_label=row["subject_label"],
        scopes=tuple(json.loads(row["scopes"])),
        expires_at=as_moment_or_none(row["expires_at"]),
        decision=row["decision"],
        scope=row["scope"],
        decision_hash=row["decision_hash"],
        withdrawn=row["withdrawn_at"] is not None,
    )
