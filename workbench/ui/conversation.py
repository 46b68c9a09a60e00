"""The conversation page's pieces: its head, its transcript that grows by itself, its composer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from workbench.runs.engine import Engine
from workbench.runs.errors import EngineRefused
from workbench.runs.views import ConversationPage, MessageWarning, RunView
from workbench.ui import answering, page_words
from workbench.ui.card import render_cards
from workbench.ui.navigation import fold_panel, render_menu
from workbench.ui.presence import render_presence
from workbench.ui.text import label, visible
from workbench.ui.transcript import cards_of, newest, render_run
from workbench.ui.trouble import shielded

LIVE_SECONDS = 0.15
IDLE_SECONDS = 2.0
_UNSENT = "wb-unsent"


def render_head(engine: Engine, page: ConversationPage, *, by: str) -> None:
    """Draw the title, which agent and config version answer, the menu, and Stop while there is what to stop."""
    with st.container(horizontal=True, vertical_alignment="center", key="wb-head"):
        with st.container(gap=None):
            st.markdown(f"#### {label(page.title)}")
            st.caption(label(page_words.follows(page)))
        # A place of its own, so that nothing after it moves, and an open dialog with it, when Stop comes and goes.
        with st.container(width="content", key="wb-stop-place"):
            if page.status in ("working", "waiting"):
                st.button(
                    page_words.STOPPING if page.stopping else page_words.STOP,
                    key="wb-stop",
                    icon=":material/stop_circle:",
                    help=page_words.STOP_HELP,
                    disabled=page.stopping,
                    on_click=_stop,
                    args=(engine, page.id, by),
                )
        st.button(
            page_words.SHOW_PANEL,
            key="wb-fold",
            icon=":material/right_panel_open:",
            type="tertiary",
            help=page_words.SHOW_PANEL_HELP,
            on_click=fold_panel,
            args=(engine,),
        )
        render_menu(engine, page, by=by)


def split(views: Sequence[RunView]) -> tuple[list[RunView], list[RunView]]:
    """Part a transcript into what will not change any more and the last turn, which may."""
    for index in range(len(views) - 1, -1, -1):
        if views[index].kind == "message":
            return list(views[:index]), list(views[index:])
    return [], list(views)


def render_past(
    engine: Engine, views: Sequence[RunView], page: ConversationPage, titles: dict[str, str]
) -> None:
    """Draw the finished turns, the newest of them; older ones on request."""
    for view in newest(views, conversation_id=page.id):
        render_run(view, titles=titles, whole=engine.call_result)


def render_live(
    engine: Engine, page: ConversationPage, past: Sequence[RunView], titles: dict[str, str], *, by: str
) -> None:
    """Draw the head and the last turn, and keep both current.

    It polls quickly while a run works and slowly otherwise; the slow beat is also what brings a page back
    after the app was restarted.
    """
    seconds = LIVE_SECONDS if page.status == "working" else IDLE_SECONDS
    boundary = past[-1].number if past else 0
    shown = _head(page)

    @st.fragment(run_every=seconds)
    @shielded
    def live() -> None:
        try:
            now = engine.conversation(page.id)
        except EngineRefused as refused:
            st.warning(label(str(refused)))
            render_presence()
            return
        views = [view for view in engine.run_views(page.id) if view.number > boundary]
        _, last_turn = split(views)
        if (
            len(last_turn) < len(views)
            or _head(now) != shown
        ):
            st.rerun()
        for view in last_turn:
            can_retry = view is last_turn[-1] and now.status == "failed"
            if render_run(view, titles=titles, can_retry=can_retry, whole=engine.call_result):
                _retry(engine, page.id, by)
        cards = cards_of(last_turn)
        if cards:
            render_cards(engine, cards, by=by)
        else:
            answering.show_toasts()
            answering.polite("")
        if now.status == "working" and not any(view.items for view in last_turn[-1:]):
            st.caption(f":material/hourglass_empty: :shimmer[{label(page_words.thinking(now.agent_title))}]")
        # Last, because the cards above take clicks from then on.
        if render_presence():
            st.rerun()

    live()


def _head(page: ConversationPage) -> tuple[object, ...]:
    """What the rest of the page shows of a conversation: when it changes, all of it is drawn again."""
    return page.status, page.title, page.version_number, page.newest_number, len(page.open_cards)


def render_welcome(page: ConversationPage, examples: Sequence[str]) -> str | None:
    """Draw what a new conversation offers: who answers, things to say, where the policy is.

    Returns:
        The example that was clicked, or None.
    """
    st.markdown(f"##### {label(page_words.welcome(page.agent_title))}")
    st.caption(page_words.WELCOME_POLICY)
    chosen = None
    with st.container(gap="small", key="wb-examples"):
        for index, example in enumerate(examples):
            if st.button(label(example), key=f"wb-example-{index}", icon=":material/chat_bubble:"):
                chosen = example
    return chosen


def composer(engine: Engine, page: ConversationPage, *, by: str) -> None:
    """Draw the message box, with what sending would close said before it is sent."""
    warning = engine.open_for_message(page.id)
    _render_unsent(engine, page, by)
    if warning.open_cards or warning.approved_not_run:
        st.caption(f":material/info: {label(page_words.sending_closes(warning))}")
    # Never disabled: one may write the next message while the agent works. Sent too early, it is kept above.
    text = st.chat_input(_placeholder(page, warning), key=f"wb-composer-{page.id}")
    if text is not None:
        send(engine, page.id, str(text), by=by)


def send(engine: Engine, conversation_id: str, text: str, *, by: str) -> None:
    """Send a message; one that can't be taken is kept on the page."""
    try:
        engine.send(conversation_id, text, by=by, via="app")
        st.session_state.pop(_unsent_key(conversation_id), None)
    except answering.REFUSALS as refused:
        st.session_state[_unsent_key(conversation_id)] = (text, str(refused))
    st.rerun()


def _render_unsent(engine: Engine, page: ConversationPage, by: str) -> None:
    kept: tuple[str, str] | None = st.session_state.get(_unsent_key(page.id))
    if kept is None:
        return
    text, why = kept
    with st.container(border=True, key="wb-unsent"):
        st.markdown(f":material/unsubscribe: **{page_words.NOT_SENT}** {label(why)}")
        if text.strip():
            st.text(visible(text[:2_000]))
        with st.container(horizontal=True):
            if text.strip() and st.button(
                page_words.SEND_AGAIN, key="wb-send-again", disabled=page.status == "working"
            ):
                send(engine, page.id, text, by=by)
            if st.button(page_words.DISCARD, key="wb-discard"):
                del st.session_state[_unsent_key(page.id)]
                st.rerun()


def _unsent_key(conversation_id: str) -> str:
    return f"{_UNSENT}-{conversation_id}"


def _placeholder(page: ConversationPage, warning: MessageWarning) -> str:
    if page.status == "working":
        return page_words.working(page.agent_title)
    if warning.open_cards or warning.approved_not_run:
        return page_words.message_instead(page.agent_title)
    return page_words.message(page.agent_title)


def _stop(engine: Engine, conversation_id: str, by: str) -> None:
    _try(lambda: engine.stop(conversation_id, by=by))


def _retry(engine: Engine, conversation_id: str, by: str) -> None:
    _try(lambda: engine.retry(conversation_id, by=by))
    st.rerun()


def _try(action: Any) -> None:
    try:
        action()
    except answering.REFUSALS as refused:
        answering.toast(str(refused))
