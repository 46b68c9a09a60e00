"""Answers as they are stored."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policy import drawn
from workbench.policy import (
    Answer,
    Answered,
    Approved,
    Denied,
    GaveUp,
    Happened,
    RunAgain,
    Skipped,
    answer_from_dict,
    answer_to_dict,
)

answers = (
    st.builds(Approved, scope=drawn.scopes, tool_input=st.none() | drawn.inputs)
    | st.builds(Denied, reason=st.text(max_size=9))
    | st.builds(Skipped, reason=st.text(max_size=9))
    | st.builds(Answered, value=drawn.json_values)
    | st.builds(Happened, result=st.text(max_size=9))
    | st.just(RunAgain())
    | st.just(GaveUp())
)


@given(answers)
def test_an_answer_survives_json(answer: Answer) -> None:
    assert answer_from_dict(json.loads(json.dumps(answer_to_dict(answer)))) == answer


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_small_values_are_answers(value: Any) -> None:
    again = answer_from_dict(json.loads(json.dumps(answer_to_dict(Answered(value)))))
    assert isinstance(again, Answered)
    assert (type(again.value), again.value) == (type(value), value)


@pytest.mark.parametrize(
    ("data", "culprit"),
    [
        ({}, "None"),
        ({"kind": "Approved"}, "'Approved'"),
        ({"kind": True}, "True"),
        ({"status": "approved"}, "None"),
        ({"kind": "approved", "scope": "forever"}, "'forever'"),
        ({"kind": "approved", "tool_input": "all"}, "tool_input"),
        ({"kind": "denied", "reason": 3}, "reason"),
        ({"kind": "answered"}, "value"),
    ],
)
def test_what_is_no_answer_is_refused_by_name(data: dict[str, Any], culprit: str) -> None:
    with pytest.raises(ValueError, match=culprit):
        answer_from_dict(data)


def test_a_stored_answer_shares_nothing_with_the_answer() -> None:
    edit = {"lines": [1]}
    stored = answer_to_dict(Approved(tool_input=edit))
    edit["lines"].append(2)
    assert stored["tool_input"] == {"lines": [1]}
