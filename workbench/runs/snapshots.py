"""The parts of a strands snapshot that are made or taken apart here; strands makes all others itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from strands import Agent
from strands.types._snapshot import Snapshot

Message = dict[str, Any]


def partial(data: dict[str, Any]) -> Snapshot:
    """Return a snapshot that restores only the fields it holds."""
    return Snapshot(scope="agent", schema_version="1.0", data=data, app_data={})


def take(agent: Agent) -> dict[str, Any]:
    """Return an agent's state without its messages, which are stored on their own."""
    return agent.take_snapshot(preset="session", exclude=["messages"]).to_dict()


def take_state(agent: Agent) -> dict[str, Any]:
    """Return only what an agent's next turn may find: its own state and the model's."""
    return agent.take_snapshot(include=["state", "model_state"]).to_dict()


def restore_whole(agent: Agent, snapshot: dict[str, Any]) -> None:
    """Bring an agent to where a snapshot was taken, its messages aside."""
    agent.load_snapshot(Snapshot.from_dict(snapshot))


def restore_state(agent: Agent, snapshot: Mapping[str, Any]) -> None:
    """Give a new turn what the last one left: the agent's own state, and nothing of its interrupts."""
    data = {key: snapshot["data"][key] for key in ("state", "model_state") if key in snapshot["data"]}
    if data:
        agent.load_snapshot(partial(data))


def interrupts_of(snapshot: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the interrupts that a snapshot holds, by strands' id."""
    if snapshot is None:
        return {}
    interrupts: dict[str, Any] = (snapshot["data"].get("interrupt_state") or {}).get("interrupts", {})
    return interrupts


def reopen_batch(agent: Agent, batch: Message, interrupts: dict[str, Any]) -> None:
    """Make the next run execute the calls of a batch that have no result, without asking the model again.

    An activated interrupt state whose pending execution is the last assistant message does that; the gate
    knows each call's standing, and gives a journalled result without running the call.

    Args:
        batch: the assistant message that proposed the calls.
        interrupts: tools' own interrupts that were open, by strands' id.
    """
    agent.load_snapshot(
        partial(
            {
                "interrupt_state": {
                    "interrupts": interrupts,
                    "context": {},
                    "activated": True,
                    "pending_tool_execution": {"assistant_message": batch, "completed_tool_results": []},
                }
            }
        )
    )
