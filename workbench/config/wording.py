"""What pydantic finds wrong, as problems with a place and a remedy."""

import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from workbench.config.node import Place
from workbench.config.problem import KeyPath, choices, did_you_mean, nearest, shown
from workbench.config.reading import Origin
from workbench.config.report import Report
from workbench.config.scalar import LOOKS_LIKE_TRUTH
from workbench.config.shape import keys_at
from workbench.policy import is_secret_key

_NOUNS: Final = {
    "remember": "a scope",
    "mode": "an orchestration's mode",
    "transport": "a transport",
    "version": "a version of this format",
}
_NOT_TEXT: Final = frozenset({"bool_type", "int_type", "float_type"})
_ONE_VARIABLE: Final = re.compile(r"\$\{[^}]*\}")
_WANTED: Final = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "a text",
    "dict_type": "a mapping (key: value)",
    "model_type": "a mapping (key: value)",
    "model_attributes_type": "a mapping (key: value)",
    "tuple_type": "a list",
    "list_type": "a list",
}


def explain(
    failure: ValidationError,
    root: type[BaseModel],
    data: Mapping[str, Any],
    origins: Mapping[KeyPath, Origin],
    report: Report,
) -> None:
    """Note everything that a validation found wrong."""
    for error in failure.errors(include_url=False):
        _Complaint(error, root, data, origins, report).note()


class _Complaint:
    def __init__(
        self,
        error: ErrorDetails,
        root: type[BaseModel],
        data: Mapping[str, Any],
        origins: Mapping[KeyPath, Origin],
        report: Report,
    ) -> None:
        self._error, self._root, self._data, self._origins, self._report = error, root, data, origins, report
        self._path = _real_path(error["loc"], data)
        self._of_key = error["loc"][-1:] == ("[key]",)

    def note(self) -> None:
        """Put the complaint into the report, unless the value is known to be wrong already."""
        if self._report.full:
            self._report.count_one_more()
            return
        if self._report.is_spoilt(self._path):
            return
        kind = self._error["type"]
        context = self._error.get("ctx") or {}
        key = str(self._path[-1]) if self._path else ""
        match kind:
            case "extra_forbidden":
                self._unknown_key(key)
            case "missing":
                self._missing(key)
            case "literal_error" | "union_tag_invalid":
                self._not_a_choice(key, context)
            case "union_tag_not_found":
                self._no_form(key, context)
            case "string_pattern_mismatch":
                self._bad_text(key)
            case "greater_than":
                self._add(f"{self._culprit()} is too small; use a number above {context['gt']:g}")
            case "too_short":
                self._add("nothing is listed here; it needs at least one entry")
            case "string_type" | "int_type" | "float_type" | "bool_type" if self._is_var():
                self._add(f"{self._culprit()} can't be a var; use a text, a number, true or false")
            case _ if kind in _WANTED:
                self._wrong_type(kind, key)
            case _:
                self._add(self._error["msg"])

    def _unknown_key(self, key: str) -> None:
        allowed = keys_at(self._root, self._path[:-1], self._data)
        near = nearest(key, allowed)
        hint = did_you_mean(near, allowed, nothing="remove it")
        self._add(f"unknown key {key!r}; {hint}", at_key=True, culprit=key, suggestion=near)

    def _missing(self, key: str) -> None:
        origin = self._origins.get(self._path[:-1])
        place = (origin.key or origin.value) if origin else Place(1, 1)
        self._report.add(f"the key {key!r} is missing; add it here", place, self._path, culprit=key)

    def _not_a_choice(self, key: str, context: Mapping[str, Any]) -> None:
        if self._error["type"] == "union_tag_invalid":
            key, value = "mode", context["tag"]
            self._path = (*self._path, "mode")
            names = [name.strip(" '") for name in context["expected_tags"].split(",")]
        else:
            value = self._error["input"]
            names = [name.strip("'") for name in context["expected"].replace(" or ", ", ").split(", ")]
        near = nearest(value, names) if isinstance(value, str) else None
        culprit = self._culprit(value)
        meant = f"; did you mean {near!r}?" if near else ""
        self._add(
            f"{culprit} is not {_NOUNS.get(key, 'a choice here')}{meant or f'; use {choices(names)}'}",
            suggestion=near,
        )

    def _no_form(self, key: str, context: Mapping[str, Any]) -> None:
        if isinstance(self._error["input"], dict):
            self._path = (*self._path, "mode")
            self._missing("mode")
        elif key == "model":
            self._add(
                f"{self._what()}; write the name of a model, or a model in place: {{provider: …, model_id: …}}"
            )
        else:
            self._wrong_type("model_type", key)

    def _bad_text(self, key: str) -> None:
        value = self._error["input"]
        if not value.strip():
            self._add("the text is empty; write one, or leave the key out")
        else:
            self._add(
                f"{self._culprit()} can't be a name; use letters, digits, _ and -, at most 64 of them",
                at_key=self._of_key,
            )

    def _wrong_type(self, kind: str, key: str) -> None:
        value = self._error["input"]
        wanted = "a rule: a name, a glob or {name: …}" if self._is_rule() else _WANTED[kind]
        if value is None:
            remedy = f"write {wanted}, or leave the key out" if self._path else f"write {wanted}"
            self._add(f"nothing is written here; {remedy}")
            return
        self._add(f"{self._what()}, not {wanted}{self._remedy(kind, value, key)}")

    def _remedy(self, kind: str, value: object, key: str) -> str:
        origin = self._origins.get(self._path)
        if kind in _NOT_TEXT and origin and not origin.plain and _ONE_VARIABLE.fullmatch(origin.text or ""):
            return f"; write {origin.text} without quotes, on a line of its own"
        match kind, value:
            case "bool_type", str() if value.strip().lower() in LOOKS_LIKE_TRUTH:
                meant = "true" if LOOKS_LIKE_TRUTH[value.strip().lower()] else "false"
                return f"; write {meant}" if origin and origin.plain else f"; write {meant}, without quotes"
            case "bool_type", 0 | 1:
                return f"; write {'true' if value else 'false'}"
            case "int_type" | "float_type", str() if value.strip().replace(".", "", 1).isdigit():
                return f"; write {value.strip()}, without quotes"
            case "int_type", float() if value.is_integer():
                return f"; write {int(value)}"
            case "string_type", int() | float():
                return "; put it in quotes"
            case "tuple_type", str() if key == "command":
                return f"; write the command and its arguments as [{', '.join(value.split())}]"
            case "tuple_type", str() | int() | float():
                return f"; write [{value}]"
            case "tuple_type", dict():
                return "; start each entry with '- '"
            case _:
                return ""

    def _what(self) -> str:
        match self._error["input"]:
            case bool():
                return f"{self._culprit()} is a truth value"
            case int() | float():
                return f"{self._culprit()} is a number"
            case str():
                return f"{self._culprit()} is a text"
            case list():
                return "this is a list"
            case dict():
                return "this is a mapping"
            case _:
                return f"{self._culprit()} is something else"

    def _culprit(self, value: object = None) -> str:
        """The offending value as written; a secret that a variable holds is never spelled out."""
        origin = self._origins.get(self._path)
        if any(isinstance(part, str) and is_secret_key(part) for part in self._path[-1:]):
            return "this value"
        if origin is not None and origin.text is not None and "${" in origin.text:
            return f"{origin.text!r}, as filled in,"
        if origin is not None and origin.text and not origin.plain:
            return shown(origin.text)
        return shown(self._value() if value is None else value)

    def _value(self) -> object:
        return self._path[-1] if self._of_key else self._error["input"]

    def _is_var(self) -> bool:
        return len(self._path) == 2 and self._path[0] == "vars"

    def _is_rule(self) -> bool:
        return self._path[-3:-1] == ("interrupt", "tools")

    def _place(self, *, at_key: bool = False) -> Place:
        for end in range(len(self._path), -1, -1):
            origin = self._origins.get(self._path[:end])
            if origin is not None:
                return (origin.key or origin.value) if at_key or end < len(self._path) else origin.value
        return Place(1, 1)

    def _add(
        self, message: str, *, at_key: bool = False, culprit: str | None = None, suggestion: str | None = None
    ) -> None:
        origin = self._origins.get(self._path)
        written = culprit or (origin.text if origin else None)
        if self._path and isinstance(self._path[-1], str) and is_secret_key(self._path[-1]) and not at_key:
            written = None
        self._report.add(
            message, self._place(at_key=at_key), self._path, culprit=written, suggestion=suggestion
        )


def _real_path(loc: tuple[str | int, ...], data: Any) -> KeyPath:
    """The key path that a pydantic location means: without the names of a union's forms, and of `[key]`."""
    path: list[str | int] = []
    for position, part in enumerate(loc):
        last = position == len(loc) - 1
        if isinstance(data, dict) and isinstance(part, str) and part in data:
            path.append(part)
            data = data[part]
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            path.append(part)
            data = data[part]
        elif isinstance(data, dict) and last and part != "[key]":
            path.append(part)  # a key that is missing
    return tuple(path)
