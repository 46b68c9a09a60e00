"""Verdicts as they are stored."""

import json
from typing import Any

import pytest

from workbench.policy import AgentPolicy, Call, Rule, ToolFacts, Verdict, decide

ASKED = decide(Call("set_price", {}), AgentPolicy("merchant", (Rule("set_*", line=4),)), (), ToolFacts())


def test_a_verdict_survives_json() -> None:
    assert Verdict.from_dict(json.loads(json.dumps(ASKED.to_dict()))) == ASKED


def test_a_verdict_that_an_earlier_release_stored_with_less_still_loads() -> None:
    stored = {"outcome": "ask", "because": "rule", "subject": {"key": "k", "label": "l"}, "scopes": ["once"]}
    v = Verdict.from_dict(stored)
    assert (v.outcome, v.subject.key, v.scopes, v.trace, v.warnings) == ("ask", "k", ("once",), (), ())


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        ({"outcome": "allow"}, "'allow'"),
        ({"because": "mood"}, "'mood'"),
        ({"scopes": ["forever"]}, "'forever'"),
    ],
)
def test_a_stored_verdict_with_unknown_words_is_refused(change: dict[str, Any], culprit: str) -> None:
    with pytest.raises(ValueError, match=culprit):
        Verdict.from_dict({**ASKED.to_dict(), **change})
