import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Query = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture(autouse=True)
def shop_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has its own shop, filled on first use."""
    path = tmp_path / "data" / "shop.db"
    monkeypatch.setenv("WORKBENCH_SHOP_DB", str(path))
    return path


@pytest.fixture
def query(shop_file: Path) -> Iterator[Query]:
    """Read the shop's file past the tools."""
    connections = []

    def run(sql: str, *values: object) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(shop_file)
        connections.append(connection)
        return connection.execute(sql, values).fetchall()

    yield run
    for connection in connections:
        connection.close()
