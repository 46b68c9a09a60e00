"""Pages of one piece each, run in process by Streamlit's own AppTest."""

from streamlit.testing.v1 import AppTest

from tests.ui.fake_desk import FakeDesk
from workbench.runs.views import Card


def cards(*shown: Card, desk: FakeDesk | None = None) -> AppTest:
    """A page of cards. Its desk is `page.session_state["desk"]`; a second page may share it, as a second tab does."""
    page = AppTest.from_function(_cards)
    page.session_state["desk"] = desk or FakeDesk(*shown)
    return page.run()


def _cards() -> None:
    import streamlit as st

    from workbench.ui.card import render_cards

    desk = st.session_state["desk"]
    render_cards(desk, desk.all(), by="tester")


def said(page: AppTest) -> list[str]:
    """Everything a page says as plain text or as Markdown, in order."""
    kinds = ("text", "markdown", "caption", "info", "warning", "error")
    return [element.value for kind in kinds for element in page.get(kind)]


def texts(page: AppTest) -> list[str]:
    """What a page says as plain text, without the marks that hold it in place."""
    return [element.value.replace("\u2060", "").strip() for element in page.text]


def buttons(page: AppTest) -> list[str]:
    """The labels of a page's buttons, in order."""
    return [button.label for button in page.button]


def click(page: AppTest, label: str) -> AppTest:
    """Click the first button of this label, and draw the page again."""
    found = next((one for one in page.button if one.label == label), None)
    assert found is not None, f"no button {label!r} among {buttons(page)}"
    assert not found.disabled, f"{label!r} is disabled"
    return found.click().run()


def enabled(page: AppTest, label: str) -> bool:
    """Whether a button can be clicked."""
    return not next(one for one in page.button if one.label == label).disabled


def desk_of(page: AppTest) -> FakeDesk:
    """The desk behind a page."""
    desk: FakeDesk = page.session_state["desk"]
    return desk


def only_answer(page: AppTest) -> object:
    """The one answer that was given."""
    ((_, answer, _),) = desk_of(page).answers
    return answer
