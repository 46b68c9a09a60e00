"""The transcript's invariant: every tool use has exactly one result, in order.

Providers differ in what they forgive. We hold every transcript to the strictest of them, so that a
conversation that was broken here is noticed here, and not as a 400 from one provider a week later.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

TOOL_USE_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What the strictest provider accepts as a tool call's id."""


class TranscriptBroken(Exception):
    """A transcript that a strict provider would refuse; the sentence names the message (from 0) and what is wrong."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def check_transcript(messages: Sequence[Mapping[str, Any]], first: int = 0) -> None:
    """Check a transcript, whoever speaks last, so long as no tool use is left open.

    In: strands messages (`role`, `content`), and how many checked ones come before them. Raises `TranscriptBroken`
    when roles don't alternate from `user` on, a message is empty, a tool use id stands twice in one message, or the
    results of a message aren't exactly the tool uses of the one before: one each, in their order, ahead of anything
    else.
    """
    open_ids: list[str] = []
    for index, message in enumerate(messages, first):
        role, content = message.get("role"), message.get("content")
        expected = "user" if index % 2 == 0 else "assistant"
        if role != expected:
            raise TranscriptBroken(f"message {index} is from {role!r}, but it is the {expected}'s turn")
        if not isinstance(content, list) or not content:
            raise TranscriptBroken(f"message {index} ({role}) has no content")
        if role == "user":
            _check_results(index, content, open_ids)
            open_ids = []
        else:
            open_ids = _tool_use_ids(index, content)
    if open_ids:
        raise TranscriptBroken(
            f"message {first + len(messages) - 1} has tool uses without a result: {', '.join(open_ids)}"
        )


def check_request(messages: Sequence[Mapping[str, Any]]) -> None:
    """Check what is about to be sent to a model, as the strictest provider would.

    Adds to `check_transcript`: the last message is the user's, no text is blank, tool uses have an object as their
    input and an id of at most 64 letters, digits, `_` and `-`. Raises `TranscriptBroken`.
    """
    check_transcript(messages)
    if not messages:
        raise TranscriptBroken("there is no message to answer")
    if messages[-1]["role"] != "user":
        raise TranscriptBroken(
            f"message {len(messages) - 1} is the assistant's, so there is nothing to answer"
        )
    for index, message in enumerate(messages):
        for block in message["content"]:
            if "text" in block and (not isinstance(block["text"], str) or not block["text"].strip()):
                raise TranscriptBroken(f"message {index} ({message['role']}) holds a blank text")
            if "toolUse" in block:
                _check_tool_use(index, block["toolUse"])


def _check_results(index: int, content: list[Mapping[str, Any]], expected: list[str]) -> None:
    found: list[str] = []
    other_seen = False
    for block in content:
        if "toolUse" in block:
            raise TranscriptBroken(
                f"message {index} (user) holds a tool use, which only the assistant may make"
            )
        if "toolResult" not in block:
            other_seen = True
            continue
        if other_seen:
            raise TranscriptBroken(
                f"message {index} (user) has a tool result after other content; results come first"
            )
        found.append(str(block["toolResult"].get("toolUseId")))
    if found == expected:
        return
    for tool_use_id in expected:
        if tool_use_id not in found:
            raise TranscriptBroken(
                f"message {index} has no result for the tool use {tool_use_id!r} before it"
            )
    for tool_use_id in found:
        if tool_use_id not in expected:
            raise TranscriptBroken(
                f"message {index} has a result for {tool_use_id!r}, which the message before never used"
            )
        if found.count(tool_use_id) > 1:
            raise TranscriptBroken(
                f"message {index} has {found.count(tool_use_id)} results for {tool_use_id!r}"
            )
    raise TranscriptBroken(
        f"message {index} has its results in another order ({', '.join(found)}) than {', '.join(expected)}"
    )


def _tool_use_ids(index: int, content: list[Mapping[str, Any]]) -> list[str]:
    ids: list[str] = []
    for block in content:
        if "toolResult" in block:
            raise TranscriptBroken(
                f"message {index} (assistant) holds a tool result, which only the user's side may give"
            )
        if "toolUse" not in block:
            continue
        tool_use_id = str(block["toolUse"].get("toolUseId"))
        if tool_use_id in ids:
            raise TranscriptBroken(f"message {index} uses the tool use id {tool_use_id!r} twice")
        ids.append(tool_use_id)
    return ids


def _check_tool_use(index: int, tool_use: Mapping[str, Any]) -> None:
    if not isinstance(tool_use.get("input"), dict):
        raise TranscriptBroken(f"message {index}: the input of {tool_use.get('name')!r} is not an object")
    if not TOOL_USE_ID.fullmatch(str(tool_use.get("toolUseId"))):
        raise TranscriptBroken(
            f"message {index}: {tool_use.get('toolUseId')!r} is not a tool use id providers accept"
        )
