"""The foot of a card that is answered with a form: Submit, Skip, and why it can't be submitted yet."""

from collections.abc import Callable

import streamlit as st

from workbench.policy import Skipped
from workbench.runs.views import Card
from workbench.ui import answering, draft, words
from workbench.ui.desk import Desk
from workbench.ui.text import label


def render_submit(
    desk: Desk,
    card: Card,
    *,
    by: str,
    shortcuts: bool,
    missing: str,
    on_submit: Callable[[Desk, Card, str], None],
) -> None:
    """Draws the buttons.

    Args:
        missing: what is to be done first, which also keeps Submit from being pressed; empty when nothing is.
        on_submit: called with the desk, the card as it is drawn here, and `by`.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            words.SUBMIT,
            key=draft.key(card.id, "submit"),
            type="primary",
            disabled=bool(missing),
            shortcut="Shift+Enter" if shortcuts else None,
            on_click=on_submit,
            args=(desk, card, by),
        )
        st.button(
            words.SKIP,
            key=draft.key(card.id, "skip"),
            help=words.with_key(words.SKIP_QUESTION_HELP, "Shift+S" if shortcuts else None),
            shortcut="Shift+S" if shortcuts else None,
            on_click=answering.give,
            args=(desk, card, Skipped(), by),
        )
        if missing:
            st.caption(label(missing), width="content")
