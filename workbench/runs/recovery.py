"""A crash is a pause nobody asked for: runs whose process died are queued again from their last checkpoint."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from workbench.runs import agui
from workbench.store import Run, RunKind, Store

logger = logging.getLogger(__name__)

INTERRUPTED = "interrupted"
MOST_TAKEN_UP = 5
"""How often in a row a run is taken up; one that takes its process with it must not do so for ever."""


def recover(store: Store, is_gone: Callable[[str], bool]) -> list[str]:
    """Queue a run for every working run whose lease ran out or whose process is gone.

    Args:
        is_gone: says of a lease's holder whether its process is surely dead; its lease is not waited for.

    Returns:
        The ids of the queued runs.
    """
    for conversation_id, token, holder in store.leases.held():
        if is_gone(holder):
            store.leases.release(conversation_id, token)
    return [
        again for conversation_id in store.leases.expired() if (again := _recover_one(store, conversation_id))
    ]


def unfinished_sets(store: Store) -> list[str]:
    """Return the pauses whose answers are all held, which a crash kept from being told to their host."""
    complete = []
    for pause_id in store.held.pauses():
        still = [one.id for one in store.requests.of_pause(pause_id) if one.status == "open"]
        held = {one.request_id for one in store.held.of_pause(pause_id)}
        if still and held.issuperset(still):
            complete.append(pause_id)
    return complete


def _recover_one(store: Store, conversation_id: str) -> str | None:
    with store.transaction(durable=True):
        run = store.runs.active(conversation_id)
        if run is None or run.status != "working" or conversation_id not in store.leases.expired():
            return None
        store.leases.fence(conversation_id)
        conversation = store.conversations.get(conversation_id)
        if conversation is None or conversation.deleted_at is not None:
            store.runs.set_status(run.id, "cancelled")
            return None
        again = _taken_up(store, run) < MOST_TAKEN_UP
        message = "The app stopped while this run was working. It is taken up again below."
        if not again:
            message += " It happened several times in a row, so it is yours to try again."
        error = {"code": INTERRUPTED, "message": message}
        store.events.append(conversation_id, run.id, [agui.run_error(error["code"], error["message"])])
        store.runs.set_status(run.id, "failed", error=error)
        if not again:
            logger.error("run=<%s> | left as it is: its process died %d times", run.id, MOST_TAKEN_UP + 1)
            return None
        kind: RunKind = "stop" if run.cancel_requested else "recover"
        given: dict[str, Any] = {"of": run.id}
        queued = store.runs.queue(
            conversation_id,
            turn_id=run.turn_id,
            config_version_id=run.config_version_id,
            kind=kind,
            input=given,
        )
    logger.warning("run=<%s>, again=<%s> | taken up after its process died", run.id, queued.id)
    return queued.id


def _taken_up(store: Store, run: Run) -> int:
    """Count the runs before this one, itself included, that each took up the one before."""
    count = 0
    for other in reversed(store.runs.of_conversation(run.conversation_id)):
        if other.turn_id != run.turn_id or other.kind != "recover":
            break
        count += 1
    return count
