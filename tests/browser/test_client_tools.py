"""The cards of client tools in a real browser: data to choose, files to give, a form that a folder declares."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.app_server import AppServer
from tests.browser.conftest import Serve

APP = Path(__file__).parent / "apps" / "gallery_app.py"
NOTES: FilePayload = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Tents sell well."}
SCAN: FilePayload = {"name": "scan.pdf", "mimeType": "application/pdf", "buffer": b"%PDF\x00\x01"}
HUGE: FilePayload = {"name": "huge.bin", "mimeType": "", "buffer": b"x" * (11 * 1024 * 1024)}

Show = Callable[..., Page]
_desks = count(1)


@pytest.fixture(scope="module")
def gallery(serve_module: Serve) -> AppServer:
    """One server for every card."""
    return serve_module(APP)


@pytest.fixture
def show(page: Page, gallery: AppServer) -> Show:
    """Open a card with a desk that no other test has, in the page or in another one."""
    desk = next(_desks)

    def open_it(state: str, tab: Page = page) -> Page:
        tab.goto(f"{gallery.url}/?show={state}&desk=tools{desk}")
        expect(tab.locator(".st-key-drawn")).to_be_attached(timeout=30_000)
        return tab

    return open_it


def answers(page: Page) -> Locator:
    """What the desk was told, one line an answer."""
    return page.locator(".st-key-answers").get_by_test_id("stText")


def give(page: Page, *files: FilePayload) -> None:
    """Give files as the file dialogue does."""
    page.locator("input[type=file]").set_input_files(list(files))


def given(page: Page, *names: str) -> None:
    """Wait until the card has these files and no other; the field itself names them sooner and longer."""
    expect(page.locator("[class*=st-key-wb-files-]").get_by_test_id("stText")).to_have_text(list(names))


def submit(page: Page) -> None:
    """Press Submit once it can be pressed."""
    button = page.get_by_role("button", name="Submit")
    expect(button).to_be_enabled()
    button.click()


def test_files_are_given_taken_back_and_sent(show: Show) -> None:
    page = show("files")
    expect(page.get_by_role("button", name="Submit")).to_be_disabled()
    give(page, NOTES, SCAN)
    given(page, "notes.txt", "scan.pdf")
    expect(page.get_by_text("Not text: the agent reads its name, type and size only.")).to_be_visible()
    page.get_by_role("button", name="Remove").nth(1).click()
    given(page, "notes.txt")
    submit(page)

    expect(answers(page)).to_contain_text(['{"files": [{"id": "file0"}]}'])


def test_a_file_that_was_given_survives_a_refresh_and_shows_in_another_tab(show: Show) -> None:
    page = show("files")
    give(page, NOTES)
    given(page, "notes.txt")
    page.reload()
    other = show("files", page.context.new_page())

    for tab in (page, other):
        given(tab, "notes.txt")
        expect(tab.get_by_role("button", name="Submit")).to_be_enabled()


def test_a_file_that_is_too_large_is_refused_in_words(show: Show) -> None:
    page = show("files")
    give(page, NOTES)
    given(page, "notes.txt")
    give(page, HUGE)

    expect(page.get_by_test_id("stAlert")).to_contain_text("huge.bin is too large.")
    given(page, "notes.txt")


def test_several_data_sources_are_chosen_or_none_of_them(show: Show) -> None:
    page = show("data_several")
    page.get_by_text("Returns", exact=True).click()
    page.get_by_text("None of these", exact=True).click()
    expect(page.get_by_role("checkbox", name="Returns")).not_to_be_checked()
    page.get_by_text("Notes of the staff", exact=True).click()
    page.get_by_text("Orders of both stores", exact=True).click()
    expect(page.get_by_role("checkbox", name="None of these")).not_to_be_checked()
    page.get_by_label("In your own words (optional)").fill("since May")
    page.wait_for_timeout(1_500)
    submit(page)

    expect(answers(page)).to_contain_text(['{"chosen": ["orders", "notes"], "remark": "since May"}'])


def test_a_declared_tool_is_a_form_with_a_calendar(show: Show) -> None:
    page = show("declared")
    page.get_by_test_id("stDateInput").click()
    page.keyboard.type("2026-03-30")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_text("part is required.")).to_be_visible()
    page.get_by_role("combobox", name="part").click()
    page.get_by_role("option", name="afternoon").click()
    submit(page)

    expect(answers(page)).to_contain_text(['{"day": "2026-03-30", "part": "afternoon"}'])
