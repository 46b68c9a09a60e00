"""What the YAML parser complains of, in sentences for people."""

import re
from typing import Final

import yaml

from workbench.config.node import Place

_SENTENCES: Final = {
    "mapping values are not allowed in this context": (
        "a ':' is not expected here; indent the line like its neighbours, or put a text that holds ': ' in quotes"
    ),
    "could not find expected ':'": "a ':' is missing after this key, or a quote or bracket before it is not closed",
    "did not find expected key": (
        "this line belongs to nothing; indent it like the keys around it, and close quotes before it"
    ),
    "did not find expected '-' indicator": "this stands in a list and does not start with '- '; check the indentation",
    "did not find expected ',' or ']'": "a ',' or the closing ']' of the list is missing",
    "did not find expected ',' or '}'": "a ',' or the closing '}' of the mapping is missing",
    "did not find expected <document start>": "something stands after the end of the document",
    "found unexpected end of stream": "the quote that opens this text is never closed",
    "found unexpected document indicator": "the quote that opens this text is not closed before the '---'",
    "found undefined tag handle": "a value that starts with '!' is a YAML tag; put it in quotes if it is a text",
    "found unknown directive name": "a line that starts with '%' is a YAML directive; put it in quotes if it is a text",
    "block sequence entries are not allowed in this context": (
        "a list can't start here; put its first '- ' on a line of its own"
    ),
    "exceeded maximum nesting depth": "values are nested far too deep here; no config needs that",
    "did not find expected alphabetic or numeric character": (
        "a value that starts with '*' or '&' is an alias or an anchor and needs a name; put a glob in quotes"
    ),
    "found unexpected ':'": "inside [ ] and { } a ':' needs a space after it; put a text that holds one in quotes",
    "did not find expected node content": "a value is missing here",
}
_UNKNOWN_ESCAPE: Final = "found unknown escape character"
_BAD_START: Final = "found character that cannot start any token"
_NEAR: Final = 200
_OPENED: Final = re.compile(r"flow (sequence|mapping)|quoted scalar")


def explain(error: yaml.YAMLError, text: str) -> tuple[str, Place, str | None]:
    """Say what the parser stumbled over: the sentence, its place, and the culprit where it is one thing."""
    problem = str(getattr(error, "problem", None) or "this is not valid YAML")
    mark = getattr(error, "problem_mark", None)
    start = getattr(error, "context_mark", None)
    place = Place(mark.line + 1, mark.column + 1) if mark is not None else Place(1, 1)
    line = _line(text, place.line)
    if problem == _BAD_START:
        return (*_bad_start(line, place), line[place.column - 1 : place.column] or None)
    if problem == _UNKNOWN_ESCAPE:
        found = line[place.column - 1 : place.column + 1]
        sentence = (
            f"{found!r} means nothing in double quotes; write '\\\\' for a backslash, or use single quotes"
        )
        return f"this is not valid YAML: {sentence}", place, found
    sentence = _SENTENCES.get(problem, problem)
    context = str(getattr(error, "context", "") or "")
    if line[place.column - 1 : place.column] == ":" and not line[: place.column - 1].strip():
        sentence = "a key is missing before this ':'"
    elif _unquoted_variable(line, place.column):
        sentence = "inside [ ] and { } a ${VARIABLE} must be in quotes"
    elif start is not None and _OPENED.search(context):
        if "quoted" in context:
            place = Place(start.line + 1, start.column + 1)
        else:
            sentence += f"; it opens on line {start.line + 1}"
    return f"this is not valid YAML: {sentence}", place, None


def _bad_start(line: str, place: Place) -> tuple[str, Place]:
    found = line[place.column - 1 : place.column]
    if found == "\t":
        return "a tab stands where YAML wants spaces; indent with spaces only", place
    return f"this is not valid YAML: a value can't start with {found!r}; put it in quotes", place


def _unquoted_variable(line: str, column: int) -> bool:
    line = line[max(column - _NEAR, 0) : column + _NEAR]
    return re.search(r"[\[{,:]\s*\$\{", line) is not None and re.search(r"[\[{].*\$\{", line) is not None


def _line(text: str, number: int) -> str:
    lines = text.split("\n", number)
    return lines[number - 1] if number <= len(lines) else ""
