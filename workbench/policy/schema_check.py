"""A person's values against a JSON Schema, with each error in plain words beside its field."""

import math
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from typing import Any, Final
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry

from workbench.policy.shown import one_line


class SchemaUnusable(Exception):
    """A schema that can't check anything: it is broken, or leans on what is not in it."""


def field_errors(value: Any, schema: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with a value, by the path of the field, such as `items.0.sku`; `""` is the whole value.

    Draft 2020-12, formats included. A field that is missing or that the schema forbids is named by its own path.
    Numbers that JSON can't say (NaN and the infinities pass every minimum and maximum), values that are not JSON
    and values nested more than 100 levels deep are errors too.

    Raises:
        SchemaUnusable: the schema itself is at fault.
    """
    found = dict(_not_json("", value))
    if found:
        return found
    # Without a registry of our own, jsonschema fetches a remote $ref over the network.
    validator = Draft202012Validator(dict(schema), registry=Registry(), format_checker=_FORMATS)
    try:
        Draft202012Validator.check_schema(dict(schema))
        errors = [error for error in validator.iter_errors(value) if not _is_null_by_default(error)]
        for error in errors:
            # An error that none of the words below fits is an error all the same.
            for path, message in list(_placed(error)) or [(_path(error), _message(error))]:
                found.setdefault(path, message)
    except RecursionError as error:
        raise SchemaUnusable("it goes round in a circle") from error
    # A schema can fail in ways that jsonschema does not gather under one name: an unknown type, a pattern
    # that is no regular expression, a reference that leads nowhere or round in a circle.
    except Exception as error:
        raise SchemaUnusable(one_line(str(error).partition("\n")[0])) from error
    return found


_DEEPEST: Final = 100


def _not_json(path: str, value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    match value:
        case dict() | list() if depth >= _DEEPEST:
            yield "", f"is nested more than {_DEEPEST} levels deep"
        case None | bool() | int() | str():
            return
        case float():
            if not math.isfinite(value):
                yield path, "must be an ordinary number"
        case dict():
            for key, member in value.items():
                if isinstance(key, str):
                    yield from _not_json(_join(path, key), member, depth + 1)
                else:
                    yield path, "has a field whose name is not text"
        case list():
            for place, item in enumerate(value):
                yield from _not_json(_join(path, str(place)), item, depth + 1)
        case _:
            yield path, f"must be a JSON value, not a {type(value).__name__}"


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _path(error: ValidationError) -> str:
    return ".".join(str(key) for key in error.absolute_path)


def _is_null_by_default(error: ValidationError) -> bool:
    """Whether it is about a field left null, as the tool's own default does though its type doesn't say so."""
    schema: Any = error.schema
    return error.validator == "type" and error.instance is None and schema.get("default", ...) is None


def _placed(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Where an error belongs, and what to say there."""
    path = _path(error)
    value: Any = error.instance
    expected: Any = error.validator_value
    match error.validator:
        case "required":
            # jsonschema reports each missing field in an error of its own, without naming it apart.
            for name in expected:
                if name not in value:
                    yield _join(path, name), "is required"
        case "dependentRequired":
            for given, needed in expected.items():
                for name in needed if given in value else ():
                    if name not in value:
                        yield _join(path, name), f"is required when {given} is given"
        case "additionalProperties" | "unevaluatedProperties":
            for name in _unknown_fields(error):
                yield _join(path, name), "is not a field that is accepted here"
        case "anyOf" | "oneOf":
            yield from _of_alternatives(path, error)
        case _:
            yield path, _message(error)


def _unknown_fields(error: ValidationError) -> list[str]:
    schema: Any = error.schema
    value: Any = error.instance
    known = schema.get("properties", {})
    unknown = [name for name in value if name not in known]
    # A schema that also has patternProperties or subschemas: take the names that the message gives.
    return [
        name for name in unknown if f"'{name}'" in error.message or f'"{name}"' in error.message
    ] or unknown


def _of_alternatives(path: str, error: ValidationError) -> Iterator[tuple[str, str]]:
    """The error of the alternative that fits best, or the types that would do when none fits at all."""
    if not error.context:
        yield path, "fits more than one of the alternatives, and must fit one"
        return
    alternatives: Any = error.validator_value
    at_top = [inner for inner in error.context if inner.validator == "type" and not inner.relative_path]
    if len(at_top) == len(alternatives):
        yield path, f"must be {' or '.join(dict.fromkeys(_type_of(inner) for inner in at_top))}"
        return
    # Alternatives of the wrong type altogether say less than what is wrong within the right one.
    nearest = best_match([inner for inner in error.context if inner not in at_top])
    if nearest is not None:
        yield from _placed(nearest)


_TYPES: Final = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "empty (null)",
}


def _type_of(error: ValidationError) -> str:
    names: Any = error.validator_value
    listed = [names] if isinstance(names, str) else names
    return " or ".join(_TYPES.get(name, name) for name in listed)


def _message(error: ValidationError) -> str:
    expected: Any = error.validator_value
    match error.validator:
        case "type":
            return f"must be {_type_of(error)}"
        case "enum":
            return f"must be one of {', '.join(_value(item) for item in expected)}"
        case "const":
            return f"must be {_value(expected)}"
        case "minimum":
            return f"must be {expected} or more"
        case "maximum":
            return f"must be {expected} or less"
        case "exclusiveMinimum":
            return f"must be more than {expected}"
        case "exclusiveMaximum":
            return f"must be less than {expected}"
        case "multipleOf":
            return f"must be a multiple of {expected}"
        case "minLength":
            return "must not be empty" if expected == 1 else f"must have {expected} characters or more"
        case "maxLength":
            return f"must have {expected} characters or fewer"
        case "minItems":
            return "must not be empty" if expected == 1 else f"must have {expected} items or more"
        case "maxItems":
            return f"must have {expected} items or fewer"
        case "uniqueItems":
            return "must not have the same item twice"
        case "pattern":
            return f"must match the pattern {one_line(str(expected))}"
        case "format":
            return f"must be {_FORMAT_WORDS.get(expected, f'in the format {expected}')}"
        case None:
            return "has something that is not accepted here"
        case "anyOf" | "oneOf":
            return "fits none of the alternatives"
        case "not":
            return "must not have this value"
        case _:
            return one_line(error.message)


def _value(value: Any) -> str:
    return one_line(value) if isinstance(value, str) and value else one_line(repr(value))


_FORMATS: Final = FormatChecker(["email", "idn-email", "ipv4", "ipv6", "uuid", "regex"])
_FORMAT_WORDS: Final = {
    "email": "an e-mail address",
    "idn-email": "an e-mail address",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "uuid": "a UUID",
    "regex": "a regular expression",
    "date": "a date such as 2026-03-14",
    "time": "a time such as 14:30:00",
    "date-time": "a date and time such as 2026-03-14T14:30:00Z",
    "uri": "an address such as https://example.org",
    "iri": "an address such as https://example.org",
}


@_FORMATS.checks("date", raises=ValueError)
def _is_date(value: object) -> bool:
    return not isinstance(value, str) or (len(value) == 10 and date.fromisoformat(value) is not None)


@_FORMATS.checks("time", raises=ValueError)
def _is_time(value: object) -> bool:
    return not isinstance(value, str) or (":" in value and time.fromisoformat(value) is not None)


@_FORMATS.checks("date-time", raises=ValueError)
def _is_date_time(value: object) -> bool:
    # Without a zone too: tools that take a datetime accept that, and their schemas can't say so.
    return not isinstance(value, str) or (":" in value and datetime.fromisoformat(value) is not None)


@_FORMATS.checks("uri", raises=ValueError)
@_FORMATS.checks("iri", raises=ValueError)
def _is_uri(value: object) -> bool:
    if not isinstance(value, str):
        return True
    parts = urlsplit(value)
    return (
        bool(parts.scheme) and bool(parts.netloc or parts.path) and not any(char.isspace() for char in value)
    )
