"""strands' MCP client, made safe to wait for.

What is relied on here beyond strands' documented interface, each with a contract test (seen on strands-agents 1.62
and mcp 2.1): `_handle_tool_execution_error` gets the exception behind a failed call; `_background_thread`,
`_background_thread_event_loop`, `_init_future` and `_close_future` are what `stop` works on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, NoReturn

from mcp import MCPError
from strands.tools.mcp import MCPAgentTool, MCPClient
from strands.types.tools import ToolResultContent

from workbench.agents.mcp_server import McpServer
from workbench.agents.mcp_transport import Way

_CLEANUP_SECONDS = 15
"""How much longer than its limit a start may take: a server that won't stop is killed step by step."""
_MOST_PAGES = 100


class CallFailed(Exception):
    """A call brought no result; `__cause__` says why."""


class WatchedClient(MCPClient):
    """One connection, with a limit on its whole start, an eye on its end, and failures told apart.

    Args:
        server: what to connect to.
        label: names the server in the log.
        seconds: how long it may take to start and to list its tools.
    """

    def __init__(self, server: McpServer, label: str, seconds: float) -> None:
        # The limit that counts is the one in `_connected`. strands' own comes later and only as a last resort: when it
        # runs out, strands waits without a limit for a thread that waits for the server.
        super().__init__(self._connected, startup_timeout=int(seconds) + _CLEANUP_SECONDS)
        self.way = Way(server, label)
        self.seconds = seconds
        self.failure: BaseException | None = None
        """What ended the connection, where that was an error."""
        self._limit: tuple[asyncio.AbstractEventLoop, asyncio.Timeout] | None = None

    @property
    def alive(self) -> bool:
        """Whether a call could still be answered, as far as is known."""
        thread = self._background_thread
        return thread is not None and thread.is_alive() and not self.way.ended

    def open(self) -> list[MCPAgentTool]:
        """Start the server or reach it, and return its tools.

        Raises:
            Exception: whatever went wrong; the connection is closed then.
        """
        self.start()
        try:
            tools = self.list_tools()
        except BaseException:
            self.stop(None, None, None)
            raise
        if self._limit is not None:
            loop, limit = self._limit
            with suppress(RuntimeError):  # the connection broke just now, and its loop is closed
                loop.call_soon_threadsafe(_lift, limit)
        return tools

    def list_tools(self) -> list[MCPAgentTool]:
        """Ask the server for all its tools, under its own names."""
        tools: list[MCPAgentTool] = []
        token = None
        for _ in range(_MOST_PAGES):
            page = self.list_tools_sync(token)
            tools.extend(page)
            token = page.pagination_token
            if token is None:
                break
        return tools

    def stop(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        """Close the connection; what broke it before is in `failure` and no error here."""
        loop, thread = self._background_thread_event_loop, self._background_thread
        if thread is not None and loop is not None and self._is_leaving():
            # strands would hand the loop, which may be closed by then, a coroutine that nobody awaits.
            thread.join()
            loop.close()
            self._background_thread_event_loop = None
        with suppress(RuntimeError):
            super().stop(exc_type, exc_val, exc_tb)

    def map_mcp_content_to_tool_result_content(self, content: Any) -> ToolResultContent | None:
        """Turn one block of a result into strands' form; what strands can't carry is named in words.

        Dropped silently, the model would take a part for the whole; and an image format that strands doesn't know
        would make a failure of a call that happened.
        """
        with suppress(Exception):
            mapped = super().map_mcp_content_to_tool_result_content(content)
            if mapped is not None:
                return mapped
        return {"text": _in_words(content)}

    def _handle_tool_execution_error(self, tool_use_id: str, exception: Exception) -> NoReturn:
        raise CallFailed(str(exception)) from exception

    def _is_leaving(self) -> bool:
        """Whether the thread ends by itself: it never got ready, lost the connection, or is gone."""
        never_ready = self._init_future.done() and self._init_future.exception() is not None
        lost = self._close_future is not None and self._close_future.done()
        return (
            never_ready or lost or self._background_thread is None or not self._background_thread.is_alive()
        )

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Any]:
        try:
            async with asyncio.timeout(self.seconds) as limit, self.way.streams() as streams:
                self._limit = (asyncio.get_running_loop(), limit)
                yield streams
        except Exception as error:
            self.failure = error
            raise


def answered(error: BaseException | None) -> str | None:
    """Return what the server said when it answered a call with an error, or None when it gave no answer.

    mcp reports its own troubles with the connection as if they were errors of the server; they are told apart by the
    codes and the words it has for them.
    """
    match error:
        case MCPError():
            own = error.code in _MCPS_OWN_CODES or (error.code, error.message) == _MCPS_404
            if own or error.message.startswith(_MCPS_WORDS):
                return None
            return error.message
        case RuntimeError() if "structured content" in str(error):
            return f"the call happened, but its result is not what the tool declares: {error}"
        case _:
            return None


_MCPS_OWN_CODES = (-32000, -32001)
"""Connection closed, and a request that timed out."""
_MCPS_404 = (-32601, "Not Found")
_MCPS_WORDS = (
    "Failed to parse",
    "Server returned an error response",
    "Session terminated",
    "Unexpected content type",
    "server answered a request with 202 Accepted",
)


def _lift(limit: asyncio.Timeout) -> None:
    if not limit.expired():
        limit.reschedule(None)


def _in_words(content: Any) -> str:
    kind = str(getattr(content, "type", type(content).__name__))
    held = getattr(content, "resource", content)
    parts = [kind.replace("_", " ")]
    for name in ("title", "name", "uri", "mime_type", "description"):
        if value := getattr(held, name, None):
            parts.append(str(value))
    data = getattr(held, "data", None) or getattr(held, "blob", None)
    if isinstance(data, str):
        parts.append(f"about {len(data) * 3 // 4:,} bytes")
    shown = "" if kind == "resource_link" else "; not shown"
    return f"[{', '.join(parts)}{shown}]"


def _told_elsewhere(name: str) -> Callable[[logging.LogRecord], bool]:
    told = logging.getLogger(name)
    return lambda record: record.levelno < logging.ERROR or told.isEnabledFor(logging.DEBUG)


# What fails there is told in a sentence, to the person and to the model; its traceback is for who debugs.
for _name in (
    "strands.tools.mcp.mcp_client",
    "mcp.client.stdio",
    "mcp.client.sse",
    "mcp.client.streamable_http",
):
    logging.getLogger(_name).addFilter(_told_elsewhere(_name))
