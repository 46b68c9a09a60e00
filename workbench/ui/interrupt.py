"""A card of a tool that paused for something of its own: its message, and a form for the answer."""

import json
from typing import Any

import streamlit as st

from workbench.policy import Answered, SchemaUnusable, field_errors
from workbench.runs.views import Card
from workbench.ui import answering, draft, words
from workbench.ui.desk import Desk
from workbench.ui.edit_form import Form
from workbench.ui.shape import MISSING, Unreadable, read
from workbench.ui.submit import render_submit
from workbench.ui.text import label


def render_interrupt(desk: Desk, card: Card, *, by: str, shortcuts: bool) -> None:
    """Draws the form of a card whose answer is a value: fields from its schema, else a free answer."""
    problem = _schema_form(desk, card) if card.response_schema else _free_form(desk, card)
    render_submit(desk, card, by=by, shortcuts=shortcuts, missing=problem, on_submit=_submit)


def _form(desk: Desk, card: Card) -> Form:
    return Form(desk, card.id, "response", card.response_schema or {}, blank=True)


def _schema_form(desk: Desk, card: Card) -> str:
    form = _form(desk, card)
    state = form.state()
    errors = _errors(card, state.value)
    form.render(state, errors)
    if state.value is MISSING and not state.problems:
        return words.NOTHING_ENTERED
    return words.CORRECT_FIRST if state.problems or errors else ""


def _errors(card: Card, value: Any) -> dict[str, str]:
    if value is MISSING:
        return {}
    try:
        return field_errors(value, card.response_schema or {})
    except SchemaUnusable as error:
        return {"": words.schema_unusable(str(error))}


def _free_form(desk: Desk, card: Card) -> str:
    kept = draft.load(desk, card.id)
    text_key, way_key = draft.key(card.id, "free"), draft.key(card.id, "free-as")
    draft.fill(way_key, kept.get("free_as", words.AS_TEXT))
    draft.fill(text_key, kept.get("free", ""))
    st.text_area(words.FREE_ANSWER, key=text_key, on_change=_typed, args=(desk, card, "free", text_key))
    st.segmented_control(
        words.SEND_AS,
        [words.AS_TEXT, words.AS_JSON],
        key=way_key,
        required=True,
        help=words.SEND_AS_HELP,
        on_change=_typed,
        args=(desk, card, "free_as", way_key),
    )
    if "free" not in kept:
        return words.NOTHING_ENTERED
    try:
        value = _free_value(kept)
    except Unreadable as problem:
        return str(problem)
    st.caption(label(words.will_get(card.tool, json.dumps(value, ensure_ascii=False)[:200])))
    return ""


def _free_value(kept: dict[str, Any]) -> Any:
    text: str = kept.get("free", "")
    return read("json", text) if kept.get("free_as", words.AS_TEXT) == words.AS_JSON else text


def _typed(desk: Desk, card: Card, name: str, field: str) -> None:
    text = draft.typed(field)
    if text is not None:
        draft.put(desk, card.id, name, text)


def _submit(desk: Desk, card: Card, by: str) -> None:
    if card.response_schema:
        state = _form(desk, card).state()
        if state.problems or state.value is MISSING:
            answering.say(card.id, words.CORRECT_FIRST if state.problems else words.NOTHING_ENTERED)
            return
        answering.give(desk, card, Answered(state.value), by)
        return
    try:
        value = _free_value(draft.load(desk, card.id))
    except Unreadable as problem:
        answering.say(card.id, str(problem))
        return
    answering.give(desk, card, Answered(value), by)
