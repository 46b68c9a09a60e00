"""A tool of an MCP server, as an agent calls it."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

from strands.tools.mcp import MCPAgentTool
from strands.types._events import ToolResultEvent
from strands.types.tools import AgentTool, ToolGenerator, ToolSpec, ToolUse

from workbench.agents.mcp_client import CallFailed, answered
from workbench.agents.mcp_connection import McpConnection, shown_status
from workbench.agents.mcp_server import McpUnavailable
from workbench.agents.mcp_transport import http_status
from workbench.agents.outcome import OutcomeUnknown
from workbench.agents.results import error_result
from workbench.policy import UNKNOWN_CALL, ToolFacts


class McpTool(AgentTool):
    """Calls a server's tool over the connection that is alive when the call comes.

    Args:
        listed: the tool as the server lists it.
        name: what the agent calls it.
        facts: what the server declares of it.
        client: the name of the MCP client, for sentences.
        connection: the way to the server.
    """

    def __init__(
        self, listed: MCPAgentTool, name: str, facts: ToolFacts, client: str, connection: McpConnection
    ) -> None:
        super().__init__()
        self.facts = facts
        self.client = client
        self._listed = listed
        self._name = name
        self._connection = connection

    @property
    def tool_name(self) -> str:
        """What the agent calls it."""
        return self._name

    @property
    def tool_spec(self) -> ToolSpec:
        """The server's own spec under that name; a copy, since strands normalises what it registers."""
        return {**copy.deepcopy(self._listed.tool_spec), "name": self._name}

    @property
    def tool_type(self) -> str:
        """`python`, as strands has it of MCP tools."""
        return self._listed.tool_type

    async def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> ToolGenerator:
        """Call the tool, and give its result whole: content, `structuredContent` and `isError`.

        A call that was not sent, or that the server refused to take, ends in an error that says *Not run*. A call that
        was sent and not answered may have happened: its result says so, and its event carries `OutcomeUnknown`, unless
        the server declares the tool read-only or idempotent.
        """
        tool_use_id = tool_use["toolUseId"]
        with self._connection.calling():
            try:
                client = self._connection.live()
                if client is None:
                    client = await asyncio.to_thread(self._connection.ready)
            except McpUnavailable as gone:
                yield _failed(tool_use_id, f"Not run: MCP client {self.client!r}: {gone}", gone)
                return
            statuses: list[int] = []
            http_status.set(statuses)
            bound = MCPAgentTool(self._listed.mcp_tool, client, name_override=self._name)
            try:
                async for event in bound.stream(tool_use, invocation_state, **kwargs):
                    yield _whole(event)
            except CallFailed as failed:
                yield self._without_result(tool_use_id, failed, statuses)
            finally:
                http_status.set(None)  # no reset: a generator may be closed in another context

    def _without_result(self, tool_use_id: str, failed: CallFailed, statuses: list[int]) -> ToolResultEvent:
        cause = failed.__cause__
        error = cause if isinstance(cause, Exception) else failed
        said = answered(cause)
        server = self._connection.server
        if said is not None:
            return _failed(tool_use_id, f"Error: {server.without_secrets(said)}", error)
        if statuses and _refuses(statuses[-1]):
            text = f"Not run: {server.shown} refused the call and answered {shown_status(statuses[-1])}"
            return _failed(tool_use_id, text, error)
        broke = f"MCP client {self.client!r} got no answer to it ({server.without_secrets(str(failed))})"
        if self.facts.read_only or self.facts.idempotent:
            declared = "read-only" if self.facts.read_only else "idempotent"
            text = f"Failed: {broke}. Its server declares this tool {declared}, so it may be called again."
            return _failed(tool_use_id, text, error)
        text = f"{UNKNOWN_CALL}. {broke}. Find out whether it did before you call it again."
        unknown = OutcomeUnknown(text)
        unknown.__cause__ = error
        return _failed(tool_use_id, text, unknown)


def declared_facts(listed: MCPAgentTool) -> ToolFacts:
    """Return what a server declares of a tool. The config's `tool_annotations` are for local tools."""
    declared: dict[str, Any] = listed.tool_spec.get("annotations") or {}
    return ToolFacts(
        kind="mcp",
        read_only=declared.get("readOnlyHint"),
        idempotent=declared.get("idempotentHint"),
        title=listed.mcp_tool.title or declared.get("title"),
    )


def _refuses(status: int) -> bool:
    """Whether an HTTP status says that the call was turned away; 408 comes of a time-out on the way."""
    return 400 <= status < 500 and status != 408


def _whole(event: Any) -> Any:
    """Make a result one that reads well and forges nothing: structure alone is shown to the model too, and what the
    server says *about* its result stays apart from what we say of it.
    """
    if not isinstance(event, ToolResultEvent):
        return event
    result: dict[str, Any] = dict(event.tool_result)
    if "metadata" in result:
        result["metadata"] = {"mcp": result["metadata"]}
    if not result["content"] and "structuredContent" in result:
        result["content"] = [{"json": result["structuredContent"]}]
    return ToolResultEvent(result, exception=event.exception)  # type: ignore[arg-type]


def _failed(tool_use_id: str, text: str, error: Exception) -> ToolResultEvent:
    return ToolResultEvent(error_result(tool_use_id, text), exception=error)  # type: ignore[arg-type]
