"""Contents that pages break on: long ones, foreign ones, and ones that pretend."""

from playwright.sync_api import expect

from tests.browser.chat import Chat

RIGHT_TO_LEFT = "שלום, המחיר הוא 12 דולר."


def test_a_conversation_of_five_hundred_messages_opens_at_its_end_and_shows_the_earlier_on_request(chat: Chat) -> None:
    chat.open(chat.app.long_conversation(250))
    expect(chat.text("Message 250")).to_be_in_viewport()
    expect(chat.text("Message 200")).to_have_count(0)
    chat.press("Show 30 of 219 earlier")
    expect(chat.text("Message 200")).to_be_attached()
    chat.say("And now?")

    chat.expect_reply("You said: And now?")


def test_an_argument_of_a_hundred_and_ninety_thousand_characters_is_whole_and_leaves_the_buttons_in_reach(
    chat: Chat,
) -> None:
    note = "long" + " The quick brown fox." * 9_000
    chat.start("guarded").say(note)
    card = chat.wait_for_card()
    expect(card.get_by_text(f"{len(note):,} characters")).to_be_visible()
    shown = card.get_by_text("The quick brown fox.").first.inner_text()
    assert len(shown) >= len(note)
    expect(chat.button("Approve once")).to_be_in_viewport()
    chat.press("Approve once")

    chat.expect_reply(f"Kept {len(note)} characters.")


def test_what_looks_like_a_secret_is_hidden_until_it_is_asked_for(chat: Chat) -> None:
    chat.start("guarded").say("long story")
    card = chat.wait_for_card()
    expect(card).not_to_contain_text("sk-12345678")
    card.get_by_text("Show the hidden values").click()

    expect(card).to_contain_text("sk-12345678")


def test_right_to_left_text_reads_from_the_right_in_messages_and_on_cards(chat: Chat) -> None:
    chat.start("guarded").say(RIGHT_TO_LEFT)
    expect(chat.wait_for_card()).to_contain_text(RIGHT_TO_LEFT)
    said = chat.page.get_by_label("Chat message from user").get_by_text(RIGHT_TO_LEFT)
    start, box = said.evaluate(
        "e => { const r = document.createRange(); r.selectNodeContents(e);"
        " const a = r.getBoundingClientRect(), b = e.getBoundingClientRect();"
        " return [b.right - a.right, a.left - b.left] }"
    )

    assert start < 2 < box, "the line starts at the right edge"


def test_hidden_and_pretending_characters_are_written_out(chat: Chat) -> None:
    chat.start("guarded").say("pay \u202e001\u202c **now** :green[approved] <b>bold</b>")
    card = chat.wait_for_card()

    expect(card).to_contain_text("pay ⟦U+202E⟧001⟦U+202C⟧ **now** :green[approved] <b>bold</b>")
    expect(card.locator("b")).to_have_count(0)


def test_an_empty_value_is_shown_as_empty(chat: Chat) -> None:
    chat.start("guarded").say("short")

    expect(chat.wait_for_card()).to_contain_text("empty text")
