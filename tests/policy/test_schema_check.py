"""Values against schemas, and the words beside the fields."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.policy import drawn
from workbench.policy import SchemaUnusable, field_errors


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "string"}, 1, "must be text"),
        ({"type": "number"}, "1", "must be a number"),
        ({"type": "number"}, True, "must be a number"),
        ({"type": "integer"}, 1.5, "must be a whole number"),
        ({"type": "boolean"}, "true", "must be true or false"),
        ({"type": ["string", "null"]}, 1, "must be text or empty (null)"),
        ({"type": "array"}, {}, "must be a list"),
        ({"enum": ["red", "blue", 3]}, "green", "must be one of red, blue, 3"),
        ({"const": 3}, 4, "must be 3"),
        ({"minimum": 1}, 0, "must be 1 or more"),
        ({"maximum": 1}, 2, "must be 1 or less"),
        ({"exclusiveMinimum": 0}, 0, "must be more than 0"),
        ({"exclusiveMaximum": 5}, 5, "must be less than 5"),
        ({"multipleOf": 5}, 7, "must be a multiple of 5"),
        ({"minLength": 1}, "", "must not be empty"),
        ({"minLength": 3}, "a", "must have 3 characters or more"),
        ({"maxLength": 1}, "ab", "must have 1 characters or fewer"),
        ({"pattern": "^A"}, "B", "must match the pattern ^A"),
        ({"minItems": 1}, [], "must not be empty"),
        ({"maxItems": 1}, [1, 2], "must have 1 items or fewer"),
        ({"uniqueItems": True}, [1, 1], "must not have the same item twice"),
        ({"not": {"const": 1}}, 1, "must not have this value"),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, "x", "must be a number or empty (null)"),
        ({"anyOf": [{"type": "number", "minimum": 2}, {"type": "null"}]}, 1, "must be 2 or more"),
        ({"oneOf": [{"minimum": 0}, {"minimum": 1}]}, 2, "fits more than one of the alternatives, and must fit one"),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "number"}}}, "x", "must be a number"),
    ],
)  # fmt: skip
def test_an_error_is_said_in_plain_words(schema: dict[str, Any], value: Any, message: str) -> None:
    whole = {"type": "object", "properties": {"it": schema}, "$defs": schema.get("$defs", {})}
    assert field_errors({"it": value}, whole) == {"it": message}


def test_errors_stand_at_the_fields_they_are_about() -> None:
    item = {
        "type": "object",
        "properties": {"sku": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["sku", "n"],
        "additionalProperties": False,
    }
    schema = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": item}},
        "required": ["items"],
    }
    value = {"items": [{"sku": 3, "n": 1}, {"sku": "A1", "colour": "red", "it's": 1}]}
    assert field_errors(value, schema) == {
        "items.0.sku": "must be text",
        "items.1.n": "is required",
        "items.1.colour": "is not a field that is accepted here",
        "items.1.it's": "is not a field that is accepted here",
    }
    assert field_errors({}, schema) == {"items": "is required"}
    assert field_errors([], schema) == {"": "must be an object"}


def test_extra_fields_are_taken_unless_the_schema_forbids_them() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert field_errors({"a": "x", "b": 1}, schema) == {}
    assert field_errors({"a": "x", "b": 1}, {**schema, "additionalProperties": False}) == {
        "b": "is not a field that is accepted here"
    }
    by_pattern = {**schema, "additionalProperties": False, "patternProperties": {"^x_": {}}}
    assert field_errors({"a": "x", "x_b": 1, "c": 2}, by_pattern) == {
        "c": "is not a field that is accepted here"
    }
    assert field_errors({"b": 1}, {**schema, "unevaluatedProperties": False}) == {
        "b": "is not a field that is accepted here"
    }


def test_a_field_needed_by_another_is_named() -> None:
    schema = {"type": "object", "dependentRequired": {"card": ["holder"]}}
    assert field_errors({"card": 1}, schema) == {"holder": "is required when card is given"}


def test_the_alternative_that_fits_best_is_the_one_that_speaks() -> None:
    shop = {"type": "object", "properties": {"store": {"type": "string"}}, "required": ["store"]}
    schema = {"type": "object", "properties": {"at": {"anyOf": [shop, {"type": "string"}]}}}
    assert field_errors({"at": {"store": 3}}, schema) == {"at.store": "must be text"}
    assert field_errors({"at": {}}, schema) == {"at.store": "is required"}
    assert field_errors({"at": 3}, schema) == {"at": "must be an object or text"}


def test_null_is_taken_where_it_is_the_default_though_the_type_leaves_it_out() -> None:
    schema = {
        "type": "object",
        "properties": {"b": {"type": "array", "default": None}, "c": {"type": "array"}},
    }
    assert field_errors({"b": None, "c": None}, schema) == {"c": "must be a list"}


@pytest.mark.parametrize(
    ("format", "good", "bad"),
    [
        ("date", "2026-03-14", "14 March"),
        ("date", "2024-02-29", "2026-02-29"),
        ("time", "14:30:00", "half past two"),
        ("date-time", "2026-03-14T14:30:00Z", "2026-03-14"),
        ("date-time", "2026-03-14T14:30:00", "2026-13-14T14:30:00"),
        ("email", "ann@example.org", "ann"),
        ("uuid", "2f1b0a52-1d0c-4d3a-9a9b-3f9a3f5c0a11", "2f1b"),
        ("ipv4", "10.0.0.1", "10.0.0.256"),
        ("ipv6", "::1", "::g"),
        ("uri", "https://example.org/a?b=c", "example.org/a"),
        ("uri", "mailto:ann@example.org", "https://exa mple.org"),
        ("regex", "^a+$", "("),
    ],
)
def test_formats_are_checked(format: str, good: str, bad: str) -> None:
    schema = {"type": "object", "properties": {"it": {"type": "string", "format": format}}}
    assert field_errors({"it": good}, schema) == {}
    assert list(field_errors({"it": bad}, schema)) == ["it"]


def test_a_format_nobody_knows_is_left_alone() -> None:
    assert field_errors("x", {"type": "string", "format": "shoe-size"}) == {}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_would_slip_past_every_limit_is_refused(number: float) -> None:
    schema = {"type": "object", "properties": {"price": {"type": "number", "maximum": 10}}}
    assert field_errors({"price": number, "deep": [number]}, schema) == {
        "price": "must be an ordinary number",
        "deep.0": "must be an ordinary number",
    }


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": {1, 2}}, {"a": "must be a JSON value, not a set"}),
        ({"a": b"x"}, {"a": "must be a JSON value, not a bytes"}),
        ({"a": {1: 2}}, {"a": "has a field whose name is not text"}),
    ],
)
def test_what_is_not_json_is_refused(value: Any, message: dict[str, str]) -> None:
    assert field_errors(value, {}) == message


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "no such type"},
        {"type": "object", "properties": []},
        {"pattern": "("},
        {"$ref": "#/$defs/nowhere"},
        {"$ref": "https://schemas.invalid/one.json"},
        {"$ref": "#"},
    ],
)
def test_a_schema_that_can_not_check_anything_is_told_apart_from_a_wrong_value(
    schema: dict[str, Any],
) -> None:
    with pytest.raises(SchemaUnusable):
        field_errors("x", schema)


def test_a_value_nested_without_end_is_refused_in_words() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    assert field_errors(deep, {}) == {"": "is nested more than 100 levels deep"}


def test_a_long_value_is_not_repeated_in_its_error() -> None:
    [message] = field_errors("x" * 50_000, {"enum": ["a"]}).values()
    assert len(message) < 100


def test_a_place_where_nothing_is_accepted_says_so() -> None:
    [message] = field_errors({"a": 1}, {"properties": {"a": False}}).values()
    assert message == "has something that is not accepted here"


def test_alternatives_that_contradict_themselves_take_nothing() -> None:
    impossible = {"allOf": [{"type": "string"}, {"type": "number"}]}
    assert field_errors([], {"anyOf": [impossible]}) != {}
    assert field_errors(None, {"anyOf": [impossible, {"type": "string", "default": None}]}) != {}


leaves: st.SearchStrategy[Any] = st.sampled_from(
    [
        {},
        True,
        False,
        {"type": "string"},
        {"type": "integer"},
        {"type": ["number", "null"]},
        {"type": "array"},
    ]
    + [
        {"type": "object"},
        {"enum": [1, "a", None]},
        {"const": 0},
        {"minLength": 1},
        {"minimum": 1},
        {"maxItems": 0},
    ]
    + [{"required": ["a"]}, {"dependentRequired": {"a": ["b"]}}, {"propertyNames": {"maxLength": 0}}]
)
fields = st.sampled_from(["a", "b", "c"])
schemas = st.recursive(
    leaves,
    lambda inner: (
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"not": inner})
        | st.fixed_dictionaries({"items": inner})
        | st.fixed_dictionaries({"contains": inner})
        | st.fixed_dictionaries({"if": inner, "then": inner, "else": inner})
        | st.fixed_dictionaries(
            {
                "properties": st.dictionaries(fields, inner, max_size=2),
                "additionalProperties": inner,
                "required": st.lists(fields, max_size=2, unique=True),
            }
        )
        | st.fixed_dictionaries(
            {"properties": st.dictionaries(fields, inner), "unevaluatedProperties": inner}
        )
    ),
    max_leaves=6,
)
values = st.recursive(
    st.sampled_from([None, True, 0, 1, 1.5, "", "a"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(fields, inner, max_size=3),
    max_leaves=5,
)


@given(schemas.filter(lambda schema: isinstance(schema, dict)), values | drawn.json_values)
def test_whatever_breaks_a_schema_has_an_error_and_nothing_else_does(
    schema: dict[str, Any], value: Any
) -> None:
    assert (field_errors(value, schema) == {}) == Draft202012Validator(schema).is_valid(value)
