"""Text is told from other content by its bytes alone."""

import random
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.agents.file_text import text_of

WORDS = "naïve Ünïcode — 日本語 🌍\r\nsecond line\tend"


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "UTF-8"),
        ("utf-16", "UTF-16"),
        ("utf-32", "UTF-32"),
    ],
)
def test_unicode_with_its_mark_and_utf_8_without_are_read(encoding: str, name: str) -> None:
    found = text_of(WORDS.encode(encoding))
    assert found is not None and (found.text, found.encoding) == (WORDS, name)


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf_16_without_a_mark_is_read(order: str) -> None:
    text = "sku;price\nA1;12.50\n" * 20
    found = text_of(text.encode(f"utf-16-{order}"))
    assert found is not None and (found.text, found.encoding) == (text, "UTF-16")


@pytest.mark.parametrize("mark", ["fe ff", "ff fe"])
def test_both_marks_of_utf_16_are_known(mark: str) -> None:
    order = "be" if mark == "fe ff" else "le"
    found = text_of(bytes.fromhex(mark) + "Größe".encode(f"utf-16-{order}"))
    assert found is not None and found.text == "Größe"


def test_western_text_of_old_programs_is_read() -> None:
    found = text_of("Größe;Straße – 5 €\n".encode("cp1252"))
    assert found is not None and (found.text, found.encoding) == ("Größe;Straße – 5 €\n", "Windows-1252")


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "shift-jis", "gb18030"])
def test_other_old_encodings_are_not_guessed_at(encoding: str) -> None:
    assert (
        text_of(
            ("привет мир как дела " if encoding in ("cp1251", "koi8-r") else "日本語の文章" * 5).encode(
                encoding
            )
        )
        is None
    )


def test_a_log_with_colours_is_text() -> None:
    found = text_of(b"\x1b[32mok\x1b[0m done\f\n")
    assert found is not None and found.text.startswith("\x1b[32m")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + zlib.compress(b"x" * 500),
        b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + random.Random(1).randbytes(300),
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + zlib.compress(b"y" * 900),
        b"plain and then\x00zero",
        b"\xff\xfe\x00",
        b"\xff\xfeA\x00\x00\xd8",
        struct.pack("<200h", *[random.Random(2).randrange(-9000, 9000) for _ in range(200)]),
        b"\x00" * 400,
        bytes(range(256)),
        b"\x01\x02\x03 some words",
    ],
)
def test_what_is_no_text_is_none(data: bytes) -> None:
    assert text_of(data) is None


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))))
def test_every_text_in_utf_8_is_read_as_it_is(text: str) -> None:
    found = text_of(text.encode())
    assert found is not None and found.text == text.removeprefix("\ufeff")


@given(st.binary(max_size=400))
def test_no_bytes_are_too_odd(data: bytes) -> None:
    found = text_of(data)
    assert found is None or "\0" not in found.text
