"""A store in a fresh folder, with a clock the test sets."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.making import SetClock
from workbench.store import Store


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def store(tmp_path: Path, clock: SetClock) -> Iterator[Store]:
    with Store.open(tmp_path / "workbench.db", clock=clock, busy_seconds=5) as opened:
        yield opened
