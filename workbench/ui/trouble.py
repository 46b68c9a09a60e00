"""What a page says when there is nothing to show, or nothing can be shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import streamlit as st

from workbench.store import StoreError
from workbench.ui import page_words
from workbench.ui.text import label, visible


def render_no_database(sentence: str) -> None:
    """Say why the database can't be used, and try again until it can."""
    st.subheader(f":material/database_off: {page_words.NO_DATABASE}")
    st.text(visible(sentence))
    st.caption(page_words.NO_DATABASE_HELP)
    _try_again()


def shielded(draw: Callable[[], None]) -> Callable[[], None]:
    """Let a part of the page that polls say what is wrong with the database in its place, and come back by itself."""

    @wraps(draw)
    def drawn() -> None:
        try:
            draw()
        except StoreError as error:
            st.warning(label(page_words.no_database_here(str(error))), icon=":material/database_off:")

    return drawn


@st.fragment(run_every=3)
def _try_again() -> None:
    runs = st.session_state.get("wb-db-tries", 0)
    st.session_state["wb-db-tries"] = runs + 1
    if st.button(page_words.TRY_NOW, key="wb-try-now", icon=":material/refresh:") or runs:
        st.session_state["wb-db-tries"] = 0
        st.rerun()


def render_unknown_conversation(sentence: str) -> None:
    """Say that the address names no conversation, and where to go."""
    st.subheader(f":material/link_off: {page_words.NOT_HERE}")
    st.text(visible(sentence))
    st.caption(page_words.NOT_HERE_HELP)
