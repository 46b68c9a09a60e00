"""The text of a config before YAML sees it: its encoding, its size, and characters that have no place in it."""

import re
import unicodedata
from typing import Final

from workbench.config.document import MOST_CHARACTERS
from workbench.config.node import Place
from workbench.config.report import Report

_BYTE_ORDER_MARK: Final = "\ufeff"
_UNWANTED: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


class NotText(ValueError):
    """Bytes that are no UTF-8 text; the message says what they seem to be, `place` where it shows."""

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(message)
        self.place = place


def decode(data: bytes) -> str:
    """The text of a file. Raises NotText."""
    if data.startswith(_UTF_16):
        raise NotText("the file is UTF-16; save it as UTF-8", Place(1, 1))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        message = f"the file is not UTF-8 text: byte 0x{data[error.start]:02X} stands here; save it as UTF-8"
        raise NotText(message, Place(line, column)) from None


def prepare(text: str, report: Report) -> str | None:
    """The text as YAML may read it, every place kept; None for one that is too long to be a config."""
    if len(text) > MOST_CHARACTERS:
        size = f"{len(text):,} characters"
        limit = f"{MOST_CHARACTERS:,}"
        message = f"the text is too long for a config: {size}, and {limit} are the limit; put long prompts into files"
        report.add(message, Place(1, 1))
        return None
    if text.startswith(_BYTE_ORDER_MARK):
        message = "the file starts with a byte order mark, which is ignored; save it as plain UTF-8"
        report.add(message, Place(1, 1), culprit="U+FEFF", severity="hint")
        text = text[1:]
    for found in _UNWANTED.finditer(text):
        place = _place_of(text, found.start())
        name = f"U+{ord(found.group()):04X}"
        what = unicodedata.name(found.group(), "a control character").lower()
        report.add(f"the character {name} ({what}) can't stand in a config; remove it", place, culprit=name)
        if report.full:
            break
    return _UNWANTED.sub("\ufffd", text)


def _place_of(text: str, index: int) -> Place:
    return Place(text.count("\n", 0, index) + 1, index - (text.rfind("\n", 0, index) + 1) + 1)
