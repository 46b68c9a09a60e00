"""A connection that is kept: started when it is first needed, looked at before each run, started again when dead."""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from http import HTTPStatus
from typing import TypeVar

from strands.tools.mcp import MCPAgentTool

from workbench.agents.mcp_client import WatchedClient
from workbench.agents.mcp_server import McpServer, McpUnavailable
from workbench.policy.shown import one_line

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

RELIST_SECONDS = 5
"""How long a server that runs already may take to list its tools; one that is busy with a call takes longer."""
CLOSE_SECONDS = 15
"""How long closing waits for a server to stop; mcp kills it before that."""
_LONGEST_REASON = 300


class McpConnection:
    """The connection to one server, shared by every run and every agent of this process that uses the server.

    Args:
        server: what to connect to.
        label: the name of a client that uses it, for the log.
    """

    def __init__(self, server: McpServer, label: str) -> None:
        self.server = server
        self.label = label
        self._client: WatchedClient | None = None
        self._listed: tuple[MCPAgentTool, ...] = ()
        self._startup_seconds = 30.0
        self._failed: tuple[float, McpUnavailable] | None = None
        self._closed = False
        self._calls = 0
        self._used = time.monotonic()
        # `_lock` is held while a server starts, `_count` only for a moment.
        self._lock = threading.Lock()
        self._count = threading.Lock()

    def tools(self, startup_seconds: float) -> tuple[MCPAgentTool, ...]:
        """Return the server's tools as it lists them now, starting it where it doesn't run.

        A server that is too busy with a call to list its tools has those it listed last.

        Raises:
            McpUnavailable: it can't be started or reached, or took too long.
        """
        came = time.monotonic()
        with self._lock:
            self._used = time.monotonic()
            self._startup_seconds = startup_seconds
            client = self._client
            if client is not None and client.alive:
                try:
                    self._listed = tuple(_within(RELIST_SECONDS, client.list_tools))
                    return self._listed
                except TimeoutError:
                    if self._calls:
                        return self._listed
                    logger.warning("mcp_client=<%s> | hangs and is started again", self.label)
                except Exception as error:
                    logger.info("mcp_client=<%s>, error=<%s> | is connected again", self.label, error)
            self._start(came)
            return self._listed

    def ready(self) -> WatchedClient:
        """Return a live client, connecting again where the last one died.

        Raises:
            McpUnavailable: there is none to be had.
        """
        came = time.monotonic()
        with self._lock:
            if self._client is None or not self._client.alive:
                self._start(came)
            assert self._client is not None
            return self._client

    def live(self) -> WatchedClient | None:
        """Return the client if it is alive, without waiting."""
        client = self._client
        return client if client is not None and client.alive else None

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Count a call as being under way."""
        with self._count:
            self._calls += 1
        try:
            yield
        finally:
            with self._count:
                self._calls -= 1
                self._used = time.monotonic()

    def idle_seconds(self) -> float:
        """Return for how long nothing has used it; 0 while a call is under way."""
        return 0.0 if self._calls or self._client is None else time.monotonic() - self._used

    def rest(self) -> None:
        """Stop the server until it is needed again."""
        with self._lock:
            self._drop()

    def close(self) -> None:
        """Stop the server for good. A call that is under way ends without an answer."""
        self._closed = True
        # Not under the lock: a server that is just starting must not hold up the end.
        client = self._client
        if client is not None:
            _stop(client)

    def _start(self, came: float) -> None:
        if self._failed is not None and self._failed[0] > came:
            raise self._failed[1]  # it failed for another run while this one waited
        self._drop()
        if self._closed:
            raise McpUnavailable("the workbench is stopping, so it is not started any more")
        client = WatchedClient(self.server, self.label, self._startup_seconds)
        try:
            # In a context of its own: the thread that outlives this run must not carry the run's trace along.
            self._listed = tuple(contextvars.Context().run(client.open))
        except Exception as error:
            unavailable = McpUnavailable(_reason(client, error))
            self._failed = (time.monotonic(), unavailable)
            logger.info("mcp_client=<%s>, reason=<%s> | not connected", self.label, unavailable)
            raise unavailable from error
        self._failed = None
        self._client = client
        if self._closed:  # meanwhile
            _stop(client)
        logger.info("mcp_client=<%s>, tools=<%d> | connected", self.label, len(self._listed))

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            _stop(client)


def _stop(client: WatchedClient) -> None:
    client.way.end()
    try:
        _within(CLOSE_SECONDS, lambda: client.stop(None, None, None))
    except TimeoutError:
        logger.warning("mcp_client=<%s> | does not stop and is left behind", client.way.label)


def _within(seconds: float, work: Callable[[], _T]) -> _T:
    """Run work that can't be interrupted in a thread of its own, and wait for it only so long."""
    done: Future[_T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True, name="mcp").start()
    return done.result(timeout=seconds)


def _reason(client: WatchedClient, error: BaseException) -> str:
    """Say why a server can't be had, in words that fit after "MCP client 'shop': "."""
    server, cause = client.way.server, _innermost(client.failure or error)
    refused = [status for status in client.way.statuses if status >= 400]
    if isinstance(client.failure, TimeoutError) or isinstance(cause, TimeoutError):
        reason = (
            f"{server.shown} was not ready within {client.seconds:g} seconds; "
            "raise its startup_timeout if it needs longer"
        )
    elif server.command and not server.cwd.is_dir():
        reason = f"the folder it starts in, {server.cwd}, does not exist"
    elif server.command and isinstance(cause, FileNotFoundError):
        reason = f"there is no program {server.command[0]!r}; give its path, or put its folder on PATH"
    elif server.command and isinstance(cause, OSError):
        reason = f"{server.command[0]!r} can't be run: {cause.strerror or cause}"
    elif server.command:
        reason = f"{server.shown} ended before it was ready"
    elif refused:
        reason = f"{server.shown} answered {shown_status(refused[-1])}"
    elif "connect" in type(cause).__name__.lower():
        reason = f"nothing answers at {server.shown}"
    else:
        reason = f"{server.shown} can't be used: {str(cause).rstrip('.: ') or type(cause).__name__}"
    if last_words := client.way.last_words():
        reason += f" (its last words: {last_words})"
    return one_line(server.without_secrets(reason), limit=_LONGEST_REASON)


def _innermost(error: BaseException) -> BaseException:
    while True:
        if isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        elif error.__cause__ is not None:
            error = error.__cause__
        else:
            return error


def shown_status(code: int) -> str:
    """Return an HTTP status as people read it, as in `401 Unauthorized`."""
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)
