"""Mounts the editor on a page and reads it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from workbench.ui.yaml_editor.diagnostic import Diagnostic, diagnostics_from
from workbench.ui.yaml_editor.memory import Memory, Step, follow, message_from


@dataclass(frozen=True)
class EditorState:
    """What the person has in the editor."""

    text: str
    """The text as last sent: at most a quarter of a second old, and never older than a click elsewhere or Ctrl+S."""
    saved: bool
    """True in the one run that answers Ctrl+S (or Cmd+S); `text` is then what was saved."""


def edited_text(key: str, *, text: str, revision: int) -> str:
    """Return the text that `yaml_editor` is about to return, so that it can be checked before the editor is mounted.

    `key`, `text` and `revision` are those that go to `yaml_editor`. Also right inside the callbacks.
    """
    return _step(key, text=text, revision=revision).text


def yaml_editor(
    text: str,
    *,
    revision: int,
    key: str,
    diagnostics: Iterable[Diagnostic | Mapping[str, Any]] | None = None,
    height: Literal["content"] | int = "content",
    read_only: bool = False,
    goto_line: int | None = None,
    goto_token: str | int | None = None,
    label: str = "YAML",
    on_change: Callable[[], None] | None = None,
    on_save: Callable[[], None] | None = None,
) -> EditorState:
    """Mount the editor: in a fragment of its own, so that typing does not run the whole page, and never in a form.

    Args:
        text: What the editor holds when `revision` is new; not looked at otherwise.
        revision: Replaces the text in the editor when it changes (one undoable step). If the new text is just what the
            person typed or saved, their later keys are kept: pass the number of the new version after a save.
        key: Identifies the editor in the session. One key a file: undo must not bring back another file's text.
        diagnostics: What is wrong with `edited_text(...)`, each on its line. None: not checked.
        height: Pixels, with its own scrolling, or "content" to grow with the text.
        read_only: Reading, searching and copying still work.
        goto_line: Scrolls to this line (from 1) and marks it, whenever the line or `goto_token` changes.
        goto_token: Anything new, to go to the same line again.
        label: What a screen reader calls the editor.
        on_change: Called before the run that sees a new text.
        on_save: Called before the run that sees `saved`.

    Returns:
        The text and whether the person just pressed Ctrl+S.

    Raises:
        ValueError: A diagnostic has a severity that is none.
    """
    found = None if diagnostics is None else diagnostics_from(diagnostics)
    step = _step(key, text=text, revision=revision)
    st.session_state[_memory_key(key)] = step.memory
    result = _component()(
        key=key,
        # Tuples, because Streamlit loads pandas to see whether a list or a mapping in here is a table.
        data={
            "text": step.text,
            "revision": revision,
            "continues": step.memory.continues,
            "problems": None if found is None else tuple(asdict(diagnostic) for diagnostic in found),
            "height": None if height == "content" else height,
            "readOnly": read_only,
            "place": None if goto_line is None else (goto_line, goto_token),
            "label": label,
        },
        on_edit_change=on_change or _nothing,
        on_save_change=on_save or _nothing,
    )
    edit = message_from(result.get("edit"))
    known = follow(step.memory, text=text, revision=revision, edit=edit, save=None).memory
    if known != step.memory:
        # The page was open across a restart: the browser's text is known only once the editor is mounted again, and
        # what was drawn so far, the diagnostics too, is of the older one.
        st.session_state[_memory_key(key)] = known
        st.rerun()
    return EditorState(text=step.text, saved=step.saved)


@cache
def _component() -> ComponentRenderer:
    # Not at import: the files are found through a running Streamlit only, and a test or a tool may just import this.
    return st.components.v2.component("workbench.yaml_editor", js="editor.js")


def _step(key: str, *, text: str, revision: int) -> Step:
    sent = st.session_state.get(key)
    values: Mapping[str, Any] = sent if isinstance(sent, Mapping) else {}
    memory: Memory | None = st.session_state.get(_memory_key(key))
    return follow(
        memory,
        text=text,
        revision=revision,
        edit=message_from(values.get("edit")),
        save=message_from(values.get("save")),
    )


def _memory_key(key: str) -> str:
    # Not a widget's key: Streamlit forgets the state of a widget as soon as a page does not show it.
    return f"{key}.memory"


def _nothing() -> None:
    """Stand in for a callback: Streamlit keeps only the values that have one."""
