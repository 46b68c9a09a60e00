"""An MCP server as the config describes it, with everything resolved that a connection needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from workbench.config import Config
from workbench.config.mcp import McpClientConfig, McpServerConfig, Transport

DEFAULT_STARTUP_SECONDS = 30
"""How long a server may take to start and list its tools where `startup_timeout` is left out."""

_SHORTEST_SECRET = 6


class McpUnavailable(Exception):
    """The server can't be reached; the message goes on after "MCP client 'shop': " and names no secret."""


@dataclass(frozen=True)
class McpServer:
    """Where a server is and how to talk to it. Equal servers share one connection."""

    transport: Transport
    command: tuple[str, ...] = ()
    """The program and its arguments; empty for a server that is reached by its address."""
    cwd: Path = Path()
    """The folder the command starts in."""
    url: str = ""
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def shown(self) -> str:
        """What people read of it: the program and what it runs, or the address without its query and password."""
        if self.command:
            program, *arguments = self.command[:2]
            plain = [
                argument for argument in arguments if not argument.startswith("-") and "=" not in argument
            ]
            return " ".join([program, *plain])
        try:
            parts = urlsplit(self.url)
        except ValueError:  # what makes no sense can't be taken apart
            return "the address in url"
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    def without_secrets(self, text: str) -> str:
        """Return a text with the values of `env` and `headers` and the whole address masked."""
        shown = text.replace(self.url, self.shown) if self.url else text
        for _, value in (*self.env, *self.headers):
            # "Bearer abc" is as much a secret as its last word, which is what a server would repeat.
            for secret in (value, value.rpartition(" ")[2]):
                if len(secret) >= _SHORTEST_SECRET:
                    shown = shown.replace(secret, "••••••")
        return shown


@dataclass(frozen=True)
class McpConnector:
    """A client of the config: a server, and what this client makes of its tools."""

    client: str
    """The client's name in `mcp_clients`."""
    server: McpServer
    prefix: str | None
    startup_seconds: float

    def tool_name(self, name: str) -> str:
        """Return what the agent calls a tool of the server, as strands puts a prefix before it."""
        return f"{self.prefix}_{name}" if self.prefix else name


def connectors(config: Config, agent: str) -> list[McpConnector]:
    """Return the MCP clients of an agent in the order it lists them, each once."""
    names = dict.fromkeys(config.agents[agent].mcp)
    return [_connector(config, name, config.mcp_clients[name]) for name in names]


def _connector(config: Config, name: str, client: McpClientConfig) -> McpConnector:
    described = config.mcp_servers[client.server] if client.server is not None else client
    return McpConnector(
        client=name,
        server=_server(described, config.folder),
        prefix=client.prefix,
        startup_seconds=client.startup_timeout or DEFAULT_STARTUP_SECONDS,
    )


def _server(described: McpServerConfig, folder: Path) -> McpServer:
    if described.command is not None:
        return McpServer(
            transport="stdio",
            command=tuple(described.command),
            cwd=(folder / (described.cwd or "")).resolve(),
            env=tuple(sorted(described.env.items())),
        )
    return McpServer(
        transport=described.transport or "streamable-http",
        url=described.url or "",
        headers=tuple(sorted(described.headers.items())),
    )
