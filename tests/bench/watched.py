"""A watch on the time that is spent inside the scripted model."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, ClassVar

from workbench.agents import models
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


@contextmanager
def watched() -> Iterator[None]:
    """Put the watch on every scripted model that is built meanwhile."""
    models.ScriptedModel = Watched  # type: ignore[misc]
    try:
        yield
    finally:
        models.ScriptedModel = ScriptedModel  # type: ignore[misc]
