"""Templates in a script: `{{message}}`, `{{last_result}}` and the like, so that free typing plays with real values.

What a template may name:

- `{{message}}`: what the person said last;
- `{{1}}`, `{{sku}}`: a group of the reply's `match` (`{{0}}` is all of what matched); one that took no part is empty;
- `{{last_result}}`: the text of the newest tool result of the conversation; `{{last_result.order.id}}` and
  `{{last_result.0.id}}` look into one that is JSON;
- `{{results.0}}`, `{{results.1.id}}`: the results of this turn, in order.

A value that is one template and nothing else keeps its type: a value from inside JSON stays what it is, and a text
that reads as a number becomes one, unless the tool declares its parameter as a string.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_TEMPLATE = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


class BadTemplate(ValueError):
    """A template that names nothing a script knows."""


class Unfilled(Exception):
    """A template that can't be filled from this conversation: a result without the asked-for field."""


@dataclass(frozen=True)
class Known:
    """What templates are filled from."""

    message: str
    results: Sequence[str] = ()
    """The results of this turn, as text."""
    last_result: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)


def check_templates(value: Any, groups: frozenset[str]) -> None:
    """Check every template inside a value. Raises `BadTemplate` for one that names nothing."""
    match value:
        case str():
            for name in _TEMPLATE.findall(value):
                _check_name(name, groups)
        case dict():
            for inner in value.values():
                check_templates(inner, groups)
        case list():
            for inner in value:
                check_templates(inner, groups)


def fill_text(text: str, known: Known) -> str:
    """Fill the templates of a text. Raises `Unfilled`."""
    return _TEMPLATE.sub(lambda found: _as_text(_look_up(found.group(1), known)), text)


def fill_value(value: Any, known: Known, schema: Mapping[str, Any] | None = None) -> Any:
    """Fill the templates at any depth of a value; `schema` is the JSON Schema it should meet. Raises `Unfilled`."""
    match value:
        case str():
            whole = _TEMPLATE.fullmatch(value)
            return _typed(_look_up(whole.group(1), known), schema) if whole else fill_text(value, known)
        case dict():
            properties = (schema or {}).get("properties") or {}
            return {key: fill_value(inner, known, properties.get(key)) for key, inner in value.items()}
        case list():
            items = (schema or {}).get("items")
            inner_schema = items if isinstance(items, dict) else None
            return [fill_value(inner, known, inner_schema) for inner in value]
        case _:
            return value


def _check_name(name: str, groups: frozenset[str]) -> None:
    head, _, rest = name.partition(".")
    if name == "message" or name in groups or head == "last_result":
        return
    if head == "results" and rest.partition(".")[0].isdigit():
        return
    names = ["message", "last_result", "results.0", *sorted(groups)]
    raise BadTemplate(f"{{{{{name}}}}} names nothing; a template here may be one of {', '.join(names)}")


def _look_up(name: str, known: Known) -> Any:
    if name in known.groups:
        return known.groups[name]
    head, *path = name.split(".")
    match head:
        case "message":
            return known.message
        case "last_result":
            if known.last_result is None:
                raise Unfilled(f"{{{{{name}}}}} is not known yet: no tool has given a result")
            return _inside(known.last_result, path, name)
        case _:
            position = int(path[0])
            if position >= len(known.results):
                raise Unfilled(
                    f"{{{{{name}}}}} is not known: this turn has {len(known.results)} results so far"
                )
            return _inside(known.results[position], path[1:], name)


def _inside(result: str, path: list[str], name: str) -> Any:
    if not path:
        return result
    try:
        value = json.loads(result)
        for key in path:
            value = value[int(key)] if isinstance(value, list) else value[key]
    except (ValueError, KeyError, IndexError, TypeError):
        raise Unfilled(f"{{{{{name}}}}} is not in the result, which was: {result}") from None
    return value


def _typed(value: Any, schema: Mapping[str, Any] | None) -> Any:
    types = _declared_types(schema)
    if "string" in types:
        return _as_text(value)
    if not isinstance(value, str):
        return value
    if _NUMBER.fullmatch(value.strip()):
        return json.loads(value)
    if "boolean" in types and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    return value


def _declared_types(schema: Mapping[str, Any] | None) -> set[str]:
    if not schema:
        return set()
    declared = schema.get("type", [])
    types = {declared} if isinstance(declared, str) else set(declared)
    for option in schema.get("anyOf") or []:
        types |= _declared_types(option)
    return types


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
