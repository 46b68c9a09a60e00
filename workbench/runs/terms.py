"""Terms: what the door that a run came through brings along, and what it doesn't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.agents.builder import Blueprint
from workbench.store import Door, Run, Store

KEY = "terms"
"""Where a run's input holds them."""

_REMEMBERING: frozenset[Door] = frozenset({"app", "notebook"})


@dataclass(frozen=True)
class Terms:
    """Under which terms a run works.

    Args:
        door: where its message or its answers came in.
        remembers: whether somebody keeps wider decisions than ``once``, so that they may be offered.
        asks_person: whether agents may call client tools; nobody answers them at some doors.
    """

    door: Door = "app"
    remembers: bool = True
    asks_person: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return the stored form, for :meth:`from_dict`."""
        return {"door": self.door, "remembers": self.remembers, "asks_person": self.asks_person}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Terms:
        """Return the terms that :meth:`to_dict` wrote."""
        return cls(
            door=data["door"],
            remembers=bool(data["remembers"]),
            asks_person=bool(data["asks_person"]),
        )

    def fitted(self, plan: Blueprint) -> Blueprint:
        """Return what an agent is made of under these terms."""
        if self.asks_person:
            return plan
        facts = {name: known for name, known in plan.facts.items() if name not in plan.client_tools}
        return replace(plan, client_tools={}, facts=facts)


def terms_of(store: Store, run: Run, first: Run | None = None) -> Terms:
    """Return a run's terms: its own, else those that its turn had last, else those of the door it came through.

    Args:
        first: the run that its turn began with, when the caller has it.
    """
    if KEY in run.input:
        return Terms.from_dict(run.input[KEY])
    first = first or store.runs.require(run.turn_id)
    runs = (
        [] if run.id == first.id else store.runs.of_conversation(run.conversation_id, after=first.number - 1)
    )
    turn = [
        one for one in runs if one.turn_id == run.turn_id and one.number < run.number and KEY in one.input
    ]
    if turn:
        return Terms.from_dict(turn[-1].input[KEY])
    door: Door = first.input.get("via") or store.conversations.require(run.conversation_id).door
    return Terms(door=door, remembers=door in _REMEMBERING)
