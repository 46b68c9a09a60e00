"""Whatever a text says, it becomes a config or problems with places, and never an exception."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.config.test_schema import WHOLE
from tests.config.texts import MODELS, parsed

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
    check(json.dumps(data, ensure_ascii=False))


def test_any_number_of_hints_hides_no_error() -> None:
    agents = "".join(f"  a{number}: {{description: x}}\n" for number in range(300))
    edges = ", ".join(f"{{from: a{number}, to: a0}}" for number in range(1, 300))
    text = f"{MODELS}entry: a0\nagents:\n{agents}orchestrations: {{t: {{mode: graph, entry_name: a0, edges: [{edges}]}}}}\n"
    assert {one.severity for one in parsed(text).problems} == {"hint"}
    assert parsed(text).config is not None
    assert parsed(text + "runtime: {x: 1}\n").config is None


HUGE = {
    "names that mean nothing": "agents:\n" + "".join(f"  a{i}: {{model: q{i}}}\n" for i in range(6000)),
    "orchestrations that hold themselves": f"{MODELS}agents: {{a: {{}}}}\norchestrations:\n"
    + "".join(
        f"  s{i}: {{mode: graph, entry_name: s{i}, edges: [{{from: s{i}, to: s{i}}}]}}\n" for i in range(3000)
    ),
    "brackets in one line": "a: [" + "x [" * 100_000,
    "dollars": f"{MODELS}agents: {{a: {{description: '{'${' * 100_000}'}}}}",
    "vars that lead on and on": "vars:\n" + "".join(f"  V{i}: ${{V{i + 1}}}\n" for i in range(4000)),
    "vars that multiply": "vars:\n  V0: "
    + "x" * 1000
    + "\n"
    + "".join(f"  V{i}: ${{V{i - 1}}}{f'${{V{i - 1}}}' * 99}\n" for i in range(1, 20)),
    "characters nobody sees": "\x01" * 500_000,
    "variables that are not set": f"{MODELS}agents: {{a: {{description: '{''.join(f'${{A{i}}}' for i in range(40_000))}'}}}}",
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
def test_the_largest_of_bad_texts_is_judged_without_end_or_crash(text: str) -> None:
    found = parsed(text).problems
    assert found and len(found) <= 251
