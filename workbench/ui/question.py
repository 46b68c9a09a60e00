"""A question card: reads like a short form in a conversation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from workbench.policy import Answered
from workbench.runs.views import Card
from workbench.ui import answering, draft, words
from workbench.ui.desk import Desk
from workbench.ui.submit import render_submit
from workbench.ui.text import label, visible

TOOL: Final = "ask_user"


@dataclass(frozen=True)
class Option:
    """One choice."""

    label: str
    description: str = ""


@dataclass(frozen=True)
class Question:
    """One question of a card."""

    question: str
    header: str
    options: tuple[Option, ...]
    multi_select: bool
    allow_other: bool


@dataclass(frozen=True)
class Reply:
    """What is chosen and typed so far for one question."""

    picked: tuple[int, ...] = ()
    """Places of the chosen options."""
    other_on: bool = False
    other: str = ""

    @property
    def complete(self) -> bool:
        """Whether this answers the question: something chosen, and no empty field of one's own."""
        return bool(self.other.strip()) if self.other_on else bool(self.picked)


def questions_of(card: Card) -> tuple[Question, ...]:
    """The questions of a card; none when its input is not a form of questions (another client tool's call)."""
    if card.tool != TOOL:
        return ()
    given = card.input.get("questions")
    listed = given if isinstance(given, list) else [card.input]
    read = [_question(item) for item in listed]
    return tuple(one for one in read if one is not None) if read and None not in read else ()


def render_question(desk: Desk, card: Card, *, by: str, shortcuts: bool) -> None:
    """Draws the form of a question card: its questions with their choices, Submit and Skip."""
    questions = questions_of(card)
    replies = _replies(desk, card, questions)
    for at, (question, reply) in enumerate(zip(questions, replies, strict=True)):
        _one(desk, card, at, question, reply, len(questions))
    missing = sum(not reply.complete for reply in replies)
    why = words.still_open(missing, len(questions)) if missing else ""
    render_submit(desk, card, by=by, shortcuts=shortcuts, missing=why, on_submit=_submit)


def _one(desk: Desk, card: Card, at: int, question: Question, reply: Reply, total: int) -> None:
    heading = f"{at + 1}. {question.header}" if total > 1 and question.header else question.header
    with st.container(key=f"wb-choices-{card.id}-{at}", gap="xsmall"):
        if heading:
            st.caption(label(heading))
        st.text(visible(question.question))
        if question.options:
            if question.multi_select:
                _many(desk, card, at, question, reply)
            else:
                _single(desk, card, at, question, reply)
        if reply.other_on or not question.options:
            field = draft.key(card.id, f"other-{at}")
            draft.fill(field, reply.other)
            st.text_input(
                words.OTHER_FIELD,
                key=field,
                autocomplete="off",
                live="400ms",
                on_change=_other_typed,
                args=(desk, card, at, field),
            )


def _single(desk: Desk, card: Card, at: int, question: Question, reply: Reply) -> None:
    count = len(question.options)
    choices = list(range(count + question.allow_other))
    field = draft.key(card.id, f"choice-{at}")
    draft.fill(field, count if reply.other_on else next(iter(reply.picked), None))
    descriptions = [label(option.description) for option in question.options] + [""] * question.allow_other
    st.radio(
        label(question.question),
        choices,
        index=None,
        format_func=lambda place: words.OTHER if place == count else label(question.options[place].label),
        captions=descriptions if any(descriptions) else None,
        key=field,
        label_visibility="collapsed",
        width="stretch",
        on_change=_picked,
        args=(desk, card, at, field, count),
    )


def _many(desk: Desk, card: Card, at: int, question: Question, reply: Reply) -> None:
    st.caption(words.SEVERAL)
    for place, option in enumerate(question.options):
        field = draft.key(card.id, f"choice-{at}-{place}")
        draft.fill(field, place in reply.picked)
        with st.container(key=f"wb-option-{card.id}-{at}-{place}", gap=None):
            st.checkbox(
                label(option.label),
                key=field,
                width="stretch",
                on_change=_ticked,
                args=(desk, card, at, place, field),
            )
            if option.description:
                st.caption(label(option.description))
    if question.allow_other:
        field = draft.key(card.id, f"choice-{at}-other")
        draft.fill(field, reply.other_on)
        with st.container(key=f"wb-option-{card.id}-{at}-other", gap=None):
            st.checkbox(
                words.OTHER,
                key=field,
                width="stretch",
                on_change=_other_ticked,
                args=(desk, card, at, field),
            )


def _replies(desk: Desk, card: Card, questions: tuple[Question, ...]) -> list[Reply]:
    kept = draft.load(desk, card.id).get("answers", {})
    replies = []
    for at, question in enumerate(questions):
        one = kept.get(str(at), {})
        picked = tuple(place for place in one.get("picked", ()) if place < len(question.options))
        replies.append(Reply(picked, bool(one.get("other_on")) or not question.options, one.get("other", "")))
    return replies


def _keep(desk: Desk, card: Card, at: int, **changed: Any) -> None:
    kept = dict(draft.load(desk, card.id).get("answers", {}))
    kept[str(at)] = {**kept.get(str(at), {}), **changed}
    draft.put(desk, card.id, "answers", kept)


def _picked(desk: Desk, card: Card, at: int, field: str, other: int) -> None:
    place = draft.typed(field)
    if place is not None:
        _keep(desk, card, at, picked=[] if place == other else [place], other_on=place == other)


def _ticked(desk: Desk, card: Card, at: int, place: int, field: str) -> None:
    ticked = draft.typed(field)
    if ticked is None:
        return
    before = draft.load(desk, card.id).get("answers", {}).get(str(at), {}).get("picked", [])
    now = {*before, place} if ticked else {*before} - {place}
    _keep(desk, card, at, picked=sorted(now))


def _other_ticked(desk: Desk, card: Card, at: int, field: str) -> None:
    ticked = draft.typed(field)
    if ticked is not None:
        _keep(desk, card, at, other_on=ticked)


def _other_typed(desk: Desk, card: Card, at: int, field: str) -> None:
    text = draft.typed(field)
    if text is not None:
        _keep(desk, card, at, other=text)


def _submit(desk: Desk, card: Card, by: str) -> None:
    questions = questions_of(card)
    replies = _replies(desk, card, questions)
    if not all(reply.complete for reply in replies):
        answering.say(card.id, words.still_open(sum(not reply.complete for reply in replies), len(replies)))
        return
    answers = [
        {
            "question": question.question,
            "selected": [question.options[place].label for place in reply.picked],
            "other": reply.other.strip() if reply.other_on else None,
        }
        for question, reply in zip(questions, replies, strict=True)
    ]
    answering.give(desk, card, Answered({"answers": answers}), by)


def _question(item: Any) -> Question | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("question"), str):
        return None
    listed = item.get("options", [])
    if not isinstance(listed, list):
        return None
    options = tuple(_option(option) for option in listed)
    kept = tuple(option for option in options if option is not None)
    if len(kept) != len(options):
        return None
    header = item.get("header")
    return Question(
        question=item["question"],
        header=header if isinstance(header, str) else "",
        options=kept,
        multi_select=item.get("multi_select") is True,
        allow_other=item.get("allow_other") is not False,
    )


def _option(option: Any) -> Option | None:
    if isinstance(option, str):
        return Option(option)
    if isinstance(option, Mapping) and isinstance(option.get("label"), str):
        description = option.get("description")
        return Option(option["label"], description if isinstance(description, str) else "")
    return None
