"""Texts that are no config at all, or hardly: each gets a clear sentence at its place."""

from pathlib import Path

import pytest

from tests.config.texts import MODELS, config_of, only_problem, parsed, pointed
from workbench.config import parse_file


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_an_empty_file_says_what_a_config_needs(text: str) -> None:
    problem = only_problem(text)
    assert problem.message == "the file is empty; a config has at least `agents:`"
    assert (problem.line, problem.column) == (1, 1)


@pytest.mark.parametrize(
    ("text", "what"),
    [("- a\n- b\n", "a list"), ("hello\n", "a single text"), ("~\n", "empty"), ("42\n", "a single text")],
)
def test_a_text_that_is_no_mapping_says_what_it_is(text: str, what: str) -> None:
    assert only_problem(text).message == (
        f"the config is {what}; it must be a mapping (key: value) with at least `agents:`"
    )


def test_a_second_document_is_refused_where_it_starts() -> None:
    assert "a second document" in pointed("agents: {}\n«---\nagents: {}\n").message


@pytest.mark.parametrize("text", ["agents:\n«\ta: {}\n", "agents:\n  a:\n  «\tauto: true\n"])
def test_a_tab_in_the_indentation_is_named(text: str) -> None:
    problem = pointed(text)
    assert problem.message == "a tab stands where YAML wants spaces; indent with spaces only"
    assert problem.culprit == "\t"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            'agents:\n  a:\n    description: «"foo\n    auto: true\n',
            "the quote that opens this text is never closed",
        ),
        ("agents:\n  a:\n    description: a«: b\n", "put a text that holds ': ' in quotes"),
        ("agents: {a: {}\n«entry: a\n", "the closing '}' of the mapping is missing; it opens on line 1"),
        ("agents: {a: {tools: [x}«}\n", "the closing ']' of the list is missing"),
        ("agents:\n  a:\n    auto: true\n   «auto: true\n", "indent it like the keys around it"),
        ("agents: {a: {description: «`x`}}\n", "a value can't start with '`'; put it in quotes"),
        ("agents: {a: {description: «@x}}\n", "a value can't start with '@'; put it in quotes"),
        ('agents: {a: {description: "«\\q"}}\n', "write '\\\\' for a backslash"),
        ("agents: {a: {description: «!x!y z}}\n", "is a YAML tag"),
        ("agents: {a: {tools: [«*]}}\n", "put a glob in quotes"),
        ("agents: {a: {description: $«{X}}}\n", "a ${VARIABLE} must be in quotes"),
    ],
)
def test_broken_yaml_says_what_to_do_about_it(text: str, part: str) -> None:
    if "*" in text:
        text = text.replace("«*", "*«")  # The parser stops behind the star, where the name should be.
    if "[x}" in text:
        text = text.replace("}«}", "«}}")
    assert part in pointed(text).message


def test_characters_nobody_sees_are_named_with_their_places() -> None:
    found = parsed(
        f"agents:\n  a: {{description: 'x\u2028y'}}\n  b: {{description: 'x\x07y'}}\nentry: a\n{MODELS}"
    )
    assert [(one.line, one.column, one.culprit) for one in found.problems] == [
        (2, 22, "U+2028"),
        (3, 22, "U+0007"),
    ]
    assert found.problems[0].message.startswith(
        "the character U+2028 (line separator) can't stand in a config"
    )


def test_a_lone_surrogate_is_a_problem_and_no_crash() -> None:
    assert only_problem(f"agents: {{a: {{description: '\ud800'}}}}\n{MODELS}").culprit == "U+D800"


def test_a_byte_order_mark_is_ignored_with_a_hint() -> None:
    found = parsed(f"\ufeffagents: {{a: {{}}}}\n{MODELS}")
    assert found.config is not None
    assert [(one.severity, one.culprit) for one in found.problems] == [("hint", "U+FEFF")]


def test_places_behind_a_byte_order_mark_are_those_an_editor_shows() -> None:
    found = parsed(f"\ufeffagnts: {{}}\nagents: {{a: {{}}}}\n{MODELS}")
    assert [(one.line, one.column) for one in found.errors] == [(1, 1)]


def test_windows_line_ends_keep_every_place() -> None:
    problem = only_problem(f"agents:\r\n  a:\r\n    auto: no\r\n{MODELS}")
    assert (problem.line, problem.column) == (3, 11)


def test_columns_count_characters() -> None:
    assert pointed(f"agents: {{a: {{description: '😀ü', «autoo: true}}}}\n{MODELS}").culprit == "autoo"


def test_a_text_of_a_megabyte_is_refused_at_once() -> None:
    assert only_problem("agents: " + "x" * 1_000_000).message.startswith(
        "the text is too long for a config: 1,000,008"
    )


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "a: " + "{b: " * 500, "\n".join(" " * i + "a:" for i in range(300))]
)
def test_deep_nesting_is_refused_and_no_crash(text: str) -> None:
    assert "deep here; no config needs that" in only_problem(text).message


def test_aliases_that_multiply_are_counted_and_not_spelled_out() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{name}: &{name} [{', '.join([f'*{last}'] * 10)}]"
        for last, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    assert (
        "holds more than 50000 values once its aliases are written out"
        in only_problem("\n".join(lines)).message
    )


def test_merges_that_multiply_are_counted_and_not_spelled_out() -> None:
    lines = ["a: &a {x: 1, y: 2}"]
    lines += [
        f"{name}: &{name} {{<<: [{', '.join([f'*{last}'] * 10)}]}}"
        for last, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    assert "holds more than 50000 values" in only_problem("\n".join(lines)).message


def test_aliases_that_nest_ever_deeper_are_refused() -> None:
    lines = ["a0: &a0 [x]", *(f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 100))]
    assert "aliases written out; no config needs that" in only_problem("\n".join(lines)).message


def test_an_anchor_that_holds_itself_is_refused_at_the_alias() -> None:
    problem = pointed("x-a: &a\n  b: «*a\n")
    assert problem.message == "the alias *a stands inside its own anchor &a, so it would never end"


def test_an_unknown_alias_says_that_a_glob_needs_quotes() -> None:
    problem = pointed(f"agents: {{a: {{interrupt: {{tools: [«*_tool]}}}}}}\n{MODELS}")
    assert problem.suggestion == '"*_tool"'
    assert problem.path == "agents.a.interrupt.tools[0]"
    assert "a glob that starts with * must be in quotes" in problem.message


def test_every_unknown_alias_is_found() -> None:
    found = parsed(f"agents: {{a: {{tools: [*x, *y]}}}}\n{MODELS}").problems
    assert [one.culprit for one in found] == ["*x", "*y"]


def test_a_key_written_twice_is_named_with_both_lines() -> None:
    problem = pointed(f"agents:\n  a: {{}}\n{MODELS}«agents:\n  b: {{}}\n")
    assert (
        problem.message
        == "the key 'agents' is written twice in one mapping, on line 1 and on line 5; keep one of them"
    )


def test_every_key_written_twice_is_found_wherever_it_stands() -> None:
    found = parsed(
        f"x-a: {{p: 1, p: 2}}\nagents:\n  a: {{auto: true, auto: false, auto: true}}\n{MODELS}"
    ).problems
    assert [(one.path, one.line) for one in found] == [
        ("x-a.p", 1),
        ("agents.a.auto", 3),
        ("agents.a.auto", 3),
    ]


@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("1", "the key 1 is a number; a key must be text, so put it in quotes"),
        ("1.5", "the key 1.5 is a number"),
        ("true", "the key true is a truth value"),
        ("~", "the key ~ means nothing in YAML"),
        ("", "a key is missing before this ':'"),
        ("!!int 3", "has the tag"),
    ],
)
def test_a_key_that_is_no_text_is_refused(key: str, part: str) -> None:
    assert part in pointed(f"agents:\n  a: {{}}\n  «{key}: {{}}\n{MODELS}").message


def test_a_list_as_a_key_is_refused() -> None:
    assert "a list stands where a key is expected" in pointed("agents:\n  ? «[a]\n  : {}\n").message


def test_keys_that_older_yaml_reads_as_truth_values_are_text() -> None:
    assert list(config_of(f"agents: {{on: {{}}, no: {{}}}}\nentry: no\n{MODELS}").agents) == ["on", "no"]


def test_a_file_that_is_not_utf_8_says_where(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("agents:\n  ü: caf".encode() + b"\xe9\n")
    (problem,) = parse_file(path).problems
    assert problem.message == "the file is not UTF-8 text: byte 0xE9 stands here; save it as UTF-8"
    assert (problem.line, problem.column) == (2, 9)


def test_a_utf_16_file_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("agents: {}".encode("utf-16"))
    assert parse_file(path).problems[0].message == "the file is UTF-16; save it as UTF-8"


def test_a_missing_file_and_a_folder_are_problems_like_any_other(tmp_path: Path) -> None:
    assert parse_file(tmp_path / "none.yaml").problems[0].message == "there is no such file"
    assert parse_file(tmp_path).problems[0].message == "this is a folder; name a config file in it"
