"""The remembered permissions that can let a call of this conversation run, and taking them back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from workbench.runs.engine import Engine
from workbench.runs.views import GrantRow
from workbench.ui import answering, page_words
from workbench.ui.clock import now, when
from workbench.ui.text import label
from workbench.ui.trouble import shielded


def render_permissions(engine: Engine, config_file: str, conversation_id: str, *, by: str) -> None:
    """Draw what runs without asking because somebody said so, and a button to take each back."""

    @st.fragment(run_every=3)
    @shielded
    def panel() -> None:
        moment = now()
        rows = engine.permissions.rows(config_file, conversation_id)
        holding = [row for row in rows if _holds(row, moment)]
        over = [row for row in rows if not _holds(row, moment)]
        st.caption(page_words.PERMISSIONS_HELP)
        if not holding:
            st.caption(page_words.NO_PERMISSIONS)
        for row in holding:
            _row(engine, row, by)
        if over:
            with st.expander(page_words.permissions_over(len(over))):
                _past(over, moment)

    panel()


def _row(engine: Engine, row: GrantRow, by: str) -> None:
    with st.container(border=True, key=f"wb-grant-{row.id}", gap="small"):
        st.markdown(f"**{label(row.tool)}** · {label(row.subject.label)}")
        st.caption(label(page_words.permission(row, when(row.created_at), when(row.expires_at))))
        st.caption(label(page_words.permission_used(row, when(row.last_used_at))))
        st.button(
            page_words.TAKE_BACK,
            key=f"wb-revoke-{row.id}",
            icon=":material/undo:",
            help=page_words.TAKE_BACK_HELP,
            on_click=_revoke,
            args=(engine, row, by),
        )


def _past(rows: Sequence[GrantRow], moment: datetime) -> None:
    for row in rows:
        st.caption(label(f"{row.tool} · {row.subject.label} — {page_words.permission_ended(row, moment)}"))


def _revoke(engine: Engine, row: GrantRow, by: str) -> None:
    try:
        engine.permissions.revoke(row.id, by=by)
    except answering.REFUSALS as refused:
        answering.toast(str(refused))
    else:
        answering.toast(page_words.taken_back(row))


def _holds(row: GrantRow, moment: datetime) -> bool:
    return row.holds and (row.expires_at is None or row.expires_at > moment)
