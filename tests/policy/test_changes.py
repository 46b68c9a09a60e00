"""What differs between two inputs."""

from typing import Any

import pytest
from hypothesis import given

from tests.policy import drawn
from workbench.policy import ABSENT, changes, digest


def test_each_change_stands_at_the_innermost_field_that_differs() -> None:
    before = {
        "store": "summit",
        "items": [{"sku": "A1", "price": 10}, {"sku": "A2", "price": 5}],
        "note": "x",
    }
    after = {"store": "summit", "items": [{"sku": "A1", "price": 12}, {"sku": "A2", "price": 5}], "why": None}
    assert [(change.path, change.before, change.after) for change in changes(before, after)] == [
        ("items.0.price", 10, 12),
        ("note", "x", ABSENT),
        ("why", ABSENT, None),
    ]


def test_a_list_of_another_length_is_one_change() -> None:
    [change] = changes({"items": [1, 2]}, {"items": [1]})
    assert (change.path, change.before, change.after) == ("items", [1, 2], [1])


@pytest.mark.parametrize(
    ("before", "after"), [(1, True), (1, 1.0), (0, False), (None, ""), ("1", 1), ([], {})]
)
def test_values_of_another_type_are_changes(before: Any, after: Any) -> None:
    assert [change.path for change in changes({"it": before}, {"it": after})] == ["it"]


def test_another_order_of_fields_is_no_change() -> None:
    assert changes({"a": {"x": 1, "y": 2}, "b": 3}, {"b": 3, "a": {"y": 2, "x": 1}}) == ()


@given(drawn.inputs, drawn.inputs)
def test_inputs_change_exactly_when_their_digests_do(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert (changes(before, after) == ()) == (digest(before) == digest(after))


@given(drawn.inputs, drawn.inputs)
def test_every_change_can_be_found_in_both_inputs(before: dict[str, Any], after: dict[str, Any]) -> None:
    for change in changes(before, after):
        for whole, part in ((before, change.before), (after, change.after)):
            *way, last = change.keys
            place: Any = whole
            for key in way:
                place = place[key]
            assert (last not in place) if part is ABSENT else place[last] is part
