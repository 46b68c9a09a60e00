"""Tools that a folder declares: in the catalogue, held to their schemas."""

from pathlib import Path

import pytest

from workbench.agents.client_tools import BadArguments, answer_schema, catalogue, check_arguments
from workbench.agents.declared_tools import check_arguments as hold

DECLARED = """\
name: pick_slot
title: Delivery slot
description: Let the person choose a slot.
parameters: {type: object, properties: {order_id: {type: string, minLength: 1}}, required: [order_id]}
answer: {type: object, properties: {day: {type: string, format: date}}, required: [day]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "client_tools").mkdir()
    (tmp_path / "client_tools" / "slot.yaml").write_text(DECLARED)
    return tmp_path


def test_a_declared_tool_stands_beside_the_workbench_s_own(folder: Path) -> None:
    known = catalogue(folder)
    assert list(known) == ["ask_user", "request_datasources", "request_files", "pick_slot"]
    tool = known["pick_slot"]
    assert (tool.title, tool.description) == ("Delivery slot", "Let the person choose a slot.")
    assert answer_schema(tool, {}) == {
        "type": "object",
        "properties": {"day": {"type": "string", "format": "date"}},
        "required": ["day"],
    }


def test_a_declaration_with_mistakes_declares_nothing_and_harms_no_other(folder: Path) -> None:
    (folder / "client_tools" / "bad.yaml").write_text("name: bad\n")
    assert "bad" not in catalogue(folder) and "pick_slot" in catalogue(folder)


def test_a_change_of_a_declaration_is_seen_at_once_and_catalogues_share_nothing(folder: Path) -> None:
    before = catalogue(folder)["pick_slot"]
    before.input_schema["properties"]["order_id"]["type"] = "integer"
    assert catalogue(folder)["pick_slot"].input_schema["properties"]["order_id"]["type"] == "string"
    (folder / "client_tools" / "slot.yaml").write_text(DECLARED.replace("minLength: 1", "minLength: 9"))
    assert catalogue(folder)["pick_slot"].input_schema["properties"]["order_id"]["minLength"] == 9


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "`order_id` is required"),
        ({"order_id": ""}, "`order_id` must not be empty"),
        ({"order_id": 3}, "`order_id` must be text"),
        ("1001", "the arguments must be an object, not a text"),
    ],
)
def test_arguments_that_break_the_schema_go_back_naming_the_problem(
    folder: Path, given: object, problem: str
) -> None:
    with pytest.raises(BadArguments) as caught:
        check_arguments(catalogue(folder)["pick_slot"], given)
    assert str(caught.value) == (
        f"pick_slot was not shown to the person: {problem}. Correct the arguments and call it again."
    )


def test_a_schema_that_checks_nothing_lets_nothing_through() -> None:
    with pytest.raises(BadArguments, match="can't be used: the schema of its arguments is broken"):
        hold("mine", {"type": "nonsense"}, {})
    with pytest.raises(BadArguments, match="can't be used"):
        hold("mine", {"$ref": "https://x.example/schema"}, {})
