"""The MCP servers of a process: which tools an agent gets from them, and why some are missing.

Starting a server for each run would cost more than the run, so its connection is kept for the next one. Neither
strands' MCP client nor mcp is imported before an agent names a client: that takes seconds.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from strands.types.tools import AgentTool

from workbench.agents.mcp_server import McpConnector, McpServer, McpUnavailable, connectors
from workbench.config import Config
from workbench.policy import ToolFacts
from workbench.policy.shown import one_line

if TYPE_CHECKING:
    from strands.tools.mcp import MCPAgentTool

    from workbench.agents.mcp_connection import McpConnection

logger = logging.getLogger(__name__)

IDLE_SECONDS = 600
"""A server unused for this long is stopped when other servers are used, and starts again when it is needed."""

_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MOST_NAMES = 5
_LONGEST_NAME = 80


@dataclass(frozen=True)
class McpProblem:
    """Why an agent lacks tools that its config gives it."""

    client: str
    """The client's name in `mcp_clients`."""
    sentence: str


@dataclass(frozen=True)
class McpTools:
    """What an agent gets from its MCP clients."""

    tools: list[AgentTool] = field(default_factory=list)
    facts: dict[str, ToolFacts] = field(default_factory=dict)
    """What the servers declare of each tool, by the name that the agent calls it."""
    problems: list[McpProblem] = field(default_factory=list)


class McpPool:
    """Keeps the connections of this process to MCP servers. Safe to use from several threads.

    Equal servers share one connection, whichever config or client names them.
    """

    def __init__(self) -> None:
        self._connections: dict[McpServer, McpConnection] = {}
        self._known: dict[McpServer, dict[str, ToolFacts]] = {}
        self._closed = False
        self._lock = threading.Lock()

    def tools_for(self, config: Config, agent: str, *, taken: Collection[str] = ()) -> McpTools:
        """Return the tools of an agent's MCP clients, connecting to what isn't connected.

        It waits for servers to start, several at once, so it belongs in a thread and not on an event loop. A server
        that can't be had is a problem in the answer and never an exception; the next call tries it again.

        Args:
            taken: names that the agent's other tools have; a tool of a server doesn't replace one of those.
        """
        found = McpTools()
        wanted = connectors(config, agent)
        if not wanted:
            return found
        self._let_idle_rest(wanted)
        with ThreadPoolExecutor(max_workers=len(wanted), thread_name_prefix="mcp") as threads:
            listings = list(threads.map(self._listing, wanted))
        names = {_normal(name) for name in taken}
        for connector, listing in zip(wanted, listings, strict=True):
            if isinstance(listing, McpUnavailable):
                found.problems.append(_problem(connector, f"{listing}. The agent works without its tools."))
            else:
                _add(found, connector, *listing, names)
        return found

    def known_facts(self, config: Config, agent: str) -> dict[str, ToolFacts]:
        """Return what was last listed of an agent's MCP tools, without connecting to anything.

        It says nothing of a server that this process has not talked to.
        """
        facts: dict[str, ToolFacts] = {}
        for connector in connectors(config, agent):
            for name, declared in self._known.get(connector.server, {}).items():
                facts.setdefault(connector.tool_name(name), declared)
        return facts

    def close(self) -> None:
        """Stop every server. The pool gives no tools after that."""
        with self._lock:
            self._closed = True
            connections = list(self._connections.values())
        if connections:
            with ThreadPoolExecutor(max_workers=len(connections), thread_name_prefix="mcp") as threads:
                list(threads.map(lambda connection: connection.close(), connections))

    def _listing(
        self, connector: McpConnector
    ) -> tuple[McpConnection, tuple[MCPAgentTool, ...]] | McpUnavailable:
        from workbench.agents.mcp_tool import declared_facts

        try:
            connection = self._connection(connector)
            listed = connection.tools(connector.startup_seconds)
        except McpUnavailable as unavailable:
            return unavailable
        except Exception as error:  # a run without these tools is better than no run
            logger.exception("mcp_client=<%s> | failed in a way that nobody foresaw", connector.client)
            return McpUnavailable(f"it failed with {type(error).__name__}, see the log")
        self._known[connector.server] = {tool.mcp_tool.name: declared_facts(tool) for tool in listed}
        return connection, listed

    def _connection(self, connector: McpConnector) -> McpConnection:
        from workbench.agents.mcp_connection import McpConnection

        with self._lock:
            if self._closed:
                raise McpUnavailable("the workbench is stopping, so it is not started any more")
            if connector.server not in self._connections:
                self._connections[connector.server] = McpConnection(connector.server, connector.client)
            return self._connections[connector.server]

    def _let_idle_rest(self, wanted: list[McpConnector]) -> None:
        """Stop the servers that nobody has used for long, such as those of a config that was edited since."""
        kept = {connector.server for connector in wanted}
        with self._lock:
            idle = [
                connection
                for server, connection in self._connections.items()
                if server not in kept and connection.idle_seconds() > IDLE_SECONDS
            ]
        for connection in idle:
            threading.Thread(target=connection.rest, daemon=True, name="mcp").start()


def _add(
    found: McpTools,
    connector: McpConnector,
    connection: McpConnection,
    listing: tuple[MCPAgentTool, ...],
    names: set[str],
) -> None:
    """Give the agent a server's tools, under names that a model takes and that no other tool has."""
    from workbench.agents.mcp_tool import McpTool, declared_facts

    taken, unusable = [], []
    for listed in listing:
        name = connector.tool_name(listed.mcp_tool.name)
        if not _TOOL_NAME.fullmatch(name):
            unusable.append(name)
        elif _normal(name) in names:
            taken.append(name)
        else:
            names.add(_normal(name))
            facts = declared_facts(listed)
            found.tools.append(McpTool(listed, name, facts, connector.client, connection))
            found.facts[name] = facts
    if unusable:
        found.problems.append(
            _problem(
                connector,
                f"{_listed(unusable)} left out, because a tool's name has at most 64 letters, digits, "
                "underscores and hyphens.",
            )
        )
    if taken:
        found.problems.append(
            _problem(
                connector,
                f"{_listed(taken)} left out, because the agent has a tool of that name already; "
                "give this client a prefix.",
            )
        )


def _problem(connector: McpConnector, text: str) -> McpProblem:
    return McpProblem(connector.client, f"MCP client {connector.client!r}: {text}")


def _normal(name: str) -> str:
    """Return a name as strands compares it: it takes no second tool that differs in `-` and `_` alone."""
    return name.replace("-", "_")


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(one_line(name[:_LONGEST_NAME])) for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{shown}{more} {'is' if len(names) == 1 else 'are'}"
