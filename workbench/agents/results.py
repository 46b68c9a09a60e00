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


def as_json(value: Any) -> Any:
    """Return a value that JSON can carry: bytes stay bytes (strands' encoder handles them), other
    strangers become their ``repr``."""
    if value is None or isinstance(value, (str, bool, int, bytes)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(item) for item in value]
    return repr(value)


def well_formed(result: Any, tool_use_id: str) -> dict[str, Any]:
    """Return any tool's last word as a tool result with this id and JSON content only."""
    if not isinstance(result, Mapping) or not isinstance(result.get("content"), list):
        return success_result(tool_use_id, result if isinstance(result, str) else repr(result))
    content = [
        as_json(block) if isinstance(block, Mapping) else {"text": str(block)} for block in result["content"]
    ]
    status = "error" if result.get("status") == "error" else "success"
    formed = {
        key: as_json(value) for key, value in result.items() if key not in ("content", "status", "toolUseId")
    }
    return {**formed, "toolUseId": tool_use_id, "status": status, "content": content or [{"text": ""}]}


def fitted(result: Mapping[str, Any], longest: int = LONGEST_RESULT) -> dict[str, Any]:
    """Return a copy whose long texts are cut for the model, each cut saying so."""
    content = []
    for block in result["content"]:
        if "json" in block:
            text = json.dumps(block["json"], ensure_ascii=False)
            content.append(block if len(text) <= longest else {"text": _cut(text, longest)})
        elif isinstance(block.get("text"), str) and len(block["text"]) > longest:
            content.append({**block, "text": _cut(block["text"], longest)})
        else:
            content.append(block)
    return {**result, "content": content}


def _cut(text: str, longest: int) -> str:
    return (
        f"{text[:longest]}\n[cut: this result has {len(text):,} characters, the first {longest:,} are shown]"
    )


def with_note(result: Mapping[str, Any], note: str) -> dict[str, Any]:
    """Return a copy of a result that begins with a note to the model."""
    return {**result, "content": [{"text": note}, *result["content"]]}
