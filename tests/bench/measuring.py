"""What the measurements share: a shop on a real file, driven in this process, and the middle of what things took."""

import gc
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import yaml

from workbench.runs.drive import Drive
from workbench.runs.engine import Engine
from workbench.runs.taking import take_next
from workbench.store import Store

LEASE_SECONDS = 60.0

TOOLS = '''
import strands

@strands.tool
def set_price(sku: str, price: float) -> str:
    """Set the price of an article.

    Args:
        sku: the article's number.
        price: the new price.
    """
    return f"{sku} now costs {price:g}"
'''


@dataclass(frozen=True)
class Times:
    """Seconds that something took, once a round."""

    seconds: tuple[float, ...]

    @property
    def middle(self) -> float:
        """The median."""
        return self.below(0.5)

    @property
    def least(self) -> float:
        """The minimum: what is left when nobody else wants the machine."""
        return min(self.seconds)

    def below(self, part: float) -> float:
        """What this part of the rounds stayed below."""
        ranked = sorted(self.seconds)
        return ranked[min(int(len(ranked) * part), len(ranked) - 1)]


@dataclass(frozen=True)
class Shop:
    """An engine over a database file of its own, and a config of one agent, the merchant."""

    engine: Engine
    file: str

    @property
    def store(self) -> Store:
        """The database."""
        return self.engine.store

    def conversation(self) -> str:
        """Open a conversation and return its id."""
        return self.engine.new_conversation(self.file)

    async def drive(self) -> None:
        """Take the oldest queued run and drive it to its end, as the worker does."""
        taken = take_next(self.store, "benchmark", LEASE_SECONDS)
        assert taken is not None, "a run is queued"
        await Drive(self.store, self.engine.desk, taken).go()


@contextmanager
def shop(
    model: Mapping[str, Any],
    *,
    folder: Path | None = None,
    beside: Callable[[Path], None] = lambda configs: None,
) -> Iterator[Shop]:
    """Open a shop whose merchant has this model; `set_price` asks.

    Args:
        folder: where its files go; a folder of the system's for temporary files by default.
        beside: puts further files beside the config.
    """
    with tempfile.TemporaryDirectory(prefix="workbench-bench-", dir=folder) as home:
        configs = Path(home) / "configs"
        (configs / "tools").mkdir(parents=True)
        (configs / "tools" / "set_price.py").write_text(TOOLS, encoding="utf-8")
        beside(configs)
        file = configs / "shop.yaml"
        file.write_text(yaml.safe_dump(shop_config(model), sort_keys=False), encoding="utf-8")
        with Store.open(Path(home) / "workbench.db") as store:
            yield Shop(Engine(store, configs), str(file.resolve()))


def shop_config(model: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config of a shop."""
    merchant = {
        "model": dict(model),
        "system_prompt": "You keep the prices of a shop.",
        "tools": ["set_price"],
        "interrupt": {"tools": ["set_price"]},
    }
    return {"version": "1", "agents": {"merchant": merchant}}


@contextmanager
def settled() -> Iterator[None]:
    """Collect garbage first and leave what is loaded out of later collections, as the server does."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


async def timed(work: Callable[[], Awaitable[Any]]) -> float:
    """Return the seconds that some work took."""
    begun = perf_counter()
    await work()
    return perf_counter() - begun
