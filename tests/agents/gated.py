"""One agent behind its gate, over a scripted model and a ledger in memory."""

import asyncio
from collections.abc import Mapping
from typing import Any

from strands import Agent
from strands.agent.conversation_manager import NullConversationManager
from strands.types.tools import AgentTool, ToolGenerator, ToolSpec, ToolUse

from tests.agents.memory_ledger import MemoryLedger
from workbench.agents.client_tools import ClientToolAgentTool, ClientToolSpec
from workbench.agents.gate import Gate
from workbench.agents.ports import Place
from workbench.agents.scripted import ScriptedModel
from workbench.policy import AgentPolicy, ToolFacts


class Recorder(AgentTool):
    """A tool of any name that takes anything and notes what it was given."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.given: list[dict[str, Any]] = []

    @property
    def tool_name(self) -> str:
        return self.name

    @property
    def tool_spec(self) -> ToolSpec:
        return {"name": self.name, "description": self.name, "inputSchema": {"json": {"type": "object"}}}

    @property
    def tool_type(self) -> str:
        return "python"

    async def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> ToolGenerator:
        self.given.append(tool_use["input"])
        yield {
            "toolUseId": tool_use["toolUseId"],
            "status": "success",
            "content": [{"text": f"{self.name} ran"}],
        }


class Gated:
    """Runs one script and says how the run stopped."""

    def __init__(
        self,
        script: list[dict[str, Any]],
        policy: AgentPolicy,
        *,
        tools: list[str],
        facts: Mapping[str, ToolFacts] | None = None,
        ledger: MemoryLedger | None = None,
        client_tools: Mapping[str, ClientToolSpec] | None = None,
    ) -> None:
        self.ledger = ledger or MemoryLedger()
        self.tools = {name: Recorder(name) for name in tools}
        clients = [ClientToolAgentTool(spec) for spec in (client_tools or {}).values()]
        self.agent = Agent(
            model=ScriptedModel({"script": script}),
            tools=[*self.tools.values(), *clients],
            callback_handler=None,
            conversation_manager=NullConversationManager(),
            retry_strategy=None,
        )
        gate = Gate(
            agent="merchant",
            place=Place("conversation", ("merchant",)),
            policy=policy,
            facts=facts or {},
            client_tools=client_tools or {},
            ledger=self.ledger,
        )
        gate.attach(self.agent)

    def go(self) -> str:
        """Send one message; return strands' stop reason."""

        async def run() -> str:
            async for event in self.agent.stream_async("go"):
                if "result" in event:
                    reason = str(event["result"].stop_reason)
            return reason

        return asyncio.run(run())

    def ran(self) -> list[str]:
        """The tools that ran, each as often as it did."""
        return [name for name, tool in self.tools.items() for _ in tool.given]

    def read(self) -> list[str]:
        """What the model read as results."""
        return [
            part.get("text", "")
            for message in self.agent.messages
            for block in message["content"]
            if "toolResult" in block
            for part in block["toolResult"]["content"]
        ]
