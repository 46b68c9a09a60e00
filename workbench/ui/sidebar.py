"""The sidebar: what waits, which conversations there are, and under which name one answers."""

from collections.abc import Callable, Sequence
from itertools import groupby

import streamlit as st

from workbench.runs.views import ConversationRow, WaitingRow
from workbench.ui import words
from workbench.ui.clock import now, zone
from workbench.ui.text import label

_ACTING = "wb-acting-as"
_DIALOG = "wb-dialog"
_LISTED = 50


def render_waiting(waiting: Sequence[WaitingRow], *, current: str | None) -> str | None:
    """Draws what waits for a person, oldest first.

    Returns:
        The conversation whose entry was clicked just now, or None.
    """
    chosen = None
    with st.container(key="wb-list-waiting", gap=None):
        st.caption(label(words.waiting_heading(len(waiting))))
        for conversation_id, rows in _by_conversation(waiting).items():
            text = words.waiting_row(rows[0]) if len(rows) == 1 else words.waiting_rows(rows)
            if st.button(
                f"**{label(text)}**" if conversation_id == current else label(text),
                key=f"wb-waiting-{conversation_id}",
                type="tertiary",
                icon=":material/pause_circle:",
                width="stretch",
                wrap=True,
            ):
                chosen = conversation_id
        if not waiting:
            st.caption(words.NOTHING_WAITS)
    return chosen


def render_conversations(
    find: Callable[[str], Sequence[ConversationRow]], *, current: str | None
) -> str | None:
    """Draws the conversations, newest first under their days, with a search.

    Args:
        find: the conversations that match what was typed; all of them for the empty text.
        current: the one on the page.

    Returns:
        The conversation that was clicked just now, or None.
    """
    typed = st.text_input(
        words.SEARCH,
        key="wb-search",
        type="search",
        placeholder=words.SEARCH,
        label_visibility="collapsed",
        icon=":material/search:",
        live="300ms",
    )
    rows = find((typed or "").strip())
    if not rows:
        st.caption(words.NO_MATCH if typed else words.NO_CONVERSATIONS)
    chosen = None
    moment, here = now(), zone()
    shown = rows[: st.session_state.get("wb-listed", _LISTED)]
    for heading, same_day in groupby(shown, key=lambda row: words.day(row.updated_at, moment, here)):
        with st.container(key=f"wb-list-{heading}", gap=None):
            st.caption(heading)
            for row in same_day:
                if _conversation(row, current):
                    chosen = row.id
    if len(rows) > len(shown):
        st.button(
            words.show_earlier(min(_LISTED, len(rows) - len(shown)), len(rows) - len(shown)),
            key="wb-listed-more",
            type="tertiary",
            on_click=st.session_state.__setitem__,
            args=("wb-listed", len(shown) + _LISTED),
        )
    return chosen


def render_new(agents: Sequence[tuple[str, str]]) -> str | None:
    """Draws *New*. With several configs it asks which.

    Args:
        agents: config file and the name to show, one for each config that a conversation can start with.

    Returns:
        The config file to start a conversation with, or None.
    """
    if len(agents) == 1:
        clicked = st.button(words.NEW, key="wb-new", icon=":material/add:", width="stretch")
        return agents[0][0] if clicked else None
    names = dict(agents)
    chosen: str | None = st.menu_button(
        words.NEW,
        list(names),
        format_func=lambda file: label(names[file]),
        key="wb-new",
        icon=":material/add:",
        width="stretch",
        disabled=not agents,
    )
    return chosen


def render_acting_as(names: Sequence[str]) -> str:
    """Draws under which name the person answers.

    Returns:
        That name; never empty.
    """
    options = list(dict.fromkeys([*names, st.session_state.get(_ACTING) or words.DEFAULT_NAME]))
    chosen = st.selectbox(
        words.ACTING_AS,
        options,
        key=_ACTING,
        accept_new_options=True,
        help=words.ACTING_AS_HELP,
        icon=":material/person:",
    )
    return (chosen or "").strip() or words.DEFAULT_NAME


def conversation_menu(
    title: str, *, key: str, on_rename: Callable[[str], None], on_delete: Callable[[], None]
) -> None:
    """Draws *Rename* and *Delete* for the conversation on the page. Call it outside the live fragment.

    Args:
        title: the conversation's title.
        key: the conversation's id.
        on_rename: called with the new title.
        on_delete: called once the person has confirmed.
    """
    choice = st.menu_button(
        words.MENU,
        [words.RENAME, words.DELETE],
        key=f"wb-menu-{key}",
        type="tertiary",
        icon=":material/more_horiz:",
    )
    # Kept, because any full run of the page would close a dialog that is not drawn again, and take what was typed.
    if choice is not None:
        st.session_state[_DIALOG] = (key, choice)
    match st.session_state.get(_DIALOG):
        case (about, words.RENAME) if about == key:
            _rename(title, key, on_rename)
        case (about, words.DELETE) if about == key:
            _delete(title, key, on_delete)


def _close_dialog() -> None:
    st.session_state.pop(_DIALOG, None)


@st.dialog(words.RENAME_TITLE, on_dismiss=_close_dialog)
def _rename(title: str, key: str, on_rename: Callable[[str], None]) -> None:
    field = f"wb-title-{key}"
    new = st.text_input(words.TITLE, value=title, key=field, max_chars=120, live="300ms")
    with st.container(horizontal=True):
        if st.button(
            words.SAVE,
            key=f"wb-rename-{key}",
            type="primary",
            disabled=not (new or "").strip(),
            on_click=_save_title,
            args=(field, on_rename),
        ):
            st.rerun()
        if st.button(words.BACK, key=f"wb-rename-back-{key}", on_click=_close_dialog):
            st.rerun()


def _save_title(field: str, on_rename: Callable[[str], None]) -> None:
    title = (st.session_state.get(field) or "").strip()
    if title:
        _close_dialog()
        on_rename(title)


@st.dialog(words.DELETE_TITLE, on_dismiss=_close_dialog)
def _delete(title: str, key: str, on_delete: Callable[[], None]) -> None:
    st.text(words.delete_question(title))
    with st.container(horizontal=True):
        if st.button(
            words.DELETE, key=f"wb-delete-{key}", type="primary", on_click=_delete_now, args=(on_delete,)
        ):
            st.rerun()
        if st.button(words.KEEP, key=f"wb-keep-{key}", on_click=_close_dialog):
            st.rerun()


def _delete_now(on_delete: Callable[[], None]) -> None:
    _close_dialog()
    on_delete()


def _conversation(row: ConversationRow, current: str | None) -> bool:
    icon = ":material/pause_circle:" if row.waiting else ":material/sync:" if row.working else None
    return st.button(
        f"**{label(words.conversation_row(row))}**"
        if row.id == current
        else label(words.conversation_row(row)),
        key=f"wb-conversation-{row.id}",
        type="tertiary",
        icon=icon,
        width="stretch",
        help=label(f"{row.config_name} · {row.agent_title}"),
    )


def _by_conversation(waiting: Sequence[WaitingRow]) -> dict[str, list[WaitingRow]]:
    grouped: dict[str, list[WaitingRow]] = {}
    for row in waiting:
        grouped.setdefault(row.conversation_id, []).append(row)
    return grouped
