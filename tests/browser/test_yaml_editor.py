import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.app_server import AppServer
from tests.browser.apps.editor_texts import FIRST, SECOND, WINDOWS
from tests.browser.conftest import Serve

APP = Path(__file__).parent / "apps" / "editor_app.py"
PATIENCE = 20


@dataclass
class Editor:
    """The page of the app, in a person's words."""

    page: Page

    @property
    def text(self) -> Locator:
        return self.page.get_by_role("textbox", name="Shop config")

    @property
    def status(self) -> Locator:
        return self.page.get_by_test_id("yaml-status")

    def problems(self, line: int | None = None) -> Locator:
        found = self.page.get_by_test_id("yaml-diagnostic")
        return found if line is None else found.and_(self.page.locator(f"[data-line='{line}']"))

    def line(self, number: int) -> Locator:
        return self.text.locator(".cm-line").nth(number - 1)

    def press(self, button: str) -> None:
        self.page.get_by_role("button", name=button).click()

    def go_to_end(self) -> None:
        self.text.click()
        self.page.keyboard.press("Control+End")

    def toggle(self, name: str) -> None:
        switch = self.page.get_by_role("switch", name=name, exact=True)
        self.page.get_by_text(name, exact=True).first.click()
        expect(switch).to_be_checked()

    def type(self, text: str, delay: float = 0) -> None:
        self.page.keyboard.type(text, delay=delay)

    def heard(self) -> dict[str, Any]:
        """What Python has: the text, what was saved, the revision."""
        return json.loads(self.page.locator(".st-key-heard code").inner_text())

    def wait_until_python(self, key: str, value: object) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.heard()[key] != value and time.monotonic() < deadline:
            self.page.wait_for_timeout(50)
        assert self.heard()[key] == value

    def has_focus(self) -> bool:
        return self.text.evaluate("node => node.getRootNode().activeElement === node")


@pytest.fixture(scope="module")
def server(serve_module: Serve) -> AppServer:
    return serve_module(APP)


@pytest.fixture
def editor(open_app: Callable[[AppServer | str], Page], server: AppServer) -> Iterator[Editor]:
    page = open_app(server)
    editor = Editor(page)
    expect(editor.text).to_be_visible()
    expect(editor.status).to_contain_text("No problems.")
    return editor


def test_no_key_is_lost_while_python_answers_every_pause(editor: Editor) -> None:
    editor.toggle("Slow")
    editor.go_to_end()
    typed = "# "
    editor.type(typed)
    for number in range(8):
        part = f"{number} the quick brown fox "
        editor.type(part, delay=12)
        # Just long enough for the text to be sent: the answer meets the next keys.
        editor.page.wait_for_timeout(260)
        typed += part
    editor.wait_until_python("text", FIRST + typed)
    expect(editor.line(17)).to_have_text(typed)
    assert editor.heard()["runs"] > 4


def test_focus_and_caret_stay_where_they_are_while_python_answers(editor: Editor) -> None:
    editor.line(7).click()
    editor.page.keyboard.press("End")
    before, after = FIRST.split("merchant:")
    for typed in (" #", " the", " shop"):
        before += typed if "merchant:" in before else f"merchant:{typed}"
        editor.type(typed)
        editor.wait_until_python("text", before + after)
        assert editor.has_focus()
    expect(editor.line(7)).to_have_text("  merchant: # the shop")


def test_undo_reaches_back_over_the_answers_of_python(editor: Editor) -> None:
    editor.go_to_end()
    editor.type("# one")
    editor.wait_until_python("text", FIRST + "# one")
    editor.page.wait_for_timeout(600)  # CodeMirror joins what is typed within half a second into one step
    editor.type(" two")
    editor.wait_until_python("text", FIRST + "# one two")
    editor.page.keyboard.press("Control+z")
    editor.wait_until_python("text", FIRST + "# one")
    editor.page.keyboard.press("Control+z")
    editor.wait_until_python("text", FIRST)
    editor.page.keyboard.press("Control+Shift+z")
    editor.wait_until_python("text", FIRST + "# one")


def test_a_problem_is_shown_on_its_line_until_it_is_repaired(editor: Editor) -> None:
    editor.go_to_end()
    editor.type("agnets: 1")
    expect(editor.problems()).to_have_count(1)
    expect(editor.problems(line=17)).to_have_text("agnets: 1")
    expect(editor.problems(line=17)).to_have_attribute("data-severity", "error")
    expect(editor.page.locator(".cm-lint-marker-error")).to_have_count(1)
    expect(editor.page.locator(".cm-lintRange-error")).to_have_text("agnets")
    expect(editor.status).to_contain_text("Line 17: 'agnets' is not a key")

    editor.page.keyboard.press("Control+z")
    expect(editor.problems()).to_have_count(0)
    expect(editor.status).to_contain_text("No problems.")


def test_a_problem_moves_with_its_line_while_the_person_types_above_it(editor: Editor) -> None:
    editor.go_to_end()
    editor.type("agnets: 1")
    expect(editor.problems(line=17)).to_have_count(1)
    editor.page.keyboard.press("Control+Home")
    editor.page.keyboard.press("Enter")
    expect(editor.problems(line=18)).to_have_text("agnets: 1")
    expect(editor.problems()).to_have_count(1)


NOTE_PROBLEM_LINES = """text => {
  window.seen = [];
  const note = () => text
    .querySelectorAll("[data-testid=yaml-diagnostic]")
    .forEach((line) => window.seen.push(line.textContent));
  new MutationObserver(note).observe(text, { subtree: true, childList: true, attributes: true });
}"""


def test_a_problem_found_in_an_older_text_is_never_shown_on_another_line(editor: Editor) -> None:
    editor.toggle("Slow")
    editor.text.evaluate(NOTE_PROBLEM_LINES)
    editor.go_to_end()
    editor.type("agnets: 1")
    editor.page.wait_for_timeout(280)
    editor.page.keyboard.press("Control+Home")
    editor.page.keyboard.press("Enter")
    expect(editor.problems(line=18)).to_have_count(1)
    editor.wait_until_python("text", "\n" + FIRST + "agnets: 1")
    assert set(editor.page.evaluate("window.seen")) == {"agnets: 1"}


@pytest.mark.parametrize("place", [".cm-lintRange-error", ".cm-lint-marker-error"])
def test_the_message_appears_under_the_pointer_and_is_never_markup(editor: Editor, place: str) -> None:
    editor.go_to_end()
    editor.type("agnets: 1")
    editor.page.locator(place).hover()
    message = editor.page.get_by_test_id("yaml-diagnostic-message")
    expect(message).to_have_text("'agnets' is not a key; did you mean 'agents'? <b>Plain</b> text, always.")


def test_problems_are_reached_and_read_without_a_mouse(editor: Editor) -> None:
    editor.page.keyboard.press("Tab")
    editor.text.focus()
    editor.page.keyboard.press("Control+End")
    editor.type("agnets: 1\nvars: TODO\nvars:")
    expect(editor.problems()).to_have_count(3)
    for line, severity in ((17, "error"), (18, "hint"), (19, "warning")):
        expect(editor.problems(line)).to_have_attribute("data-severity", severity)
    editor.page.keyboard.press("Control+Home")
    expect(editor.status).to_contain_text("3 problems. F8 goes to the next.")
    editor.page.keyboard.press("F8")
    expect(editor.status).to_contain_text("Line 17: 'agnets' is not a key")
    editor.page.keyboard.press("F8")
    expect(editor.status).to_contain_text("Line 18: Still to be done.")
    expect(editor.page.locator(".cm-lintRange-hint")).to_have_text("TODO")
    editor.page.keyboard.press("Shift+F8")
    expect(editor.status).to_contain_text("Line 17:")
    expect(editor.status.locator("[aria-live=polite]")).to_contain_text("Line 17:")


def test_ctrl_s_saves_once_and_keys_typed_meanwhile_are_kept(editor: Editor) -> None:
    editor.go_to_end()
    editor.type("# saved")
    editor.page.keyboard.press("Control+s")
    editor.type(", and typed on without a pause", delay=10)
    editor.wait_until_python("revision", 2)
    editor.wait_until_python("text", FIRST + "# saved, and typed on without a pause")
    editor.wait_until_python("saves", [FIRST + "# saved"])
    expect(editor.line(17)).to_have_text("# saved, and typed on without a pause")
    assert editor.has_focus()


def test_a_save_that_python_refuses_leaves_the_text_alone(editor: Editor) -> None:
    editor.go_to_end()
    editor.type("agnets: 1")
    editor.page.keyboard.press("Control+s")
    editor.wait_until_python("saves", [FIRST + "agnets: 1"])
    editor.type("2")
    editor.wait_until_python("text", FIRST + "agnets: 12")
    assert editor.heard()["revision"] == 1


def test_a_click_elsewhere_sends_what_was_typed_before_the_click_counts(editor: Editor) -> None:
    editor.go_to_end()
    editor.type("# typed")
    editor.press("Rule, line 15")
    expect(editor.page.get_by_test_id("yaml-shown-line")).to_be_visible()
    assert editor.heard()["text"] == FIRST + "# typed"


def test_a_new_revision_replaces_the_text_and_can_be_undone(editor: Editor) -> None:
    editor.go_to_end()
    editor.type("# mine")
    editor.press("Load the second text")
    expect(editor.line(3)).to_have_text("  analyst: {auto: true}")
    editor.wait_until_python("text", SECOND)
    editor.text.focus()
    editor.page.keyboard.press("Control+z")
    editor.wait_until_python("text", FIRST + "# mine")
    expect(editor.line(17)).to_have_text("# mine")


def test_going_back_to_the_first_text_undoes_every_edit(editor: Editor) -> None:
    editor.go_to_end()
    editor.type("# mine")
    editor.wait_until_python("text", FIRST + "# mine")
    editor.press("Back to the first text")
    editor.wait_until_python("text", FIRST)
    expect(editor.line(17)).to_have_text("")


def test_line_endings_are_kept_and_columns_count_characters(editor: Editor) -> None:
    editor.press("Load the Windows text")
    expect(editor.page.locator(".cm-lintRange-error")).to_have_text("🙂🙂")
    expect(editor.page.locator(".cm-lintRange-warning")).to_have_text("~")
    editor.go_to_end()
    editor.type("# mine")
    editor.wait_until_python("text", WINDOWS + "# mine")


def test_a_link_to_a_line_shows_it_and_shows_it_again(editor: Editor) -> None:
    editor.page.set_viewport_size({"width": 900, "height": 420})
    shown = editor.page.get_by_test_id("yaml-shown-line")
    expect(editor.line(15)).not_to_be_in_viewport()
    editor.press("Rule, line 15")
    expect(shown).to_contain_text("set_price, remember: thread")
    expect(shown).to_be_in_viewport()

    editor.go_to_end()
    expect(shown).to_have_count(0)
    editor.page.keyboard.press("Control+Home")
    editor.press("Rule, line 15")
    expect(shown).to_contain_text("set_price, remember: thread")
    expect(shown).to_be_in_viewport()


def test_tab_indents_and_escape_then_tab_leaves(editor: Editor) -> None:
    expect(editor.text).to_have_accessible_name("Shop config. Tab indents; to leave, press Escape and then Tab.")
    editor.go_to_end()
    editor.page.keyboard.press("Tab")
    editor.type("# in")
    editor.wait_until_python("text", FIRST + "  # in")
    editor.page.keyboard.press("Shift+Tab")
    editor.wait_until_python("text", FIRST + "# in")
    editor.page.keyboard.press("Escape")
    expect(editor.status).to_contain_text("Tab now leaves the editor")
    editor.page.keyboard.press("Tab")
    assert not editor.has_focus()
    assert editor.heard()["text"] == FIRST + "# in"


def test_a_key_typed_into_the_editor_is_no_shortcut_of_the_page(editor: Editor) -> None:
    shortcuts = editor.page.locator(".st-key-shortcuts")
    editor.go_to_end()
    editor.type("# a banana")
    editor.wait_until_python("text", FIRST + "# a banana")
    editor.page.keyboard.press("Control+f")
    editor.type("banana")
    editor.page.keyboard.press("Tab")
    expect(editor.page.get_by_role("button", name="next")).to_be_focused()
    editor.type("a")
    editor.page.wait_for_timeout(2500)  # longer than the heartbeat that would show it
    expect(shortcuts).to_have_text("shortcuts 0")
    editor.page.get_by_role("heading", name="Editor").click()
    editor.page.keyboard.press("a")
    expect(shortcuts).to_have_text("shortcuts 1")


def test_a_read_only_text_can_be_searched_but_not_changed(editor: Editor) -> None:
    editor.toggle("Read-only")
    expect(editor.text).to_have_attribute("aria-readonly", "true")
    editor.text.click()
    editor.type("nothing")
    editor.page.keyboard.press("Control+f")
    editor.type("price")
    expect(editor.page.locator(".cm-searchMatch")).to_have_count(3)
    editor.page.keyboard.press("Escape")
    editor.page.keyboard.press("Tab")
    assert not editor.has_focus()
    assert editor.heard()["text"] == FIRST


def test_a_given_height_makes_the_text_scroll_inside(editor: Editor) -> None:
    editor.toggle("Low")
    frame = editor.page.get_by_test_id("yaml-editor")
    expect(frame.locator(".cm-editor")).to_have_css("height", "160px")
    assert frame.locator(".cm-scroller").evaluate("node => node.scrollHeight > node.clientHeight")


def test_a_line_that_does_not_fit_goes_on_right_of_where_it_began(editor: Editor) -> None:
    editor.page.set_viewport_size({"width": 480, "height": 800})
    line = editor.line(15)
    expect(line).to_contain_text("- {name: set_price")
    edges = line.evaluate(
        "line => { const range = document.createRange(); range.selectNodeContents(line);"
        " return [...range.getClientRects()].filter((box) => box.width > 0).map((box) => [box.top, box.left]); }"
    )
    tops = sorted({top for top, _ in edges})
    assert len(tops) > 1
    began, went_on = (min(left for top, left in edges if top == row) for row in tops[:2])
    assert went_on > began


def test_hidden_characters_are_made_visible(editor: Editor) -> None:
    editor.go_to_end()
    for hidden in ("\u202e", "\u2066", "\u200b", "\U000e0041"):
        editor.page.keyboard.insert_text(f"# {hidden}x\n")
    expect(editor.page.locator(".cm-specialChar")).to_have_count(4)


CONTRASTS = """frame => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parsed = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((part, i) => part * a + under[i] * (1 - a));
  const above = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const ground = (node) => {
    if (!node) return [255, 255, 255];
    const color = parsed(getComputedStyle(node).backgroundColor);
    return color[3] === 1 ? color.slice(0, 3) : over(color, ground(above(node)));
  };
  const light = (color) => color
    .map((part) => part / 255)
    .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const found = [];
  const texts = document.createTreeWalker(frame, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || node.closest(".cm-announced")) continue;
    const under = ground(node);
    const [a, b] = [light(over(parsed(getComputedStyle(node).color), under)), light(under)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    found.push([texts.currentNode.data, Math.round(ratio * 100) / 100]);
  }
  return found;
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locked", [False, True])
def test_every_word_has_enough_contrast(editor: Editor, theme: Any, locked: bool) -> None:
    page = editor.page
    page.emulate_media(color_scheme=theme)
    page.reload()
    editor.go_to_end()
    editor.type("&anchor agnets: 1 # price\nvars:")
    expect(editor.problems()).to_have_count(2)
    page.keyboard.press("Control+f")
    editor.type("price")
    expect(page.locator(".cm-searchMatch")).to_have_count(4)
    if locked:
        editor.toggle("Read-only")
        expect(editor.text).to_have_attribute("aria-readonly", "true")
    else:
        page.locator(".cm-lintRange-warning, .cm-lint-marker-warning").first.hover()
        expect(page.get_by_test_id("yaml-diagnostic-message")).to_be_visible()
    ground = editor.text.evaluate("node => getComputedStyle(node.closest('.cm-editor')).backgroundColor")
    assert (sum(int(part) for part in ground[4:-1].split(",")) > 384) == (theme == "light")
    contrasts = page.get_by_test_id("yaml-editor").evaluate(CONTRASTS)
    assert len(contrasts) > 40
    assert [(text, ratio) for text, ratio in contrasts if ratio < 4.5] == []


def test_what_was_typed_while_the_server_was_away_arrives_when_it_is_back(
    serve: Serve, open_app: Callable[[AppServer | str], Page]
) -> None:
    server = serve(APP)
    editor = Editor(open_app(server))
    editor.go_to_end()
    editor.type("# before")
    editor.wait_until_python("text", FIRST + "# before")
    server.kill()
    editor.type(", while away")
    editor.page.wait_for_timeout(600)
    server.restart()
    editor.wait_until_python("text", FIRST + "# before, while away")
    expect(editor.line(17)).to_have_text("# before, while away")
    editor.go_to_end()  # Streamlit's own note about the lost connection may have taken the focus
    editor.type(", and after")
    expect(editor.line(17)).to_have_text("# before, while away, and after")
    editor.wait_until_python("text", FIRST + "# before, while away, and after")
