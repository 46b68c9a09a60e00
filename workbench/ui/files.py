"""A card that asks for files: what was given so far, a field that takes more, Submit and Skip.

A file is kept by the desk as soon as it is there, so a refresh loses none and every tab shows the same.
"""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from workbench.agents.files import LARGEST_FILE, MOST_FILES
from workbench.policy import Answered
from workbench.runs.views import Card, FileRow
from workbench.ui import answering, draft, words
from workbench.ui.desk import Desk
from workbench.ui.submit import render_submit
from workbench.ui.text import label, visible

TOOL: Final = "request_files"
_MEGABYTES: Final = LARGEST_FILE // (1024 * 1024)
_MOST_MEGABYTES_HEARD_OF: Final = 100
"""What is larger than a file may be still reaches the desk up to here, and is refused in words."""


def asks_for_files(card: Card) -> bool:
    """Whether a card is one that takes files."""
    return card.kind == "question" and card.tool == TOOL


def render_files(desk: Desk, card: Card, *, by: str, shortcuts: bool) -> None:
    """Draws what was given, and the field for more."""
    several = card.input.get("multiple") is not False
    endings = _endings(card)
    st.text(visible(card.input.get("reason") or (words.WHICH_FILES if several else words.WHICH_FILE)))
    if card.files:
        with st.container(key=f"wb-files-{card.id}", gap="xsmall"):
            for file in card.files:
                _file(desk, card, file)
    if several and len(card.files) >= MOST_FILES:
        st.caption(words.no_more_files(MOST_FILES))
    else:
        field = draft.key(card.id, f"upload-{_uploads(card)}")
        with st.container(key=f"wb-upload-{card.id}"):
            st.file_uploader(
                words.add_files(several, endings, _MEGABYTES),
                type=list(endings) or None,
                accept_multiple_files=several,
                max_upload_size=_MOST_MEGABYTES_HEARD_OF,
                key=field,
                on_change=_uploaded,
                args=(desk, card, field),
            )
    st.caption(words.FILES_SHARED)
    missing = "" if card.files else words.FILE_FIRST
    render_submit(desk, card, by=by, shortcuts=shortcuts, missing=missing, on_submit=_submit)


def _file(desk: Desk, card: Card, file: FileRow) -> None:
    with st.container(
        key=f"wb-option-{card.id}-{file.id}",
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
    ):
        with st.container(gap=None):
            st.text(visible(file.name))
            st.caption(label(words.file_line(file.type, file.size)))
            if not file.size or not file.is_text:
                remark = words.NOT_TEXT if file.size else words.IS_EMPTY
                st.caption(f":material/info: {label(remark)}")
        st.button(
            words.TAKE_BACK,
            key=draft.key(card.id, f"drop-{file.id}"),
            type="tertiary",
            icon=":material/close:",
            help=label(words.take_back(file.name)),
            on_click=_taken_back,
            args=(desk, card, file.id),
        )


def _endings(card: Card) -> tuple[str, ...]:
    listed = card.input.get("endings")
    return tuple(str(ending) for ending in listed) if isinstance(listed, list) else ()


def _uploads(card: Card) -> int:
    """Counts the times that files came: a new field takes the place of one that has been emptied."""
    times: int = st.session_state.get(draft.key(card.id, "uploads"), 0)
    return times


def _uploaded(desk: Desk, card: Card, field: str) -> None:
    given = draft.typed(field)
    files = given if isinstance(given, Sequence) else [given] if given is not None else []
    refused = []
    for file in files:
        try:
            desk.add_file(card.id, file.name, file.getvalue())
        except answering.REFUSALS as error:
            refused.append(str(error))
    st.session_state[draft.key(card.id, "uploads")] = _uploads(card) + 1
    if refused:
        answering.say(card.id, " ".join(refused))
    else:
        answering.unsay(card.id)


def _taken_back(desk: Desk, card: Card, file_id: str) -> None:
    try:
        desk.drop_file(card.id, file_id)
    except answering.REFUSALS as error:
        answering.say(card.id, str(error))
    else:
        answering.unsay(card.id)


def _submit(desk: Desk, card: Card, by: str) -> None:
    if not card.files:
        answering.say(card.id, words.FILE_FIRST)
        return
    answering.give(desk, card, Answered({"files": [{"id": file.id} for file in card.files]}), by)
