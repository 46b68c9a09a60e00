"""Requests: opened by a pause, decided once, the first answer wins."""

from collections.abc import Sequence
from typing import Any

from workbench.policy.vocabulary import Decision, Scope
from workbench.store.clock import optional_text
from workbench.store.codec import canonical, encode, encode_optional
from workbench.store.conversations import check_alive
from workbench.store.database import Connection, Database, execute, insert
from workbench.store.decisions import record, remark
from workbench.store.errors import AlreadyDecided, NotFound
from workbench.store.records import Door, NewRequest, Request
from workbench.store.rows import RowShape

_SHAPE = RowShape(
    Request,
    json=(
        "agent_path",
        "input",
        "input_schema",
        "response_schema",
        "verdict",
        "scopes",
        "answer",
        "executed_input",
        "metadata",
    ),
    flags=("edited", "not_run"),
)
_SELECT = f"SELECT {_SHAPE.select('r')} FROM requests r "


class Requests:
    """The requests, open and decided."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def open(self, requests: Sequence[NewRequest]) -> list[Request]:
        """Open the requests of a pause. Raises ConversationNotFound and ConversationDeleted."""
        with self._db.writing() as connection:
            now = self._db.now()
            for new in requests:
                check_alive(self._db, new.conversation_id)
            return [self._insert(connection, new, now) for new in requests]

    def get(self, id: str) -> Request | None:
        """The request with this id."""
        row = self._db.one(_SELECT + "WHERE r.id = ?", (id,))
        return None if row is None else _SHAPE.of(row)

    def require(self, id: str) -> Request:
        """Like `get`, and raises NotFound where there is none."""
        request = self.get(id)
        if request is None:
            raise NotFound("There is no request with this id.")
        return request

    def is_open(self, id: str) -> bool:
        """Whether there is such a request, and nobody decided it yet."""
        row = self._db.one("SELECT status FROM requests WHERE id = ?", (id,))
        return row is not None and row[0] == "open"

    def of_pause(self, pause_id: str) -> list[Request]:
        """Every request of a pause in the order they were opened, superseded ones too."""
        return self._where("r.pause_id = ? ORDER BY r.number", pause_id)

    def of_conversation(self, conversation_id: str, open_only: bool = False) -> list[Request]:
        """The conversation's requests in the order they were opened."""
        only = " AND r.status = 'open'" if open_only else ""
        return self._where(f"r.conversation_id = ?{only} ORDER BY r.number", conversation_id)

    def of_call(self, call_key: str) -> Request | None:
        """The newest request about a call."""
        found = self._where("r.call_key = ? ORDER BY r.number DESC LIMIT 1", call_key)
        return found[0] if found else None

    def about_call(self, call_key: str) -> list[Request]:
        """Every request about a call, in the order they were opened."""
        return self._where("r.call_key = ? ORDER BY r.number", call_key)

    def waiting(self, limit: int | None = None) -> list[Request]:
        """Every open request, across conversations, oldest first."""
        return self._where(
            "r.status = 'open' ORDER BY r.created_at, r.number LIMIT ?", -1 if limit is None else limit
        )

    def counts(self) -> dict[str, int]:
        """How many requests are open in each conversation that has any."""
        rows = self._db.all(
            "SELECT conversation_id, count(*) FROM requests WHERE status = 'open' GROUP BY conversation_id"
        )
        return {row[0]: row[1] for row in rows}

    def answer(
        self,
        request_id: str,
        *,
        decision: Decision,
        scope: Scope | None = None,
        reason: str | None = None,
        answer: dict[str, Any] | None,
        executed_input: dict[str, Any] | None = None,
        edited: bool = False,
        note: str | None = None,
        by: str,
        via: Door,
    ) -> Request:
        """Decide an open request, and write its row in the decisions log: durably, both or neither.

        The first answer wins. The same answer again returns the request as it was decided; another one raises
        AlreadyDecided, which holds it. Raises NotFound.
        """
        with self._db.writing(durable=True) as connection:
            decided = self._decide(
                connection,
                request_id,
                decision=decision,
                scope=scope,
                reason=reason,
                answer=answer,
                executed_input=executed_input,
                edited=edited,
                note=note,
                by=by,
                via=via,
            )
            if decided is not None:
                return decided
            request = self.require(request_id)
            if not _same(request, decision, answer):
                raise AlreadyDecided(request)
            return request

    def close(
        self,
        request_ids: Sequence[str],
        *,
        decision: Decision,
        note: str | None,
        by: str,
        via: Door,
        reason: str | None = None,
    ) -> list[Request]:
        """Decide those of the requests that are still open, without an answer. Returns those closed by this."""
        with self._db.transaction(durable=True) as connection:
            closed = []
            for request_id in request_ids:
                decided = self._decide(
                    connection,
                    request_id,
                    decision=decision,
                    scope=None,
                    reason=reason,
                    answer=None,
                    executed_input=None,
                    edited=False,
                    note=note,
                    by=by,
                    via=via,
                )
                if decided is not None:
                    closed.append(decided)
                else:
                    self.require(request_id)
            return closed

    def mark_not_run(self, request_ids: Sequence[str], note: str) -> list[Request]:
        """Say of approved requests that their call did not run after all, and why: here and in the decisions log.

        The decision itself stays. Requests that are open, not approved or marked already are left alone.
        """
        with self._db.writing(durable=True) as connection:
            marked = []
            for request_id in request_ids:
                changed = execute(
                    connection,
                    "UPDATE requests SET not_run = 1, note = ? WHERE id = ? AND decision = 'approved' AND not_run = 0",
                    (note, request_id),
                ).rowcount
                if changed:
                    remark(connection, request_id, note, self._db.now())
                    marked.append(self.require(request_id))
            return marked

    def _where(self, condition: str, *params: Any) -> list[Request]:
        return [_SHAPE.of(row) for row in self._db.all(f"{_SELECT}WHERE {condition}", params)]

    def _insert(self, connection: Connection, new: NewRequest, now: str) -> Request:
        values = {
            "id": new.id,
            "conversation_id": new.conversation_id,
            "run_id": new.run_id,
            "turn_id": new.turn_id,
            "pause_id": new.pause_id,
            "config_version_id": new.config_version_id,
            "kind": new.kind,
            "agent": new.agent,
            "agent_path": encode(new.agent_path),
            "tool": new.tool,
            "tool_call_id": new.tool_call_id,
            "call_key": new.call_key,
            "input": encode(new.input),
            "digest": new.digest,
            "message": new.message,
            "description": new.description,
            "input_schema": encode_optional(new.input_schema),
            "response_schema": encode_optional(new.response_schema),
            "verdict": encode_optional(new.verdict),
            "subject_key": new.subject_key,
            "subject_label": new.subject_label,
            "scopes": encode(new.scopes),
            "expires_at": optional_text(new.expires_at),
            "created_at": now,
            "metadata": encode(new.metadata),
        }
        (row,) = insert(connection, "requests", values, _SHAPE.returning).fetchall()
        return _SHAPE.of(row)

    def _decide(
        self,
        connection: Connection,
        request_id: str,
        *,
        decision: Decision,
        scope: Scope | None,
        reason: str | None,
        answer: dict[str, Any] | None,
        executed_input: dict[str, Any] | None,
        edited: bool,
        note: str | None,
        by: str,
        via: Door,
    ) -> Request | None:
        """Decide a request that is open, and return it; None when it isn't."""
        won = execute(
            connection,
            "UPDATE requests SET status = 'decided', decision = ?, scope = ?, reason = ?, answer = ?,"
            ' executed_input = ?, edited = ?, note = ?, "by" = ?, via = ?, decided_at = ?'
            f" WHERE id = ? AND status = 'open' {_SHAPE.returning}",
            (
                decision,
                scope,
                reason,
                encode_optional(answer),
                encode_optional(executed_input),
                int(edited),
                note,
                by,
                via,
                self._db.now(),
                request_id,
            ),
        ).fetchall()
        if not won:
            return None
        record(connection, request_id)
        execute(connection, "DELETE FROM drafts WHERE key = ?", (request_id,))
        # Files that were given and are not part of the answer are taken back.
        execute(
            connection,
            "DELETE FROM uploads WHERE request_id = ? AND instr(coalesce(?, ''), id) = 0",
            (request_id, encode_optional(answer)),
        )
        return _SHAPE.of(won[0])


def _same(request: Request, decision: Decision, answer: dict[str, Any] | None) -> bool:
    # What the person said decides, not what came of it: an approval repeated after the deadline is the same answer.
    if request.answer is not None and answer is not None:
        return canonical(request.answer) == canonical(answer)
    return request.answer is None and answer is None and request.decision == decision
