"""Question cards on the real app: a form in a conversation, whose answer is what the agent reads."""

from playwright.sync_api import Locator, expect

from tests.browser.chat import Chat


def choose(card: Locator, option: str) -> None:
    """Click an option by its label."""
    card.get_by_text(option, exact=True).click()


def test_one_choice_is_what_the_agent_reads(chat: Chat) -> None:
    chat.start("analyst").say("Which store did better?")
    card = chat.wait_for_card()
    expect(card).to_contain_text("Analyst asks you")
    expect(card).to_contain_text("How many people bought something")
    expect(chat.button("Submit")).to_be_disabled()
    choose(card, "Orders")
    chat.press("Submit")

    chat.expect_reply("Here is what the orders say.")
    expect(chat.text("ask_user — answered by tester")).to_be_visible()
    chat.text("ask_user — answered by tester").click()
    expect(chat.text("What should I measure them by? The person's answer: Orders").first).to_be_visible()


def test_ones_own_words_are_an_answer_too(chat: Chat) -> None:
    chat.start("analyst").say("Which store did better?")
    card = chat.wait_for_card()
    choose(card, "Other…")
    expect(chat.button("Submit")).to_be_disabled()
    chat.page.get_by_label("Your own answer").fill("The returns")
    expect(chat.button("Submit")).to_be_enabled()
    chat.press("Submit")

    chat.expect_reply("Here is what the orders say.")
    chat.text("ask_user — answered by tester").click()
    expect(chat.text("The returns").first).to_be_visible()


def test_several_choices_and_ones_own_words_together(chat: Chat) -> None:
    chat.start("analyst").say("Compare the stores")
    card = chat.wait_for_card()
    choose(card, "Revenue")
    choose(card, "Returns")
    choose(card, "Other…")
    chat.page.get_by_label("Your own answer").fill("and the weather")
    expect(chat.button("Submit")).to_be_enabled()
    choose(card, "Revenue")
    expect(card.get_by_role("checkbox", name="Revenue")).not_to_be_checked()
    chat.press("Submit")

    chat.expect_reply("Here is what the orders say.")
    chat.text("ask_user — answered by tester").click()
    expect(chat.text("Returns; (in their own words) and the weather").first).to_be_visible()


def test_a_form_of_three_is_submitted_only_when_all_are_answered(chat: Chat) -> None:
    chat.start("analyst").say("Write a sales report")
    card = chat.wait_for_card()
    expect(card).to_contain_text("3 questions need an answer.")
    choose(card, "Both stores")
    expect(card).to_contain_text("2 questions need an answer.")
    choose(card, "October")
    expect(card).to_contain_text("1 question needs an answer.")
    expect(chat.button("Submit")).to_be_disabled()
    choose(card, "Best seller")
    chat.press("Submit")

    chat.expect_reply("The report.")


def test_a_question_without_options_takes_ones_own_words(chat: Chat) -> None:
    chat.start("analyst").say("I have a question")
    chat.wait_for_card()
    chat.page.get_by_label("Your own answer").fill("What was the revenue of Harbor in October?")
    expect(chat.button("Submit")).to_be_enabled()
    chat.press("Submit")

    chat.expect_reply("Here is what the orders say.")


def test_a_skipped_question_lets_the_agent_go_on(chat: Chat) -> None:
    chat.start("analyst").say("Which store did better?")
    chat.wait_for_card()
    chat.press("Skip")

    chat.expect_reply("Here is what the orders say.")
    expect(chat.text("ask_user — skipped by tester")).to_be_visible()


def test_a_malformed_question_never_becomes_a_card(chat: Chat) -> None:
    chat.start("trouble").say("malformed")
    card = chat.wait_for_card()

    expect(card).to_contain_text("Which colour?")
    expect(chat.text("ask_user — failed")).to_be_visible()
    choose(card, "Blue")
    chat.press("Submit")
    expect(chat.cards).to_have_count(0)
    expect(chat.text("ask_user — answered by tester")).to_be_visible()
