"""Runs: queued, claimed by one holder, finished."""

from typing import Any

from workbench.store.clock import new_id
from workbench.store.codec import encode, encode_optional
from workbench.store.conversations import check_alive
from workbench.store.database import Database, execute
from workbench.store.errors import ConversationBusy, NotFound, StoreError
from workbench.store.leases import LAPSED, Leases
from workbench.store.records import Claim, Run, RunKind, RunStatus
from workbench.store.rows import RowShape

_SHAPE = RowShape(Run, json=("input", "error", "usage"), flags=("cancel_requested",))
_SELECT = f"SELECT {_SHAPE.select('r')} FROM runs r "

_QUEUED_AND_FREE = f"""
SELECT r.id, r.conversation_id FROM runs r LEFT JOIN leases l ON l.conversation_id = r.conversation_id
WHERE r.status IN ('queued', 'working') AND r.status = 'queued' AND {LAPSED} ORDER BY r.created_at, r.rowid LIMIT 1
"""

_SEARCHED_CHARACTERS = 4000


class Runs:
    """The runs, and who may take them."""

    def __init__(self, db: Database, leases: Leases) -> None:
        self._db = db
        self._leases = leases

    def queue(
        self,
        conversation_id: str,
        *,
        turn_id: str | None = None,
        config_version_id: int,
        kind: RunKind,
        input: dict[str, Any],
        id: str | None = None,
    ) -> Run:
        """A run for a worker to take. Without a turn it begins one, named after itself.

        The first characters of a message's `text` in the input make the conversation findable. Raises
        ConversationBusy while another run of the conversation is queued or working, ConversationNotFound and
        ConversationDeleted.
        """
        chosen = new_id() if id is None else id
        with self._db.writing() as connection:
            check_alive(self._db, conversation_id)
            # The index of active runs is what refuses a second one.
            queued = execute(
                connection,
                "INSERT INTO runs (id, conversation_id, turn_id, number, config_version_id, kind, input, status,"
                " created_at) SELECT ?, ?, ?, coalesce(max(number), 0) + 1, ?, ?, ?, 'queued', ?"
                f" FROM runs WHERE conversation_id = ? ON CONFLICT DO NOTHING {_SHAPE.returning}",
                (
                    chosen,
                    conversation_id,
                    chosen if turn_id is None else turn_id,
                    config_version_id,
                    kind,
                    encode(input),
                    self._db.now(),
                    conversation_id,
                ),
            ).fetchall()
            if not queued:
                active = self.active(conversation_id)
                if active is None:
                    raise StoreError("A run with this id is there already.")
                raise ConversationBusy(active)
            text = input.get("text")
            if kind == "message" and isinstance(text, str) and text:
                execute(
                    connection,
                    "INSERT INTO searchable (conversation_id, text) VALUES (?, ?)",
                    (conversation_id, text[:_SEARCHED_CHARACTERS].casefold()),
                )
            return _SHAPE.of(queued[0])

    def get(self, id: str) -> Run | None:
        """The run with this id."""
        row = self._db.one(_SELECT + "WHERE r.id = ?", (id,))
        return None if row is None else _SHAPE.of(row)

    def require(self, id: str) -> Run:
        """Like `get`, and raises NotFound where there is none."""
        run = self.get(id)
        if run is None:
            raise NotFound("There is no run with this id.")
        return run

    def of_conversation(self, conversation_id: str, after: int | None = None) -> list[Run]:
        """The conversation's runs in order; with `after`, those with a higher number."""
        rows = self._db.all(
            _SELECT + "WHERE r.conversation_id = ? AND r.number > ? ORDER BY r.number",
            (conversation_id, 0 if after is None else after),
        )
        return [_SHAPE.of(row) for row in rows]

    def queued(self, limit: int | None = None) -> list[Run]:
        """Runs nobody has taken yet, oldest first."""
        return self._active("queued", limit)

    def working(self, limit: int | None = None) -> list[Run]:
        """Runs somebody is (or was, before a crash) driving, oldest first."""
        return self._active("working", limit)

    def active(self, conversation_id: str) -> Run | None:
        """The conversation's run that is queued or working, if there is one."""
        row = self._db.one(
            _SELECT
            + "WHERE r.conversation_id = ? AND r.status IN ('queued', 'working') ORDER BY r.number DESC LIMIT 1",
            (conversation_id,),
        )
        return None if row is None else _SHAPE.of(row)

    def latest(self, conversation_id: str) -> Run | None:
        """The conversation's newest run, whatever became of it."""
        row = self._db.one(
            _SELECT + "WHERE r.conversation_id = ? ORDER BY r.number DESC LIMIT 1", (conversation_id,)
        )
        return None if row is None else _SHAPE.of(row)

    def is_one_free(self) -> bool:
        """Whether `claim_next` would find a run now."""
        return self._free() is not None

    def claim_next(self, holder: str, lease_seconds: float) -> Claim | None:
        """Take the oldest queued run of a conversation that nobody holds: it works now, under a lease of ours."""
        # Looking costs no write; most looks find nothing.
        if not self._db.in_transaction and self._free() is None:
            return None
        with self._db.writing():
            free = self._free()
            return None if free is None else self._claim(*free, holder, lease_seconds)

    def reclaim(self, conversation_id: str, holder: str, lease_seconds: float) -> Claim | None:
        """Take over the working run of a conversation whose holder is gone. None when it is not, or nothing works."""
        with self._db.writing():
            run = self.active(conversation_id)
            if run is None or run.status != "working":
                return None
            return self._claim(run.id, conversation_id, holder, lease_seconds)

    def set_status(
        self,
        run_id: str,
        status: RunStatus,
        *,
        error: dict[str, Any] | None = None,
        usage: dict[str, Any] | None = None,
        model_ms: int | None = None,
        finished: bool | None = None,
    ) -> Run:
        """Say where the run stands.

        `finished` notes the time it ended; unless told, every status but queued and working ends it. Error, usage
        and time that are None leave what was noted before.
        """
        ended = status not in ("queued", "working") if finished is None else finished
        now = self._db.now()
        with self._db.writing() as connection:
            changed = execute(
                connection,
                "UPDATE runs SET status = ?, error = coalesce(?, error), usage = coalesce(?, usage),"
                " model_ms = coalesce(?, model_ms), finished_at = ?, started_at = CASE WHEN ? = 'working'"
                f" THEN coalesce(started_at, ?) ELSE started_at END WHERE id = ? {_SHAPE.returning}",
                (
                    status,
                    encode_optional(error),
                    encode_optional(usage),
                    model_ms,
                    now if ended else None,
                    status,
                    now,
                    run_id,
                ),
            ).fetchall()
            return _SHAPE.of(changed[0]) if changed else self.require(run_id)

    def request_cancel(self, run_id: str) -> Run:
        """Ask whoever drives the run to stop it."""
        with self._db.writing() as connection:
            execute(connection, "UPDATE runs SET cancel_requested = 1 WHERE id = ?", (run_id,))
            return self.require(run_id)

    def stop_asked(self, run_id: str) -> bool:
        """Whether somebody asked to stop the run."""
        row = self._db.one("SELECT cancel_requested FROM runs WHERE id = ?", (run_id,))
        return row is not None and bool(row[0])

    def _free(self) -> tuple[str, str] | None:
        """The run to take next, and its conversation."""
        return self._db.one(_QUEUED_AND_FREE, {"now": self._db.now()})

    def _claim(self, run_id: str, conversation_id: str, holder: str, lease_seconds: float) -> Claim | None:
        token = self._leases.take(conversation_id, holder, lease_seconds)
        return None if token is None else Claim(self.set_status(run_id, "working"), token)

    def _active(self, status: RunStatus, limit: int | None) -> list[Run]:
        rows = self._db.all(
            _SELECT
            + "WHERE r.status IN ('queued', 'working') AND r.status = ? ORDER BY r.created_at, r.rowid LIMIT ?",
            (status, -1 if limit is None else limit),
        )
        return [_SHAPE.of(row) for row in rows]
