"""Helpers to talk to a model or an agent in a test."""

import asyncio
from typing import Any

from strands import Agent
from strands.agent.conversation_manager import NullConversationManager
from strands.models.model import Model


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"text": text} for text in texts]}


def says(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"text": text}]}


def uses(*calls: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    """An assistant message with calls of (id, tool, input)."""
    return {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": i, "name": n, "input": given}} for i, n, given in calls],
    }


def results(*pairs: tuple[str, str], then: str | None = None) -> dict[str, Any]:
    """A user message with results of (id, text), and the person's text when `then` is given."""
    content: list[dict[str, Any]] = [
        {"toolResult": {"toolUseId": i, "status": "success", "content": [{"text": text}]}}
        for i, text in pairs
    ]
    if then is not None:
        content.append({"text": then})
    return {"role": "user", "content": content}


def spec(name: str, **properties: Any) -> dict[str, Any]:
    """A tool spec whose parameters are given as JSON Schema types or schemas."""
    schemas = {key: {"type": kind} if isinstance(kind, str) else kind for key, kind in properties.items()}
    return {
        "name": name,
        "description": name,
        "inputSchema": {"json": {"type": "object", "properties": schemas, "required": list(schemas)}},
    }


def chunks(model: Model, messages: list[dict[str, Any]], *specs: dict[str, Any]) -> list[dict[str, Any]]:
    """Every stream event of one model call."""

    async def collect() -> list[dict[str, Any]]:
        return [dict(event) async for event in model.stream(messages, list(specs) or None)]

    return asyncio.run(collect())


def answer(model: Model, messages: list[dict[str, Any]], *specs: dict[str, Any]) -> dict[str, Any]:
    """One model call, folded: `text`, `reasoning`, `calls` of (id, tool, raw input), `stop`, `usage`."""
    folded: dict[str, Any] = {"text": "", "reasoning": "", "calls": [], "stop": None, "usage": None}
    for event in chunks(model, messages, *specs):
        if start := event.get("contentBlockStart", {}).get("start", {}).get("toolUse"):
            folded["calls"].append([start["toolUseId"], start["name"], ""])
        delta = event.get("contentBlockDelta", {}).get("delta", {})
        folded["text"] += delta.get("text", "")
        folded["reasoning"] += delta.get("reasoningContent", {}).get("text", "")
        if "toolUse" in delta:
            folded["calls"][-1][2] += delta["toolUse"]["input"]
        if "messageStop" in event:
            folded["stop"] = event["messageStop"]["stopReason"]
        if "metadata" in event:
            folded["usage"] = event["metadata"]["usage"]
    return folded


def agent(model: Model, *tools: Any, **settings: Any) -> Agent:
    """A bare strands agent, without retries and without printing."""
    return Agent(
        model=model,
        tools=list(tools),
        callback_handler=None,
        conversation_manager=NullConversationManager(),
        retry_strategy=None,
        **settings,
    )


def text_of(message: Any) -> str:
    return "".join(block.get("text", "") for block in message["content"])
