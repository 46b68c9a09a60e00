"""Remembered permissions: listed with the card they came from, and taken back."""

from __future__ import annotations

from workbench.policy import Subject
from workbench.runs.cards import timed
from workbench.runs.views import GrantRow
from workbench.store import GrantRecord, Store, as_time


class Permissions:
    """The grants of one database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def rows(self, config_file: str | None = None, conversation_id: str | None = None) -> list[GrantRow]:
        """List grants, the newest first.

        Args:
            config_file: only those of this config.
            conversation_id: only those that can let a call of this conversation run: its own, and those
                given for always.
        """
        found = self._store.grants.list(config_name=config_file)
        return [
            self._row(grant)
            for grant in found
            if conversation_id is None or grant.conversation_id in (None, conversation_id)
        ]

    def revoke(self, grant_id: str, *, by: str) -> GrantRow:
        """Take a permission back; the next call it would have let run asks. Approvals already given stay."""
        return self._row(self._store.grants.revoke(grant_id, by))

    def _row(self, grant: GrantRecord) -> GrantRow:
        conversation = self._store.conversations.get(grant.conversation_id) if grant.conversation_id else None
        return GrantRow(
            id=grant.id,
            agent_title=grant.agent,
            tool=grant.tool,
            subject=Subject(grant.subject_key, grant.subject_label),
            scope=grant.scope,
            conversation_id=grant.conversation_id,
            conversation_title=conversation.title if conversation else "",
            request_id=grant.request_id,
            by=grant.by,
            created_at=as_time(grant.created_at),
            last_used_at=timed(grant.last_used_at),
            uses=grant.uses,
            max_uses=grant.max_uses,
            expires_at=timed(grant.expires_at),
            revoked_at=timed(grant.revoked_at),
        )
