"""A card of a tool that a folder declares: its words, the call's values, a form from the answer's schema."""

from datetime import date
from typing import Any

import pytest

from tests.ui import pages, samples
from workbench.policy import Answered, Skipped
from workbench.ui import words


def test_the_card_is_called_by_the_tool_s_title_and_shows_the_call() -> None:
    page = pages.cards(samples.slot())
    assert any(said == "**Analyst** asks you: **Delivery slot**" for said in pages.said(page))
    assert "pick_slot" in [caption.value for caption in page.caption]
    assert {"order_id", "14 Quay Street, Harbor"} <= set(pages.texts(page))
    assert samples.slot().description in pages.texts(page)


def test_a_call_without_arguments_shows_none() -> None:
    page = pages.cards(samples.slot(input={}))
    assert words.NO_INPUT not in [caption.value for caption in page.caption]


def test_the_form_is_made_of_the_answer_s_schema() -> None:
    page = pages.cards(samples.slot())
    assert page.date_input[0].label == "day" and page.date_input[0].value is None
    assert page.selectbox[0].label == "part" and page.selectbox[0].value is None
    assert page.text_input[0].label == "note (optional)"
    page.date_input[0].set_value(date(2026, 3, 30)).run()
    assert not pages.enabled(page, words.SUBMIT)
    page.selectbox[0].set_value(1).run()
    pages.click(page, words.SUBMIT)
    assert pages.only_answer(page) == Answered({"day": "2026-03-30", "part": "afternoon"})


def test_a_title_in_the_schema_names_the_field_and_its_errors() -> None:
    schema = {
        "type": "object",
        "properties": {
            "parts": {"type": "integer", "title": "How many parts", "minimum": 1},
            "on": {"type": "string", "format": "date", "title": "Day"},
        },
        "required": ["parts"],
    }
    page = pages.cards(samples.slot(response_schema=schema))
    assert [page.text_input[0].label, page.date_input[0].label] == ["How many parts", "Day (optional)"]
    page.text_input[0].set_value("0").run()
    assert any("How many parts must be 1 or more" in one.value for one in page.markdown)


def test_a_day_that_is_taken_out_again_is_left_out() -> None:
    schema = {
        "type": "object",
        "properties": {"day": {"type": "string", "format": "date"}, "sure": {"type": "boolean"}},
        "required": ["sure"],
    }
    page = pages.cards(samples.slot(response_schema=schema))
    page.button_group[0].set_value(True).run()
    page.date_input[0].set_value(date(2026, 3, 30)).run()
    page.date_input[0].set_value(None).run()
    pages.click(page, words.SUBMIT)
    assert pages.only_answer(page) == Answered({"sure": True})


def test_a_half_filled_form_survives_a_refresh() -> None:
    page = pages.cards(samples.slot())
    page.date_input[0].set_value(date(2026, 3, 30)).run()
    assert pages.cards(desk=pages.desk_of(page)).date_input[0].value == date(2026, 3, 30)


def test_a_tool_that_takes_any_answer_has_a_free_field() -> None:
    page = pages.cards(samples.slot(response_schema=None))
    page.text_area[0].set_value("Monday").run()
    pages.click(page, words.SUBMIT)
    assert pages.only_answer(page) == Answered("Monday")


@pytest.mark.parametrize(
    "given",
    [{"question": "Go on?"}, {"questions": [{"question": "Go on?", "options": ["Yes"]}]}, {"sources": [{}]}],
)
def test_arguments_that_look_like_another_tool_s_make_no_other_card(given: dict[str, Any]) -> None:
    page = pages.cards(samples.slot(input=given))
    assert page.date_input and not page.radio


def test_skip_answers_nothing() -> None:
    assert pages.only_answer(pages.click(pages.cards(samples.slot()), words.SKIP)) == Skipped()
