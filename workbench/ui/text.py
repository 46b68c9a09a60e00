"""Foreign text on a page: what a model, a tool or a config wrote, never taken for markup."""

import json
import re
from functools import lru_cache
from textwrap import dedent
from typing import Any

from markdown_it import MarkdownIt

from workbench import policy

# What Markdown would read as a sign. Signs that mean something only at the start of a block come apart, so that
# ordinary sentences go without backslashes: Streamlit hands a label to screen readers as it was written.
_SIGNS = re.compile(r"[\\`*\[\]<&$~{}]|(?<![^\W_])_|_(?![^\W_])")
_BLOCK = re.compile(r"^(?:#+(?=\s|$)|[-+](?=\s|$)|>|-+$|\d+[.)](?=\s|$))")
# Read in the parsed text, where a backslash is gone: shortcodes, icons, addresses and arrows.
_SHORTCODE = re.compile(r":(?=[\w+-]+:|material|//)")
_NAME = re.compile(r":(?=[^\W\d_])")
_ADDRESS = re.compile(r"(?<=www)(?=\.)|(?<=@)(?=\w)", re.IGNORECASE)
_ARROW = re.compile(r"(?<=[<>~-])(?=[->=])")
# Joins nothing and shows nothing; it only keeps two characters from being read as one sign.
_JOINER = "\u2060"

_DIRECTIVE = re.compile(r":(?=[^\W\d_][\w-]*[\[{]|material[/_]|streamlit:)|:{2,}(?=\w)")
# Looks like a colon and is none. A backslash would show in code, and after a joiner the name still counts.
_COLON = "\ua789"
_IMAGE = re.compile(r"!(?=\[)")
_MERMAID = re.compile(r"mermaid", re.IGNORECASE)
_COMMONMARK = MarkdownIt("commonmark")


@lru_cache(maxsize=512)
def visible(text: str) -> str:
    """`text` with its hidden characters written out. Remembered: a page draws the same text many times."""
    return policy.visible(text)


def label(text: str) -> str:
    """`text` for a place that Streamlit reads as Markdown (a button, a caption), so that it shows as written.

    Hidden characters become visible, line breaks become spaces.
    """
    one_line = _SIGNS.sub(r"\\\g<0>", " ".join(visible(text).split()))
    one_line = _BLOCK.sub(_held_block, one_line)
    held = _NAME.sub(r"\\:", _SHORTCODE.sub(rf"\\:{_JOINER}", one_line))
    return _ADDRESS.sub(_JOINER, _ARROW.sub(_JOINER, held))


def _held_block(sign: re.Match[str]) -> str:
    return f"{sign[0][:-1]}\\{sign[0][-1]}"


@lru_cache(maxsize=512)
def prose(text: str) -> str:
    """An agent's prose as Markdown that loads nothing and can't imitate the page.

    Images become links, colours and badges and icons stay the characters they are, a diagram stays its source.
    Code blocks keep their text, so that what is copied from them is what the model wrote.
    """
    shown = visible(text)
    lines = shown.split("\n")
    code: set[int] = set()
    for token in _COMMONMARK.parse(shown):
        if token.type not in ("fence", "code_block") or token.map is None:
            continue
        first, last = token.map
        code.update(range(first, last))
        if token.type == "fence" and _MERMAID.search(token.info):
            lines[first] = _MERMAID.sub("text", lines[first])
    return "\n".join(line if at in code else _held(line) for at, line in enumerate(lines))


def _held(line: str) -> str:
    return _IMAGE.sub("!" + _JOINER, _DIRECTIVE.sub(lambda colons: _COLON * len(colons[0]), line))


def value_text(value: Any) -> str:
    """One value as plain text, as it would be told from its neighbours: `12` the number and `"12"` the text.

    Text is shown bare, and in quotes where bare text could be taken for something else.
    """
    if isinstance(value, str):
        return visible(json.dumps(value, ensure_ascii=False) if _ambiguous(value) else value)
    return visible(json.dumps(value, ensure_ascii=False, default=repr))


def json_text(value: Any) -> str:
    """Any value as indented JSON, hidden characters made visible."""
    return visible(json.dumps(value, ensure_ascii=False, indent=2, default=repr))


def _ambiguous(text: str) -> bool:
    # A page drops the space around a text and a common indent, so what has any of it is quoted, but for the
    # line breaks that most files end with.
    if dedent(text).strip() != text.rstrip("\n"):
        return True
    if len(text) > 40:
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
