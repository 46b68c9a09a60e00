"""Tool results: what the model reads of them, and what fits into JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

LONGEST_RESULT = 100_000
"""Characters of one text block of a result that the model reads; the journal keeps the whole."""


def error_result(tool_use_id: str, text: str) -> dict[str, Any]:
    """Return a tool result that tells the model of a failure."""
    return {"toolUseId": tool_use_id, "status": "error", "content": [{"text": text}]}


def success_result(tool_use_id: str, text: str) -> dict[str, Any]:
    """Return a tool result with one text."""
    return {"toolUseId": tool_use_id, "status": "success", "content": [{"text": text}]}


def result_text(result: Mapping[str, Any]) -> str:
    """Return a result as one text, as a person or an AG-UI client reads it."""
    parts = []
    for block in result.get("content", []):
        if "text" in block:
            parts.append(str(block["text"]))
        elif "json" in block:
            parts.append(json.dumps(block["json"], ensure_ascii=False, indent=1, default=repr))
        else:
            kind = next(iter(block), "content")
            parts.append(f"[{kind}]")
    return "\n".join(parts)


def as_json(value: Any, *, bytes_too: bool = True) -> Any:
    """Return a value that JSON can carry; strangers become their ``repr``.

    Args:
        bytes_too: leave bytes as they are, for strands' encoder to handle.
    """
    if value is None or isinstance(value, (str, bool, int)) or (bytes_too and isinstance(value, bytes)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, Mapping):
        return {str(key): as_json(item, bytes_too=bytes_too) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(item, bytes_too=bytes_too) for item in value]
    return repr(value)


def well_formed(result: Any, tool_use_id: str) -> dict[str, Any]:
    """Return any tool's last word as a tool result with this id and JSON content only."""
    if not isinstance(result, Mapping) or not isinstance(result.get("content"), list):
        return success_result(tool_use_id, result if isinstance(result, str) else repr(result))
    content = [_block(block) for block in result["content"]]
    status = "error" if result.get("status") == "error" else "success"
    formed = {
        key: as_json(value) for key, value in result.items() if key not in ("content", "status", "toolUseId")
    }
    return {**formed, "toolUseId": tool_use_id, "status": status, "content": content or [{"text": ""}]}


def _block(block: Any) -> dict[str, Any]:
    match block:
        case {"text": str()}:
            made: dict[str, Any] = as_json(block)
            return made
        case {"text": text}:
            return {**as_json(block), "text": str(text)}
        case {"json": value}:
            # Only the blocks that are made for bytes may hold any: no provider takes them inside JSON.
            return {**as_json(block), "json": as_json(value, bytes_too=False)}
        case Mapping():
            made = as_json(block)
            return made
        case _:
            return {"text": str(block)}


def fitted(result: Mapping[str, Any], longest: int = LONGEST_RESULT) -> dict[str, Any]:
    """Return a copy whose texts are cut for the model where they are too long together, each cut saying so."""
    content: list[Any] = []
    left, cut = longest, 0
    for block in result["content"]:
        is_json = "json" in block
        text = json.dumps(block["json"], ensure_ascii=False) if is_json else block.get("text")
        if not isinstance(text, str):
            content.append(block)
        elif len(text) <= left:
            content.append(block)
            left -= len(text)
        elif left == longest or left > longest // 10:
            content.append({"text": _cut(text, left)} if is_json else {**block, "text": _cut(text, left)})
            left = 0
        else:
            cut += 1
            left = 0
    if cut:
        content.append({"text": f"[cut: {cut:,} more parts of this result are not shown]"})
    return {**result, "content": content}


def _cut(text: str, longest: int) -> str:
    return (
        f"{text[:longest]}\n[cut: this result has {len(text):,} characters, the first {longest:,} are shown]"
    )


def with_note(result: Mapping[str, Any], note: str) -> dict[str, Any]:
    """Return a copy of a result that begins with a note to the model."""
    return {**result, "content": [{"text": note}, *result["content"]]}
