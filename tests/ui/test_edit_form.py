"""Editing turns values into fields of their types, shows the difference, and only then can be confirmed."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui import pages, samples
from tests.ui.fake_desk import FakeDesk
from workbench.policy import Approved
from workbench.runs.views import Card
from workbench.ui import words


def editing(card: Card) -> AppTest:
    """The page of a card whose values are fields."""
    return pages.click(pages.cards(card), words.EDIT)


def fill(page: AppTest, label: str, text: str) -> AppTest:
    """Type into a field, by its label."""
    fields = [*page.text_input, *page.text_area]
    return next(field for field in fields if field.label == label).set_value(text).run()


def difference(page: AppTest) -> list[str]:
    """The plain texts on the page, signs left out."""
    return [text for text in pages.texts(page) if text not in ("−", "+")]


def test_a_number_stays_a_number() -> None:
    page = fill(editing(samples.approval()), "price", "9.5")
    pages.click(page, words.APPROVE_EDITED)

    assert pages.only_answer(page) == Approved("once", {"store": "summit", "sku": "A1", "price": 9.5})


def test_a_text_that_looks_like_a_number_stays_text() -> None:
    page = fill(editing(samples.approval()), "sku", "12")
    pages.click(page, words.APPROVE_EDITED)

    assert pages.only_answer(page) == Approved("once", {"store": "summit", "sku": "12", "price": 12.5})


def test_nothing_can_be_confirmed_before_something_is_changed() -> None:
    page = editing(samples.approval())

    assert not pages.enabled(page, words.APPROVE_EDITED)
    assert words.UNCHANGED in [caption.value for caption in page.caption]


def test_what_is_no_number_is_said_beside_its_field_and_nothing_can_be_confirmed() -> None:
    page = fill(editing(samples.approval()), "price", "twelve")

    assert any("This needs a number" in element.value for element in page.markdown)
    assert not pages.enabled(page, words.APPROVE_EDITED)
    assert next(field for field in page.text_input if field.label == "price").value == "twelve"


def test_what_breaks_the_schema_is_said_beside_its_field() -> None:
    page = fill(editing(samples.approval()), "price", "-1")

    assert any("price must be" in element.value for element in page.markdown)
    assert not pages.enabled(page, words.APPROVE_EDITED)


def test_the_difference_is_shown_before_it_can_be_confirmed() -> None:
    page = fill(editing(samples.approval()), "price", "9.5")

    shown = difference(page)
    assert shown[shown.index("price") :][:3] == ["price", "12.5", "9.5"]


def test_a_change_that_was_not_shown_yet_is_not_confirmed() -> None:
    page = fill(editing(samples.approval()), "price", "9.5")
    # Both reach the server at once: a last key stroke, and a click on a button that showed the difference before it.
    next(field for field in page.text_input if field.label == "price").set_value("95")
    pages.click(page, words.APPROVE_EDITED)

    assert pages.desk_of(page).answers == []
    assert page.info[0].value == words.LOOK_FIRST
    assert "95" in difference(page)

    pages.click(page, words.APPROVE_EDITED)
    assert pages.only_answer(page) == Approved("once", {"store": "summit", "sku": "A1", "price": 95})


def test_another_subject_is_stated_and_then_only_once_can_be_approved() -> None:
    page = fill(editing(samples.approval()), "price", "9.5")
    assert "Allow for this chat: prices in summit" in pages.buttons(page)

    fill(page, "store", "lagoon")
    assert "This is now about prices in lagoon" in page.warning[0].value
    assert not [label for label in pages.buttons(page) if label.startswith("Allow")]


def test_a_half_typed_edit_survives_a_refresh_even_where_it_is_no_value_yet() -> None:
    page = fill(fill(editing(samples.approval()), "price", "9."), "sku", "B2")
    fill(page, "price", "9.x")

    refreshed = pages.cards(desk=pages.desk_of(page))
    values = {field.label: field.value for field in refreshed.text_input}
    assert values == {"store": "summit", "sku": "B2", "price": "9.x"}


def test_starting_over_brings_back_what_was_asked() -> None:
    page = pages.click(fill(editing(samples.approval()), "price", "9"), words.RESET)

    assert next(field for field in page.text_input if field.label == "price").value == "12.5"
    assert not pages.enabled(page, words.APPROVE_EDITED)


def test_every_kind_of_field_keeps_its_type() -> None:
    page = editing(samples.create_return())
    fill(page, "order_id", "7")
    fill(page, "on", "2026-04-01")
    fill(page, "quantity", "3")
    fill(page, "extra", '{"gift": true}')
    page.selectbox[0].set_value(1).run()
    page.button_group[0].set_value(True).run()
    page.checkbox[0].uncheck().run()
    fill(page, "comment", "")
    pages.click(page, words.APPROVE_EDITED)

    answer = pages.only_answer(page)
    assert answer == Approved(
        "once",
        {
            "order_id": 7,
            "reason": "wrong item",
            "refund": True,
            "on": "2026-04-01",
            "comment": "",
            "items": [{"sku": "A1", "quantity": 3}, {"sku": "B-17", "quantity": 1}],
            "extra": {"gift": True},
        },
    )


def test_entries_of_a_list_come_and_go_and_the_others_keep_their_values() -> None:
    page = editing(samples.create_return())
    pages.click(page, "Remove entry 1")
    pages.click(page, words.ADD_ENTRY)
    fields = [field.value for field in page.text_input if field.label in ("sku", "quantity")]
    assert fields == ["B-17", "1", "", "0"]

    pages.click(page, "Remove entry 2")
    pages.click(page, words.APPROVE_EDITED)
    answer = pages.only_answer(page)
    assert isinstance(answer, Approved) and answer.tool_input is not None
    assert answer.tool_input["items"] == [{"sku": "B-17", "quantity": 1}]


def test_an_optional_field_can_be_added_and_left_out_again() -> None:
    page = pages.click(editing(samples.approval()), "Add note")
    fill(page, "note", "sale")
    assert "sale" in difference(page)

    pages.click(page, "Leave out note")
    assert not pages.enabled(page, words.APPROVE_EDITED)


@pytest.mark.parametrize(("typed", "value"), [("null", None), ("0", 0), ('""', ""), ("[1, {}]", [1, {}])])
def test_a_shape_no_field_knows_is_edited_as_json(typed: str, value: Any) -> None:
    card = samples.approval(
        tool="odd", input={"any": 1}, input_schema={"type": "object", "properties": {"any": {}}}
    )
    page = pages.click(fill(editing(card), "any", typed), words.APPROVE_EDITED)

    assert pages.only_answer(page) == Approved("once", {"any": value})


def test_broken_json_names_the_place() -> None:
    card = samples.approval(
        tool="odd", input={"any": 1}, input_schema={"type": "object", "properties": {"any": {}}}
    )
    page = fill(editing(card), "any", '{"a": }')

    assert any("line 1, column 7" in element.value for element in page.markdown)


def test_without_a_schema_the_whole_input_is_one_json_box() -> None:
    page = editing(samples.approval(tool="odd", input={"a": [1]}, input_schema=None))
    (box,) = page.text_area
    box.set_value('{"a": [2]}').run()
    pages.click(page, words.APPROVE_EDITED)

    assert pages.only_answer(page) == Approved("once", {"a": [2]})


def test_a_value_of_the_wrong_type_is_shown_as_it_is_and_told_apart() -> None:
    page = editing(samples.approval(input={"store": "summit", "sku": "A1", "price": "12"}))

    (box,) = page.text_area
    assert (box.label, box.value) == ("price", '"12"')
    assert any("price must be" in element.value for element in page.markdown)


def test_a_secret_is_typed_behind_dots_and_its_difference_stays_masked() -> None:
    card = samples.approval(
        input={"api_key": "sk-live-4242"},
        input_schema={"type": "object", "properties": {"api_key": {"type": "string"}}},
    )
    page = editing(card)
    assert page.text_input[0].proto.type == page.text_input[0].proto.PASSWORD

    fill(page, "api_key", "sk-other")
    assert not {"sk-live-4242", "sk-other"} & set(pages.texts(page))


def test_while_values_are_fields_they_are_not_listed_a_second_time() -> None:
    page = editing(samples.approval())

    assert "12.5" not in pages.texts(page)


def test_an_unchanged_edit_is_asked_about_once_and_not_at_every_drawing() -> None:
    desk = FakeDesk(samples.approval())
    page = pages.click(pages.cards(desk=desk), words.EDIT)
    page.run()
    page.run()

    assert desk.previews == 1
