"""Grants: remembered permissions, counted when used."""

from datetime import datetime

from workbench.policy.vocabulary import Scope
from workbench.store.clock import new_id, optional_text
from workbench.store.conversations import check_alive
from workbench.store.database import Database, execute, insert
from workbench.store.errors import GrantGone, NotFound, StoreError
from workbench.store.records import Door, GrantRecord
from workbench.store.rows import RowShape

_SHAPE = RowShape(GrantRecord)
_SELECT = f"SELECT {_SHAPE.select('g')} FROM grants g "
_LIVE = (
    "g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > :now)"
    " AND (g.max_uses IS NULL OR g.uses < g.max_uses)"
)


class Grants:
    """The remembered permissions."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def create(
        self,
        *,
        config_name: str,
        agent: str,
        tool: str,
        subject_key: str,
        subject_label: str,
        scope: Scope,
        conversation_id: str | None = None,
        request_id: str | None = None,
        by: str,
        via: Door,
        max_uses: int | None = None,
        expires_at: datetime | str | None = None,
        holder: str | None = None,
    ) -> GrantRecord:
        """Remember a permission, durably. A `thread` grant is bound to its conversation, an `always` one to none.

        With a `holder` it ends with that process; who reads it must look whether that lives. A request makes at most
        one grant: asked again for the same request, it returns that one. Raises StoreError
        for the scope `once`, which is never remembered, and for a `thread` grant without a conversation.
        """
        if scope == "once":
            raise StoreError("A decision for one call is not remembered; only thread and always are.")
        if scope == "thread" and conversation_id is None:
            raise StoreError("A permission for one conversation needs to know which.")
        bound_to = conversation_id if scope == "thread" else None
        with self._db.transaction(durable=True) as connection:
            if bound_to is not None:
                check_alive(self._db, bound_to)
            if request_id is not None:
                row = self._db.one(_SELECT + "WHERE g.request_id = ?", (request_id,))
                if row is not None:
                    return _SHAPE.of(row)
            id = new_id()
            insert(
                connection,
                "grants",
                {
                    "id": id,
                    "config_name": config_name,
                    "agent": agent,
                    "tool": tool,
                    "subject_key": subject_key,
                    "subject_label": subject_label,
                    "scope": scope,
                    "conversation_id": bound_to,
                    "request_id": request_id,
                    "by": by,
                    "via": via,
                    "created_at": self._db.now(),
                    "max_uses": max_uses,
                    "expires_at": optional_text(expires_at),
                    "holder": holder,
                },
            )
            return self.require(id)

    def get(self, id: str) -> GrantRecord | None:
        """The grant with this id, whether it holds or not."""
        row = self._db.one(_SELECT + "WHERE g.id = ?", (id,))
        return None if row is None else _SHAPE.of(row)

    def require(self, id: str) -> GrantRecord:
        """Like `get`, and raises NotFound where there is none."""
        grant = self.get(id)
        if grant is None:
            raise NotFound("There is no remembered permission with this id.")
        return grant

    def live(self, config_name: str, agent: str, conversation_id: str | None) -> list[GrantRecord]:
        """The grants that hold now for this agent of this config in this conversation, oldest first."""
        rows = self._db.all(
            f"{_SELECT}WHERE g.config_name = :config AND g.agent = :agent AND {_LIVE}"
            " AND (g.scope = 'always' OR g.conversation_id = :conversation) ORDER BY g.number",
            {"config": config_name, "agent": agent, "conversation": conversation_id, "now": self._db.now()},
        )
        return [_SHAPE.of(row) for row in rows]

    def use(self, id: str) -> bool:
        """Count one use, if the grant still holds."""
        now = self._db.now()
        return (
            self._db.run(
                f"UPDATE grants AS g SET uses = uses + 1, last_used_at = :now WHERE id = :id AND {_LIVE}",
                {"id": id, "now": now},
            )
            > 0
        )

    def must_use(self, id: str) -> None:
        """Count one use, or raise GrantGone."""
        if not self.use(id):
            raise GrantGone(
                "The permission this call was to run under does not hold any more; the call must ask."
            )

    def revoke(self, id: str, by: str) -> GrantRecord:
        """Take it back, durably. The first revoking counts; approvals already given stay what they are."""
        with self._db.transaction(durable=True) as connection:
            execute(
                connection,
                "UPDATE grants SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL",
                (self._db.now(), by, id),
            )
            return self.require(id)

    def revoke_of_conversation(self, conversation_id: str, by: str) -> int:
        """Take back every grant bound to a conversation. Returns how many."""
        with self._db.transaction(durable=True) as connection:
            return execute(
                connection,
                "UPDATE grants SET revoked_at = ?, revoked_by = ? WHERE conversation_id = ? AND revoked_at IS NULL",
                (self._db.now(), by, conversation_id),
            ).rowcount

    def revoke_held(self, holder: str, by: str) -> int:
        """Take back every grant that ends with a process. Returns how many."""
        with self._db.transaction(durable=True) as connection:
            return execute(
                connection,
                "UPDATE grants SET revoked_at = ?, revoked_by = ? WHERE holder = ? AND revoked_at IS NULL",
                (self._db.now(), by, holder),
            ).rowcount

    def list(
        self,
        *,
        config_name: str | None = None,
        conversation_id: str | None = None,
        live_only: bool = False,
    ) -> list[GrantRecord]:
        """Grants, the newest first: of a config, of a conversation, those that still hold, or all."""
        rows = self._db.all(
            f"{_SELECT}WHERE (:config IS NULL OR g.config_name = :config)"
            " AND (:conversation IS NULL OR g.conversation_id = :conversation)"
            f" AND (:every OR ({_LIVE})) ORDER BY g.number DESC",
            {
                "config": config_name,
                "conversation": conversation_id,
                "every": not live_only,
                "now": self._db.now(),
            },
        )
        return [_SHAPE.of(row) for row in rows]
