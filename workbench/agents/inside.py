"""What is read of strands beyond its documented API, each with a contract test in ``test_strands_facts``."""

from __future__ import annotations

from typing import Any

from strands.interrupt import Interrupt
from strands.middleware.stages import ExecuteToolStage


class UnsafeMiddleware(Exception):
    """Something registered middleware around tool calls, which could run another call than was approved."""


def has_tool_middleware(agent: Any) -> bool:
    """Whether anything but strands itself stands around tool calls: middleware may replace the tool that runs."""
    handlers = agent._middleware_registry._handlers.get(ExecuteToolStage, [])
    owners = [getattr(tagged.handler, "__self__", None) for tagged in handlers]
    return any(not type(owner).__module__.startswith("strands.") for owner in owners)


def asked_by_hooks(agent: Any, tool_call_id: str) -> list[Interrupt]:
    """Return what other hooks asked just before this call and nobody answered yet.

    The gate's own interrupts are named after their requests and say so in their reasons.
    """
    of_this_call = f"v1:before_tool_call:{tool_call_id}:"
    return [
        interrupt
        for key, interrupt in agent._interrupt_state.interrupts.items()
        if key.startswith(of_this_call)
        and interrupt.response is None
        and interrupt.reason != {"request": interrupt.name}
    ]
