"""Taking a queued run: the lease, the run's status and its first event, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.runs import agui
from workbench.runs.agui import Event
from workbench.store import Claim, Conversation, Run, Store


@dataclass(frozen=True)
class Taken:
    """A run to drive.

    Attributes:
        claim: the run and the fencing token of its conversation's lease.
        conversation: as it stands; only who has the lease goes on with it.
    """

    claim: Claim
    conversation: Conversation


def take_next(store: Store, holder: str, lease_seconds: float) -> Taken | None:
    """Take the oldest queued run of a conversation that nobody holds; None when there is none."""
    if not store.runs.is_one_free():
        return None
    with store.transaction():
        claim = store.runs.claim_next(holder, lease_seconds)
        if claim is None:
            return None
        run = claim.run
        conversation = store.conversations.get(run.conversation_id)
        if conversation is None or conversation.deleted_at is not None:
            store.runs.set_status(run.id, "cancelled")
            store.leases.release(run.conversation_id, claim.token)
            return None
        store.events.append(run.conversation_id, run.id, [_started(run, conversation.entry)])
    return Taken(claim, conversation)


def _started(run: Run, agent: str) -> Event:
    return agui.run_started(
        run.conversation_id,
        run.id,
        text=run.input.get("text") if run.kind == "message" else None,
        turn_id=run.turn_id,
        metadata={"agent": agent, "kind": run.kind, "by": run.input.get("by", ""), "turnId": run.turn_id},
    )
