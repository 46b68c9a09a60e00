"""An approval card on the real app: what a person decides is what happens to the shop, once."""

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat

ASK = "Raise the price of A1 to {}"


def test_approving_runs_the_call_and_the_transcript_says_who_did(chat: Chat) -> None:
    chat.start().say(ASK.format("20.01"))
    card = chat.wait_for_card()
    for shown in ("Merchant wants to run set_price", "Set the price of one item in a store.", "summit", "20.01"):
        expect(card).to_contain_text(shown)
    expect(card).to_contain_text("Asked because of rule 1, “set_price” (line 26).")
    assert not chat.app.changes("20.01")

    chat.press("Approve once")
    chat.expect_reply("now costs 20.01 USD")
    expect(chat.cards).to_have_count(0)
    expect(chat.text("set_price — ran · approved once by tester")).to_be_visible()
    chat.text("set_price — ran · approved once by tester").click()
    expect(chat.text("Asked because of rule 1, “set_price” (line 26).")).to_be_visible()
    assert len(chat.app.changes("20.01")) == 1


def test_a_denied_call_does_not_run_and_the_agent_reads_the_reason(chat: Chat) -> None:
    chat.start().say(ASK.format("20.02"))
    chat.wait_for_card()
    chat.press("Deny…")
    chat.page.get_by_label("Reason (optional)").fill("Not before Friday.")
    chat.press("Deny", exact=True)

    chat.expect_reply("Declined: Not before Friday.")
    expect(chat.text("set_price — did not run · denied by tester")).to_be_visible()
    assert not chat.app.changes("20.02")


def test_denying_needs_no_reason(chat: Chat) -> None:
    chat.start().say(ASK.format("20.03"))
    chat.wait_for_card()
    chat.press("Deny…")
    chat.press("Deny", exact=True)

    chat.expect_reply("Declined")
    assert not chat.app.changes("20.03")


def test_a_skipped_call_does_not_run_and_is_not_called_denied(chat: Chat) -> None:
    chat.start().say(ASK.format("20.04"))
    chat.wait_for_card()
    chat.press("Skip")

    chat.expect_reply("Skipped")
    expect(chat.text("set_price — did not run · skipped by tester")).to_be_visible()
    assert not chat.app.changes("20.04")


def test_an_edit_is_checked_beside_its_field_compared_and_then_run(chat: Chat) -> None:
    chat.start().say(ASK.format("20.05"))
    chat.wait_for_card()
    chat.press("Edit…")
    price = chat.page.get_by_role("textbox", name="price")
    price.fill("-3")
    expect(chat.cards.get_by_text("price must be", exact=False)).to_be_visible()
    expect(chat.button("Approve the edited call once")).to_be_disabled()

    price.fill("18.5")
    expect(chat.cards.get_by_text("What you changed")).to_be_visible()
    chat.press("Approve the edited call once")
    chat.expect_reply("now costs 18.50 USD")
    expect(chat.text("set_price — ran · edited · approved once by tester")).to_be_visible()
    assert not chat.app.changes("20.05")
    assert len(chat.app.changes("18.50")) == 1


def test_allowing_for_the_chat_covers_what_the_button_says_until_it_is_taken_back(chat: Chat) -> None:
    chat.start().say(ASK.format("20.06"))
    chat.wait_for_card()
    chat.press("Allow for this chat: prices in Summit Outfitters")
    chat.expect_reply("now costs 20.06 USD")

    chat.say(ASK.format("20.07"))
    chat.expect_reply("now costs 20.07 USD")
    expect(chat.text("set_price — ran · allowed by a remembered permission")).to_be_visible()
    chat.say("Raise A1 in harbor to 20.08")
    expect(chat.wait_for_card()).to_contain_text("harbor")
    chat.press("Skip")
    expect(chat.cards).to_have_count(0)

    chat.panel.get_by_text("Remembered").click()
    expect(chat.panel.get_by_text("set_price · prices in Summit Outfitters")).to_be_visible()
    chat.press("Take back")
    expect(chat.panel.get_by_text("Nothing is allowed ahead.")).to_be_visible()
    chat.say(ASK.format("20.09"))
    chat.wait_for_card()
    assert not chat.app.changes("20.09")


def test_two_cards_of_one_pause_are_decided_one_by_one(chat: Chat) -> None:
    chat.start().say("Raise A1 to 20.10 and B2 to 20.11")
    chat.wait_for_card(2)
    expect(chat.main.get_by_role("strong").filter(has_text="2 things need you before Merchant can go on")).to_be_visible()
    chat.cards.nth(1).get_by_role("button", name="Approve once").click()

    expect(chat.text("1 of 2 decided, 1 left.")).to_be_visible()
    expect(chat.text("Merchant set_price — approved once by tester")).to_be_visible()
    assert not chat.app.changes("20.11"), "nothing runs before the whole pause is decided"
    chat.press("Deny…")
    chat.press("Deny", exact=True)

    chat.expect_reply("now costs 20.11 USD")
    assert len(chat.app.changes("20.11")) == 1
    assert not chat.app.changes("20.10")


@pytest.mark.parametrize("gap", [20, 80, 200])
def test_a_double_click_on_approve_runs_the_call_once(chat: Chat, gap: int) -> None:
    price = f"21.{gap:03}"[:5]
    chat.start().say(ASK.format(price))
    chat.wait_for_card()
    chat.button("Approve once").hover()
    for _ in range(2):
        chat.page.mouse.down()
        chat.page.mouse.up()
        chat.page.wait_for_timeout(gap)

    chat.expect_reply(f"now costs {price} USD")
    expect(chat.composer).to_be_enabled()
    assert len(chat.app.changes(price)) == 1


def test_the_why_tab_follows_the_conversation(chat: Chat) -> None:
    chat.start().say(ASK.format("20.12"))
    chat.wait_for_card()
    chat.panel.get_by_text("Why", exact=True).click()

    expect(chat.panel.get_by_text("set_price — asked")).to_be_visible()
    expect(chat.panel.get_by_text("search_catalog — ran without asking")).to_be_visible()
