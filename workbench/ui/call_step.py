"""One call in the transcript: a step that says what was called and how it was decided, and opens to the rest."""

from collections.abc import Callable

import streamlit as st

from workbench.runs.views import CallItem
from workbench.ui import words
from workbench.ui.approval import differences, render_difference
from workbench.ui.arguments import render_arguments, render_value
from workbench.ui.clock import when
from workbench.ui.text import label, visible

_SHOWN = 20_000

WholeResult = Callable[[str], str | None]
"""From a call's key to its whole result."""


def render_call(item: CallItem, *, key: str, whole: WholeResult | None = None) -> None:
    """Draws a call as one step of a timeline. `key` names its place on the page.

    `whole` gives the whole result of a call by its key; without it, what the item carries can be downloaded.

    The step is closed at first and its inside is drawn when it opens: a transcript of hundreds of calls with long
    results costs as little as one of short ones.
    """
    with st.expander(
        f"**{label(item.tool)}** — {label(_headline(item))}",
        key=f"wb-call-{key}",
        icon=_icon(item),
        type="step",
        on_change="rerun",
    ) as opened:
        # A step without content would break the timeline.
        st.caption(label(_how(item)) or words.NOT_DECIDED)
        if opened.open:
            _inside(item, key, whole)


def _inside(item: CallItem, key: str, whole: WholeResult | None) -> None:
    if item.input is not None:
        render_arguments(item.input, key=f"{key}-in")
    elif item.input_text:
        st.text(visible(item.input_text))
    if item.edited and item.input is not None and item.executed_input is not None:
        st.caption(words.EDITED)
        render_difference(differences(item.input, item.executed_input), key=f"{key}-edit")
    if item.card is not None and item.card.note:
        st.caption(words.AGENT_READS)
        st.text(visible(item.card.note))
    if item.result_text is not None:
        _result(item, item.result_text, key, whole)


def _result(item: CallItem, text: str, key: str, whole: WholeResult | None) -> None:
    size, shown = max(item.result_size, len(text)), text[:_SHOWN]
    part = len(shown) < size
    st.caption(words.result_part(len(shown), size) if part else words.RESULT_HEADING)
    render_value(shown, key=f"{key}-out", part=part)
    if part:
        st.download_button(
            words.DOWNLOAD_RESULT,
            lambda: (whole(item.key) if whole is not None else None) or text,
            file_name=f"{item.tool}.txt",
            mime="text/plain",
            key=f"wb-download-{key}",
            icon=":material/download:",
            on_click="ignore",
        )


def _headline(item: CallItem) -> str:
    parts = [words.question_state(item) if item.is_question else words.call_state(item)]
    if item.edited:
        parts.append("edited")
    if item.decision is not None and not item.is_question:
        parts.append(words.decided(item.decision, edited=False, not_run=False, at=""))
    if item.seconds is not None and item.state in ("finished", "failed"):
        parts.append(words.lasted(item.seconds))
    return " · ".join(parts)


def _how(item: CallItem) -> str:
    """By whom, under which rule and line."""
    parts = []
    if item.decision is not None:
        not_run = item.card is not None and item.card.not_run
        parts.append(
            words.sentence(
                words.decided(item.decision, edited=item.edited, not_run=not_run, at=when(item.decision.at))
            )
        )
        if item.decision.reason:
            parts.append(words.reason(item.decision.reason))
    if item.card is not None and item.card.answer_text:
        parts.append(item.card.answer_text)
    if item.because_sentence:
        parts.append(item.because_sentence)
    return " ".join(parts)


def _icon(item: CallItem) -> str:
    match item.state:
        case "proposed":
            return ":material/pending:"
        case "waiting":
            return ":material/pause_circle:"
        case "running":
            return "spinner"
        case "finished":
            return ":material/chat:" if item.is_question else ":material/check_circle:"
        case "failed":
            return ":material/error:"
        case "closed":
            if item.decision is not None:
                return words.ICONS[item.decision.decision]
            return ":material/block:"
