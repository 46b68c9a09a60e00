"""What a coordinator is told of the conversation its delegate had with the person."""

from __future__ import annotations

from workbench.agents.client_tools import catalogue
from workbench.agents.ports import Place
from workbench.policy import answer_from_dict
from workbench.policy.answer import Answered
from workbench.runs.answer_words import answered_words, question_words
from workbench.store import Request, Store


def retell(store: Store, turn_id: str, place: Place) -> str:
    """Say in plain words what a delegate asked and what the person said, so that nobody asks again.

    Args:
        place: the delegation; what was asked in delegations below it is told too.

    Returns:
        The note, or an empty text when nothing was asked.
    """
    sentences = [
        sentence
        for request in store.requests.of_conversation(place.conversation_id)
        if request.turn_id == turn_id and place.seat in request.metadata.get("seats", ())
        if (sentence := _sentence(request))
    ]
    if not sentences:
        return ""
    return "\n".join(["While this was done, the person was asked. Don't ask again:", *sentences])


def _sentence(request: Request) -> str:
    match request.kind, request.decision:
        case _, None | "superseded":
            return ""
        case "question", "answered":
            answer = answer_from_dict(request.answer) if request.answer else None
            value = answer.value if isinstance(answer, Answered) else None
            spec = catalogue().get(request.tool)
            said = answered_words(spec, request.input, value).replace("\n", "\n  ")
            return f"- {request.agent} asked the person. {said}"
        case "question", _:
            spec = catalogue().get(request.tool)
            return (
                f"- {request.agent} asked: {question_words(spec, request.input)} The person did not answer."
            )
        case _, "approved":
            edited = " with changed arguments" if request.edited else ""
            return f"- The person approved {request.tool}{edited}."
        case _, "denied":
            reason = f", saying: {request.reason}" if request.reason else ""
            return f"- The person declined {request.tool}{reason}."
        case _, "skipped" | "expired" | "unknown" | "gave_up":
            return f"- {request.tool} did not run: {request.note or request.decision}."
        case _, _:
            return ""
