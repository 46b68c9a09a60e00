"""This process's engine and worker: opened once, by the server or by the first page that needs them."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

from workbench.runs.engine import Engine
from workbench.runs.worker import Worker
from workbench.store import Store

DB_VARIABLE = "WORKBENCH_DB"
CONFIGS_VARIABLE = "WORKBENCH_CONFIGS"


@dataclass(frozen=True)
class Host:
    """What a process needs to show pages and drive runs."""

    engine: Engine
    worker: Worker


_lock = threading.Lock()
_host: Host | None = None


def database_path() -> Path:
    """Which database this process uses: ``WORKBENCH_DB``, else ``workbench.db`` in the working folder."""
    return Path(os.environ.get(DB_VARIABLE) or "workbench.db")


def configs_folder() -> Path:
    """Where the config files are: ``WORKBENCH_CONFIGS``, else ``configs`` in the working folder."""
    return Path(os.environ.get(CONFIGS_VARIABLE) or "configs")


def host() -> Host:
    """Return this process's host, opening the database and starting the worker the first time.

    Raises:
        StoreError: the database can't be opened; the message says why. The next call tries again.
    """
    global _host
    with _lock:
        if _host is None:
            store = Store.open(database_path())
            engine = Engine(store, configs_folder())
            worker = Worker(store, engine.desk)
            worker.start()
            _host = Host(engine, worker)
        return _host


def engine() -> Engine:
    """Return this process's engine; see :func:`host`."""
    return host().engine


def close() -> None:
    """Stop the worker and close the database; runs at work are taken up by the next start."""
    global _host
    with _lock:
        if _host is not None:
            _host.worker.stop()
            _host.engine.store.close()
            _host = None
