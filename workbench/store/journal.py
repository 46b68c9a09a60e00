"""The journal: every call from the moment the model proposes it until its result, and every attempt at it.

At most one attempt of a call ever finishes. A call that was started and whose attempt has not ended is in doubt: the
tool may have done its work, so it is never started again silently.
"""

from collections.abc import Sequence
from typing import Any

from workbench.store.codec import encode, encode_optional
from workbench.store.conversations import check_alive
from workbench.store.database import Connection, Database, execute, insert
from workbench.store.errors import (
    CallAlreadyFinished,
    CallClosed,
    CallInDoubt,
    CallNotAllowed,
    CallNotStarted,
    NotFound,
)
from workbench.store.grants import Grants
from workbench.store.records import Attempt, CallRecord, CallState, NewCall, ResultStatus
from workbench.store.rows import RowShape

_SHAPE = RowShape(CallRecord, json=("agent_path", "input", "verdict", "executed_input", "result", "seats"))
_SELECT = f"SELECT {_SHAPE.select('c')} FROM calls c "

# As the index on open calls says it, so that looking for them never reads the finished ones.
_OPEN = "c.state NOT IN ('finished', 'closed')"

_LETS_RUN = ("approved", "answered", "run_again")


class Journal:
    """The calls, and the steps each may take."""

    def __init__(self, db: Database, grants: Grants) -> None:
        self._db = db
        self._grants = grants

    def propose(self, calls: Sequence[NewCall]) -> list[CallRecord]:
        """Note calls the model made. A call that is known already is returned as it stands, whatever it says now."""
        with self._db.writing(durable=self._alone()) as connection:
            now = self._db.now()
            for call in calls:
                check_alive(self._db, call.conversation_id)
            proposed = []
            for call in calls:
                added = insert(
                    connection,
                    "calls",
                    {
                        "key": call.key,
                        "conversation_id": call.conversation_id,
                        "run_id": call.run_id,
                        "turn_id": call.turn_id,
                        "config_version_id": call.config_version_id,
                        "agent": call.agent,
                        "agent_path": encode(call.agent_path),
                        "tool": call.tool,
                        "kind": call.kind,
                        "tool_call_id": call.tool_call_id,
                        "input": encode(call.input),
                        "digest": call.digest,
                        "seats": encode(call.seats),
                        "proposed_at": now,
                    },
                    f"ON CONFLICT (key) DO NOTHING {_SHAPE.returning}",
                ).fetchall()
                proposed.append(_SHAPE.of(added[0]) if added else self.require(call.key))
            return proposed

    def allow(
        self, key: str, verdict: dict[str, Any], *, by: str | None = None, grant_id: str | None = None
    ) -> CallRecord:
        """Let the call run, and note by what: the verdict, and who or which grant. Only before it is started."""
        with self._db.writing(durable=self._alone()) as connection:
            return self._move(
                connection,
                key,
                "allow",
                ("proposed", "allowed", "waiting"),
                'state = \'allowed\', verdict = ?, "by" = coalesce(?, "by"), grant_id = ?',
                (encode(verdict), by, grant_id),
            )

    def wait(self, key: str, request_id: str, verdict: dict[str, Any] | None = None) -> CallRecord:
        """The call waits on this request. Only before it is started, or between two attempts."""
        with self._db.writing(durable=self._alone()) as connection:
            return self._move(
                connection,
                key,
                "wait",
                ("proposed", "allowed", "waiting"),
                "state = 'waiting', request_id = ?, verdict = coalesce(?, verdict)",
                (request_id, encode_optional(verdict)),
            )

    def doubt(self, key: str, request_id: str) -> CallRecord:
        """This request asks what became of the call, which stays started until it is answered."""
        with self._db.writing(durable=self._alone()) as connection:
            return self._move(
                connection, key, "ask what became of", ("started",), "request_id = ?", (request_id,)
            )

    def start(
        self, key: str, *, executed_input: dict[str, Any], digest: str, grant_id: str | None = None
    ) -> CallRecord:
        """Begin an attempt; once this returns on its own, the disk has it, and the tool may be called.

        With a grant, its use is counted in the same transaction. Raises CallAlreadyFinished, CallInDoubt (an earlier
        attempt has not ended), CallClosed, CallNotAllowed (no verdict let it run, or its request was not approved),
        GrantGone (revoked, expired or used up by now: the call must ask) and ConversationDeleted; each leaves
        everything as it was.
        """
        with self._db.writing(durable=True) as connection:
            call = self._step(key, "start", ("allowed", "waiting"))
            check_alive(self._db, call.conversation_id)
            if call.state == "waiting":
                self._check_request(call)
            if grant_id is not None:
                self._grants.must_use(grant_id)
            now = self._db.now()
            started = self._move(
                connection,
                key,
                "start",
                ("allowed", "waiting"),
                "state = 'started', executed_input = ?, executed_digest = ?,"
                " grant_id = coalesce(?, grant_id), attempts = attempts + 1, started_at = ?",
                (encode(executed_input), digest, grant_id, now),
            )
            execute(
                connection,
                "INSERT INTO attempts (call_key, number, started_at) VALUES (?, ?, ?)",
                (key, started.attempts, now),
            )
            return started

    def finish(self, key: str, result: Any, status: ResultStatus) -> CallRecord:
        """Keep the result of the attempt under way; once this returns on its own, the disk has it.

        Raises CallAlreadyFinished, CallClosed and CallNotStarted.
        """
        with self._db.writing(durable=True) as connection:
            now = self._db.now()
            finished = self._move(
                connection,
                key,
                "finish",
                ("started",),
                "state = 'finished', result = ?, result_status = ?, finished_at = ?",
                (encode(result), status, now),
            )
            self._end_attempt(connection, key, "finished", now)
            return finished

    def answered(self, key: str, result: Any) -> CallRecord:
        """A client tool's call has its result, which a person gave: it never starts. Only while it waits.

        Raises CallNotAllowed when its request was not answered, CallAlreadyFinished and CallClosed.
        """
        with self._db.writing(durable=True) as connection:
            call = self._step(key, "answer", ("waiting",))
            self._check_request(call)
            return self._move(
                connection,
                key,
                "answer",
                ("waiting",),
                "state = 'finished', result = ?, result_status = 'success', finished_at = ?",
                (encode(result), self._db.now()),
            )

    def attempt_ended(self, key: str, why: str) -> CallRecord:
        """The attempt under way ended without a result and without doubt; the call waits, and may be started again.

        Raises CallNotStarted, CallAlreadyFinished and CallClosed.
        """
        with self._db.writing(durable=True) as connection:
            ended = self._move(connection, key, "end an attempt of", ("started",), "state = 'waiting'", ())
            self._end_attempt(connection, key, why, self._db.now())
            return ended

    def close(self, key: str, note: str) -> CallRecord:
        """The call does not run (any more), and the model reads the note. Closing it again keeps the first note.

        Raises CallAlreadyFinished.
        """
        with self._db.writing(durable=True) as connection:
            call = self._step(key, "close", ("proposed", "allowed", "waiting", "started", "closed"))
            if call.state == "closed":
                return call
            now = self._db.now()
            execute(
                connection,
                "UPDATE calls SET state = 'closed', note = ?, finished_at = ? WHERE key = ?",
                (note, now, key),
            )
            if call.state == "started":
                self._end_attempt(connection, key, note, now)
            return self.require(key)

    def get(self, key: str) -> CallRecord | None:
        """The call with this key, if it was ever proposed."""
        row = self._db.one(_SELECT + "WHERE c.key = ?", (key,))
        return None if row is None else _SHAPE.of(row)

    def require(self, key: str) -> CallRecord:
        """Like `get`, and raises NotFound where there is none."""
        call = self.get(key)
        if call is None:
            raise NotFound("There is no call with this key in the journal.")
        return call

    def has_id(self, conversation_id: str, tool_call_id: str) -> bool:
        """Whether a call of the conversation has this tool call id."""
        found = self._db.one(
            "SELECT 1 FROM calls INDEXED BY calls_conversation"
            " WHERE conversation_id = ? AND tool_call_id = ? LIMIT 1",
            (conversation_id, tool_call_id),
        )
        return found is not None

    def of_conversation(self, conversation_id: str) -> list[CallRecord]:
        """The conversation's calls in the order they were proposed."""
        return self._where("c.conversation_id = ?", conversation_id)

    def of_run(self, run_id: str) -> list[CallRecord]:
        """The calls proposed in a run, in order."""
        return self._where("c.turn_id = (SELECT turn_id FROM runs WHERE id = ?1) AND c.run_id = ?1", run_id)

    def unfinished(self, conversation_id: str) -> list[CallRecord]:
        """The conversation's calls that were started and whose attempt has not ended."""
        return self._where(f"c.conversation_id = ? AND {_OPEN} AND c.state = 'started'", conversation_id)

    def of_turn(self, turn_id: str) -> list[CallRecord]:
        """The calls proposed in a turn, in order."""
        return self._where("c.turn_id = ?", turn_id)

    def open(self, conversation_id: str) -> list[CallRecord]:
        """The conversation's calls that neither finished nor were closed, in order."""
        return self._where(f"c.conversation_id = ? AND {_OPEN}", conversation_id)

    def attempts(self, key: str) -> list[Attempt]:
        """Every attempt of a call, in order."""
        rows = self._db.all(
            "SELECT call_key, number, started_at, ended_at, why FROM attempts WHERE call_key = ? ORDER BY number",
            (key,),
        )
        return [Attempt(*row) for row in rows]

    def _alone(self) -> bool:
        # Nothing has happened yet that a power cut must not lose: a caller may commit these steps with its own.
        return not self._db.in_transaction

    def _where(self, condition: str, *params: Any) -> list[CallRecord]:
        return [
            _SHAPE.of(row) for row in self._db.all(f"{_SELECT}WHERE {condition} ORDER BY c.number", params)
        ]

    def _move(
        self,
        connection: Connection,
        key: str,
        verb: str,
        allowed: tuple[CallState, ...],
        assignments: str,
        values: tuple[Any, ...],
    ) -> CallRecord:
        """Change a call that stands where it may; where it doesn't, say so."""
        states = ", ".join(f"'{state}'" for state in allowed)
        moved = execute(
            connection,
            f"UPDATE calls SET {assignments} WHERE key = ? AND state IN ({states}) {_SHAPE.returning}",
            (*values, key),
        ).fetchall()
        return _SHAPE.of(moved[0]) if moved else self._step(key, verb, allowed)

    def _step(self, key: str, verb: str, allowed: tuple[CallState, ...]) -> CallRecord:
        call = self.require(key)
        if call.state in allowed:
            return call
        name = f"{call.tool} ({call.tool_call_id})"
        match call.state:
            case "finished":
                raise CallAlreadyFinished(
                    f"Can't {verb} {name}: it has its result since {call.finished_at}.", call
                )
            case "closed":
                raise CallClosed(f"Can't {verb} {name}: it was closed: {call.note}", call)
            case "started":
                raise CallInDoubt(
                    f"Can't {verb} {name}: it was started at {call.started_at} and its end is not known.",
                    call,
                )
            case "proposed" | "allowed" | "waiting":
                if "started" in allowed:
                    raise CallNotStarted(f"Can't {verb} {name}: it is not started, it is {call.state}.", call)
                raise CallNotAllowed(f"Can't {verb} {name}: nothing allows it yet, it is {call.state}.", call)

    def _check_request(self, call: CallRecord) -> None:
        if call.request_id is None:
            return
        row = self._db.one("SELECT decision, not_run FROM requests WHERE id = ?", (call.request_id,))
        if row is None or row[0] not in _LETS_RUN or row[1]:
            said = "nothing is decided" if row is None or row[0] is None else f"its request was {row[0]}"
            raise CallNotAllowed(f"Can't start {call.tool} ({call.tool_call_id}): {said}.", call)

    def _end_attempt(self, connection: Connection, key: str, why: str, now: str) -> None:
        execute(
            connection,
            "UPDATE attempts SET ended_at = ?, why = ? WHERE call_key = ? AND ended_at IS NULL",
            (now, why, key),
        )
