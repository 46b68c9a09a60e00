"""The app killed and started again, on the same port and database, while a page is open."""


import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat import OPENING, Chat
from tests.browser.workbench_app import WorkbenchApp


@pytest.fixture
def chat(page: Page, own_app: WorkbenchApp) -> Chat:
    """A tab on an app that no other test has."""
    return Chat(page, own_app)


def crash(chat: Chat) -> None:
    """Kill the app as a power cut would, start it again, and wait until the open page has found it."""
    app = chat.page.get_by_test_id("stApp")
    chat.app.server.kill()
    expect(app).not_to_have_attribute("data-test-connection-state", "CONNECTED")
    chat.app.server.start()
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=OPENING)


def test_an_approval_card_outlives_the_app_and_its_call_runs_once(chat: Chat) -> None:
    chat.start().say("Raise the price of A1 to 40.01")
    chat.wait_for_card()
    crash(chat)
    expect(chat.wait_for_card()).to_contain_text("40.01")
    expect(chat.page.get_by_text("The app was restarted. Nothing was lost.")).to_be_visible()
    chat.press("Approve once")

    chat.expect_reply("now costs 40.01 USD")
    assert len(chat.app.changes("40.01")) == 1
    # Once more, now that it ran.
    crash(chat)
    chat.expect_reply("now costs 40.01 USD")
    chat.say("Raise the price of A1 to 40.02")
    expect(chat.wait_for_card()).to_contain_text("40.02")
    assert len(chat.app.changes()) == 1


def test_a_question_outlives_the_app_with_what_was_typed_and_is_answered_once(chat: Chat) -> None:
    chat.start("analyst").say("Which store did better?")
    card = chat.wait_for_card()
    card.get_by_text("Other…", exact=True).click()
    own = chat.page.get_by_label("Your own answer")
    own.fill("By the number of orders")
    expect(chat.button("Submit")).to_be_enabled()
    crash(chat)
    chat.wait_for_card()
    expect(own).to_have_value("By the number of orders")
    chat.press("Submit")

    chat.expect_reply("Here is what the orders say.")
    calls = chat.app.engine.store.journal.of_conversation(chat.conversation_id)
    assert [(call.tool, call.state, call.attempts) for call in calls] == [
        ("ask_user", "finished", 0),
        ("sales_figures", "finished", 1),
    ]


def test_a_pause_of_two_cards_keeps_the_one_that_was_decided(chat: Chat) -> None:
    chat.start().say("Raise A1 to 40.03 and B2 to 40.04")
    chat.wait_for_card(2)
    chat.cards.nth(0).get_by_role("button", name="Approve once").click()
    expect(chat.text("1 of 2 decided, 1 left.")).to_be_visible()
    crash(chat)
    expect(chat.wait_for_card()).to_contain_text("40.04")
    chat.press("Approve once")

    chat.expect_reply("now costs 40.03 USD")
    assert len(chat.app.changes("40.03")) == 1
    assert len(chat.app.changes("40.04")) == 1


def test_text_that_a_crash_cut_is_marked_and_the_conversation_goes_on(chat: Chat) -> None:
    chat.start("trouble").say("slowly")
    chat.expect_reply("One step after another, and every step")
    crash(chat)

    expect(chat.text("The text stops here: the run ended before it did.")).to_be_visible()
    chat.expect_reply("the last word of all this is finished.")
    chat.say("Still there?")
    chat.expect_reply("You said: Still there?")


def test_a_call_that_was_running_is_shown_as_a_doubt_and_never_repeated_unasked(chat: Chat) -> None:
    chat.start("trouble").say("work")
    expect(chat.text("take_time — running")).to_be_visible()
    crash(chat)

    card = chat.wait_for_card()
    expect(card).to_contain_text("The app stopped while take_time was running. It may have happened")
    chat.press("Run it again")
    chat.expect_reply("Done at last.")


def test_a_page_is_readable_while_the_app_is_away(chat: Chat) -> None:
    chat.start().say("Raise the price of A1 to 40.05")
    chat.wait_for_card()
    chat.app.server.kill()

    expect(chat.cards).to_contain_text("40.05")
    expect(chat.page.get_by_text("The app is away.")).to_be_visible()
    expect(chat.page.get_by_test_id("stApp")).not_to_have_attribute("data-test-connection-state", "CONNECTED")
    chat.app.server.start()
    expect(chat.button("Approve once")).to_be_enabled()


def test_stopping_the_app_leaves_no_traceback(chat: Chat) -> None:
    chat.start().say("Raise the price of A1 to 40.06")
    chat.wait_for_card()
    chat.app.server.stop()

    assert "Traceback" not in chat.app.server.output()
