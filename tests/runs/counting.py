"""A scripted model that writes down each time it is asked. Copied beside a config whose agents' asking is counted."""

import hashlib
import json
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

from strands.types.content import Messages
from strands.types.streaming import StreamEvent
from strands.types.tools import ToolSpec

from workbench.agents.scripted import ScriptedModel

ASKED = Path(__file__).parent / "asked.jsonl"


class Counting(ScriptedModel):
    """The scripted model; its params have a `who` besides the script."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        rest = dict(params)
        self.who = rest.pop("who")
        super().__init__(rest)

    async def stream(
        self,
        messages: Messages,
        tool_specs: list[ToolSpec] | None = None,
        system_prompt: str | None = None,
        **kwargs: Any,
    ) -> AsyncGenerator[StreamEvent, None]:
        """Note who was asked, about what and with which tools, then play the script."""
        about = hashlib.sha256(json.dumps(messages, default=repr).encode()).hexdigest()
        with ASKED.open("a", encoding="utf-8") as file:
            tools = sorted(spec["name"] for spec in tool_specs or [])
            file.write(json.dumps({"who": self.who, "about": about, "tools": tools}) + "\n")
        async for event in super().stream(messages, tool_specs, system_prompt, **kwargs):
            yield event
