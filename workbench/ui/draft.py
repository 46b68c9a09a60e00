"""Half-typed answers: kept in the session while the page lives, and in the store for when it doesn't.

A widget's own state goes when the widget is not drawn, and all of it goes with a refresh. So each value a
person types is written here at once, and each field is filled from here when it has lost its own.
"""

import logging
from typing import Any

import streamlit as st

from workbench.store import StoreError
from workbench.ui.desk import Desk

_log = logging.getLogger(__name__)
_PREFIX = "wb"


def key(request_id: str, name: str) -> str:
    """The session key of one thing about one request. No two requests ever share one."""
    return f"{_PREFIX}-{request_id}-{name}"


def load(desk: Desk, request_id: str) -> dict[str, Any]:
    """The draft of a request: the session's, or on the first look the store's."""
    slot = key(request_id, "draft")
    if slot not in st.session_state:
        st.session_state[slot] = dict(desk.draft(request_id) or {})
    kept: dict[str, Any] = st.session_state[slot]
    return kept


def put(desk: Desk, request_id: str, name: str, value: Any) -> None:
    """Keeps one value of a draft, here and in the store."""
    kept = load(desk, request_id)
    kept[name] = value
    try:
        desk.save_draft(request_id, kept)
    except StoreError:
        # The person goes on typing: the session has it, and the next key stroke tries again. What can't be
        # stored is said when they answer.
        _log.warning("request=<%s> | a half-typed answer could not be stored", request_id, exc_info=True)


def drop(request_id: str) -> None:
    """Forgets what the session holds of a request that is decided."""
    start = key(request_id, "")
    for name in [name for name in st.session_state if str(name).startswith(start)]:
        del st.session_state[name]


def typed(widget_key: str) -> Any:
    """What a widget holds, for its callback; None when there is nothing to take.

    A field can report a last change after its card was decided and the field with it. That change is nothing.
    """
    return st.session_state.get(widget_key)


def fill(widget_key: str, value: Any) -> None:
    """Gives a widget that has no state of its own the value it had."""
    if widget_key not in st.session_state:
        st.session_state[widget_key] = value
