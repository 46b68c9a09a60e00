"""What a page says when there is nothing to show, or nothing can be shown."""

from __future__ import annotations

import streamlit as st

from workbench.ui.text import label


def render_no_database(sentence: str) -> None:
    """Say why the database can't be opened, and try again until it can."""
    st.subheader(":material/database_off: The workbench can't open its database")
    st.text(sentence)
    st.caption("Nothing was changed. This page tries again by itself.")
    _try_again()


@st.fragment(run_every=3)
def _try_again() -> None:
    runs = st.session_state.get("wb-db-tries", 0)
    st.session_state["wb-db-tries"] = runs + 1
    if st.button("Try now", icon=":material/refresh:") or runs:
        st.session_state["wb-db-tries"] = 0
        st.rerun()


def render_unknown_conversation(sentence: str) -> None:
    """Say that the address names no conversation, and where to go."""
    st.subheader(":material/link_off: This conversation isn't here")
    st.text(sentence)
    st.caption(
        label(
            "It may have been deleted, or the address was cut. Choose another one on the left, or start a new one."
        )
    )
