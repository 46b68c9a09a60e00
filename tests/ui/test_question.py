"""A question card is a form: submitted when every question has an answer, and never lost half-typed."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui import pages, samples
from workbench.policy import Answered, Skipped
from workbench.ui import words
from workbench.ui.question import Option, questions_of


def answered(page: AppTest) -> Any:
    """What was submitted."""
    answer = pages.only_answer(page)
    assert isinstance(answer, Answered)
    return answer.value["answers"]


def tick(page: AppTest, label: str) -> AppTest:
    """Tick the box of this label."""
    return next(box for box in page.checkbox if box.label == label).check().run()


def test_one_choice_is_submitted_by_its_label() -> None:
    page = pages.cards(samples.question())
    assert not pages.enabled(page, words.SUBMIT)

    page.radio[0].set_value(1).run()
    pages.click(page, words.SUBMIT)
    assert answered(page) == [
        {"question": samples.ONE_QUESTION["question"], "selected": ["This quarter"], "other": None}
    ]


def test_nothing_is_chosen_beforehand() -> None:
    assert pages.cards(samples.question()).radio[0].value is None


def test_other_opens_a_field_and_needs_words_in_it() -> None:
    page = pages.cards(samples.question())
    page.radio[0].set_value(3).run()
    assert page.text_input[0].label == words.OTHER_FIELD and not pages.enabled(page, words.SUBMIT)

    page.text_input[0].set_value("   ").run()
    assert not pages.enabled(page, words.SUBMIT)

    page.text_input[0].set_value("Easter week").run()
    pages.click(page, words.SUBMIT)
    assert answered(page)[0]["selected"] == [] and answered(page)[0]["other"] == "Easter week"


def test_leaving_other_again_takes_its_words_back() -> None:
    page = pages.cards(samples.question())
    page.radio[0].set_value(3).run()
    page.text_input[0].set_value("Easter week").run()
    page.radio[0].set_value(0).run()
    pages.click(page, words.SUBMIT)

    assert answered(page)[0] == {
        "question": samples.ONE_QUESTION["question"],
        "selected": ["Last month"],
        "other": None,
    }


def test_several_may_be_chosen_beside_ones_own() -> None:
    page = pages.cards(samples.question(questions=[samples.SEVERAL_QUESTIONS[1]]))
    tick(tick(tick(page, "Harbour"), "Summit"), words.OTHER)
    assert not pages.enabled(page, words.SUBMIT)

    page.text_input[0].set_value("The market").run()
    pages.click(page, words.SUBMIT)
    assert (
        answered(page)[0]["selected"] == ["Summit", "Harbour"] and answered(page)[0]["other"] == "The market"
    )


def test_submit_waits_for_every_question() -> None:
    page = pages.cards(samples.question(questions=samples.SEVERAL_QUESTIONS))
    assert "3 questions need an answer." in [caption.value for caption in page.caption]

    page.radio[0].set_value(0).run()
    tick(page, "Summit")
    assert not pages.enabled(page, words.SUBMIT)

    page.radio[1].set_value(1).run()
    pages.click(page, words.SUBMIT)
    assert [one["selected"] for one in answered(page)] == [["Last month"], ["Summit"], ["No"]]


def test_a_question_without_other_offers_none() -> None:
    page = pages.cards(samples.question(questions=[samples.SEVERAL_QUESTIONS[2]]))

    assert page.radio[0].options == ["Yes", "No"]


def test_a_half_given_answer_survives_a_refresh() -> None:
    page = pages.cards(samples.question(questions=samples.SEVERAL_QUESTIONS))
    page.radio[0].set_value(3).run()
    page.text_input[0].set_value("Easter w").run()
    tick(page, "Lagoon")

    refreshed = pages.cards(desk=pages.desk_of(page))
    assert refreshed.radio[0].value == 3 and refreshed.text_input[0].value == "Easter w"
    assert [box.label for box in refreshed.checkbox if box.value] == ["Lagoon"]


def test_skip_answers_nothing() -> None:
    assert pages.only_answer(pages.click(pages.cards(samples.question()), words.SKIP)) == Skipped()


def test_two_options_of_the_same_label_are_two_options() -> None:
    card = samples.question(questions=[{"question": "Which?", "options": ["A", "A"], "multi_select": True}])
    page = pages.cards(card)
    page.checkbox[1].check().run()

    assert [box.value for box in page.checkbox] == [False, True, False]


@pytest.mark.parametrize("label", ["0", "", "false", "null"])
def test_an_option_that_looks_like_nothing_is_an_answer(label: str) -> None:
    page = pages.cards(samples.question(questions=[{"question": "How many?", "options": [label, "1"]}]))
    page.radio[0].set_value(0).run()
    pages.click(page, words.SUBMIT)

    assert answered(page)[0]["selected"] == [label]


def test_the_short_form_is_one_question() -> None:
    card = samples.question(input={"question": "Go on?", "options": ["Yes", "No"]})

    (question,) = questions_of(card)
    assert (
        question.options == (Option("Yes"), Option("No"))
        and not question.multi_select
        and question.allow_other
    )


def test_a_question_without_options_is_answered_in_ones_own_words() -> None:
    page = pages.cards(samples.question(questions=[{"question": "What is the code?", "options": []}]))
    assert not page.radio and not pages.enabled(page, words.SUBMIT)

    page.text_input[0].set_value("4711").run()
    pages.click(page, words.SUBMIT)
    assert answered(page)[0]["other"] == "4711"


@pytest.mark.parametrize("asked", [{"questions": []}, {"questions": [{"q": 1}]}, {"place": "Rome"}, {}])
def test_another_client_tools_call_is_shown_with_its_values_and_a_free_answer(asked: dict[str, Any]) -> None:
    page = pages.cards(samples.question(tool="pick_place", tool_title="pick_place", input=asked))
    assert not page.radio and not pages.enabled(page, words.SUBMIT)

    page.text_area[0].set_value("Trastevere").run()
    pages.click(page, words.SUBMIT)
    assert pages.only_answer(page) == Answered("Trastevere")


def test_text_of_a_model_is_never_markup_in_a_question() -> None:
    asked = {
        "question": samples.DRESSED_UP,
        "header": "**H**",
        "options": [{"label": "**A**", "description": ":red[x]"}],
    }
    page = pages.cards(samples.question(questions=[asked]))

    assert samples.DRESSED_UP in pages.texts(page)
    assert page.radio[0].options[0] == "\\*\\*A\\*\\*"
    assert page.radio[0].proto.captions[0] == "\\:red\\[x\\]"
    assert "\\*\\*H\\*\\*" in [caption.value for caption in page.caption]
