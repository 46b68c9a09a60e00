"""The part of the schema about MCP: servers, the clients that connect to them, and annotations in MCP's terms."""

from typing import Annotated, Literal

from pydantic import Field

from workbench.config.field import ConfigModel, Many, Name, Text

Transport = Literal["stdio", "sse", "streamable-http"]


class McpServerConfig(ConfigModel):
    """An MCP server, named so that several clients can connect to it: `command` or `url`."""

    command: Many[Text] | None = None
    """The command that starts the server, as a list: `[python, server.py]`; it talks over stdin and stdout."""
    url: Text | None = None
    """The address of a running server."""
    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables for `command`, besides the ones it gets anyway."""
    cwd: Text | None = None
    """The folder `command` starts in, seen from the config's; the config's own folder where it is left out."""
    headers: dict[str, str] = Field(default_factory=dict)
    """HTTP headers sent to `url`."""
    transport: Transport | None = None
    """How to talk to the server; `stdio` for a command and `streamable-http` for an address where it is left out."""


class McpClientConfig(McpServerConfig):
    """A connection to an MCP server: exactly one of `command`, `url` and `server`."""

    server: Name | None = None
    """A name of `mcp_servers`, in place of `command` or `url`."""
    prefix: Name | None = None
    """Put before the names of the server's tools, as in `shop_search`, so that two servers don't collide."""
    startup_timeout: Annotated[int, Field(gt=0)] | None = None
    """Seconds the server has to start; 30 where it is left out."""


class ToolAnnotation(ConfigModel):
    """What is declared of a local tool, in MCP's terms."""

    title: Text | None = None
    """The name people see."""
    readOnlyHint: bool | None = None  # noqa: N815 - MCP's own spelling
    """`true`: running it changes nothing. Undeclared counts as not read-only."""
    destructiveHint: bool | None = None  # noqa: N815
    """`true`: it may delete or overwrite. For people; no rule reads it."""
    idempotentHint: bool | None = None  # noqa: N815
    """`true`: running it twice changes no more than once, so that a call cut off by a crash may run again."""
    openWorldHint: bool | None = None  # noqa: N815
    """`true`: it reaches outside systems. For people; no rule reads it."""
