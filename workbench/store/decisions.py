"""The decisions log: what persons decided, appended and never changed."""

from typing import Any

from workbench.store.database import Connection, Database, execute
from workbench.store.records import DecisionRecord
from workbench.store.rows import RowShape

_SHAPE = RowShape(
    DecisionRecord,
    json=("agent_path", "input", "verdict", "scopes", "answer", "executed_input"),
    flags=("edited",),
)
_COLUMNS = ", ".join(f'd."{name}"' for name in _SHAPE.columns if name != "not_run")
_NOT_RUN = "SELECT k.remark FROM decision_remarks k WHERE k.request_id = d.request_id"
_SELECT = f"SELECT {_COLUMNS}, ({_NOT_RUN}) FROM decisions d "

# The log's own copy of everything a reader needs: the conversation, and one day the config, may be gone.
_RECORD = """
INSERT INTO decisions (request_id, conversation_id, conversation_title, run_id, turn_id, call_key, config_name,
  config_number, config_version_id, kind, agent, agent_path, tool, tool_call_id, input, message, description, verdict,
  subject_key, subject_label, scopes, asked_at, expires_at, decision, scope, reason, answer, executed_input, edited,
  note, "by", via, decided_at)
SELECT r.id, r.conversation_id, coalesce(c.title, ''), r.run_id, r.turn_id, r.call_key, v.name, v.number,
  r.config_version_id, r.kind, r.agent, r.agent_path, r.tool, r.tool_call_id, r.input, r.message, r.description,
  r.verdict, r.subject_key, r.subject_label, r.scopes, r.created_at, r.expires_at, r.decision, r.scope, r.reason,
  r.answer, r.executed_input, r.edited, r.note, r."by", r.via, r.decided_at
FROM requests r LEFT JOIN conversations c ON c.id = r.conversation_id
  LEFT JOIN config_versions v ON v.id = r.config_version_id
WHERE r.id = ?
"""


class Decisions:
    """The log, to read; only deciding a request writes it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def list(
        self,
        conversation_id: str | None = None,
        *,
        after: int = 0,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> list[DecisionRecord]:
        """Decisions in the order they were made; with `after`, those with a higher id."""
        where, params = "d.id > ?", list[Any]([after])
        if conversation_id is not None:
            where += " AND d.conversation_id = ?"
            params.append(conversation_id)
        order = "DESC" if newest_first else "ASC"
        rows = self._db.all(
            f"{_SELECT}WHERE {where} ORDER BY d.id {order} LIMIT ?", (*params, -1 if limit is None else limit)
        )
        return [_SHAPE.of(row) for row in rows]

    def of_request(self, request_id: str) -> DecisionRecord | None:
        """The decision about a request."""
        row = self._db.one(_SELECT + "WHERE d.request_id = ?", (request_id,))
        return None if row is None else _SHAPE.of(row)


def record(connection: Connection, request_id: str) -> None:
    """Append what was decided about a request, inside the transaction that decides it."""
    execute(connection, _RECORD, (request_id,))


def remark(connection: Connection, request_id: str, text: str, at: str) -> None:
    """Append that an approved call did not run after all."""
    execute(
        connection,
        "INSERT INTO decision_remarks (request_id, remark, at) VALUES (?, ?, ?)",
        (request_id, text, at),
    )
