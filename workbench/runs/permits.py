"""The permissions that a run is judged by: the store's, or those that an AG-UI client sends along."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.policy import Grant, Scope
from workbench.runs.process import is_alive
from workbench.runs.terms import Terms
from workbench.store import Store

ENDED = "the end of the process that kept it"
"""Who took a permission back that was to last as long as a process."""
_CLIENT = "client:"


@dataclass(frozen=True)
class Permits:
    """The permissions of one run."""

    store: Store
    config_name: str
    conversation_id: str
    terms: Terms

    def of(self, agent: str) -> list[Grant]:
        """Return those that hold for an agent now."""
        if self.terms.door == "agui":
            return [
                Grant(f"{_CLIENT}{index}", one["tool"], one["subject"], one["scope"])
                for index, one in enumerate(self.terms.grants)
            ]
        rows = self.store.grants.live(self.config_name, agent, self.conversation_id)
        ended = {row.holder for row in rows if row.holder is not None and not is_alive(row.holder)}
        for holder in ended:
            self.store.grants.revoke_held(holder, ENDED)
        return [
            Grant(row.id, row.tool, row.subject_key, row.scope, row.subject_label)
            for row in rows
            if row.holder not in ended
        ]

    def client_scope(self, grant_id: str | None) -> Scope | None:
        """Return the scope of a permission that a client sent."""
        if grant_id is None or self.stored(grant_id) is not None:
            return None
        scope: Scope = self.terms.grants[int(grant_id.removeprefix(_CLIENT))]["scope"]
        return scope

    @staticmethod
    def stored(grant_id: str | None) -> str | None:
        """Return the id of a permission that is the store's to count; None for a client's."""
        return None if grant_id is None or grant_id.startswith(_CLIENT) else grant_id
