"""What a plain YAML scalar means, by the core schema of YAML 1.2.

`yes`, `no`, `on` and `off` are text, as in YAML 1.2 and in ruamel.yaml: a country code `NO` stays one, and where a
truth value is wanted they are an error that says so. Octal numbers, times and dates of YAML 1.1 are text as well.
"""

import math
import re
from typing import Final

Value = str | int | float | bool | None

WORDS: Final[dict[str, bool | None]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip

LOOKS_LIKE_TRUTH: Final = {
    **dict.fromkeys(("yes", "on", "y", "true", "1"), True),
    **dict.fromkeys(("no", "off", "n", "false", "0"), False),
}
"""Text, in lower case, that people write for a truth value, and the one they mean."""

_STARTS_NUMBER: Final = frozenset("+-.0123456789")
_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_OTHER_BASE: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LONGEST_INTEGER: Final = 100


def resolve(text: str) -> Value:
    """The value of a plain scalar. Raises ValueError, with a sentence, for a number that can't be kept."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in _STARTS_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        if len(text) > _LONGEST_INTEGER:
            raise ValueError(f"a number of {len(text)} digits is too long; put it in quotes if it is a text")
        return int(text)
    if _OTHER_BASE.fullmatch(text):
        if len(text) > _LONGEST_INTEGER:
            raise ValueError(f"a number of {len(text)} digits is too long; put it in quotes if it is a text")
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(f"{text[:40]} is too large for a number")
        return number
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is not a number that can be stored; write a finite one")
    return text
