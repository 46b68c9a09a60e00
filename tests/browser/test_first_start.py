"""The first minutes: a fresh machine, the panel, a narrow window, a dark theme."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chat import OPENING, Chat
from tests.browser.contrast import faint_words
from tests.browser.workbench_app import WorkbenchApp

BELOW = (
    "() => document.querySelector('.st-key-wb-panel').getBoundingClientRect().top"
    " - document.querySelector('[class*=st-key-wb-open-]').getBoundingClientRect().bottom"
)
"""How far the panel stands below the card."""


def test_a_fresh_machine_offers_a_conversation_and_three_things_to_say(page: Page, own_app: WorkbenchApp) -> None:
    chat = Chat(page, own_app).open()
    expect(chat.text("Talk to Merchant. Try one of these:")).to_be_visible()
    for example in ("Raise the price of A1 to 12", "Return order 1003, it is too small", "Close the summit store"):
        expect(chat.button(example)).to_be_visible()
    expect(chat.text("Which ones is decided by the policy beside this conversation")).to_be_visible()
    expect(chat.sidebar.get_by_text("Nothing waits for you.")).to_be_visible()
    expect(chat.panel.get_by_text("merchant.yaml · v1 is live")).to_be_visible()
    assert page.title() == "Workbench"

    chat.press("Raise the price of A1 to 12")
    expect(chat.wait_for_card()).to_contain_text("wants to run set_price")
    expect(chat.text("Talk to Merchant. Try one of these:")).to_have_count(0)
    expect(chat.sidebar.get_by_text("Waiting (1)")).to_be_visible()


def test_the_panel_folds_away_and_stays_folded(chat: Chat) -> None:
    chat.start()
    chat.head.get_by_role("button", name="Policy").click()
    expect(chat.panel).to_have_count(0)
    chat.reload()
    expect(chat.text("Talk to Merchant.")).to_be_visible()
    expect(chat.panel).to_have_count(0)

    chat.head.get_by_role("button", name="Policy").click()
    expect(chat.panel).to_be_visible()
    chat.reload()
    expect(chat.panel).to_be_visible()


def test_in_a_narrow_window_the_card_is_in_sight_and_the_panel_comes_underneath_on_request(chat: Chat) -> None:
    chat.page.set_viewport_size({"width": 800, "height": 900})
    chat.start().say("Raise the price of A1 to 90.01")
    chat.wait_for_card()
    expect(chat.panel).to_have_count(0)
    expect(chat.button("Approve once")).to_be_in_viewport()
    assert chat.main.evaluate("e => e.scrollWidth - e.clientWidth") <= 0

    chat.cards.get_by_role("button", name="Line 26").click()
    expect(chat.editor.get_by_text("set_price, remember")).to_be_in_viewport()
    assert chat.page.evaluate(BELOW) >= 0
    assert chat.main.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    chat.page.set_viewport_size({"width": 1280, "height": 900})
    expect(chat.panel).to_be_visible()
    assert chat.page.evaluate(BELOW) < 0, "beside it again"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_word_of_the_page_stands_out(
    browser: Browser, app: WorkbenchApp, theme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(color_scheme=theme)
    chat = Chat(context.new_page(), app).start()
    expect(chat.editor).to_be_visible()
    welcome = faint_words(chat.page)
    chat.say("Raise the price of A1 to 90.02")
    chat.wait_for_card()
    card = faint_words(chat.page)
    context.close()

    assert not welcome | card


def test_a_name_of_ones_own_is_what_the_decision_carries(chat: Chat) -> None:
    chat.start()
    name = chat.sidebar.get_by_role("combobox", name="Acting as")
    name.fill("Ada")
    name.press("Enter")
    chat.say("Raise the price of A1 to 90.03")
    chat.wait_for_card()
    chat.press("Approve once")

    expect(chat.text("set_price — ran · approved once by Ada")).to_be_visible(timeout=OPENING)
