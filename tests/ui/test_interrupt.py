"""A tool that paused for something of its own gets the value that was meant."""

from typing import Any

import pytest

from tests.ui import pages, samples
from workbench.policy import Answered, Skipped
from workbench.ui import words


@pytest.mark.parametrize(
    ("typed", "value"), [("null", None), ("false", False), ("0", 0), ('""', ""), ('{"a": 1}', {"a": 1})]
)
def test_any_json_value_can_be_the_answer(typed: str, value: Any) -> None:
    page = pages.cards(samples.interrupt(response_schema=None))
    page.button_group[0].set_value(words.AS_JSON).run()
    page.text_area[0].set_value(typed).run()
    pages.click(page, words.SUBMIT)

    assert pages.only_answer(page) == Answered(value)


def test_text_is_sent_as_it_was_typed() -> None:
    page = pages.cards(samples.interrupt(response_schema=None))
    page.text_area[0].set_value("false").run()
    assert any('ship_order gets "false"' in caption.value for caption in page.caption)

    pages.click(page, words.SUBMIT)
    assert pages.only_answer(page) == Answered("false")


def test_what_is_not_json_is_said_and_cannot_be_submitted() -> None:
    page = pages.cards(samples.interrupt(response_schema=None))
    page.button_group[0].set_value(words.AS_JSON).run()
    page.text_area[0].set_value("{").run()

    assert not pages.enabled(page, words.SUBMIT)
    assert any("This is not JSON" in caption.value for caption in page.caption)


def test_a_schema_becomes_a_form_with_nothing_filled_in() -> None:
    page = pages.cards(samples.interrupt())

    assert [field.label for field in page.text_input] == ["name", "floor (optional)"]
    assert [field.value for field in page.text_input] == ["", ""]
    assert page.selectbox[0].value is None
    assert not pages.enabled(page, words.SUBMIT)


def test_the_form_is_submitted_with_values_of_their_types() -> None:
    page = pages.cards(samples.interrupt())
    page.text_input[0].set_value("Ann").run()
    assert not pages.enabled(page, words.SUBMIT)

    page.button_group[0].set_value(False).run()
    page.text_input[1].set_value("3").run()
    page.selectbox[0].set_value(1).run()
    pages.click(page, words.SUBMIT)
    assert pages.only_answer(page) == Answered(
        {"name": "Ann", "signature": False, "floor": 3, "speed": "express"}
    )


def test_an_optional_number_that_is_emptied_again_is_left_out() -> None:
    page = pages.cards(samples.interrupt())
    page.text_input[0].set_value("Ann").run()
    page.button_group[0].set_value(True).run()
    page.text_input[1].set_value("3").run()
    page.text_input[1].set_value("").run()
    pages.click(page, words.SUBMIT)

    assert pages.only_answer(page) == Answered({"name": "Ann", "signature": True})


def test_what_does_not_fit_is_said_beside_its_field() -> None:
    page = pages.cards(samples.interrupt())
    page.text_input[0].set_value("A").run()

    assert any(
        "name must" in element.value or "name " in element.value
        for element in page.markdown
        if ":red[" in element.value
    )
    assert not pages.enabled(page, words.SUBMIT)


@pytest.mark.parametrize(("schema", "value"), [({"type": "boolean"}, False), ({"enum": [0, 1]}, 0)])
def test_an_answer_of_one_value_is_one_field(schema: dict[str, Any], value: Any) -> None:
    page = pages.cards(samples.interrupt(response_schema=schema))
    assert not pages.enabled(page, words.SUBMIT)

    if schema.get("type") == "boolean":
        page.button_group[0].set_value(False).run()
    else:
        page.selectbox[0].set_value(0).run()
    pages.click(page, words.SUBMIT)
    assert pages.only_answer(page) == Answered(value)


def test_a_half_filled_form_survives_a_refresh() -> None:
    page = pages.cards(samples.interrupt())
    page.text_input[0].set_value("Ann").run()

    assert pages.cards(desk=pages.desk_of(page)).text_input[0].value == "Ann"


def test_a_broken_schema_says_so_and_can_be_skipped() -> None:
    page = pages.cards(
        samples.interrupt(response_schema={"type": "object", "properties": {"a": {"type": "nonsense"}}})
    )
    page.text_area[0].set_value("1").run()
    assert not page.exception and not pages.enabled(page, words.SUBMIT)
    assert any("schema for this answer is broken" in element.value for element in page.markdown)

    assert pages.only_answer(pages.click(page, words.SKIP)) == Skipped()
