"""A doubt card: what is not known, and three ways on with their consequences spelled out."""

import streamlit as st

from workbench.policy import GaveUp, Happened, RunAgain
from workbench.runs.views import Card
from workbench.ui import answering, draft, words
from workbench.ui.desk import Desk
from workbench.ui.text import label


def render_doubt(desk: Desk, card: Card, *, by: str) -> None:
    """Draws the three choices. None of them is highlighted: nothing here is the usual one."""
    kept = draft.load(desk, card.id)
    text, consequence = words.doubt_choice("happened", card)
    with _choice(card, "happened", consequence):
        st.button(
            text,
            key=draft.key(card.id, "happened"),
            on_click=draft.put,
            args=(desk, card.id, "mode", "" if kept.get("mode") == "happened" else "happened"),
            width=140,
        )
    if kept.get("mode") == "happened":
        _result(desk, card, by)
    for name, answer in (("run_again", RunAgain()), ("gave_up", GaveUp())):
        text, consequence = words.doubt_choice("run_again" if name == "run_again" else "gave_up", card)
        with _choice(card, name, consequence):
            st.button(
                text,
                key=draft.key(card.id, name),
                on_click=answering.give,
                args=(desk, card, answer, by),
                width=140,
            )


def _choice(card: Card, name: str, consequence: str) -> "st.delta_generator.DeltaGenerator":
    row = st.container(
        horizontal=True, wrap=False, vertical_alignment="center", key=draft.key(card.id, f"row-{name}")
    )
    button = row.container(width=150)
    row.caption(label(consequence), width="stretch")
    return button


def _result(desk: Desk, card: Card, by: str) -> None:
    field = draft.key(card.id, "result")
    draft.fill(field, draft.load(desk, card.id).get("result", ""))
    st.text_area(
        words.RESULT,
        key=field,
        placeholder=words.RESULT_PLACEHOLDER,
        on_change=_typed,
        args=(desk, card, field),
    )
    st.button(
        words.IT_HAPPENED,
        key=draft.key(card.id, "happened-now"),
        type="primary",
        on_click=_happened,
        args=(desk, card, field, by),
    )


def _typed(desk: Desk, card: Card, field: str) -> None:
    text = draft.typed(field)
    if text is not None:
        draft.put(desk, card.id, "result", text)


def _happened(desk: Desk, card: Card, field: str, by: str) -> None:
    answering.give(desk, card, Happened(draft.typed(field) or ""), by)
