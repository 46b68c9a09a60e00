"""The page without a mouse: nothing is approved by accident, and everything can be reached in reading order."""

from playwright.sync_api import Locator, expect

from tests.browser.chat import Chat

FOCUSED = "() => document.activeElement?.innerText?.split('\\n')[0] ?? ''"


def wait_until_keys_work(button: Locator) -> None:
    """Wait until a button shows its key; it is bound with it."""
    expect(button.locator("kbd").first).to_be_visible()


def test_nothing_is_focused_that_enter_would_approve(chat: Chat) -> None:
    chat.start().say("Raise the price of A1 to 91.01")
    chat.wait_for_card()
    expect(chat.composer).to_be_focused()
    chat.page.keyboard.press("Enter")
    chat.page.keyboard.press("Escape")
    chat.page.locator("body").press("Enter")
    chat.page.locator("body").press("Space")
    expect(chat.sidebar.get_by_text("Waiting (", exact=False)).to_be_visible()

    expect(chat.cards).to_have_count(1)
    assert not chat.app.changes("91.01")


def test_tab_reaches_what_a_card_offers_in_reading_order(chat: Chat) -> None:
    chat.start().say("Raise the price of A1 to 91.02")
    chat.wait_for_card()
    chat.cards.get_by_role("button", name="Line 26").focus()
    reached = []
    for _ in range(7):
        chat.page.keyboard.press("Tab")
        reached.append(chat.page.evaluate(FOCUSED))
    wanted = ["Approve once", "Allow for this chat: prices in Summit Outfitters", "Edit…", "Deny…", "Skip"]

    assert [text for text in reached if text in wanted] == wanted


def test_a_card_is_decided_by_tab_and_enter_alone(chat: Chat) -> None:
    chat.start().say("Raise the price of A1 to 91.03")
    chat.wait_for_card()
    chat.cards.get_by_role("button", name="Line 26").focus()
    chat.page.keyboard.press("Tab")
    chat.page.keyboard.press("Enter")

    chat.expect_reply("now costs 91.03 USD")
    assert len(chat.app.changes("91.03")) == 1


def test_keys_act_on_the_first_open_card_and_on_no_other(chat: Chat) -> None:
    chat.start().say("Raise A1 to 91.04 and B2 to 91.05")
    chat.wait_for_card(2)
    wait_until_keys_work(chat.button("Approve once").first)
    expect(chat.cards.nth(1).locator("kbd")).to_have_count(0)
    chat.composer.blur()
    chat.page.keyboard.press("Shift+A")
    expect(chat.text("1 of 2 decided, 1 left.")).to_be_visible()
    expect(chat.cards).to_contain_text("91.05")
    wait_until_keys_work(chat.button("Skip").first)
    chat.page.keyboard.press("Shift+S")

    chat.expect_reply("now costs 91.04 USD")
    assert not chat.app.changes("91.05")


def test_no_key_acts_while_a_message_is_typed(chat: Chat) -> None:
    chat.start().say("Raise the price of A1 to 91.06")
    chat.wait_for_card()
    wait_until_keys_work(chat.button("Approve once"))
    chat.composer.press_sequentially("ASD EASY", delay=30)

    expect(chat.composer).to_have_value("ASD EASY")
    expect(chat.cards).to_have_count(1)
    assert not chat.app.changes("91.06")


def test_a_question_is_answered_without_a_mouse(chat: Chat) -> None:
    chat.start("analyst").say("Which store did better?")
    card = chat.wait_for_card()
    card.get_by_role("radio").first.focus()
    chat.page.keyboard.press("Space")
    chat.page.keyboard.press("ArrowDown")
    expect(card.get_by_role("radio", name="Orders")).to_be_checked()
    expect(chat.button("Submit")).to_be_enabled()
    chat.button("Submit").focus()
    chat.page.keyboard.press("Enter")

    chat.expect_reply("Here is what the orders say.")


def test_what_waits_is_announced_politely(chat: Chat) -> None:
    chat.start().say("Raise the price of A1 to 91.07")
    chat.wait_for_card()

    expect(chat.main.get_by_role("status")).to_have_text("1 thing needs you before Merchant can go on")
    chat.press("Skip")
    expect(chat.main.get_by_role("status")).to_have_text("")
