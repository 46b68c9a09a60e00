"""Leaving a card and coming back to it: a refresh, a second tab, a click that comes too late."""

from playwright.sync_api import expect

from tests.browser.chat import Chat

HOLD_POLLS = """
const every = window.setInterval;
window.setInterval = (tick, ...rest) => every(() => window.holdPolls || tick(), ...rest);
"""
"""A tab that can be kept from asking what is new, as the browser does to one in the background."""


def test_a_refresh_between_an_approval_card_and_its_answer_loses_nothing(chat: Chat) -> None:
    chat.start().say("Raise the price of A2 to 30.01")
    chat.wait_for_card()
    chat.reload()
    expect(chat.wait_for_card()).to_contain_text("30.01")
    chat.press("Approve once")

    chat.expect_reply("now costs 30.01 USD")
    assert len(chat.app.changes("30.01")) == 1


def test_a_refresh_between_a_question_and_its_answer_keeps_what_was_typed(chat: Chat) -> None:
    chat.start("analyst").say("Write a sales report")
    card = chat.wait_for_card()
    card.get_by_text("Both stores", exact=True).click()
    card.get_by_text("Returns", exact=True).click()
    card.get_by_text("Other…", exact=True).last.click()
    own = chat.page.get_by_label("Your own answer")
    own.press_sequentially("half a sen", delay=30)
    expect(card).to_contain_text("1 question needs an answer.")
    chat.reload()

    card = chat.wait_for_card()
    expect(own).to_have_value("half a sen")
    expect(card.get_by_role("radio", name="Both stores")).to_be_checked()
    expect(card.get_by_role("checkbox", name="Returns")).to_be_checked()
    card.get_by_text("September", exact=True).click()
    chat.press("Submit")
    chat.expect_reply("The report.")


def test_a_half_made_edit_survives_a_refresh(chat: Chat) -> None:
    chat.start().say("Raise the price of A2 to 30.02")
    chat.wait_for_card()
    chat.press("Edit…")
    chat.page.get_by_role("textbox", name="price").fill("31.02")
    expect(chat.cards.get_by_text("What you changed")).to_be_visible()
    chat.reload()

    expect(chat.page.get_by_role("textbox", name="price")).to_have_value("31.02")
    chat.press("Approve the edited call once")
    chat.expect_reply("now costs 31.02 USD")
    assert not chat.app.changes("30.02")


def test_a_second_tab_sees_the_card_and_the_first_answer_wins_in_both(chat: Chat) -> None:
    chat.start().say("Raise the price of A2 to 30.03")
    chat.wait_for_card()
    other = chat.second_tab()
    expect(other.wait_for_card()).to_contain_text("30.03")
    for tab in (chat, other):
        tab.button("Approve once").hover()
    chat.press("Approve once")

    for tab in (chat, other):
        tab.expect_reply("now costs 30.03 USD")
        expect(tab.cards).to_have_count(0)
    assert len(chat.app.changes("30.03")) == 1


def test_an_answer_that_comes_second_is_told_calmly_what_was_decided(chat: Chat) -> None:
    chat.start().say("Raise the price of A2 to 30.04")
    chat.wait_for_card()
    other = Chat(chat.page.context.new_page(), chat.app)
    other.page.add_init_script(HOLD_POLLS)
    other.open(chat.conversation_id).wait_for_card()
    other.page.evaluate("window.holdPolls = true")
    chat.press("Approve once")
    chat.expect_reply("now costs 30.04 USD")
    expect(other.cards).to_have_count(1)
    other.press("Skip")
    other.page.evaluate("window.holdPolls = false")

    expect(other.toasts).to_contain_text("This card was already approved by tester")
    expect(other.toasts).to_contain_text("Nothing ran twice.")
    expect(other.cards).to_have_count(0)
    assert len(chat.app.changes("30.04")) == 1


def test_a_question_is_answered_once_by_two_tabs(chat: Chat) -> None:
    chat.start("analyst").say("Which store did better?")
    chat.wait_for_card().get_by_text("Orders", exact=True).click()
    other = chat.second_tab()
    expect(other.wait_for_card().get_by_role("radio", name="Orders")).to_be_checked()
    other.cards.get_by_text("Units", exact=True).click()
    chat.button("Submit").click(no_wait_after=True)
    other.button("Submit").click(no_wait_after=True)

    for tab in (chat, other):
        tab.expect_reply("Here is what the orders say.")
        expect(tab.text("ask_user — answered by tester")).to_have_count(1)
    decisions = chat.app.engine.store.decisions.list(conversation_id=chat.conversation_id)
    assert [one.decision for one in decisions] == ["answered"]


def test_a_tab_that_was_closed_misses_nothing(chat: Chat) -> None:
    chat.start().say("Raise the price of A2 to 30.05")
    address = chat.page.url
    chat.page.close()
    back = Chat(chat.page.context.new_page(), chat.app)
    back.page.goto(address)

    expect(back.wait_for_card()).to_contain_text("30.05")
