"""Terms: what the door that a run came through brings along, and what it doesn't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from workbench.agents.builder import Blueprint
from workbench.agents.client_tools import ClientToolSpec
from workbench.policy import ToolFacts
from workbench.store import Door, Run, Store

KEY = "terms"
"""Where a run's input holds them."""

_REMEMBERING: frozenset[Door] = frozenset({"app", "notebook"})
_FOR_TOOL = "tool:"


@dataclass(frozen=True)
class Terms:
    """Under which terms a run works.

    Args:
        door: where its message or its answers came in.
        remembers: whether somebody keeps wider decisions than ``once``, so that they may be offered.
        asks_person: whether agents may call client tools; nobody answers them at some doors.
        grants: the permissions that an AG-UI client sends, each ``{tool, subject, scope}``; it is judged by these
            alone.
        client_tools: the client tools that an AG-UI client declares, each ``{name, description, parameters}``;
            None leaves the workbench's own.
        context: what an AG-UI client tells the agents, each ``{description, value}``.
    """

    door: Door = "app"
    remembers: bool = True
    asks_person: bool = True
    grants: tuple[dict[str, Any], ...] = ()
    client_tools: tuple[dict[str, Any], ...] | None = None
    context: tuple[dict[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the stored form, for :meth:`from_dict`."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Terms:
        """Return the terms that :meth:`to_dict` wrote."""
        declared = data.get("client_tools")
        return cls(
            door=data["door"],
            remembers=bool(data["remembers"]),
            asks_person=bool(data["asks_person"]),
            grants=tuple(data.get("grants", ())),
            client_tools=None if declared is None else tuple(declared),
            context=tuple(data.get("context", ())),
        )

    def fitted(self, plan: Blueprint) -> Blueprint:
        """Return what an agent is made of under these terms."""
        if self.asks_person and self.client_tools is None:
            return plan
        facts = {name: known for name, known in plan.facts.items() if name not in plan.client_tools}
        offered = {
            one["name"]: ClientToolSpec(
                one["name"],
                one.get("description", ""),
                _schema(one.get("parameters")),
                by_client=True,
            )
            for one in reversed(self.client_tools or ())
            if one["name"] in plan.config.client_tools and one["name"] not in facts and self.asks_person
        }
        facts |= {name: ToolFacts(kind="client") for name in offered}
        return replace(plan, client_tools=offered, facts=facts)

    def told(self, plan: Blueprint) -> str:
        """Return what the client tells an agent, for its system prompt; what is for a tool only with that tool."""
        allowed = {*plan.facts, *plan.client_tools}
        items = []
        for one in self.context:
            name, _, words = one["description"].removeprefix(_FOR_TOOL).partition(" ")
            if not one["description"].startswith(_FOR_TOOL):
                items.append(f"{one['description']}:\n{one['value']}")
            elif name.rstrip(":,") in allowed:
                items.append(f"{name.rstrip(':,')} {words}".strip() + f":\n{one['value']}")
        return "\n\n".join(["What the application tells you:", *items]) if items else ""


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


def _schema(parameters: Any) -> dict[str, Any]:
    given = parameters if isinstance(parameters, dict) else {}
    return {"properties": {}, **given, "type": "object"}
