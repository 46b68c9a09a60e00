"""The bench, made as each test likes it and checked when the test is over."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.runs.harness import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Make a bench; see :class:`tests.runs.harness.Bench` for what it takes."""
    made: list[Bench] = []

    def make(config: str | dict[str, object], **given: object) -> Bench:
        folder = tmp_path / f"bench{len(made)}"
        folder.mkdir()
        made.append(Bench(folder, config, **given))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.close()
