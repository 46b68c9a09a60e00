"""A form from a JSON Schema: fields that hold values of the right type, with what is wrong beside each.

The value under construction lives in the draft of its request, not in the widgets: widgets lose their state
when they are not drawn, a draft does not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import streamlit as st

from workbench.policy import is_secret_key
from workbench.ui import draft, words
from workbench.ui.desk import Desk
from workbench.ui.shape import (
    MISSING,
    Kind,
    Path,
    Shape,
    Unreadable,
    dotted,
    put_at,
    read,
    shape_of,
    starting,
    written,
)
from workbench.ui.text import label, value_text, visible

_DEEPEST = 8
_LONG_TEXT = 80
_FIRST_DAY, _LAST_DAY = date(1900, 1, 1), date(2999, 12, 31)


@dataclass(frozen=True)
class FormState:
    """What a form holds at this moment."""

    value: Any
    """`MISSING` while nothing was entered."""
    problems: Mapping[str, str]
    """Field path to why what was typed there is no value. The value lacks these fields' newest text."""


@dataclass(frozen=True)
class Form:
    """One form of one request: `edit` starts from the call's input, `response` from nothing."""

    desk: Desk
    request_id: str
    name: str
    schema: Mapping[str, Any]
    """The schema of the whole; empty for a single JSON box."""
    initial: Any = MISSING
    blank: bool = False
    """Draw the fields that have no value yet, as a form to be filled in does."""

    def state(self) -> FormState:
        """What the form holds now, half-typed parts told apart."""
        kept = self._kept()
        problems = {path: problem for path, (_, problem) in kept.get("raw", {}).items()}
        return FormState(kept["value"] if "value" in kept else self.initial, problems)

    def render(self, state: FormState, errors: Mapping[str, str]) -> None:
        """Draws the fields. `errors` is what a check of the whole value found, by field path."""
        shown = {**errors, **state.problems}
        with st.container():
            if "" in shown:
                _error("", shown[""])
        self._field(self.schema, (), state.value, shown, required=True)

    def reset(self) -> None:
        """Forgets every change."""
        draft.put(self.desk, self.request_id, self.name, {})
        self._redraw()

    # The draft: {"value": …, "raw": {path: [what was typed, why it is no value]}}

    def _kept(self) -> dict[str, Any]:
        kept: dict[str, Any] = draft.load(self.desk, self.request_id).get(self.name) or {}
        return kept

    def _set(self, path: Path, new: Any) -> None:
        kept = self._kept()
        raw = {name: typed for name, typed in kept.get("raw", {}).items() if not _under(name, path)}
        value = put_at(kept["value"] if "value" in kept else self.initial, path, new)
        self._keep(value, raw)

    def _set_raw(self, path: Path, typed: str, problem: str) -> None:
        kept = self._kept()
        raw = {**kept.get("raw", {}), dotted(path): [typed, problem]}
        self._keep(kept["value"] if "value" in kept else self.initial, raw)

    def _keep(self, value: Any, raw: Mapping[str, Any]) -> None:
        kept = {"raw": dict(raw)} if value is MISSING else {"value": value, "raw": dict(raw)}
        draft.put(self.desk, self.request_id, self.name, kept)

    def _redraw(self) -> None:
        # Entries have moved: fields get new keys and fill themselves from the draft again.
        slot = draft.key(self.request_id, f"{self.name}-generation")
        st.session_state[slot] = st.session_state.get(slot, 0) + 1

    def _key(self, path: Path, what: str = "") -> str:
        generation = st.session_state.get(draft.key(self.request_id, f"{self.name}-generation"), 0)
        return draft.key(self.request_id, f"{self.name}{generation}.{dotted(path)}{what}")

    # Drawing

    def _field(
        self, schema: Mapping[str, Any], path: Path, value: Any, errors: Mapping[str, str], *, required: bool
    ) -> None:
        shape = shape_of(schema, self.schema, value) if len(path) < _DEEPEST else Shape("json")
        if value is MISSING and not required and not self.blank:
            self._absent(schema, shape, path)
            return
        nothing = shape.nullable and value is None
        # A container of its own: what comes and goes beside one field must not move the next one.
        with st.container(gap="xsmall"):
            match shape.kind:
                case "object" if not nothing:
                    self._object(shape, path, value, errors)
                case "list" if not nothing:
                    self._list(shape, path, value, errors)
                case "boolean":
                    self._boolean(shape, path, value, nothing, required)
                case "choice":
                    self._choice(shape, path, value, nothing, required)
                case "date" if self.blank and _in_calendar(value):
                    self._day(shape, path, value, nothing, required)
                case kind:
                    self._typed(kind, shape, path, value, nothing, required)
            if path and dotted(path) in errors:
                _error(self._title(shape, path), errors[dotted(path)])
            removable = bool(path) and (isinstance(path[-1], int) or not (required or self.blank))
            if shape.nullable or removable:
                with st.container(horizontal=True, vertical_alignment="center"):
                    if shape.nullable:
                        self._null(schema, path, nothing)
                    if removable:
                        self._remove(path)

    def _title(self, shape: Shape, path: Path, *, required: bool = True) -> str:
        """What a field is called. A form to be filled in goes by the schema's words, an edit by the call's own."""
        name = _name(path) or words.FREE_ANSWER
        if not self.blank:
            return name
        return (shape.title or name) + ("" if required else words.OPTIONAL)

    def _null(self, schema: Mapping[str, Any], path: Path, nothing: bool) -> None:
        key = self._key(path, "-null")
        draft.fill(key, nothing)
        st.checkbox(
            label(words.null(_name(path))), key=key, on_change=self._null_changed, args=(path, schema)
        )

    def _absent(self, schema: Mapping[str, Any], shape: Shape, path: Path) -> None:
        st.button(
            label(words.add(_name(path))),
            key=self._key(path, "-add"),
            type="tertiary",
            icon=":material/add:",
            help=label(shape.description) or None,
            on_click=self._start,
            args=(path, schema),
        )

    def _object(self, shape: Shape, path: Path, value: Any, errors: Mapping[str, str]) -> None:
        members = value if isinstance(value, Mapping) else {}
        with self._group(shape, path):
            for name, schema in shape.properties.items():
                self._field(
                    schema, (*path, name), members.get(name, MISSING), errors, required=name in shape.required
                )
            for name in members:
                if name not in shape.properties:
                    self._field({}, (*path, name), members[name], errors, required=False)

    def _list(self, shape: Shape, path: Path, value: Any, errors: Mapping[str, str]) -> None:
        entries = value if isinstance(value, list) else []
        with self._group(shape, path, words.count(len(entries), "entry", "entries")):
            for at, entry in enumerate(entries):
                self._field(shape.items, (*path, at), entry, errors, required=True)
            st.button(
                words.ADD_ENTRY,
                key=self._key(path, "-append"),
                type="tertiary",
                icon=":material/add:",
                on_click=self._start,
                args=((*path, len(entries)), shape.items),
            )

    def _group(self, shape: Shape, path: Path, remark: str = "") -> Any:
        if not path:
            return st.container()
        with st.container(horizontal=True, gap="small"):
            st.text(visible(_name(path)), width="content")
            if remark:
                st.caption(remark, width="content")
        if shape.description:
            st.caption(label(shape.description))
        return st.container(key=f"wb-nest-{self._key(path)}")

    def _typed(self, kind: Kind, shape: Shape, path: Path, value: Any, nothing: bool, required: bool) -> None:
        key = self._key(path, f"-{kind}")
        raw = self._kept().get("raw", {}).get(dotted(path))
        text = raw[0] if raw else written(kind, value)
        draft.fill(key, text)
        # Settled once: a field that changed its kind under the fingers would lose the caret.
        tall = st.session_state.setdefault(f"{key}-tall", "\n" in text or len(text) > _LONG_TEXT)
        title = label(self._title(shape, path, required=required))
        hint, args = _hint(kind, shape), (path, kind, key, required)
        if kind == "json" or (kind == "text" and tall):
            st.text_area(title, key=key, help=hint, disabled=nothing, on_change=self._text_changed, args=args)
        else:
            secret = any(is_secret_key(str(step)) for step in path)
            st.text_input(
                title,
                key=key,
                help=hint,
                disabled=nothing,
                type="password" if secret else "default",
                placeholder=words.PLACEHOLDERS.get(kind),
                autocomplete="off",
                live="400ms",
                on_change=self._text_changed,
                args=args,
            )

    def _day(self, shape: Shape, path: Path, value: Any, nothing: bool, required: bool) -> None:
        key = self._key(path, "-day")
        draft.fill(key, date.fromisoformat(value) if isinstance(value, str) else None)
        st.date_input(
            label(self._title(shape, path, required=required)),
            value=None,
            min_value=_FIRST_DAY,
            max_value=_LAST_DAY,
            key=key,
            format="YYYY-MM-DD",
            help=_hint("date", shape),
            disabled=nothing,
            on_change=self._day_picked,
            args=(path, key),
        )

    def _boolean(self, shape: Shape, path: Path, value: Any, nothing: bool, required: bool) -> None:
        key = self._key(path)
        draft.fill(key, None if value is MISSING or nothing else value)
        st.segmented_control(
            label(self._title(shape, path, required=required)),
            [True, False],
            format_func=lambda choice: "true" if choice else "false",
            key=key,
            help=_hint("boolean", shape),
            disabled=nothing,
            on_change=self._picked,
            args=(path, key),
        )

    def _choice(self, shape: Shape, path: Path, value: Any, nothing: bool, required: bool) -> None:
        key = self._key(path)
        same = [
            at for at, option in enumerate(shape.options) if type(option) is type(value) and option == value
        ]
        draft.fill(key, same[0] if same and not nothing else None)
        st.selectbox(
            label(self._title(shape, path, required=required)),
            range(len(shape.options)),
            index=None,
            format_func=lambda at: value_text(shape.options[at]),
            key=key,
            help=_hint("choice", shape),
            disabled=nothing,
            placeholder=words.CHOOSE,
            on_change=self._chosen,
            args=(path, key, shape.options),
        )

    def _remove(self, path: Path) -> None:
        last = path[-1]
        st.button(
            label(words.remove_entry(last + 1) if isinstance(last, int) else words.leave_out(last)),
            key=self._key(path, "-remove"),
            type="tertiary",
            icon=":material/close:",
            on_click=self._take_out,
            args=(path,),
        )

    # Callbacks

    def _text_changed(self, path: Path, kind: Kind, key: str, required: bool) -> None:
        typed = draft.typed(key)
        if typed is None:
            return
        if not typed.strip() and kind != "text" and not required:
            self._set(path, MISSING)
            return
        try:
            self._set(path, read(kind, typed))
        except Unreadable as problem:
            self._set_raw(path, typed, str(problem))

    def _picked(self, path: Path, key: str) -> None:
        choice = draft.typed(key)
        if choice is not None:
            self._set(path, choice)

    def _day_picked(self, path: Path, key: str) -> None:
        if key in st.session_state:
            day = draft.typed(key)
            self._set(path, MISSING if day is None else day.isoformat())

    def _chosen(self, path: Path, key: str, options: tuple[Any, ...]) -> None:
        place = draft.typed(key)
        if place is not None:
            self._set(path, options[place])

    def _null_changed(self, path: Path, schema: Mapping[str, Any]) -> None:
        ticked = draft.typed(self._key(path, "-null"))
        if ticked is None:
            return
        self._set(
            path,
            None if ticked else starting({**schema, "default": ""} if not schema else schema, self.schema),
        )
        self._redraw()

    def _start(self, path: Path, schema: Mapping[str, Any]) -> None:
        self._set(path, starting(schema, self.schema))
        self._redraw()

    def _take_out(self, path: Path) -> None:
        self._set(path, MISSING)
        if path and isinstance(path[-1], int):
            kept = self._kept()
            raw = {name: typed for name, typed in kept.get("raw", {}).items() if not _under(name, path[:-1])}
            self._keep(kept.get("value", MISSING), raw)
        self._redraw()


def _in_calendar(value: Any) -> bool:
    """Whether a calendar can show a value, which may be none yet."""
    return not isinstance(value, str) or _FIRST_DAY <= date.fromisoformat(value) <= _LAST_DAY


def _name(path: Path) -> str:
    if not path:
        return ""
    return words.entry(path[-1] + 1) if isinstance(path[-1], int) else path[-1]


def _hint(kind: Kind, shape: Shape) -> str | None:
    return label(" — ".join(part for part in (words.KINDS[kind], shape.description) if part))


def _error(name: str, problem: str) -> None:
    st.markdown(f":material/error: :red[{label(words.field_problem(name, problem))}]")


def _under(name: str, path: Path) -> bool:
    start = dotted(path)
    return not start or name == start or name.startswith(f"{start}.")
