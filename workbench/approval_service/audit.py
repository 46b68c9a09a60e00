"""The audit: who, what, which scope, when."""

import sqlite3
from datetime import datetime

from workbench.approval_service.database import as_moment, as_text, insert
from workbench.approval_service.values import AuditEntry, Event, Scope


def note(
    connection: sqlite3.Connection,
    at: datetime,
    event: Event,
    request: str,
    *,
    grant: str | None = None,
    conversation: str | None = None,
    scope: Scope | None = None,
    by: str | None = None,
    why: str = "",
) -> None:
    """Add an entry about a request. It has its own copy of what the request says, and needs no other table to be read.

    Args:
        connection: the transaction that does what the entry tells of.
        at: when.
        event: what happened.
        request: the id it happened to, which may be none of ours.
        grant: the grant that was made, used or revoked.
        conversation: where, if that is not where the request was made.
        scope: how far it reaches.
        by: who decided or revoked.
        why: why a decision does not count.
    """
    about = connection.execute(
        "SELECT person, conversation, tool, subject_key, subject_label FROM requests WHERE id = ?", (request,)
    ).fetchone()
    copied = dict(about) if about is not None else {}
    if conversation is not None:
        copied["conversation"] = conversation
    insert(
        connection,
        "audit",
        at=as_text(at),
        event=event,
        request=request,
        grant=grant,
        scope=scope,
        by=by,
        why=why,
        **copied,
    )


def entries(connection: sqlite3.Connection, request: str | None = None) -> list[AuditEntry]:
    """The entries, oldest first; of one request or of all."""
    rows = connection.execute(
        "SELECT * FROM audit WHERE ?1 IS NULL OR request = ?1 ORDER BY number", (request,)
    ).fetchall()
    return [AuditEntry(**{**dict(row), "at": as_moment(row["at"])}) for row in rows]
