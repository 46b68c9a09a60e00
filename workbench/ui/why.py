"""Why the calls of a conversation asked or ran: the policy's own steps, call by call."""

from __future__ import annotations

import streamlit as st

from workbench.runs.engine import Engine
from workbench.runs.views import CallItem
from workbench.ui import page_words
from workbench.ui.text import label, visible
from workbench.ui.trouble import shielded

_LATEST = 12


def render_why(engine: Engine, conversation_id: str) -> None:
    """Draw the trace of the latest calls, the newest first."""

    @st.fragment(run_every=3)
    @shielded
    def panel() -> None:
        calls = [
            item
            for view in engine.run_views(conversation_id, last=20)
            for item in view.items
            if isinstance(item, CallItem) and item.verdict is not None
        ]
        if not calls:
            st.caption(page_words.NO_CALLS)
        for place, call in enumerate(reversed(calls[-_LATEST:])):
            _call(call, first=place == 0)

    panel()


def _call(call: CallItem, *, first: bool) -> None:
    verdict = call.verdict
    if verdict is None:
        return
    word = page_words.ASKED if verdict.outcome == "ask" else page_words.RAN
    with st.expander(f"**{label(call.tool)}** — {word}", expanded=first, key=f"wb-why-{call.key}"):
        st.caption(label(" › ".join(call.agent_path)))
        for step in verdict.trace:
            st.markdown(f"- {label(step)}")
        for warning in verdict.warnings:
            st.markdown(f":material/warning: {label(visible(warning))}")
