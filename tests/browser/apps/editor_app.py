"""A page with nothing but the YAML editor, and beside it what Python knows of the text."""

import json
import time

import streamlit as st
import yaml

from tests.browser.apps.editor_texts import FIRST, SECOND, WINDOWS
from workbench.ui.yaml_editor import edited_text, yaml_editor

KNOWN = {"version", "vars", "agents"}


def problems_of(text: str) -> list[dict[str, object]]:
    try:
        root = yaml.compose(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return [problem(mark.line, mark.column, f"This is not YAML: {error.problem}.", "error")]
    found = []
    for key, value in root.value if root else []:
        if key.value not in KNOWN:
            message = f"{key.value!r} is not a key; did you mean 'agents'? <b>Plain</b> text, always."
            found.append(problem(key.start_mark.line, key.start_mark.column, message, "error", key.value))
        if value.tag == "tag:yaml.org,2002:null":
            found.append(problem(value.start_mark.line, value.start_mark.column, "Nothing stands here.", "warning"))
        if "TODO" in str(value.value):
            found.append(problem(value.start_mark.line, value.start_mark.column, "Still to be done.", "hint", "TODO"))
    return found


def problem(line: int, column: int, message: str, severity: str, culprit: str | None = None) -> dict[str, object]:
    place = {"line": line + 1, "column": column + 1}
    return {**place, "message": message, "severity": severity, "culprit": culprit, "path": "ignored"}


held = st.session_state
held.setdefault("text", FIRST)
held.setdefault("revision", 1)
held.setdefault("goto", (None, 0))
held.setdefault("saves", [])
held.setdefault("shortcuts", 0)
held.setdefault("runs", 0)


def load(text: str) -> None:
    held.text, held.revision = text, held.revision + 1


def go_to(line: int) -> None:
    held["goto"] = (line, held["goto"][1] + 1)


def count_shortcut() -> None:
    held.shortcuts += 1


st.title("Editor")
columns = st.columns(5)
columns[0].button("Load the second text", on_click=load, args=(SECOND,))
columns[1].button("Back to the first text", on_click=load, args=(FIRST,))
columns[2].button("Rule, line 15", on_click=go_to, args=(15,))
columns[3].button("Approve", shortcut="a", on_click=count_shortcut)
columns[4].button("Load the Windows text", on_click=load, args=(WINDOWS,))
read_only = st.toggle("Read-only")
low = st.toggle("Low")
slow = st.toggle("Slow")


@st.fragment
def editor() -> None:
    held.runs += 1
    if slow:
        time.sleep(0.15)
    text = edited_text("editor", text=held.text, revision=held.revision)
    line, token = held["goto"]
    state = yaml_editor(
        held.text,
        revision=held.revision,
        key="editor",
        diagnostics=problems_of(text),
        height=160 if low else "content",
        read_only=read_only,
        goto_line=line,
        goto_token=token,
        label="Shop config",
    )
    if state.saved:
        held.saves = [*held.saves, state.text]
        if not problems_of(state.text):
            load(state.text)
            st.rerun()
    with st.container(key="heard"):
        known = {"text": state.text, "saves": held.saves, "revision": held.revision, "runs": held.runs}
        st.code(json.dumps(known), language=None)


editor()


@st.fragment(run_every=2)
def heartbeat() -> None:
    with st.container(key="shortcuts"):
        st.text(f"shortcuts {held.shortcuts}")


heartbeat()
