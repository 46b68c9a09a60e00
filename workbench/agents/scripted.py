"""A model that plays a script: deterministic, offline, and as strict as the strictest provider."""

import asyncio
import hashlib
import json
import math
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel
from strands.models.model import Model
from strands.types.content import Messages
from strands.types.streaming import StreamEvent
from strands.types.tools import ToolSpec

from workbench.agents.script import Move, Reply, Say, Script, ScriptedCall, ScriptError, parse_script
from workbench.agents.script_template import Known, Unfilled, fill_text, fill_value
from workbench.agents.transcript_rule import check_request

T = TypeVar("T", bound=BaseModel)

DONE = "Done."
NOTHING_MORE = "My script has nothing more to say."

_HASHED_MESSAGES = 8
"""How many of the last messages a tool use id is derived from: enough to tell parallel delegates apart."""


class ScriptedFailure(Exception):
    """The failure that an `error` step asks for, raised the way a provider's own would be."""


@dataclass(frozen=True)
class Standpoint:
    """Where a conversation stands, read off its messages alone."""

    turn: int
    """How many human messages came before the one being answered."""
    step: int
    """How many messages the model has given since that one."""
    message: str
    """What the person said last."""
    results: tuple[str, ...]
    """The text of each tool result of this turn, in order."""
    last_result: str | None
    """The newest tool result of the whole conversation."""


@dataclass(frozen=True)
class _Turn:
    moves: tuple[Move, ...]
    final_text: str
    groups: Mapping[str, str]


class ScriptedModel(Model):
    """Plays the script in `params`; see `workbench.agents.script` for its form.

    The step is read off the conversation and never counted on the object, so a rebuilt agent lands on the right one.
    Every call first checks the transcript (`TranscriptBroken`). Raises `ScriptError` when the script is faulty.
    """

    def __init__(self, params: Mapping[str, Any] | None = None, *, model_id: str | None = None) -> None:
        self._params = dict(params or {})
        self._script = parse_script(self._params)
        self.config: dict[str, Any] = {"model_id": model_id or "scripted"}

    @property
    def script(self) -> Script:
        """The parsed script."""
        return self._script

    def update_config(self, **model_config: Any) -> None:
        """Change script params, or `model_id`; raises `ScriptError` and changes nothing when they don't fit."""
        params = {**self._params, **{key: value for key, value in model_config.items() if key != "model_id"}}
        self._script = parse_script(params)
        self._params = params
        self.config["model_id"] = model_config.get("model_id", self.config["model_id"])

    def get_config(self) -> dict[str, Any]:
        """The model's id; the script isn't part of it."""
        return self.config

    async def structured_output(
        self, output_model: type[T], prompt: Messages, system_prompt: str | None = None, **kwargs: Any
    ) -> AsyncGenerator[dict[str, T | Any], None]:
        """Play the script's next answer and read it as JSON of `output_model`; pydantic's error when it isn't."""
        text = ""
        async for event in self.stream(prompt, None, system_prompt):
            text += event.get("contentBlockDelta", {}).get("delta", {}).get("text", "")
        yield {"output": output_model.model_validate_json(text)}

    async def stream(
        self,
        messages: Messages,
        tool_specs: list[ToolSpec] | None = None,
        system_prompt: str | None = None,
        **kwargs: Any,
    ) -> AsyncGenerator[StreamEvent, None]:
        """Stream the next answer.

        Raises `TranscriptBroken` for a transcript a strict provider would refuse, and `ScriptedFailure` where the
        script says `error`, after the text ahead of it.
        """
        check_request(messages)
        standpoint = read_standpoint(messages)
        turn = self._turn(standpoint)
        known = Known(standpoint.message, standpoint.results, standpoint.last_result, turn.groups)
        says, calls, error = self._answer(turn, standpoint, known, tool_specs or [])
        ids = _tool_use_ids(calls, messages, standpoint, system_prompt)

        said: list[str] = []
        yield {"messageStart": {"role": "assistant"}}
        for say in says:
            yield {"contentBlockStart": {"start": {}}}
            async for piece in self._pieces(say.text):
                said.append(piece)
                if say.kind == "text":
                    yield {"contentBlockDelta": {"delta": {"text": piece}}}
                else:
                    yield {"contentBlockDelta": {"delta": {"reasoningContent": {"text": piece}}}}
            yield {"contentBlockStop": {}}
        if error is not None:
            raise ScriptedFailure(error)
        for (call, tool_input), tool_use_id in zip(calls, ids, strict=True):
            yield {"contentBlockStart": {"start": {"toolUse": {"name": call.tool, "toolUseId": tool_use_id}}}}
            async for piece in self._pieces(json.dumps(tool_input, ensure_ascii=False)):
                said.append(piece)
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": piece}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}
        read = _tokens(system_prompt or "", *_spoken(messages))
        written = _tokens(*said)
        yield {
            "metadata": {
                "usage": {"inputTokens": read, "outputTokens": written, "totalTokens": read + written},
                "metrics": {"latencyMs": 0},
            }
        }

    def _turn(self, standpoint: Standpoint) -> _Turn:
        script = self._script
        if script.replies is not None:
            return _chosen_reply(script.replies, standpoint.message, script.final_text)
        if script.turns is not None:
            if standpoint.turn >= len(script.turns):
                return _Turn((), script.final_text or NOTHING_MORE, {})
            return _Turn(script.turns[standpoint.turn], script.final_text or DONE, {})
        return _Turn(script.every_turn or (), script.final_text or DONE, {})

    def _answer(
        self, turn: _Turn, standpoint: Standpoint, known: Known, tool_specs: Sequence[ToolSpec]
    ) -> tuple[list[Say], list[tuple[ScriptedCall, dict[str, Any]]], str | None]:
        """Fill in the move at this step; one that can't be filled becomes a sentence, as a real model's would."""
        try:
            if standpoint.step >= len(turn.moves):
                return [Say("text", fill_text(turn.final_text, known))], [], None
            move = turn.moves[standpoint.step]
            says = [
                Say(say.kind, filled) for say in move.says if (filled := fill_text(say.text, known)).strip()
            ]
            calls = [(call, _tool_input(call, known, tool_specs)) for call in move.calls]
            error = None if move.error is None else fill_text(move.error, known)
        except Unfilled as missing:
            return [Say("text", f"I can't go on with my script: {missing}")], [], None
        if not says and not calls and error is None:
            says = [Say("text", NOTHING_MORE)]
        return says, calls, error

    async def _pieces(self, text: str) -> AsyncGenerator[str, None]:
        size = self._script.stream_chunk or max(len(text), 1)
        for start in range(0, len(text), size):
            if self._script.stream_delay_ms:
                await asyncio.sleep(self._script.stream_delay_ms / 1000)
            yield text[start : start + size]


def read_standpoint(messages: Messages) -> Standpoint:
    """Read off a conversation which step of which turn comes next.

    A turn starts at a user message with anything but tool results in it, so one message that closes a pause with
    results and goes on with the person's text starts a turn. A message with several texts holds earlier ones that
    were never answered (their turn failed or was stopped): each counts as a turn, and the last is the one to answer.
    """
    turn, start = -1, 0
    for index, message in enumerate(messages):
        if message["role"] == "user" and any("toolResult" not in block for block in message["content"]):
            turn += max(sum("text" in block for block in message["content"]), 1)
            start = index
    said = [block["text"] for block in messages[start]["content"] if "text" in block]
    later = messages[start + 1 :]
    results = tuple(text for message in later for text in _results(message))
    last_result = results[-1] if results else None
    if last_result is None:
        earlier = (
            text for message in reversed(messages[: start + 1]) for text in reversed(_results(message))
        )
        last_result = next(earlier, None)
    return Standpoint(
        turn=max(turn, 0),
        step=sum(message["role"] == "assistant" for message in later),
        message=said[-1] if said else "",
        results=results,
        last_result=last_result,
    )


def _results(message: Mapping[str, Any]) -> list[str]:
    return [_result_text(block["toolResult"]) for block in message["content"] if "toolResult" in block]


def _result_text(result: Mapping[str, Any]) -> str:
    parts = []
    for item in result.get("content") or []:
        if "text" in item:
            parts.append(str(item["text"]))
        elif "json" in item:
            parts.append(json.dumps(item["json"], ensure_ascii=False, default=str))
    return "\n".join(parts)


def _chosen_reply(replies: Sequence[Reply], message: str, final_text: str | None) -> _Turn:
    fallback: Reply | None = None
    for reply in replies:
        if reply.match is None:
            fallback = reply
        elif found := reply.match.search(message):
            groups = {str(number): found.group(number) or "" for number in range(reply.match.groups + 1)}
            groups |= {name: text or "" for name, text in found.groupdict().items()}
            return _Turn(reply.moves, reply.final_text or final_text or DONE, groups)
    if fallback is not None:
        return _Turn(fallback.moves, fallback.final_text or final_text or DONE, {})
    return _Turn((), final_text or _what_can_be_said(replies), {})


def _what_can_be_said(replies: Sequence[Reply]) -> str:
    phrases = [reply.example or reply.match.pattern for reply in replies if reply.match is not None]
    if not phrases:
        return NOTHING_MORE
    return (
        "I play a script and only know what to do with: "
        + "; ".join(f"“{phrase}”" for phrase in phrases)
        + "."
    )


def _tool_input(call: ScriptedCall, known: Known, tool_specs: Sequence[ToolSpec]) -> dict[str, Any]:
    schema = next((_schema(spec) for spec in tool_specs if spec["name"] == call.tool), {})
    if isinstance(call.input, dict):
        filled: dict[str, Any] = fill_value(call.input, known, schema)
        return filled
    properties = schema.get("properties") or {}
    first = next(iter(properties), "input")
    return {first: fill_value(call.input, known, properties.get(first))}


def _schema(spec: ToolSpec) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = spec["inputSchema"]
    inner: Mapping[str, Any] = schema.get("json", schema)
    return inner


def _tool_use_ids(
    calls: Sequence[tuple[ScriptedCall, Any]],
    messages: Messages,
    standpoint: Standpoint,
    system_prompt: str | None,
) -> list[str]:
    """Derive ids from the position: the same on every replay, and no two alike in one conversation."""
    if not calls:
        return []
    recent = json.dumps([system_prompt, messages[-_HASHED_MESSAGES:]], ensure_ascii=False, default=repr)
    mark = hashlib.sha256(recent.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    used = {
        block["toolUse"]["toolUseId"]
        for message in messages
        for block in message["content"]
        if "toolUse" in block
    }
    ids: list[str] = []
    for number, (call, _) in enumerate(calls, 1):
        derived = f"call_{standpoint.turn + 1}_{standpoint.step + 1}_{number}_{mark}"
        while derived in used:
            derived += "x"
        ids.append(call.id or derived)
    return ids


def _spoken(messages: Messages) -> Iterator[str]:
    for message in messages:
        for block in message["content"]:
            if "text" in block:
                yield block["text"]
            elif "toolUse" in block:
                yield block["toolUse"]["name"]
                yield json.dumps(block["toolUse"]["input"], ensure_ascii=False, default=repr)
            elif "toolResult" in block:
                yield _result_text(block["toolResult"])
            elif "reasoningContent" in block:
                yield block["reasoningContent"].get("reasoningText", {}).get("text", "")


def _tokens(*texts: str) -> int:
    return math.ceil(sum(len(text) for text in texts) / 4)


__all__ = ["ScriptError", "ScriptedFailure", "ScriptedModel", "Standpoint", "read_standpoint"]
