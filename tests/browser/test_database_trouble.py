"""A database that can't be used: said plainly where the person looks, nothing lost, and well again by itself."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat import OPENING, Chat
from tests.browser.workbench_app import WorkbenchApp
from workbench.store import Store

TROUBLE = "The workbench can't use its database"


@pytest.fixture
def stopped(tmp_path: Path) -> Iterator[WorkbenchApp]:
    """An app that the test starts."""
    app = WorkbenchApp(tmp_path)
    yield app
    app.data.chmod(0o755)
    app.close()


def open_in_trouble(page: Page, app: WorkbenchApp) -> None:
    """Start the app and open it on a database that it can't use."""
    app.server.start()
    page.goto(app.url)
    expect(page.get_by_text(TROUBLE)).to_be_visible(timeout=OPENING)
    expect(page.get_by_text("This page tries again by itself.")).to_be_visible()


def test_a_file_that_is_no_database_is_left_as_it_is(page: Page, stopped: WorkbenchApp) -> None:
    stopped.db.write_text("Dear diary, " * 1000)
    open_in_trouble(page, stopped)
    expect(page.get_by_text("is not a workbench database")).to_be_visible()
    assert stopped.db.read_text().startswith("Dear diary, ")

    stopped.db.unlink()
    expect(Chat(page, stopped).text("Talk to Merchant. Try one of these:")).to_be_visible()


def test_a_database_of_a_newer_release_is_refused(page: Page, stopped: WorkbenchApp) -> None:
    Store.open(stopped.db).close()
    with closing(sqlite3.connect(stopped.db)) as database:
        database.execute("PRAGMA user_version = 9999")
    open_in_trouble(page, stopped)

    expect(page.get_by_text("was written by a newer release of the workbench")).to_be_visible()


def test_a_database_that_cannot_be_written_says_so_until_it_can(page: Page, stopped: WorkbenchApp) -> None:
    stopped.data.chmod(0o555)
    open_in_trouble(page, stopped)
    expect(page.get_by_text("can't be written")).to_be_visible()

    stopped.data.chmod(0o755)
    expect(Chat(page, stopped).text("Talk to Merchant. Try one of these:")).to_be_visible()


def test_a_database_that_another_program_holds_is_waited_for(page: Page, stopped: WorkbenchApp) -> None:
    Store.open(stopped.db).close()
    with stopped.locked():
        open_in_trouble(page, stopped)
        expect(page.get_by_text("is locked by another program")).to_be_visible()

    expect(Chat(page, stopped).text("Talk to Merchant. Try one of these:")).to_be_visible()


def test_an_answer_that_the_lock_keeps_out_is_said_on_the_card_and_given_again(page: Page, stopped: WorkbenchApp) -> None:
    stopped.server.start()
    chat = Chat(page, stopped).start()
    chat.say("Raise the price of A1 to 80.01")
    chat.wait_for_card()
    with stopped.locked():
        chat.press("Approve once")
        expect(chat.cards).to_contain_text("is locked by another program")
        assert not chat.app.changes("80.01")

    chat.press("Approve once")
    chat.expect_reply("now costs 80.01 USD")
    assert len(chat.app.changes("80.01")) == 1


def test_a_message_that_the_lock_keeps_out_is_kept(page: Page, stopped: WorkbenchApp) -> None:
    stopped.server.start()
    chat = Chat(page, stopped).start("trouble")
    with stopped.locked():
        chat.say("Are you there?")
        expect(page.locator(".st-key-wb-unsent")).to_contain_text("is locked by another program")

    chat.press("Send again")
    chat.expect_reply("You said: Are you there?")


def test_a_policy_that_the_lock_keeps_out_stays_in_the_editor(page: Page, stopped: WorkbenchApp) -> None:
    stopped.server.start()
    chat = Chat(page, stopped).start()
    expect(chat.editor).to_be_visible()
    chat.edit_policy("remember: thread,", "remember: once,")
    expect(chat.button("Apply")).to_be_enabled()
    with stopped.locked():
        chat.press("Apply")
        expect(chat.panel.get_by_text("Not applied.")).to_contain_text("is locked by another program")

    chat.press("Apply")
    expect(chat.panel.get_by_text("v2 is live")).to_be_visible()
