"""The server: the app in one process, listening on this machine only."""

from __future__ import annotations

import gc
import logging
import os
import socket
import sys
import threading
import tomllib
import webbrowser
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.service.app import PATHS, service
from workbench.service.guard import Rules
from workbench.service.hosted import Hosted
from workbench.service.problem import Refused
from workbench.service.serve import (
    SessionApprovals,
    forget_session_approvals,
    keep_session_approvals,
    log_access,
)
from workbench.store import StoreError
from workbench.ui import host

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
HERE = Path(__file__).parent
SETTINGS = HERE.parent / ".streamlit" / "config.toml"


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any]]:
    """Start the worker with the server, so that runs go on without a page being open."""
    try:
        host.host()
    except StoreError as error:
        logger.error("%s", error)  # the page says it too, and tries again
    # Streamlit collects garbage after every script run; what is loaded by now is never garbage.
    gc.freeze()
    yield {}
    with suppress(StoreError):
        forget_session_approvals(host.engine())
    host.close()


@dataclass
class Http:
    """The HTTP service beside the app.

    Args:
        file: the config that it serves; None serves nothing.
        session_approvals: how long what is allowed for a session lasts.
        rules: who may call it.
    """

    file: str | None = None
    session_approvals: SessionApprovals = "memory"
    rules: Rules = field(default_factory=Rules)
    _hosted: Hosted | None = None
    _app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if self._app is None:
            self._app = service(self._provide, self.rules)
        await self._app(scope, receive, send)

    def _provide(self) -> Hosted:
        if self.file is None:
            raise Refused(
                503, "no_config", "No config is served over HTTP: start the app with one, workbench run CONFIG."
            )
        try:
            engine = host.engine()
        except StoreError as error:
            raise Refused(503, "no_database", str(error)) from None
        if self._hosted is None or self._hosted.engine is not engine:
            keep_session_approvals(engine, self.session_approvals)
            self._hosted = Hosted(engine, self.file)
        return self._hosted


http = Http()

# A page of another site that made its name point here must not reach the cards (DNS rebinding).
app = st.App(
    str(HERE / "app.py"),
    lifespan=lifespan,
    routes=[Route(path, http) for path in PATHS],
    middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])],
)


def run(
    *,
    configs: Path,
    db: Path,
    port: int,
    config: Path | None = None,
    session_approvals: SessionApprovals = "memory",
    rules: Rules | None = None,
    open_browser: bool = False,
) -> None:
    """Serve the app until it is interrupted, and one of the configs over HTTP.

    Args:
        configs: the folder with the config files.
        db: the database file.
        port: the port to listen on, on the loopback address only: whoever reaches it can approve calls.
        config: the config to serve over HTTP.
        session_approvals: how long what is allowed over HTTP for a session lasts.
        rules: who may call over HTTP.
        open_browser: open the app in a browser, where there is a screen.
    """
    http.file = str(config.resolve()) if config is not None else None
    http.session_approvals = session_approvals
    http.rules = rules or Rules()
    log_access()
    os.environ[host.CONFIGS_VARIABLE] = str(configs.resolve())
    os.environ[host.DB_VARIABLE] = str(db.resolve())
    url = f"http://{LOOPBACK}:{port}"
    print(f"Workbench: {url}   (database: {db})", flush=True)
    if open_browser and _has_screen():
        threading.Timer(1.5, webbrowser.open, (url,)).start()
    with suppress(KeyboardInterrupt):  # Streamlit's server ends in an orderly way, and then raises it
        app.run(config={**_settings(), "server.port": port, "server.address": LOOPBACK})


def port_is_free(port: int) -> bool:
    """Whether the app can listen on a port of this machine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _settings() -> dict[str, Any]:
    """Return the project's Streamlit settings, which Streamlit itself finds only in its working folder."""
    if not SETTINGS.is_file():
        return {}
    return dict(_flat(tomllib.loads(SETTINGS.read_text(encoding="utf-8"))))


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for key, value in table.items():
        name = f"{prefix}{key}"
        flat += _flat(value, f"{name}.") if isinstance(value, Mapping) else [(name, value)]
    return flat
