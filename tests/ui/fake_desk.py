"""A desk without an engine: it keeps cards in memory and settles answers by the real rules."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from workbench.agents import files
from workbench.agents.file_text import text_of
from workbench.policy import (
    AgentPolicy,
    Answer,
    Answered,
    AnswerRefused,
    RequestFacts,
    Rule,
    changes,
    edited_subject,
    field_errors,
    settle,
)
from workbench.runs.errors import FileRefused
from workbench.runs.views import AnswerOutcome, Card, DecisionLine, EditPreview, FileRow


def store_of(tool: str, tool_input: dict[str, Any]) -> dict[str, str]:
    """What a decision about a price covers: the store it is in."""
    store = tool_input.get("store", "")
    return {"key": f"store:{store}", "label": f"prices in {store}"}


POLICY = AgentPolicy(
    "merchant", (Rule("set_price", remember="thread", subject=store_of, line=14), Rule("*", line=15))
)


class FakeDesk:
    """Takes answers as the engine would, and lets a test look at them."""

    def __init__(self, *cards: Card) -> None:
        self.cards = {card.id: card for card in cards}
        self.answers: list[tuple[str, Answer, str]] = []
        self.drafts: dict[str, dict[str, Any]] = {}
        self.asked_again: list[str] = []
        self.previews = 0

    def all(self) -> list[Card]:
        """The cards as they stand."""
        return list(self.cards.values())

    def answer(self, request_id: str, answer: Answer, *, by: str, via: Any = "app") -> AnswerOutcome:
        """Settle one request; the first answer wins."""
        card = self.cards[request_id]
        if card.status == "decided" and card.decision is not None:
            raise AnswerRefused(
                "already_decided",
                f"This card was already {card.decision.decision} by {card.decision.who}. Nothing ran twice.",
            )
        now = datetime.now(UTC)
        made = settle(facts(card), answer, now=now, policy=POLICY, facts=None, who=by)
        self.answers.append((request_id, answer, by))
        line = DecisionLine(made.decision, "person", by, made.scope, made.reason, now)
        self.cards[request_id] = replace(
            card,
            status="decided",
            decision=line,
            edited=made.edited,
            executed_input=made.tool_input,
            note=made.note or "",
            answer_text=str(answer.value) if isinstance(answer, Answered) else "",
        )
        left = sum(other.status == "open" for other in self.cards.values())
        return AnswerOutcome(self.cards[request_id], left, made.warnings)

    def add_file(self, request_id: str, name: str, data: bytes) -> FileRow:
        """Take a file, or refuse what is too large."""
        shown = files.clean_name(name)
        if len(data) > files.LARGEST_FILE:
            raise FileRefused(f"{shown} is too large.")
        number = sum(len(card.files) for card in self.cards.values())
        row = FileRow(
            f"file{number}",
            shown,
            files.type_of(shown, data),
            len(data),
            not data or text_of(data) is not None,
            "0" * 64,
        )
        card = self.cards[request_id]
        kept = card.files if card.input.get("multiple") is not False else ()
        self.cards[request_id] = replace(card, files=(*kept, row))
        return row

    def drop_file(self, request_id: str, file_id: str) -> None:
        """Take a file back."""
        card = self.cards[request_id]
        self.cards[request_id] = replace(card, files=tuple(file for file in card.files if file.id != file_id))

    def preview_edit(self, request_id: str, tool_input: dict[str, Any]) -> EditPreview:
        """Say what an edited call would be."""
        self.previews += 1
        card = self.cards[request_id]
        subject, other = edited_subject(facts(card), tool_input, POLICY, None)
        sentence = (
            f"This is now about {subject.label}, no longer about {card.subject.label}: it allows only this one call."
            if other
            else ""
        )
        return EditPreview(
            errors=field_errors(tool_input, card.input_schema or {}),
            changed=tuple((one.path, one.before, one.after) for one in changes(card.input, tool_input)),
            subject=subject,
            subject_changed=other,
            sentence=sentence,
        )

    def ask_again(self, request_id: str, *, by: str) -> Card:
        """Remember that it was asked; the card stays."""
        self.asked_again.append(request_id)
        return self.cards[request_id]

    def draft(self, request_id: str) -> dict[str, Any] | None:
        """What was half-typed."""
        return self.drafts.get(request_id)

    def save_draft(self, request_id: str, value: dict[str, Any]) -> None:
        """Keep what is half-typed."""
        self.drafts[request_id] = dict(value)


def facts(card: Card) -> RequestFacts:
    """What settling needs to know of a card."""
    return RequestFacts(
        card.kind,
        card.tool,
        card.input,
        card.input_schema,
        card.response_schema,
        card.subject,
        card.scopes,
        card.expires_at,
    )
