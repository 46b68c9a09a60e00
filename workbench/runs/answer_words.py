"""Questions and answers in words, for whoever was not there."""

from __future__ import annotations

import json
from typing import Any

from workbench.agents.client_tools import ClientToolSpec, answer_text, check_arguments


def question_words(spec: ClientToolSpec | None, given: dict[str, Any]) -> str:
    """Say what was asked."""
    if spec is None:
        return json.dumps(given, ensure_ascii=False)
    normal = check_arguments(spec, given)
    questions = normal.get("questions")
    if not isinstance(questions, list):
        return json.dumps(given, ensure_ascii=False)
    return " ".join(str(question["question"]) for question in questions)


def answered_words(spec: ClientToolSpec | None, given: dict[str, Any], value: Any) -> str:
    """Say what was answered."""
    if spec is None:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return answer_text(spec, given, value)
