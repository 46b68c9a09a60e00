"""Results: whatever a tool returns becomes something that JSON and a model can take, and nothing too large."""

import json
from typing import Any

import pytest

from workbench.agents.results import fitted, result_text, success_result, well_formed, with_note


class Stranger:
    def __repr__(self) -> str:
        return "<stranger>"


@pytest.mark.parametrize(
    ("given", "content"),
    [
        ("plain", [{"text": "plain"}]),
        (None, [{"text": "None"}]),
        ({"a": 1}, [{"text": "{'a': 1}"}]),
        ({"content": []}, [{"text": ""}]),
        ({"content": ["bare"]}, [{"text": "bare"}]),
        ({"content": [{"text": 5}]}, [{"text": "5"}]),
        ({"content": [{"text": None}]}, [{"text": "None"}]),
        ({"content": [{"json": {"x": float("inf")}}]}, [{"json": {"x": "inf"}}]),
        ({"content": [{"json": {1: {2}}}]}, [{"json": {"1": [2]}}]),
        ({"content": [{"json": Stranger()}]}, [{"json": "<stranger>"}]),
        ({"content": [{"json": {"raw": b"\x00\xff"}}]}, [{"json": {"raw": "b'\\x00\\xff'"}}]),
    ],
)
def test_any_result_becomes_one_that_json_can_carry(given: Any, content: list[Any]) -> None:
    formed = well_formed(given, "call_1")
    assert formed["toolUseId"] == "call_1" and formed["content"] == content
    json.dumps(fitted(formed), allow_nan=False)


def test_the_bytes_of_a_picture_stay_bytes() -> None:
    picture = {"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}
    assert well_formed({"content": [picture]}, "c")["content"] == [picture]
    assert result_text({"content": [picture]}) == "[image]"


def test_a_status_is_success_or_error_and_the_id_is_ours() -> None:
    assert well_formed({"status": "error", "toolUseId": "other", "content": []}, "c")["status"] == "error"
    assert well_formed({"status": "weird", "toolUseId": "other", "content": []}, "c") == {
        "toolUseId": "c",
        "status": "success",
        "content": [{"text": ""}],
    }


def test_a_short_result_stays_as_it_is() -> None:
    result = {"toolUseId": "c", "status": "success", "content": [{"text": "x" * 100}, {"json": {"a": 1}}]}
    assert fitted(result, 200) == result


def test_a_long_text_is_cut_and_says_so() -> None:
    (block,) = fitted(success_result("c", "x" * 500), 100)["content"]
    assert block["text"].startswith("x" * 100 + "\n[cut: this result has 500 characters")


def test_many_blocks_are_cut_together() -> None:
    many = {"toolUseId": "c", "status": "success", "content": [{"text": "y" * 90}] * 50}
    read = result_text(fitted(many, 200))
    assert len(read) < 500 and "cut" in read
    assert fitted(many, 200)["content"][0] == {"text": "y" * 90}


def test_a_note_comes_first() -> None:
    assert result_text(with_note(success_result("c", "done"), "Mind this.")) == "Mind this.\ndone"
