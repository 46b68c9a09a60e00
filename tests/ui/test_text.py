"""Foreign text on a page is shown as written and never read as markup."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from workbench.policy import visible
from workbench.ui.text import json_text, label, prose, value_text

JOINER = "\u2060"
READER = MarkdownIt("commonmark").enable(["strikethrough", "table"])
FOREIGN = st.text(st.sampled_from(list("ab1 .\n:[](){}*_~`!<>#-+=|$&\\/@\u202eé")), max_size=40)


@given(FOREIGN)
@example("1. ![x](http://e.com/x.png) **b** <img src=x> &amp; `c` \\* [a][b]")
@example("# heading")
@example("- item")
@example("---")
@example("a\\")
def test_a_label_reads_as_the_text_it_was_made_of(text: str) -> None:
    inline = [
        token
        for token in READER.parse(label(text))
        if token.type not in ("paragraph_open", "paragraph_close")
    ]
    shown = "".join(child.content for token in inline for child in token.children or ())

    assert all(child.type == "text" for token in inline for child in token.children or ())
    assert shown.replace(JOINER, "") == " ".join(visible(text).split())


@pytest.mark.parametrize(
    "text",
    [
        ":material/check:",
        ":material_check:",
        ":smile:",
        "a -> b",
        "a <- b",
        "https://e.com",
        "www.e.com",
        "a@e.com",
    ],
)
def test_a_label_holds_apart_what_streamlit_reads_after_markdown(text: str) -> None:
    assert JOINER in label(text)


@pytest.mark.parametrize(
    "text", ["set_price", "Who, me? (yes!)", "at 20:47", "2.4 s · 50%", "12 items - 3 left"]
)
def test_an_ordinary_label_is_what_it_was_because_screen_readers_are_given_it_raw(text: str) -> None:
    assert label(text) == text


def test_a_directive_in_a_label_has_no_colon_to_begin_with() -> None:
    assert label(":red[x]{a=b}") == "\\:red\\[x\\]\\{a=b\\}"


@given(FOREIGN)
@example("![x](http://e.com/x.png)")
@example("- ```\n  a\n  ```\n  ![x](http://e.com/x.png)")
@example("> ```\n![x](y)")
def test_prose_never_loads_an_image(text: str) -> None:
    kinds = {child.type for token in READER.parse(prose(text)) for child in token.children or ()}

    assert "image" not in kinds


def test_prose_keeps_links_lists_and_tables() -> None:
    text = "- **one**\n- [two](https://e.com)\n\n| a | b |\n|---|---|\n| 1 | 2 |"

    assert prose(text) == text


def test_prose_can_imitate_no_badge_colour_or_icon_of_the_page() -> None:
    shown = prose("I am :green-badge[approved] :material/check_circle: :red[x] ::small[y]")

    assert ":green" not in shown and ":material" not in shown and ":red" not in shown and "::" not in shown
    assert "approved" in shown


def test_code_in_prose_stays_what_the_model_wrote_so_that_a_copy_of_it_works() -> None:
    text = "```rust\nvec![1, 2]; a[:n[0]]\n```"

    assert prose(text) == text


def test_a_diagram_in_prose_stays_its_source() -> None:
    assert prose('```mermaid\nA@{ img: "https://e.com/x.png" }\n```').startswith("```text\n")


def test_prose_shows_hidden_characters() -> None:
    assert "⟦U+202E⟧" in prose("abc\u202edef")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("summit", "summit"),
        ("12", '"12"'),
        (12, "12"),
        (12.0, "12.0"),
        ("true", '"true"'),
        (True, "true"),
        ("null", '"null"'),
        (None, "null"),
        (" x", '" x"'),
        ("x\n", "x\n"),
        ("  a\n  b", '"  a\\n  b"'),
        ("a\n  b", "a\n  b"),
    ],
)
def test_values_that_differ_never_look_the_same(value: object, shown: str) -> None:
    assert value_text(value) == shown


def test_what_json_cannot_say_is_shown_by_its_name() -> None:
    assert "object object" in json_text({"a": object()})
