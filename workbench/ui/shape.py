"""What field a JSON Schema asks for. Pure: schemas and values in, plain descriptions out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from math import isfinite
from typing import Any, Final, Literal

Kind = Literal["text", "number", "integer", "boolean", "choice", "date", "list", "object", "json"]
Path = tuple[str | int, ...]


class Missing:
    """The type of :data:`MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()
"""No value at all, which is neither null nor empty."""


class Unreadable(ValueError):
    """What was typed is not a value of its field; the sentence says what is."""


@dataclass(frozen=True)
class Shape:
    """One field."""

    kind: Kind
    nullable: bool = False
    title: str = ""
    description: str = ""
    options: tuple[Any, ...] = ()
    """The values of a `choice`."""
    items: Mapping[str, Any] = field(default_factory=dict)
    """The schema of a list's entries."""
    properties: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    required: frozenset[str] = frozenset()


def shape_of(schema: Mapping[str, Any], root: Mapping[str, Any], value: Any = MISSING) -> Shape:
    """The field for a schema. What no field can hold, the value it has included, is a `json` box.

    Args:
        schema: the schema of this place.
        root: the whole schema, which `$ref` points into.
        value: what stands there now.
    """
    plain, nullable = _plain(schema, root)
    shape = _shape(plain, nullable)
    if value is MISSING or (value is None and nullable) or _holds(shape, value):
        return shape
    return Shape("json", nullable, shape.title, shape.description)


def starting(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int = 0) -> Any:
    """A value to start a new entry with: the schema's default, else the emptiest one that fits."""
    plain, nullable = _plain(schema, root)
    if "default" in plain:
        return plain["default"]
    shape = _shape(plain, nullable)
    match shape.kind:
        case "text":
            return ""
        case "number" | "integer":
            return 0
        case "boolean":
            return False
        case "choice":
            return shape.options[0]
        case "date":
            return date.today().isoformat()
        case "list":
            return []
        case "object":
            inner = {name: shape.properties[name] for name in shape.required if name in shape.properties}
            if depth > 4:
                return {}
            return {name: starting(member, root, depth + 1) for name, member in inner.items()}
        case "json":
            return None


def read(kind: Kind, text: str) -> Any:
    """The value that a typed text stands for. Raises `Unreadable`."""
    match kind:
        case "integer":
            try:
                return int(text.strip())
            except ValueError:
                raise Unreadable("This needs a whole number, such as 12.") from None
        case "number":
            return _number(text)
        case "date":
            try:
                return date.fromisoformat(text.strip()).isoformat()
            except ValueError:
                raise Unreadable("This needs a date, such as 2026-03-31.") from None
        case "json":
            try:
                return json.loads(text)
            except json.JSONDecodeError as error:
                raise Unreadable(
                    f"This is not JSON: {error.msg} (line {error.lineno}, column {error.colno})."
                ) from None
        case "text" | "boolean" | "choice" | "list" | "object":
            return text


def written(kind: Kind, value: Any) -> str:
    """The text a field starts with, so that `read` gives the value back."""
    if value is MISSING or (value is None and kind != "json"):
        return ""
    if kind in ("text", "date"):
        return str(value)
    if kind == "json":
        return json.dumps(value, ensure_ascii=False, indent=2)
    return json.dumps(value)


def put_at(value: Any, path: Path, new: Any) -> Any:
    """A copy of `value` with `new` at `path`. `MISSING` takes the place out."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        entries = list(value) if isinstance(value, list) else []
        if not rest and new is MISSING:
            return entries[:step] + entries[step + 1 :]
        entries += [None] * (step + 1 - len(entries))
        entries[step] = put_at(entries[step], rest, new)
        return entries
    members = dict(value) if isinstance(value, Mapping) else {}
    if not rest and new is MISSING:
        members.pop(step, None)
        return members
    members[step] = put_at(members.get(step, MISSING), rest, new)
    return members


def dotted(path: Path) -> str:
    """`items.0.sku`, the way errors name a field."""
    return ".".join(str(step) for step in path)


def _number(text: str) -> int | float:
    try:
        return int(text.strip())
    except ValueError:
        pass
    try:
        number = float(text.strip())
    except ValueError:
        raise Unreadable("This needs a number, such as 12.50.") from None
    if not isfinite(number):
        raise Unreadable("This needs a number, such as 12.50.")
    return number


def _plain(
    schema: Mapping[str, Any], root: Mapping[str, Any], hops: int = 0
) -> tuple[Mapping[str, Any], bool]:
    """The schema without `$ref`, without a lone `allOf`, and without null as one of its types."""
    if hops > 20:
        return {}, False
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = _target(reference, root)
        if target is None:
            return {}, False
        rest = {name: part for name, part in schema.items() if name != "$ref"}
        return _plain({**target, **rest}, root, hops + 1)
    for joint in ("anyOf", "oneOf"):
        members = schema.get(joint)
        if isinstance(members, list):
            kept = [member for member in members if member.get("type") != "null"]
            if len(kept) == 1 and len(kept) < len(members):
                rest = {name: part for name, part in schema.items() if name != joint}
                return _plain({**kept[0], **rest}, root, hops + 1)[0], True
            return {key: schema[key] for key in ("title", "description", "default") if key in schema}, False
    together = schema.get("allOf")
    if isinstance(together, list) and len(together) == 1:
        rest = {name: part for name, part in schema.items() if name != "allOf"}
        return _plain({**together[0], **rest}, root, hops + 1)
    types = schema.get("type")
    if isinstance(types, list):
        kept_types = [name for name in types if name != "null"]
        if len(kept_types) == 1:
            return {**schema, "type": kept_types[0]}, "null" in types
        return {**schema, "type": "any"}, "null" in types
    return schema, False


def _target(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if not reference.startswith("#"):
        return None
    place: Any = root
    for step in reference[1:].strip("/").split("/"):
        if step:
            place = (
                place.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(place, Mapping) else None
            )
    return place if isinstance(place, Mapping) else None


def _shape(schema: Mapping[str, Any], nullable: bool) -> Shape:
    title, description = str(schema.get("title", "")), str(schema.get("description", ""))
    options = schema.get("enum")
    if isinstance(options, list) and options:
        kept = tuple(option for option in options if option is not None)
        return Shape("choice", nullable or None in options, title, description, options=kept or (None,))
    if "const" in schema:
        return Shape("choice", nullable, title, description, options=(schema["const"],))
    match schema.get("type"):
        case "string" if schema.get("format") == "date":
            kind: Kind = "date"
        case "string":
            kind = "text"
        case "integer":
            kind = "integer"
        case "number":
            kind = "number"
        case "boolean":
            kind = "boolean"
        case "array" if isinstance(schema.get("items"), Mapping):
            return Shape("list", nullable, title, description, items=schema["items"])
        case "object" if schema.get("properties"):
            required = frozenset(schema.get("required", ()))
            return Shape(
                "object", nullable, title, description, properties=schema["properties"], required=required
            )
        case _:
            kind = "json"
    return Shape(kind, nullable, title, description)


def _holds(shape: Shape, value: Any) -> bool:
    match shape.kind:
        case "text":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "choice":
            return any(type(option) is type(value) and option == value for option in shape.options)
        case "date":
            try:
                return isinstance(value, str) and bool(date.fromisoformat(value))
            except ValueError:
                return False
        case "list":
            return isinstance(value, list)
        case "object":
            return isinstance(value, Mapping)
        case "json":
            return True
