"""What is wrong with a JSON Schema that a file holds, each mistake with its place in the schema."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from workbench.config.problem import KeyPath, Severity, choices, nearest, shown
from workbench.policy import one_line

_TYPES: Final = ("string", "integer", "number", "boolean", "object", "array", "null")
_META: Final = Draft202012Validator(Draft202012Validator.META_SCHEMA)
_KEYWORDS: Final = frozenset(
    "$schema $id $ref $anchor $dynamicRef $dynamicAnchor $defs $comment $vocabulary type enum const multipleOf "
    "maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems "
    "maxContains minContains maxProperties minProperties required dependentRequired allOf anyOf oneOf not if then "
    "else dependentSchemas prefixItems items contains properties patternProperties additionalProperties "
    "propertyNames unevaluatedItems unevaluatedProperties title description default deprecated readOnly writeOnly "
    "examples format contentEncoding contentMediaType contentSchema".split()
)
_ONE: Final = frozenset(
    "not if then else items contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties "
    "contentSchema".split()
)
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_BY_NAME: Final = frozenset({"properties", "patternProperties", "$defs", "dependentSchemas"})


@dataclass(frozen=True)
class Fault:
    """One mistake in a schema."""

    path: KeyPath
    message: str
    severity: Severity = "error"
    suggestion: str | None = None


def faults(schema: Mapping[str, Any]) -> Iterator[Fault]:
    """Find what keeps a schema of draft 2020-12 from checking anything, or from being filled in at all."""
    broken = list(_META.iter_errors(schema))
    for error in broken:
        yield _fault(error)
    if not broken:
        for path, part in _parts(schema, ()):
            yield from _of_part(part, path, schema)


def _fault(error: ValidationError) -> Fault:
    path = tuple(error.absolute_path)
    value: Any = error.instance
    if path[-1:] == ("type",):
        near = nearest(value, _TYPES) if isinstance(value, str) else None
        hint = f"did you mean {near!r}?" if near else f"use {choices(_TYPES)}"
        return Fault(path, f"{shown(value)} is not a type; {hint}", suggestion=near)
    wanted = {
        "array": "a list",
        "object": "a mapping (key: value)",
        "string": "a text",
        "boolean": "true or false",
    }
    if error.validator == "type" and isinstance(error.validator_value, str):
        noun = wanted.get(error.validator_value, f"of the type {error.validator_value}")
        return Fault(path, f"{shown(value)} stands here; a JSON Schema needs {noun}")
    if error.validator == "type":
        return Fault(path, f"{shown(value)} is not a JSON Schema; write a mapping, such as {{type: string}}")
    return Fault(path, f"this is no JSON Schema: {one_line(error.message)}")


def _parts(schema: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Mapping[str, Any]]]:
    """A schema and every schema inside it."""
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    for key, value in schema.items():
        if key in _ONE:
            yield from _parts(value, (*path, key))
        elif key in _LISTS and isinstance(value, list):
            for place, inner in enumerate(value):
                yield from _parts(inner, (*path, key, place))
        elif key in _BY_NAME and isinstance(value, Mapping):
            for name, inner in value.items():
                yield from _parts(inner, (*path, key, name))


def _of_part(part: Mapping[str, Any], path: KeyPath, whole: Mapping[str, Any]) -> Iterator[Fault]:
    for key in part:
        near = None if key in _KEYWORDS else nearest(key, _KEYWORDS)
        if near is not None:
            message = f"JSON Schema has no keyword {key!r}; did you mean {near!r}?"
            yield Fault((*path, key), message, "hint", near)
    for key in ("pattern",) if isinstance(part.get("pattern"), str) else ():
        if (why := _regex_fault(part[key])) is not None:
            yield Fault((*path, key), f"{shown(part[key])} is not a regular expression: {why}")
    for name in part.get("patternProperties", ()):
        if (why := _regex_fault(name)) is not None:
            yield Fault(
                (*path, "patternProperties", name), f"{shown(name)} is not a regular expression: {why}"
            )
    reference = part.get("$ref")
    if isinstance(reference, str) and not _leads_somewhere(reference, whole):
        message = f"{shown(reference)} leads nowhere; a reference points into this schema, as in #/$defs/name"
        yield Fault((*path, "$ref"), message)
    if reference == "#" and not path:
        yield Fault(("$ref",), "the schema refers to itself and says nothing")
    yield from _never_filled(part, path)


def _never_filled(part: Mapping[str, Any], path: KeyPath) -> Iterator[Fault]:
    """A property that is required and not described: no form has a field for it."""
    properties = part.get("properties")
    if not isinstance(properties, Mapping) or part.get("type") != "object":
        return
    for place, name in enumerate(part.get("required", ())):
        if name not in properties:
            near = nearest(name, properties)
            hint = f"did you mean {near!r}?" if near else f"describe it, or use {choices(properties)}"
            yield Fault(
                (*path, "required", place),
                f"{name!r} is required and not among the properties; {hint}",
                suggestion=near,
            )


def _regex_fault(pattern: str) -> str | None:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return one_line(str(error))
    return None


def _leads_somewhere(reference: str, whole: Mapping[str, Any]) -> bool:
    if not reference.startswith("#"):
        return False
    place: Any = whole
    for step in reference[1:].strip("/").split("/"):
        if not step:
            continue
        plain = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, list) and plain.isdigit() and int(plain) < len(place):
            place = place[int(plain)]
        elif isinstance(place, Mapping) and plain in place:
            place = place[plain]
        else:
            return False
    return isinstance(place, Mapping | bool)
