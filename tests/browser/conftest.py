"""What every browser test stands on: the browser, servers of an app, and a page that must end in good order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.browser.app_server import STREAMLIT, AppServer
from tests.browser.chat import Chat
from tests.browser.workbench_app import WorkbenchApp

QUIET_BROWSER = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Serve(Protocol):
    """Starts a server for a test; see the fixture `serve`."""

    def __call__(
        self,
        script: Path | str | None = None,
        env: Mapping[str, str] | None = None,
        *,
        command: Sequence[str] = STREAMLIT,
    ) -> AppServer:
        """Return the running server of a Streamlit script, or of a command that has `{port}` where the port goes."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Keep the browser from calling anyone by itself."""
    args = dict.fromkeys((*browser_type_launch_args.get("args", ()), *QUIET_BROWSER))
    return {**browser_type_launch_args, "args": list(args)}


@pytest.fixture(scope="session", autouse=True)
def patience() -> None:
    """Wait for a slow machine; a test that passes never waits that long."""
    expect.set_options(timeout=30_000)


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Start servers that are stopped when the test is over."""
    yield from _serving(tmp_path_factory)


@pytest.fixture(scope="module")
def serve_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Start servers that all tests of a module share, when they only read or only use a session of their own."""
    yield from _serving(tmp_path_factory)


def _serving(folders: pytest.TempPathFactory) -> Iterator[Serve]:
    with ExitStack() as servers:

        def start(
            script: Path | str | None = None,
            env: Mapping[str, str] | None = None,
            *,
            command: Sequence[str] = STREAMLIT,
        ) -> AppServer:
            filled = [part.replace("{script}", str(script)) for part in command]
            server = AppServer(filled, log=folders.mktemp("server") / "log.txt", env=env or {})
            servers.callback(server.stop)
            return server.start()

        yield start


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkbenchApp]:
    """The whole app, shared by the tests of a module: each begins conversations of its own."""
    yield from _running(tmp_path_factory.mktemp("workbench"))


@pytest.fixture
def own_app(tmp_path: Path) -> Iterator[WorkbenchApp]:
    """The whole app for one test that kills it or counts on being the first to open it."""
    yield from _running(tmp_path)


def _running(folder: Path) -> Iterator[WorkbenchApp]:
    app = WorkbenchApp(folder)
    app.server.start()
    yield app
    app.close()


@pytest.fixture
def chat(page: Page, app: WorkbenchApp) -> Chat:
    """A tab on the module's app; nothing is open in it yet."""
    return Chat(page, app)


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """Give a page that may not end with an exception on it, in any of its tabs, nor ask another host for anything."""
    asked = _requests_to_others(page.context)
    broken = _errors_of_scripts(page.context)
    yield page
    for tab in page.context.pages:
        expect(tab.get_by_test_id("stException"), "an exception is on the page").to_have_count(0)
    assert not broken, "no script of the page fails"
    assert not asked, "the page works without any other host"


def _errors_of_scripts(context: BrowserContext) -> list[str]:
    broken: list[str] = []
    context.on("weberror", lambda failure: broken.append(str(failure.error)))
    return broken


def _requests_to_others(context: BrowserContext) -> list[str]:
    asked: list[str] = []

    def note(request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname not in ("127.0.0.1", "localhost"):
            asked.append(request.url)

    context.on("request", note)
    return asked


@pytest.fixture
def open_app(page: Page) -> Callable[[AppServer | str], Page]:
    """Open an address, or the start page of a server, and wait until the app is connected."""

    def open_it(where: AppServer | str) -> Page:
        page.goto(where if isinstance(where, str) else where.url)
        expect(page.get_by_test_id("stApp")).to_have_attribute(
            "data-test-connection-state", "CONNECTED", timeout=30_000
        )
        return page

    return open_it
