"""Questions and answers in words, read off a stored request alone: what asked may have changed since, or be gone."""

from __future__ import annotations

import json
from typing import Any

from workbench.agents import datasources, files, question
from workbench.agents.client_tools import ClientToolSpec, answer_text, check_arguments
from workbench.policy import answer_from_dict
from workbench.policy.answer import Answered
from workbench.runs.uploads import given_files
from workbench.store import Request, Store


def asked_of(request: Request) -> dict[str, Any]:
    """Return what a question asks, normalised when it was raised."""
    asked: dict[str, Any] | None = request.metadata.get("asked")
    if asked is None and request.tool == question.ASK_USER:
        # Raised by a release that did not keep it.
        return check_arguments(ClientToolSpec(question.ASK_USER, "", {}), request.input)
    return request.input if asked is None else asked


def answer_of(request: Request) -> Any:
    """Return the value that answers a question; None without an answer."""
    answer = answer_from_dict(request.answer) if request.answer else None
    return answer.value if isinstance(answer, Answered) else None


def in_own_words(request: Request) -> bool:
    """Whether an AG-UI client answered its own tool's call, with the very text that the model reads."""
    return bool(request.metadata.get("by_client")) and isinstance(answer_of(request), str)


def question_words(request: Request) -> str:
    """Say what was asked."""
    asked = asked_of(request)
    match request.tool:
        case question.ASK_USER if "questions" in asked:
            return " ".join(str(one["question"]) for one in asked["questions"])
        case datasources.REQUEST_DATASOURCES:
            return asked.get("reason") or "which data may be used."
        case files.REQUEST_FILES:
            return f"for files. {asked.get('reason') or ''}".strip()
        case _:
            given = json.dumps(asked, ensure_ascii=False)
            return f"{request.metadata.get('title') or request.tool} {given}"


def answered_words(request: Request) -> str:
    """Say what was answered, for whoever was not there; of files their names, not what is in them."""
    if in_own_words(request):
        return str(answer_of(request))
    return answer_text(request.tool, asked_of(request), answer_of(request))


def model_reads(store: Store, request: Request) -> str:
    """Return what the asking model reads of an answer, the text of files included."""
    if request.tool == files.REQUEST_FILES and not in_own_words(request):
        return files.files_text(given_files(store, answer_of(request)))
    return answered_words(request)
