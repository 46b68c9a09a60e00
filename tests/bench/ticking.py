"""A model that says the time, fifty times a second. Copied beside a benchmark's config; see `streaming`."""

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any

from strands.models.model import Model

TOKENS = 400
PER_SECOND = 50


class Ticking(Model):
    """Each token is its number and the moment at which it left the model, in milliseconds."""

    def update_config(self, **config: Any) -> None:
        """Take no settings."""

    def get_config(self) -> dict[str, Any]:
        """Have none."""
        return {}

    async def structured_output(self, *args: Any, **kwargs: Any) -> AsyncGenerator[dict[str, Any], None]:
        """Give nothing."""
        yield {}

    async def stream(self, *args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        """Tick."""
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        begun = time.monotonic()
        for number in range(TOKENS):
            await asyncio.sleep(max(begun + number / PER_SECOND - time.monotonic(), 0))
            yield {"contentBlockDelta": {"delta": {"text": f"n{number}t{time.time() * 1000:.0f} "}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}
