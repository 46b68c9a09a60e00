"""`workbench serve`: one config over HTTP, without the app."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.runs.engine import Engine
from workbench.runs.worker import Worker
from workbench.service.app import service
from workbench.service.guard import Rules
from workbench.service.hosted import Hosted
from workbench.store import Store

SessionApprovals = Literal["memory", "sqlite"]
_STOPPED = "the end of the service"


@dataclass(frozen=True)
class Settings:
    """What `workbench serve` is told.

    Args:
        session_approvals: `memory` forgets what was allowed for a session when the service ends.
        token: what every request must carry; may be empty on the loopback address.
    """

    config: Path
    db: Path
    host: str = "127.0.0.1"
    port: int = 8090
    session_approvals: SessionApprovals = "memory"
    token: str = ""
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(settings: Settings) -> None:
    """Serve until interrupted.

    Raises:
        StoreError: the database can't be opened.
        ConfigUnknown: the config is not valid.
    """
    store = Store.open(settings.db)
    try:
        engine = Engine(store, settings.config.resolve().parent)
        keep_session_approvals(engine, settings.session_approvals)
        hosted = Hosted(engine, str(settings.config.resolve()), takes_loosenings=True)
        engine.current(hosted.file)
        names = {settings.host, socket.gethostname(), *settings.hosts}
        rules = Rules(settings.token, tuple(name.lower() for name in names), settings.origins)
        log_access()
        print(f"Serving {settings.config} on http://{settings.host}:{settings.port}", flush=True)
        uvicorn.run(
            Hosting(service(lambda: hosted, rules), hosted),
            host=settings.host,
            port=settings.port,
            access_log=False,
            server_header=False,
            lifespan="on",
            log_level="warning",
            timeout_graceful_shutdown=3,
        )
    finally:
        store.close()


def keep_session_approvals(engine: Engine, how: SessionApprovals) -> None:
    """Say how long what is allowed for a session lasts."""
    if how == "sqlite":
        engine.answers.holder = None


def forget_session_approvals(engine: Engine) -> None:
    """Take back what was allowed for as long as this process runs."""
    if engine.answers.holder is not None:
        engine.store.grants.revoke_held(engine.answers.holder, _STOPPED)


class Hosting:
    """The service with its worker, which starts and ends with it."""

    def __init__(self, app: ASGIApp, hosted: Hosted) -> None:
        self._app = app
        self._hosted = hosted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or start and end with the server."""
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        await receive()
        async with self._working():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def _working(self) -> AsyncIterator[None]:
        engine = self._hosted.engine
        worker = Worker(engine.store, engine.desk)
        worker.start()
        try:
            yield
        finally:
            worker.stop()
            forget_session_approvals(engine)


def log_access() -> None:
    """Write the access log, and what the service has to say, to standard error."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("workbench").setLevel(logging.INFO)
