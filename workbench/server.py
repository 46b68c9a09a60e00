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
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

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
    host.close()


# A page of another site that made its name point here must not reach the cards (DNS rebinding).
app = st.App(
    str(HERE / "app.py"),
    lifespan=lifespan,
    middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])],
)


def run(*, configs: Path, db: Path, port: int, open_browser: bool = False) -> None:
    """Serve the app until it is interrupted.

    Args:
        configs: the folder with the config files.
        db: the database file.
        port: the port to listen on, on the loopback address only: whoever reaches it can approve calls.
        open_browser: open the app in a browser, where there is a screen.
    """
    os.environ[host.CONFIGS_VARIABLE] = str(configs.resolve())
    os.environ[host.DB_VARIABLE] = str(db.resolve())
    url = f"http://{LOOPBACK}:{port}"
    print(f"Workbench: {url}   (database: {db})", flush=True)
    if open_browser and _has_screen():
        threading.Timer(1.5, webbrowser.open, (url,)).start()
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
