"""The text in a file, if it is text: told by its bytes alone, whatever its name says."""

import codecs
import re
from dataclasses import dataclass
from typing import Final

_MARKS: Final = (
    # The mark of UTF-32 begins with that of UTF-16, so it is looked for first.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROLS: Final = 0.01
"""Logs have a few; files that are no text have many."""
_LEAST_ASCII: Final = 0.7
"""Of a text in Windows-1252: other one-byte encodings, read as this one, have less."""


@dataclass(frozen=True)
class FileText:
    """The text of a file."""

    text: str
    encoding: str
    """In the words of people: `UTF-8`."""


def text_of(data: bytes) -> FileText | None:
    """Read a file's bytes as text; None when they are none.

    UTF-8, UTF-16 and UTF-32 with their marks, UTF-8 and UTF-16 without, and Windows-1252 that is mostly ASCII.
    Nothing of the text is changed but the mark, which is left out.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data, encoding)
    wide = _wide(data)
    if wide is not None:
        return _decoded(data, wide)
    return _decoded(data, "utf-8") or _western(data)


def _decoded(data: bytes, encoding: str) -> FileText | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    if "\0" in text or len(_CONTROLS.findall(text)) > len(text) * _MOST_CONTROLS:
        return None
    name = encoding.removesuffix("-sig").removesuffix("-le").removesuffix("-be").upper()
    return FileText(text, name)


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: most of what people write in it has every other byte zero."""
    sample = data[:4096]
    if len(data) % 2 or len(sample) < 4:
        return None
    half = len(sample) // 2
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > half * 0.4 and even < half * 0.05:
        return "utf-16-le"
    if even > half * 0.4 and odd < half * 0.05:
        return "utf-16-be"
    return None


def _western(data: bytes) -> FileText | None:
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    if _CONTROLS.search(text) or sum(byte < 128 for byte in data) < len(data) * _LEAST_ASCII:
        return None
    return FileText(text, "Windows-1252")
