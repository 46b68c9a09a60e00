"""The values of a call, whole and as plain text: what a person must be able to trust before they approve."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from workbench.policy import masked
from workbench.ui import words
from workbench.ui.text import value_text, visible

_LONG = 240
_LINES = 6
_BOX = 220
_INDENT = "    "
# A page drops the spaces a text begins with; after this character, which shows nothing, it has none to drop.
_MARGIN = "\u2060"
# More rows than this and the tree is drawn as one text: as whole, and the page stays quick.
_MOST_ROWS = 80


@dataclass(frozen=True)
class Row:
    """One line of a tree of values."""

    depth: int
    name: str
    value: str | None
    """The value as written. None where `remark` says all there is."""
    remark: str = ""
    """The page's own words about the value: that it is empty, or how much is in it."""


def rows(value: Mapping[str, Any] | Sequence[Any], depth: int = 0) -> Iterator[Row]:
    """The tree of values, depth first. Nothing is left out: an empty value is a row that says so."""
    members = value.items() if isinstance(value, Mapping) else enumerate(value, start=1)
    for name, member in members:
        shown = visible(str(name)) if isinstance(value, Mapping) else f"{name}."
        match member:
            case "":
                yield Row(depth, shown, None, words.EMPTY_TEXT)
            case Mapping() if not member:
                yield Row(depth, shown, None, words.EMPTY_OBJECT)
            case list() | tuple() if not member:
                yield Row(depth, shown, None, words.EMPTY_LIST)
            case Mapping():
                yield Row(depth, shown, None)
                yield from rows(member, depth + 1)
            case list() | tuple():
                yield Row(depth, shown, None, words.count(len(member), "entry", "entries"))
                yield from rows(member, depth + 1)
            case _:
                yield Row(depth, shown, value_text(member))


def render_arguments(values: Mapping[str, Any], *, key: str) -> None:
    """Draws the values of one call. `key` names the place; secrets stay masked until revealed there."""
    hidden = masked(values)
    secret = hidden != values
    revealed = f"{key}-revealed"
    shown = values if st.session_state.get(revealed) else hidden
    with st.container(key=f"wb-args-{key}", gap="xsmall"):
        if not values:
            st.caption(words.NO_INPUT)
            return
        tree = list(rows(shown))
        if len(tree) > _MOST_ROWS:
            _box(_MARGIN + _as_text(tree))
        else:
            width = _name_width(tree)
            for row in tree:
                _row(row, width)
        if secret:
            _reveal(revealed)


def render_value(text: str, *, key: str, part: bool = False) -> None:
    """Draws one plain text the way values are drawn: a short one in line, a long one in a box with its length.

    `part` says that the text is the beginning of a longer one, whose length stands elsewhere.
    """
    with st.container(key=f"wb-args-{key}", gap="xsmall"):
        if _is_long(text):
            _box(visible(text), measured=not part)
        elif text:
            st.text(visible(text))
        else:
            st.caption(words.EMPTY_TEXT)


def _row(row: Row, name_width: int) -> None:
    with st.container(horizontal=True, wrap=False, gap="small", vertical_alignment="top"):
        st.text(_MARGIN + _INDENT * row.depth + row.name, width=name_width)
        if row.value is None:
            st.caption(row.remark, width="stretch")
        elif _is_long(row.value):
            with st.container(gap="xsmall"):
                _box(row.value)
        else:
            st.text(row.value, width="stretch")


def _box(text: str, *, measured: bool = True) -> None:
    with st.container(height=_BOX if _is_tall(text) else "content", border=True):
        st.text(text, width="stretch")
    if measured:
        st.caption(words.size(len(text.removeprefix(_MARGIN))))


def _reveal(slot: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        open_now = bool(st.session_state.get(slot))
        if not open_now:
            st.caption(words.MASKED, width="content")
        st.button(
            words.CONCEAL if open_now else words.REVEAL,
            key=f"{slot}-toggle",
            type="tertiary",
            icon=":material/visibility_off:" if open_now else ":material/visibility:",
            on_click=_toggle,
            args=(slot,),
        )


def _toggle(slot: str) -> None:
    st.session_state[slot] = not st.session_state.get(slot)


def _is_long(text: str) -> bool:
    return len(text) > _LONG or text.count("\n") >= _LINES


def _is_tall(text: str) -> bool:
    return len(text) > 4 * _LONG or text.count("\n") > 2 * _LINES


def _name_width(tree: Sequence[Row]) -> int:
    longest = max(len(_INDENT * row.depth + row.name) for row in tree)
    return min(max(longest * 9 + 8, 80), 260)


def _as_text(tree: Sequence[Row]) -> str:
    lines = []
    for row in tree:
        rest = f"({row.remark})" if row.value is None and row.remark else row.value or ""
        indent = _INDENT * row.depth
        lines.append(f"{indent}{row.name}: {rest}".rstrip().replace("\n", f"\n{indent}{_INDENT}"))
    return "\n".join(lines)
