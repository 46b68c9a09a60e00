"""Messages, Stop and failures on the real app: nothing typed is lost, and the conversation always goes on."""

from playwright.sync_api import expect

from tests.browser.chat import Chat


def test_a_message_sent_while_a_card_waits_skips_the_card_as_was_said_before(chat: Chat) -> None:
    chat.start().say("Raise the price of A1 to 50.01")
    chat.wait_for_card()
    expect(chat.page.get_by_text("Sending a message skips 1 card that waits.")).to_be_visible()
    chat.say("Show order 1003")

    chat.expect_reply("Order 1003 of Carmen Ortiz")
    expect(chat.cards).to_have_count(0)
    expect(chat.text("set_price — did not run · skipped by tester")).to_be_visible()
    expect(chat.page.get_by_text("Sending a message skips")).to_have_count(0)
    assert not chat.app.changes("50.01")


def test_a_message_sent_over_an_approved_card_leaves_it_out_and_says_so(chat: Chat) -> None:
    chat.start().say("Raise A1 to 50.02 and B2 to 50.03")
    chat.wait_for_card(2)
    chat.cards.nth(0).get_by_role("button", name="Approve once").click()
    expect(chat.page.get_by_text("leaves out what you already approved here (set_price)")).to_be_visible()
    chat.say("Show order 1003")

    chat.expect_reply("Order 1003 of Carmen Ortiz")
    chat.text("set_price — did not run · approved once by tester").click()
    expect(chat.text("did not run: the person moved on").first).to_be_visible()
    assert not chat.app.changes("50.02") + chat.app.changes("50.03")


def test_a_message_is_written_while_the_agent_works_and_sent_when_it_is_done(chat: Chat) -> None:
    chat.start("trouble").say("slowly")
    chat.expect_reply("One step after another")
    chat.composer.press_sequentially("And then?", delay=40)
    chat.expect_reply("the last word of all this is finished.")

    expect(chat.button("Stop")).to_have_count(0)
    expect(chat.composer).to_be_focused()
    expect(chat.composer).to_have_value("And then?")
    chat.composer.press("Enter")
    chat.expect_reply("You said: And then?")


def test_a_message_sent_while_the_agent_works_is_kept_and_sent_on_request(chat: Chat) -> None:
    chat.start("trouble").say("work")
    expect(chat.text("take_time — running")).to_be_visible()
    chat.say("Hurry up")
    kept = chat.page.locator(".st-key-wb-unsent")
    expect(kept).to_contain_text("Not sent.")
    expect(kept).to_contain_text("Hurry up")
    expect(chat.button("Send again")).to_be_disabled()

    chat.expect_reply("It said: Done at last.")
    chat.press("Send again")
    chat.expect_reply("You said: Hurry up")
    expect(kept).to_have_count(0)


def test_a_message_that_another_tab_overtook_is_kept_too(chat: Chat) -> None:
    chat.start("trouble")
    other = chat.second_tab()
    other.composer.fill("Mine too")
    chat.say("work")
    expect(chat.text("take_time — running")).to_be_visible()
    other.composer.press("Enter")

    expect(other.page.locator(".st-key-wb-unsent")).to_contain_text("Mine too")
    other.expect_reply("It said: Done at last.")


def test_stop_while_streaming_ends_the_text_and_the_conversation_goes_on(chat: Chat) -> None:
    chat.start("trouble").say("slowly")
    chat.expect_reply("One step after another")
    chat.press("Stop")

    expect(chat.text("Stopped here. Nothing more of this run will happen.")).to_be_visible()
    expect(chat.text("The text stops here: the run ended before it did.")).to_be_visible()
    expect(chat.button("Stop")).to_have_count(0)
    chat.say("Still there?")
    chat.expect_reply("You said: Still there?")


def test_stop_on_a_pause_closes_its_card(chat: Chat) -> None:
    chat.start().say("Raise the price of A1 to 50.04")
    chat.wait_for_card()
    chat.press("Stop")

    expect(chat.cards).to_have_count(0)
    expect(chat.text("Stopped here. Nothing more of this run will happen.")).to_be_visible()
    chat.say("Show order 1003")
    chat.expect_reply("Order 1003 of Carmen Ortiz")
    assert not chat.app.changes("50.04")


def test_a_provider_that_is_down_is_said_plainly_and_can_be_tried_again(chat: Chat) -> None:
    down = chat.app.configs / "down"
    down.touch()
    chat.start("outage").say("Hello?")
    expect(chat.text("503 from api.example.test: try later (ConnectionError)")).to_be_visible()
    chat.press("Try again")
    expect(chat.text("The run stopped here.")).to_have_count(2)
    expect(chat.button("Try again")).to_have_count(1)

    down.unlink()
    chat.press("Try again")
    chat.expect_reply("Here I am again.")
    expect(chat.button("Try again")).to_have_count(0)


def test_a_provider_that_breaks_off_leaves_what_it_had_said(chat: Chat) -> None:
    chat.start("trouble").say("break off")
    expect(chat.text("I was about to say that")).to_be_visible()
    expect(chat.text("The model failed: the connection was reset")).to_be_visible()
    chat.say("Never mind")

    chat.expect_reply("You said: Never mind")


def test_a_model_without_its_key_says_which_variable_to_set(chat: Chat) -> None:
    config = chat.app.configs / "keyless.yaml"
    config.write_text('version: "1"\nagents:\n  far: {model: {provider: openai, model_id: some}, auto: true}\n')
    chat.start("keyless").say("Hello?")

    expect(chat.text("OPENAI_API_KEY")).to_be_visible()
    expect(chat.button("Try again")).to_be_visible()


def test_a_tool_file_that_does_not_load_is_named_with_its_line_and_tried_again(chat: Chat) -> None:
    tool = chat.app.configs / "tools" / "till.py"
    tool.write_text("import strands\n\nraise RuntimeError('no till today')\n")
    chat.app.config("till").write_text(
        'version: "1"\nagents:\n  till: {model: {provider: scripted, params: {final_text: Open.}}, '
        "auto: true, tools: [./tools/till.py]}\n"
    )
    chat.start("till").say("Open the till")
    expect(chat.text("tools/till.py:3: RuntimeError: no till today")).to_be_visible()
    tool.write_text("import strands\n\n\n@strands.tool\ndef ring() -> str:\n    'Ring.'\n    return 'ding'\n")
    chat.press("Try again")

    chat.expect_reply("Open.")


def test_a_tool_that_raises_is_shown_as_failed_and_the_agent_goes_on(chat: Chat) -> None:
    chat.start("trouble").say("raise")
    chat.expect_reply("That did not work, so I leave it.")
    chat.text("break_down — failed").click()

    expect(chat.text("the till is jammed").last).to_be_visible()


def test_five_megabytes_of_a_result_are_begun_and_can_be_had_whole(chat: Chat) -> None:
    chat.start("trouble").say("much")
    chat.expect_reply("That was a lot.")
    chat.text("say_much — ran").click()
    expect(chat.text("Result: the first 4,000 of")).to_be_visible()
    with chat.page.expect_download() as download:
        chat.press("Download the whole result")

    result = download.value.path().read_text()
    assert len(result) == 5_242_880


def test_a_result_that_json_cannot_say_is_survived(chat: Chat) -> None:
    chat.start("trouble").say("odd")

    chat.expect_reply("That was odd.")


def test_a_message_that_is_too_long_is_kept_on_the_page(chat: Chat) -> None:
    chat.start("trouble")
    chat.composer.fill("x" * 200_001)
    chat.composer.press("Enter")
    expect(chat.page.get_by_text("This message has 200,001 characters; the limit is 200,000.")).to_be_visible()
    chat.press("Discard")

    expect(chat.page.get_by_text("Not sent.")).to_have_count(0)
    chat.say("Short")
    chat.expect_reply("You said: Short")


def test_the_longest_message_is_shown_whole_and_answered(chat: Chat) -> None:
    chat.start("trouble").say("y" * 199_990)

    chat.expect_reply("You said: yyyy")
