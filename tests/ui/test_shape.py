"""What field a schema asks for, and what a typed text stands for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.samples import RETURN_SCHEMA
from workbench.policy import digest, field_errors
from workbench.ui.shape import MISSING, Kind, Unreadable, put_at, read, shape_of, starting, written


@pytest.mark.parametrize(
    ("schema", "kind", "nullable"),
    [
        ({"type": "string"}, "text", False),
        ({"type": "integer"}, "integer", False),
        ({"type": "number"}, "number", False),
        ({"type": "boolean"}, "boolean", False),
        ({"type": "string", "format": "date"}, "date", False),
        ({"enum": ["a", "b"]}, "choice", False),
        ({"enum": ["a", None]}, "choice", True),
        ({"const": 3}, "choice", False),
        ({"type": "array", "items": {"type": "string"}}, "list", False),
        ({"type": "object", "properties": {"a": {}}}, "object", False),
        ({"type": ["string", "null"]}, "text", True),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}, "integer", True),
        ({"allOf": [{"$ref": "#/$defs/name"}]}, "text", False),
        ({"$ref": "#/$defs/name"}, "text", False),
        ({"$ref": "#/$defs/missing"}, "json", False),
        ({"$ref": "#"}, "json", False),
        ({"type": ["string", "integer"]}, "json", False),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "json", False),
        ({"type": "object"}, "json", False),
        ({"type": "array"}, "json", False),
        ({}, "json", False),
    ],
)
def test_a_schema_has_one_kind_of_field(schema: dict[str, Any], kind: Kind, nullable: bool) -> None:
    root = {"$ref": "#", "$defs": {"name": {"type": "string"}}}
    shape = shape_of(schema, root)

    assert (shape.kind, shape.nullable) == (kind, nullable)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, "12"),
        ({"type": "integer"}, True),
        ({"type": "number"}, "12"),
        ({"type": "string"}, 12),
        ({"type": "string"}, None),
        ({"enum": [1, 2]}, True),
        ({"type": "string", "format": "date"}, "tomorrow"),
        ({"type": "array", "items": {}}, {}),
    ],
)
def test_a_value_its_field_could_not_hold_is_edited_as_json_and_not_changed_silently(
    schema: dict[str, Any], value: Any
) -> None:
    assert shape_of(schema, schema, value).kind == "json"


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_comes_back_from_its_field_as_it_went_in(number: int | float) -> None:
    back = read("number", written("number", number))

    assert digest({"": back}) == digest({"": number})


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_value_comes_back_from_a_json_box_as_it_went_in(value: Any) -> None:
    assert read("json", written("json", value)) == value


@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        ("integer", "1.5"),
        ("integer", ""),
        ("integer", "12a"),
        ("number", "nan"),
        ("number", "1e999"),
        ("number", "twelve"),
        ("date", "31.3.2026"),
        ("json", "{"),
    ],
)
def test_what_is_no_value_is_said_to_be_none(kind: Kind, typed: str) -> None:
    with pytest.raises(Unreadable, match="This"):
        read(kind, typed)


@pytest.mark.parametrize("schema", [RETURN_SCHEMA, {"type": "string", "default": "x"}, {"enum": [0, 1]}])
def test_a_new_entry_starts_with_a_value_that_fits(schema: dict[str, Any]) -> None:
    assert field_errors(starting(schema, schema), schema) == {}


def test_a_schema_that_needs_itself_for_ever_ends() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}

    assert starting(schema, schema) != MISSING


def test_putting_a_value_changes_a_copy() -> None:
    before = {"items": [{"sku": "A"}, {"sku": "B"}], "note": "x"}

    assert put_at(before, ("items", 1, "sku"), "C")["items"] == [{"sku": "A"}, {"sku": "C"}]
    assert put_at(before, ("items", 0), MISSING)["items"] == [{"sku": "B"}]
    assert put_at(before, ("note",), MISSING) == {"items": before["items"]}
    assert put_at(before, ("new", "deep"), 1)["new"] == {"deep": 1}
    assert before == {"items": [{"sku": "A"}, {"sku": "B"}], "note": "x"}
