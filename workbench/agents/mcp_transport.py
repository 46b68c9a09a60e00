"""The way to an MCP server: a subprocess and its pipes, or HTTP; and what is noticed on that way."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters, stdio_client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from workbench.agents.mcp_server import McpServer

logger = logging.getLogger(__name__)

http_status: ContextVar[list[int] | None] = ContextVar("http_status", default=None)
"""Where the statuses of the HTTP answers to one call are collected; mcp carries the caller's context that far."""

_STDERR_LINES = 20
_LONGEST_LINE = 4_000
_STATUSES = 10


class Way:
    """The way to one server, for one connection.

    Args:
        server: where it leads.
        label: names the server in the log.
    """

    def __init__(self, server: McpServer, label: str) -> None:
        self.server = server
        self.label = label
        self.statuses: deque[int] = deque(maxlen=_STATUSES)
        """The last HTTP statuses."""
        self.stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        """The last lines the server wrote to stderr."""
        self._ended = threading.Event()
        self._stderr_thread: threading.Thread | None = None

    @property
    def ended(self) -> bool:
        """Whether the server will send nothing more."""
        return self._ended.is_set()

    def end(self) -> None:
        """Note that the server will send nothing more."""
        self._ended.set()

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[tuple[Any, Any]]:
        """Start or reach the server and yield the streams to read from and write to.

        Raises:
            Exception: it can't be started or reached.
        """
        try:
            async with self._transport() as (read, write, *_):
                yield _Watched(read, self), write
        finally:
            self.end()

    def last_words(self) -> str:
        """Return the last line the server wrote to stderr, waiting a moment for one that just died."""
        if self._stderr_thread is not None:
            self._stderr_thread.join(timeout=1)
        return self.stderr[-1] if self.stderr else ""

    def junk(self, error: Exception) -> None:
        """Note that the server sent something that is no message: a `print` on its stdout, mostly."""
        first = (str(error).splitlines() or [type(error).__name__])[0]
        logger.warning("mcp_client=<%s> | ignored what is no MCP message: %s", self.label, first)

    def _transport(self) -> AbstractAsyncContextManager[Any]:
        match self.server.transport:
            case "stdio":
                return self._stdio()
            case "streamable-http":
                return self._http()
            case "sse":
                headers = dict(self.server.headers)
                return sse_client(self.server.url, headers, httpx_client_factory=self._http_client)

    @asynccontextmanager
    async def _stdio(self) -> AsyncIterator[Any]:
        readable, writable = os.pipe()
        self._stderr_thread = threading.Thread(target=self._log_stderr, args=(readable,), daemon=True)
        self._stderr_thread.start()
        program, *arguments = self.server.command
        described = StdioServerParameters(
            command=program, args=arguments, env=_environment(self.server), cwd=self.server.cwd
        )
        async with AsyncExitStack() as stack:
            # Ours is closed once the server has its own, so that the reader sees the end when the server ends.
            with os.fdopen(writable, "w") as errlog:
                streams = await stack.enter_async_context(stdio_client(described, errlog=errlog))
            yield streams

    @asynccontextmanager
    async def _http(self) -> AsyncIterator[Any]:
        async with (
            self._http_client(dict(self.server.headers)) as client,
            streamable_http_client(self.server.url, http_client=client) as streams,
        ):
            yield streams

    def _http_client(self, headers: Any = None, timeout: Any = None, auth: Any = None) -> Any:
        client = create_mcp_http_client(headers, timeout, auth)
        client.event_hooks["response"].append(self._note_status)
        return client

    async def _note_status(self, response: Any) -> None:
        self.statuses.append(response.status_code)
        collected = http_status.get()
        if collected is not None:
            collected.append(response.status_code)

    def _log_stderr(self, readable: int) -> None:
        with os.fdopen(readable, encoding="utf-8", errors="replace") as lines:
            for line in iter(lambda: lines.readline(_LONGEST_LINE), ""):
                if text := line.rstrip():
                    self.stderr.append(text)
                    logger.info("mcp_client=<%s> | stderr: %s", self.label, text)


class _Watched:
    """The stream of a server's messages, passed on; notices its end, and keeps back what is no message."""

    def __init__(self, inner: Any, way: Way) -> None:
        self._inner, self._way = inner, way

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __aiter__(self) -> _Watched:
        return self

    async def __anext__(self) -> Any:
        try:
            while isinstance(item := await self._inner.__anext__(), Exception):
                self._way.junk(item)
        except BaseException:
            self._way.end()
            raise
        return item

    async def __aenter__(self) -> _Watched:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        self._way.end()
        left: bool | None = await self._inner.__aexit__(*error)
        return left


def _environment(server: McpServer) -> dict[str, str]:
    """Return what a server's command gets besides mcp's own few variables.

    `python` is the one that runs the workbench where that is a virtual environment, activated or not.
    """
    chosen = dict(server.env)
    if sys.prefix != sys.base_prefix and "PATH" not in chosen:
        chosen["PATH"] = os.pathsep.join(
            [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
        )
    return chosen
