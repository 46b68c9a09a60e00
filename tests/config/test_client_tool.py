"""`client_tools/*.yaml`: what a declaration says, and what is wrong with one."""

from pathlib import Path

import pytest

from tests.config.texts import write
from workbench.config import read_client_tools

GOOD = """\
x-parts: &parts {enum: [morning, afternoon]}
name: pick_slot
title: Delivery slot
description: Let the person choose a slot.
parameters:
  type: object
  properties:
    order_id: {type: string}
    x-carrier: {type: string}
  required: [order_id]
answer:
  type: object
  properties:
    day: {type: string, format: date}
    part: *parts
  required: [day, part]
"""
HEAD = "name: pick\ndescription: Pick.\n"


def test_a_declaration_is_read_whole(tmp_path: Path) -> None:
    found = read_client_tools(write(tmp_path, {"client_tools/pick_slot.yaml": GOOD}))
    assert found.problems == ()
    tool = found.tools["pick_slot"]
    assert (tool.title, tool.description) == ("Delivery slot", "Let the person choose a slot.")
    assert tool.parameters["properties"]["x-carrier"] == {"type": "string"}
    assert tool.answer["properties"]["part"] == {"enum": ["morning", "afternoon"]}


def test_arguments_may_be_left_out_and_any_answer_allowed(tmp_path: Path) -> None:
    found = read_client_tools(write(tmp_path, {"client_tools/pick.yml": f"{HEAD}answer: {{}}\n"}))
    assert found.tools["pick"].parameters == {"type": "object", "properties": {}}
    assert found.tools["pick"].answer == {}


def test_a_folder_without_declarations_declares_nothing(tmp_path: Path) -> None:
    assert read_client_tools(tmp_path).tools == {}


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "the file is empty; it has at least `name:`, `description:` and `answer:`"),
        ("a: [", (2, 1), "this is not valid YAML"),
        (f"{HEAD}answr: {{}}\n", (3, 1), "unknown key 'answr'; did you mean 'answer'?"),
        ("name: pick\nanswer: {}\n", (1, 1), "the key 'description' is missing; add it here"),
        (
            "name: pick a slot\ndescription: D\nanswer: {}\n",
            (1, 7),
            "'pick a slot' can't be a name; use letters",
        ),
        (
            "name: ask_user\ndescription: D\nanswer: {}\n",
            (1, 7),
            "'ask_user' is a tool of the workbench's own; give this one another name",
        ),
        (
            f"{HEAD}parameters: {{properties: {{}}}}\nanswer: {{}}\n",
            (3, 1),
            "the arguments of a call are an object, so `type: object` stands here",
        ),
        (
            f"{HEAD}parameters: {{type: string}}\nanswer: {{}}\n",
            (3, 20),
            "the arguments of a call are an object",
        ),
        (
            f"{HEAD}answer:\n  type: object\n  properties:\n    day: {{type: strnig}}\n",
            (6, 17),
            "'strnig' is not a type; did you mean 'string'?",
        ),
        (
            f"{HEAD}answer: {{properties: [a]}}\n",
            (3, 22),
            "a list stands here; a JSON Schema needs a mapping",
        ),
        (f"{HEAD}answer: {{items: 3}}\n", (3, 17), "3 is not a JSON Schema; write a mapping"),
        (f"{HEAD}answer: {{pattern: '['}}\n", (3, 19), "'[' is not a regular expression"),
        (f"{HEAD}answer: {{$ref: '#/$defs/day'}}\n", (3, 16), "'#/$defs/day' leads nowhere"),
        (f"{HEAD}answer: {{$ref: 'https://x.example/s'}}\n", (3, 16), "'https://x.example/s' leads nowhere"),
        (
            f"{HEAD}answer: {{type: object, properties: {{day: {{}}}}, required: [days]}}\n",
            (3, 58),
            "'days' is required and not among the properties; did you mean 'day'?",
        ),
    ],
)
def test_every_mistake_has_its_line(tmp_path: Path, text: str, place: tuple[int, int], message: str) -> None:
    found = read_client_tools(write(tmp_path, {"client_tools/pick.yaml": text}))
    assert found.tools == {}
    assert any(
        problem.message.startswith(message)
        and (problem.line, problem.column) == place
        and problem.file.endswith("client_tools/pick.yaml")
        for problem in found.problems
    ), [str(problem) for problem in found.problems]


def test_a_word_that_json_schema_does_not_have_is_a_hint(tmp_path: Path) -> None:
    text = f"{HEAD}answer: {{type: array, items: {{type: string, minLenght: 2}}}}\n"
    found = read_client_tools(write(tmp_path, {"client_tools/pick.yaml": text}))
    (hint,) = found.problems
    assert (hint.severity, hint.suggestion, hint.path) == ("hint", "minLength", "answer.items.minLenght")
    assert "pick" in found.tools


def test_one_name_in_two_files_is_an_error_in_the_second(tmp_path: Path) -> None:
    text = f"{HEAD}answer: {{}}\n"
    found = read_client_tools(write(tmp_path, {"client_tools/a.yaml": text, "client_tools/b.yaml": text}))
    (problem,) = found.problems
    assert problem.message == "a.yaml declares 'pick' too; one name is one tool"
    assert (Path(problem.file).name, problem.line, problem.column) == ("b.yaml", 1, 7)
    assert [one.value is not None for one in found.files] == [True, False]


def test_the_name_of_a_tool_that_runs_here_is_an_error(tmp_path: Path) -> None:
    tool = "from strands import tool\n\n\n@tool\ndef pick(x: str) -> str:\n    return x\n"
    files = {"client_tools/a.yaml": f"{HEAD}answer: {{}}\n", "tools/shop.py": tool, "tools/bad.py": "def ("}
    found = read_client_tools(write(tmp_path, files))
    assert found.tools == {}
    assert [problem.message for problem in found.problems] == [
        "tools/shop.py has a tool 'pick' already, which runs here; give this one another name"
    ]


def test_a_file_with_mistakes_is_found_by_the_name_it_means(tmp_path: Path) -> None:
    files = {"client_tools/a.yaml": "name: pick\n", "client_tools/sign.yaml": "parameters: {}\n"}
    found = read_client_tools(write(tmp_path, files))
    assert found.broken("pick") is not None and found.broken("sign") is not None
    assert found.broken("a") is None and found.broken("other") is None
