import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import workbench.ui.yaml_editor
from tests.tracked import ROOT
from workbench.ui.yaml_editor.diagnostic import Diagnostic, diagnostics_from
from workbench.ui.yaml_editor.memory import Memory, Message, follow, message_from

PACKAGE = Path(workbench.ui.yaml_editor.__file__).parent
FRONTEND = PACKAGE / "frontend"


def page() -> None:
    import streamlit as st

    from workbench.ui.yaml_editor import edited_text, yaml_editor

    given = st.session_state.setdefault("given", {"text": "a: 1\n", "revision": 1})
    extra = st.session_state.setdefault("extra", {})
    st.session_state.setdefault("shown", True)
    st.text(f"early {edited_text('editor', **given)!r}")
    if st.session_state.shown:
        state = yaml_editor(key="editor", **given, **extra)
        st.text(f"text {state.text!r}")
        st.text(f"saved {state.saved}")


def start(**extra: Any) -> AppTest:
    app = AppTest.from_function(page)
    app.session_state["extra"] = extra
    return app.run()


def type_in(app: AppTest, text: str, *, revision: int = 1) -> AppTest:
    app.session_state["editor"] = {"edit": {"text": text, "revision": revision}}
    return app.run()


def give(app: AppTest, text: str, *, revision: int) -> AppTest:
    app.session_state["given"] = {"text": text, "revision": revision}
    return app.run()


def said(app: AppTest) -> dict[str, str]:
    assert not app.exception
    return dict(element.value.split(" ", 1) for element in app.text)


def sent(app: AppTest) -> dict[str, Any]:
    [component] = app.get("bidi_component")
    return json.loads(component.proto.json)


def test_the_editor_starts_with_the_given_text() -> None:
    app = start()
    assert said(app) == {"early": "'a: 1\\n'", "text": "'a: 1\\n'", "saved": "False"}
    assert (sent(app)["text"], sent(app)["revision"]) == ("a: 1\n", 1)


def test_what_was_typed_is_known_before_the_editor_is_mounted() -> None:
    app = type_in(start(), "a: 2\n")
    assert said(app)["early"] == said(app)["text"] == "'a: 2\\n'"


def test_the_given_text_is_not_looked_at_while_the_revision_stays() -> None:
    app = give(type_in(start(), "a: 2\n"), "another: text\n", revision=1)
    assert said(app)["text"] == "'a: 2\\n'"


def test_a_new_revision_replaces_what_was_typed() -> None:
    app = give(type_in(start(), "a: 2\n"), "b: 1\n", revision=2)
    assert said(app)["early"] == said(app)["text"] == "'b: 1\\n'"
    assert sent(app)["continues"] == []


def test_typing_that_arrives_late_for_a_replaced_revision_is_ignored() -> None:
    app = type_in(give(start(), "b: 1\n", revision=2), "a: 2\n", revision=1)
    assert said(app)["text"] == "'b: 1\\n'"


def test_what_was_typed_survives_a_run_without_the_editor() -> None:
    app = type_in(start(), "a: 2\n")
    app.session_state["shown"] = False
    app.run()
    assert "text" not in said(app)
    app.session_state["shown"] = True
    app.run()
    assert said(app)["text"] == "'a: 2\\n'"
    assert sent(app)["text"] == "a: 2\n"


def test_a_value_that_is_no_message_changes_nothing() -> None:
    app = start()
    for value in (
        "text",
        {"edit": "a: 2\n"},
        {"edit": {"text": 7, "revision": 1}},
        {"edit": {"text": "a: 2\n"}},
    ):
        app.session_state["editor"] = value
        app.run()
        assert said(app)["text"] == "'a: 1\\n'"


def test_problems_reach_the_editor_without_what_it_does_not_show() -> None:
    problem = {
        "line": 3,
        "column": 5,
        "message": "Not so.",
        "severity": "hint",
        "file": "shop.yaml",
        "culprit": "so",
    }
    [shown] = sent(start(diagnostics=[problem]))["problems"]
    assert shown == {"line": 3, "column": 5, "message": "Not so.", "severity": "hint", "culprit": "so"}


def test_a_text_nobody_checked_is_not_called_free_of_problems() -> None:
    assert sent(start())["problems"] is None
    assert sent(start(diagnostics=[]))["problems"] == []


def test_a_line_to_go_to_is_sent_with_its_token() -> None:
    assert sent(start(goto_line=14, goto_token=2))["place"] == [14, 2]
    assert sent(start())["place"] is None


def test_height_label_and_read_only_reach_the_editor() -> None:
    data = sent(start(height=300, read_only=True, label="Merchant"))
    assert (data["height"], data["readOnly"], data["label"]) == (300, True, "Merchant")
    assert sent(start())["height"] is None


def test_nothing_that_reaches_the_editor_makes_streamlit_load_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    def inspect(value: object) -> None:
        raise AssertionError(f"Streamlit takes {value!r} for a table")

    monkeypatch.setattr("streamlit.dataframe_util.determine_data_format", inspect)
    problem = {"line": 1, "column": 1, "message": "Not so."}
    assert sent(start(diagnostics=[problem], goto_line=1, height=300))["place"] == [1, None]


def test_a_severity_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match="severity 'fatal' is not one of error, warning, hint"):
        diagnostics_from([{"line": 1, "column": 1, "message": "x", "severity": "fatal"}])


def test_a_diagnostic_without_severity_is_an_error() -> None:
    assert diagnostics_from([{"line": 1, "column": 2, "message": "x"}]) == [Diagnostic(1, 2, "x", "error")]


def step(
    memory: Memory | None, text: str, revision: int, edit: Message | None = None, save: Message | None = None
):
    return follow(memory, text=text, revision=revision, edit=edit, save=save)


def test_a_save_says_what_was_saved_even_when_more_was_typed_meanwhile() -> None:
    taken = step(None, "a", 1, edit=Message(1, "abc"), save=Message(1, "ab"))
    assert (taken.text, taken.saved) == ("ab", True)
    assert taken.memory.current == "abc"


def test_a_save_is_reported_once() -> None:
    taken = step(None, "a", 1, save=Message(1, "ab"))
    again = step(taken.memory, "a", 1)
    assert (taken.saved, again.saved, again.text) == (True, False, "ab")


def test_typing_goes_on_over_a_revision_that_accepts_what_was_saved() -> None:
    saved = step(None, "a", 1, edit=Message(1, "abc"), save=Message(1, "ab"))
    accepted = step(saved.memory, "ab", 2, edit=Message(1, "abc"))
    assert accepted.memory.continues == (1,)
    assert accepted.text == "abc"
    later = step(accepted.memory, "ab", 2, edit=Message(1, "abcd"))
    assert later.text == "abcd"


def test_typing_goes_on_over_several_accepted_revisions() -> None:
    first = step(None, "a", 1, edit=Message(1, "ab"))
    second = step(first.memory, "ab", 2)
    third = step(second.memory, "ab", 3)
    assert third.memory.continues == (1, 2)


def test_going_back_to_the_text_one_started_from_replaces_what_was_typed() -> None:
    saved_unchanged = step(None, "a", 1, save=Message(1, "a"))
    typed = step(saved_unchanged.memory, "a", 1, edit=Message(1, "ab"))
    reverted = step(typed.memory, "a", 2, edit=Message(1, "ab"))
    assert (reverted.text, reverted.memory.continues) == ("a", ())


def test_going_back_to_an_accepted_version_replaces_what_was_typed_since() -> None:
    saved = step(None, "a", 1, save=Message(1, "ab"))
    accepted = step(saved.memory, "ab", 2)
    typed = step(accepted.memory, "ab", 2, edit=Message(2, "abc"))
    reverted = step(typed.memory, "ab", 3, edit=Message(2, "abc"))
    assert (reverted.text, reverted.memory.continues) == ("ab", ())


def test_a_save_on_a_replaced_revision_is_not_reported() -> None:
    first = step(None, "a", 1)
    second = step(first.memory, "b", 2, save=Message(1, "ab"))
    assert (second.text, second.saved) == ("b", False)


def test_typing_that_a_new_session_brings_along_is_taken() -> None:
    assert step(None, "a", 7, edit=Message(7, "ab")).text == "ab"


@pytest.mark.parametrize("value", [None, "text", [], {}, {"text": "a"}, {"text": "a", "revision": "1"}])
def test_only_a_text_with_its_revision_is_a_message(value: object) -> None:
    assert message_from(value) is None


def test_the_built_script_is_built_from_these_sources() -> None:
    sources = [
        *sorted((FRONTEND / "src").iterdir()),
        FRONTEND / "package.json",
        FRONTEND / "package-lock.json",
    ]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    banner, _, _ = (FRONTEND / "build" / "editor.js").read_text().partition("\n")
    assert digest in banner, "run `npm ci && npm run build` in workbench/ui/yaml_editor/frontend"


def test_an_installed_package_brings_the_built_script_and_says_where_it_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    inner = tomllib.loads((ROOT / "workbench" / "pyproject.toml").read_text())
    assert inner["project"]["name"] == project["project"]["name"]
    [component] = inner["tool"]["streamlit"]["component"]["components"]
    assert ROOT / "workbench" / component["asset_dir"] == FRONTEND / "build"
    shipped = project["tool"]["setuptools"]["package-data"]["workbench"]
    found = {path for pattern in shipped for path in (ROOT / "workbench").glob(pattern)}
    assert {ROOT / "workbench" / "pyproject.toml", FRONTEND / "build" / "editor.js"} <= found


def test_the_licences_of_what_is_bundled_are_shipped_with_it() -> None:
    licences = (FRONTEND / "build" / "LICENSES.txt").read_text()
    assert all(
        f"{name} " in licences for name in ("@codemirror/view", "@codemirror/lint", "@lezer/yaml", "crelt")
    )
