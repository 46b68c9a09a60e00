"""The server: the app in one process, listening on this machine only."""

from __future__ import annotations

import gc
import logging
import os
import tomllib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.store import StoreError
from workbench.ui import host

logger = logging.getLogger(__name__)

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


app = st.App(str(HERE / "app.py"), lifespan=lifespan)


def run(*, configs: Path, db: Path, port: int, address: str = "127.0.0.1") -> None:
    """Serve the app until it is interrupted.

    Args:
        configs: the folder with the config files.
        db: the database file.
        port: the port to listen on.
        address: the address to listen on; whoever reaches it can approve calls.
    """
    os.environ[host.CONFIGS_VARIABLE] = str(configs.resolve())
    os.environ[host.DB_VARIABLE] = str(db.resolve())
    app.run(config={**_settings(), "server.port": port, "server.address": address})


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
