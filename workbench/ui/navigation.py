"""Which conversation is on the page, and everything in the sidebar."""

from __future__ import annotations

import streamlit as st

from workbench.runs.engine import Engine
from workbench.runs.errors import ConversationUnknown
from workbench.runs.views import ConversationPage
from workbench.store import StoreError
from workbench.ui import answering, page_words
from workbench.ui.presence import is_narrow
from workbench.ui.sidebar import (
    conversation_menu,
    render_acting_as,
    render_conversations,
    render_new,
    render_waiting,
)
from workbench.ui.trouble import shielded

PARAMETER = "c"
_PANEL = "wb-panel-open"
_PANEL_NARROW = "wb-panel-open-narrow"
_PANEL_SETTING = "panel_open"
_TAB = "wb-panel-tab"


def conversation_on_page(engine: Engine) -> tuple[str | None, str]:
    """Return the conversation that the address names, or the latest, or a new one where there is none.

    Returns:
        Its id, or None and a sentence when the address names a conversation that isn't there.
    """
    asked = st.query_params.get(PARAMETER)
    if asked:
        try:
            engine.conversation(asked)
        except ConversationUnknown as unknown:
            return None, str(unknown)
        return asked, ""
    rows = engine.conversations(limit=1)
    if rows:
        chosen = rows[0].id
    else:
        valid = [row for row in engine.config_files() if row.number]
        if not valid:
            return None, "There is no valid config file to start a conversation with."
        first = next((row for row in valid if row.name == "merchant"), valid[0])
        chosen = engine.new_conversation(first.file)
    st.query_params[PARAMETER] = chosen
    return chosen, ""


def open_conversation(conversation_id: str | None) -> None:
    """Put a conversation on the page, or with None the latest one."""
    if conversation_id is None:
        st.query_params.pop(PARAMETER, None)
    else:
        st.query_params[PARAMETER] = conversation_id
    st.rerun()


def render_sidebar(engine: Engine) -> str:
    """Draw the sidebar and return the name that the person acts under."""
    current = st.query_params.get(PARAMETER)
    with st.sidebar:
        st.markdown(f"### {page_words.NAME}")
        _waiting(engine, current)
        st.divider()
        _conversations(engine, current)
        st.divider()
        return render_acting_as(["tester", "product", "security"])


def _waiting(engine: Engine, current: str | None) -> None:
    @st.fragment(run_every=2)
    @shielded
    def waiting() -> None:
        chosen = render_waiting(engine.waiting(), current=current)
        if chosen is not None:
            open_conversation(chosen)

    waiting()


def _conversations(engine: Engine, current: str | None) -> None:
    chosen = render_new([(row.file, row.name) for row in engine.config_files() if row.number])
    if chosen is not None:
        try:
            open_conversation(engine.new_conversation(chosen))
        except answering.REFUSALS as refused:
            answering.toast(str(refused))
    picked = render_conversations(engine.conversations, current=current)
    if picked is not None:
        open_conversation(picked)


def render_menu(engine: Engine, page: ConversationPage, *, by: str) -> None:
    """Draw *Rename* and *Delete* of the conversation on the page."""

    def delete() -> None:
        try:
            engine.delete(page.id, by=by)
        except answering.REFUSALS as refused:
            answering.toast(str(refused))
        else:
            st.query_params.pop(PARAMETER, None)

    def rename(title: str) -> None:
        try:
            engine.rename(page.id, title)
        except answering.REFUSALS as refused:
            answering.toast(str(refused))

    conversation_menu(
        page.title,
        key=page.id,
        on_rename=rename,
        on_delete=delete,
    )


def open_panel(tab: str) -> None:
    """Open the panel at one of its tabs."""
    st.session_state[_panel()] = True
    st.session_state[_TAB] = tab


def panel_tab() -> str:
    """Draw the panel's tabs and return the one that is chosen."""
    chosen = st.segmented_control(
        page_words.SHOW_PANEL,
        list(page_words.TABS),
        format_func=page_words.TABS.__getitem__,
        default=None if _TAB in st.session_state else "policy",
        key=_TAB,
        required=True,
        label_visibility="collapsed",
    )
    return str(chosen or "policy")


def panel_toggle(engine: Engine) -> bool:
    """Return whether the panel is open; it stays as it was left, also in the next session.

    In a narrow window it comes below the transcript, where it would keep what waits out of sight. There it is
    folded until somebody opens it.
    """
    if _PANEL not in st.session_state:
        kept = engine.store.settings.get(_PANEL_SETTING)
        st.session_state[_PANEL] = True if kept is None else bool(kept)
    return bool(st.session_state.get(_panel(), False))


def fold_panel(engine: Engine) -> None:
    """Turn the panel over, from a callback."""
    st.session_state[_panel()] = not st.session_state.get(_panel(), False)
    if is_narrow():
        return
    try:
        engine.store.settings.set(_PANEL_SETTING, st.session_state[_PANEL])
    except StoreError as error:
        answering.toast(str(error))


def _panel() -> str:
    return _PANEL_NARROW if is_narrow() else _PANEL


def titles_of(engine: Engine, page: ConversationPage) -> dict[str, str]:
    """Return the names people see, by agent."""
    try:
        version = engine.current(page.config_file)
        config = engine.desk.open(version.id).config
    except Exception:
        return {page.entry: page.agent_title}
    return {name: config.title_of(name) for name in config.agents}
