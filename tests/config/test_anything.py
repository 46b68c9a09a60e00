"""Whatever a text says, it becomes a config or problems with places, and never an exception."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.config.test_schema import WHOLE
from tests.config.texts import parsed

FRAGMENTS = [
    "${", "}", "$$", "\n", "\t", "  ", "- ", ": ", "*a", "&a ", "<<: ", "null", "true", "x-", "[", "]", "{", "'", '"', "|",
    "> ", "!", "!!int ", "%", "---", "\x00", "\u2028", "é", "😀", "..", "./", "merchant", "once", "5", "1e999", "0x", "yes",
    "#", ",", "? ", "\r", "\r\n", "\ufeff",
]  # fmt: skip
EDITS = st.lists(
    st.tuples(
        st.integers(0, len(WHOLE)), st.integers(0, 40), st.sampled_from(FRAGMENTS) | st.text(max_size=8)
    ),
    min_size=1,
    max_size=6,
)


def check(text: str) -> None:
    found = parsed(text)
    assert (found.config is None) == bool(found.errors)
    lines = text.count("\n") + text.count("\r") + 1
    for problem in found.problems:
        assert 1 <= problem.line <= lines + 1, problem
        assert problem.column >= 1, problem
        assert problem.message, problem


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    check(text)


@given(EDITS)
@settings(max_examples=150)
def test_any_edit_of_a_config(edits: list[tuple[int, int, str]]) -> None:
    text = WHOLE
    for start, removed, added in edits:
        text = text[:start] + added + text[start + removed :]
    check(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
SECTIONS = st.sampled_from(
    "vars defaults models agents mcp_servers mcp_clients orchestrations tool_annotations entry runtime".split()
)


@given(
    st.dictionaries(
        SECTIONS, VALUES | st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), max_size=6
    )
)
@settings(max_examples=150)
def test_any_values_where_a_config_wants_others(data: dict[str, object]) -> None:
    import json

    check(json.dumps(data, ensure_ascii=False))
