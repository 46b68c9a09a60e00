"""Conversations on the real app: begun, named, found, reopened by their address, deleted; and never mixed up."""

from playwright.sync_api import expect

from tests.browser.chat import OPENING, Chat


def test_a_new_conversation_is_begun_with_the_config_one_chooses(chat: Chat) -> None:
    chat.start()
    before = chat.conversation_id
    chat.sidebar.get_by_role("button", name="New conversation").first.click()
    chat.page.get_by_role("option", name="analyst").or_(chat.page.get_by_role("menuitem", name="analyst")).click()

    expect(chat.text("Talk to Analyst. Try one of these:")).to_be_visible()
    assert chat.conversation_id != before


def test_a_conversation_is_named_after_its_first_message_and_renamed(chat: Chat) -> None:
    chat.start("trouble").say("Good morning, who is there?")
    expect(chat.head.get_by_role("heading")).to_contain_text("Good morning, who is there?")
    chat.press("More")
    chat.page.get_by_text("Rename", exact=True).click()
    dialog = chat.page.get_by_role("dialog")
    dialog.get_by_label("Title").fill("Morning *round*")
    dialog.get_by_role("button", name="Save").click()

    expect(chat.head.get_by_role("heading")).to_contain_text("Morning *round*")
    expect(chat.listed("Morning")).to_be_visible()


def test_a_title_half_typed_survives_what_the_agent_does_meanwhile(chat: Chat) -> None:
    chat.start("trouble").say("work")
    expect(chat.text("take_time — running")).to_be_visible()
    chat.press("More")
    chat.page.get_by_text("Rename", exact=True).click()
    title = chat.page.get_by_role("dialog").get_by_label("Title")
    title.fill("")
    title.press_sequentially("Long title", delay=40)
    expect(chat.text("It said: Done at last.")).to_be_attached()
    expect(chat.button("Stop")).to_have_count(0)

    expect(title).to_have_value("Long title")
    chat.page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(chat.head.get_by_role("heading")).to_contain_text("Long title")
    expect(chat.page.get_by_role("dialog")).to_have_count(0)


def test_a_dismissed_dialog_stays_away(chat: Chat) -> None:
    chat.start("trouble", title="Kept")
    chat.press("More")
    chat.page.get_by_text("Delete", exact=True).click()
    expect(chat.page.get_by_role("dialog")).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(chat.page.get_by_role("dialog")).to_have_count(0)
    chat.say("Still here?")
    chat.expect_reply("You said: Still here?")

    expect(chat.page.get_by_role("dialog")).to_have_count(0)


def test_a_conversation_is_found_by_a_word_of_its_title(chat: Chat) -> None:
    wanted = chat.app.conversation("trouble", title="About the blue kettle")
    chat.start("trouble", title="About something else")
    chat.sidebar.get_by_role("searchbox").press_sequentially("kettle")
    expect(chat.listed("About something else")).to_have_count(0)
    chat.listed("About the blue kettle").click()

    expect(chat.head.get_by_role("heading")).to_contain_text("About the blue kettle")
    assert chat.conversation_id == wanted
    chat.sidebar.get_by_role("searchbox").fill("no such thing")
    expect(chat.sidebar.get_by_text("No conversation matches.")).to_be_visible()


def test_a_conversation_is_reopened_by_its_address(chat: Chat) -> None:
    chat.start("trouble").say("Remember the heron")
    chat.expect_reply("You said: Remember the heron")
    address = chat.page.url
    chat.start("trouble")
    chat.page.goto(address)

    chat.expect_reply("You said: Remember the heron")


def test_deleting_asks_first_and_leaves_the_decisions(chat: Chat) -> None:
    chat.start(title="Short-lived").say("Raise the price of A1 to 60.01")
    chat.wait_for_card()
    chat.press("Skip")
    expect(chat.cards).to_have_count(0)
    gone = chat.conversation_id
    chat.press("More")
    chat.page.get_by_text("Delete", exact=True).click()
    dialog = chat.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Delete “Short-lived”?")
    dialog.get_by_role("button", name="Keep it").click()
    expect(dialog).to_have_count(0)
    assert chat.conversation_id == gone

    chat.press("More")
    chat.page.get_by_text("Delete", exact=True).click()
    dialog.get_by_role("button", name="Delete").click()
    expect(chat.listed("Short-lived")).to_have_count(0)
    expect(chat.composer).to_be_visible()
    assert chat.conversation_id != gone
    decisions = chat.app.engine.store.decisions.list(conversation_id=gone)
    assert [one.decision for one in decisions] == ["skipped"]


def test_a_conversation_deleted_in_another_tab_is_said_here(chat: Chat) -> None:
    chat.start("trouble", title="Deleted elsewhere")
    chat.app.engine.delete(chat.conversation_id, by="tester")

    expect(chat.page.get_by_text("This conversation was deleted.")).to_be_visible()
    chat.page.reload()
    expect(chat.text("This conversation isn't here")).to_be_visible(timeout=OPENING)


def test_an_address_of_no_conversation_says_so_and_leads_on(chat: Chat) -> None:
    known = chat.app.conversation("trouble", title="A known one")
    chat.page.goto(chat.app.address("0" * 32))
    expect(chat.text("This conversation isn't here")).to_be_visible(timeout=OPENING)
    expect(chat.text("There is no conversation with this id.")).to_be_visible()
    chat.listed("A known one").click()

    expect(chat.composer).to_be_visible()
    assert chat.conversation_id == known


def test_the_address_of_a_deleted_conversation_says_that_it_was_deleted(chat: Chat) -> None:
    gone = chat.app.conversation("trouble")
    chat.app.engine.delete(gone, by="tester")
    chat.page.goto(chat.app.address(gone))

    expect(chat.text("This conversation was deleted.")).to_be_visible(timeout=OPENING)


def test_a_card_stands_in_its_own_conversation_alone_and_the_sidebar_leads_to_it(chat: Chat) -> None:
    chat.start(title="The one that asks").say("Raise the price of A1 to 60.02")
    chat.wait_for_card()
    asking = chat.conversation_id
    chat.start(title="The quiet one").say("Show order 1003")
    chat.expect_reply("Order 1003 of Carmen Ortiz")
    expect(chat.cards).to_have_count(0)
    expect(chat.main.get_by_text("60.02")).to_have_count(0)

    chat.sidebar.get_by_text("The one that asks — set_price").click()
    expect(chat.wait_for_card()).to_contain_text("60.02")
    assert chat.conversation_id == asking
    chat.press("Skip")
    expect(chat.sidebar.get_by_text("The one that asks — set_price")).to_have_count(0)


def test_what_is_typed_in_one_conversation_does_not_follow_into_another(chat: Chat) -> None:
    other = chat.app.conversation("trouble", title="Elsewhere")
    chat.start("trouble", title="Here").composer.fill("half a thought")
    chat.listed("Elsewhere").click()
    expect(chat.head.get_by_role("heading")).to_contain_text("Elsewhere")

    expect(chat.composer).to_have_value("")
    assert chat.conversation_id == other


def test_the_sidebar_of_another_tab_learns_of_a_card_by_itself(chat: Chat) -> None:
    chat.start("trouble", title="Looking elsewhere")
    asking = Chat(chat.page.context.new_page(), chat.app)
    asking.start(title="Asks in the back").say("Raise the price of A1 to 60.03")
    asking.wait_for_card()

    expect(chat.sidebar.get_by_text("Asks in the back — set_price")).to_be_visible()
    asking.press("Skip")
    expect(chat.sidebar.get_by_text("Asks in the back — set_price")).to_have_count(0)
