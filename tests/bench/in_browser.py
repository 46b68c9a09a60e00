"""A real server of the app and a real browser, for what is measured from outside."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests import chromium
from tests.bench.measuring import Shop, shop
from tests.browser.app_server import AppServer
from tests.browser.conftest import QUIET_BROWSER

NO_BROWSER = "no Chromium here, so this was not measured"
PATIENCE_MS = 60_000


@dataclass(frozen=True)
class Served:
    """A shop whose database a server works on too."""

    shop: Shop
    server: AppServer

    def address(self, conversation_id: str) -> str:
        """Where a conversation is."""
        return f"{self.server.url}/?c={conversation_id}"


def app_server(configs: Path, home: Path) -> AppServer:
    """Return a server of the app, not started yet, with its database and log in `home`."""
    command = (
        *(sys.executable, "-m", "workbench.cli", "run", str(configs), "--no-browser"),
        *("--db", str(home / "workbench.db"), "--port", "{port}"),
    )
    env = {"WORKBENCH_SHOP_DB": str(home / "shop.db")}
    return AppServer(command, log=home / "server.log", env=env)


@contextmanager
def serve(
    model: Mapping[str, Any],
    *,
    beside: Callable[[Path], None] = lambda configs: None,
    before: Callable[[Shop], None] = lambda place: None,
) -> Iterator[Served]:
    """Serve a shop; see :func:`tests.bench.measuring.shop`.

    Args:
        before: is done with the shop before its server starts.
    """
    with shop(model, beside=beside) as place:
        before(place)
        server = app_server(Path(place.file).parent, place.store.path.parent).start()
        try:
            yield Served(place, server)
        finally:
            server.stop()


@contextmanager
def browser() -> Iterator[Browser | None]:
    """Start the browser of the browser tests; None when there is none."""
    path = chromium.find()
    if path is None:
        yield None
        return
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=str(path), args=list(QUIET_BROWSER))
        try:
            yield started
        finally:
            started.close()


def wait_until_usable(page: Page) -> None:
    """Wait until a message can be typed."""
    page.get_by_test_id("stChatInputTextArea").wait_for(timeout=PATIENCE_MS)


def seconds_of_cpu(pid: int) -> float | None:
    """Return the processor time that a process has used; None where the system doesn't say."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return None
    fields = stat.read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def new_home() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as home:
        yield Path(home)
