"""Tool call ids that a conversation used already, by whichever of its agents."""

from __future__ import annotations

from workbench.store import Store


class UsedIds(set[str]):
    """The ids seen in this run; those of earlier runs are looked up as they are asked for.

    Some providers number their calls anew for each agent, or name them after the tool. Results, cards and
    AG-UI clients know a call by its id, so no two calls of a conversation may share one.
    """

    def __init__(self, store: Store, conversation_id: str) -> None:
        super().__init__()
        self._store = store
        self._conversation_id = conversation_id

    def __contains__(self, tool_call_id: object) -> bool:
        """Whether a call of the conversation has this id."""
        return super().__contains__(tool_call_id) or (
            isinstance(tool_call_id, str) and self._store.journal.has_id(self._conversation_id, tool_call_id)
        )
