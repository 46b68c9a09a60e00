"""A model whose provider is down while a file named `down` lies beside it."""

from pathlib import Path
from typing import Any

from workbench.agents.scripted import ScriptedModel

DOWN = Path(__file__).with_name("down")


class Outage(ScriptedModel):
    def __init__(self, **_: Any) -> None:
        super().__init__({"final_text": "Here I am again."})

    async def stream(self, *args: Any, **kwargs: Any) -> Any:
        if DOWN.exists():
            raise ConnectionError("503 from api.example.test: try later")
        async for event in super().stream(*args, **kwargs):
            yield event
