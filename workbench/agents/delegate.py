"""A delegate: an agent or an orchestration that another agent calls as a tool."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

from strands import Agent
from strands.types.tools import AgentTool, ToolSpec, ToolUse

from workbench.policy import ToolFacts

Work = Callable[[ToolUse, Agent], AsyncIterator[Any]]
"""Does what was delegated: takes the call and the agent that made it, yields strands' tool events."""


class DelegateTool(AgentTool):
    """What a coordinator sees of a delegate: a tool with its name, its description and one text to send it.

    Each call works with a fresh agent, so the same delegate can be called twice in one turn.

    Args:
        resumable: whether a call that a crash tore can be gone back to, because the delegate's own
            messages and the journal say where it was.
    """

    def __init__(self, name: str, description: str, work: Work, *, resumable: bool) -> None:
        super().__init__()
        self._name = name
        self._description = description
        self._work = work
        self.coordinator: Agent | None = None
        """The agent whose tool this is. Parallel nodes share strands' ``invocation_state``, so it can't tell."""
        self.facts = ToolFacts(kind="delegate", idempotent=True if resumable else None)

    @property
    def tool_name(self) -> str:
        """The delegate's name in the config."""
        return self._name

    @property
    def tool_type(self) -> str:
        """What kind of tool this is, in strands' terms."""
        return "agent"

    @property
    def tool_spec(self) -> ToolSpec:
        """What the coordinator's model is told."""
        return {
            "name": self._name,
            "description": self._description,
            "inputSchema": {
                "json": {
                    "type": "object",
                    "properties": {
                        "input": {
                            "type": "string",
                            "description": f"What {self._name} should do, in plain words.",
                        }
                    },
                    "required": ["input"],
                }
            },
        }

    async def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        """Delegate, and give the delegate's reply as the result."""
        coordinator: Agent = self.coordinator or invocation_state["agent"]
        async for event in self._work(tool_use, coordinator):
            yield event
