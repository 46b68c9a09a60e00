"""What every test stands on: the order of the suite, hypothesis' profile and the browser."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import chromium

IN_CI = bool(os.environ.get("CI"))
BROWSER_TESTS = Path(__file__).parent / "browser"

# No deadline: a shared machine is slow at times, and that is no fault of the code.
settings.register_profile("workbench", deadline=None, derandomize=IN_CI)
settings.load_profile("workbench")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies in tests/browser and put it last.

    Playwright's loop stays in the main thread once started, and `asyncio.run` refuses to work beside it.
    """
    for item in items:
        if BROWSER_TESTS in item.path.parents:
            item.add_marker("browser")
            item.add_marker(pytest.mark.filterwarnings("default"))
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Drive the Chromium that is installed, not one that playwright would download."""
    path = chromium.find()
    if path is None:
        (pytest.fail if IN_CI else pytest.skip)(chromium.HELP)
    return {**browser_type_launch_args, "executable_path": str(path)}
