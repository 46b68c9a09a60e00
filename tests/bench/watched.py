"""The scripted model, with a watch on the time that is spent inside of it. Copied beside a benchmark's config."""

from collections.abc import AsyncGenerator
from time import perf_counter
from typing import Any, ClassVar

from workbench.agents.scripted import ScriptedModel


class Watched(ScriptedModel):
    """Counts the seconds inside `stream`, over every object of the class."""

    inside: ClassVar[float] = 0.0

    async def stream(self, *args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        """Stream as the scripted model does."""
        events = super().stream(*args, **kwargs)
        while True:
            begun = perf_counter()
            try:
                event = await anext(events)
            except StopAsyncIteration:
                return
            finally:
                Watched.inside += perf_counter() - begun
            yield event
