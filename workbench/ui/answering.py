"""Giving an answer, and saying calmly when it could not be taken."""

import html
from collections.abc import Mapping
from typing import Any

import streamlit as st

from workbench.config import ConfigInvalid
from workbench.policy import Answer, AnswerRefused
from workbench.runs.errors import EngineRefused
from workbench.runs.views import Card
from workbench.store import StoreError
from workbench.ui import draft
from workbench.ui.desk import Desk
from workbench.ui.text import label

REFUSALS = (AnswerRefused, EngineRefused, StoreError, ConfigInvalid)
"""What a desk may raise. Each carries a sentence for the person, and nothing was changed."""

_TOASTS = "wb-toasts"
_NOTES = "wb-notes"
GOTO = "wb-goto"
"""Session key: `(config file, line)` that a person asked to see in the policy. The editor's page takes it."""


def give(desk: Desk, card: Card, answer: Answer, by: str) -> None:
    """Answers a request, from a callback. When it can't be taken, the card says why not."""
    unsay(card.id)
    try:
        outcome = desk.answer(card.id, answer, by=by, via="app")
    except AnswerRefused as refused:
        say(card.id, refused.message, refused.fields)
        return
    except REFUSALS as refused:
        say(card.id, str(refused))
        return
    draft.drop(card.id)
    for warning in outcome.warnings:
        toast(warning)


def ask_again(desk: Desk, card: Card, by: str) -> None:
    """Raises a request anew under the newest config, from a callback."""
    try:
        desk.ask_again(card.id, by=by)
    except REFUSALS as refused:
        say(card.id, str(refused))
    else:
        draft.drop(card.id)


def say(request_id: str, sentence: str, fields: Mapping[str, str] | None = None) -> None:
    """Puts a sentence on a card, and in a toast for eyes that are elsewhere."""
    _notes()[request_id] = (sentence, dict(fields or {}))
    toast(sentence)


def unsay(request_id: str) -> None:
    """Takes the sentence off a card."""
    _notes().pop(request_id, None)


def said(request_id: str) -> str:
    """The sentence that stands on a card; empty without one."""
    sentence: str = _notes().get(request_id, ("", {}))[0]
    return sentence


def field_errors(request_id: str) -> dict[str, str]:
    """What was wrong with the fields of the last answer, by field path."""
    errors: dict[str, str] = _notes().get(request_id, ("", {}))[1]
    return errors


def toast(sentence: str) -> None:
    """Shows a sentence briefly, in the run that follows. A callback's own toast can be lost."""
    st.session_state.setdefault(_TOASTS, []).append(sentence)


def show_toasts() -> None:
    """Shows what was put aside by :func:`toast`."""
    for sentence in st.session_state.pop(_TOASTS, []):
        st.toast(label(sentence), icon=":material/info:", duration="long")


def polite(sentence: str) -> None:
    """Announces a change to screen readers without showing it twice."""
    st.html(f'<div role="status" aria-live="polite" class="wb-polite">{html.escape(sentence)}</div>')


def render_note(request_id: str) -> None:
    """Draws the sentence that stands on a card, if one does."""
    sentence = said(request_id)
    if sentence:
        st.info(label(sentence), icon=":material/info:")


def _notes() -> dict[str, Any]:
    notes: dict[str, Any] = st.session_state.setdefault(_NOTES, {})
    return notes
