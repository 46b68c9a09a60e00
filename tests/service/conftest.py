"""A service for each test that likes one, ended when the test is over."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.service.serving import Inside, Service


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Start a service; see :class:`tests.service.serving.Service` for what it takes.

    Args:
        apart: in a process of its own, which a test may kill and start again.
    """
    made: list[Service] = []

    def start(config: dict[str, object], *arguments: str, apart: bool = False, **env: str) -> Service:
        service = (Service if apart else Inside)(tmp_path / f"service{len(made)}", config, *arguments, **env)
        made.append(service)
        return service.start()

    yield start
    for one in made:
        one.stop()
