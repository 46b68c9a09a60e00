"""The host's callback: what it is told, and what of its answers refuses a set."""

from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.runs.on_decision import DecisionNotice, refusal

NOTICE: DecisionNotice = {
    "request_id": "r1",
    "request": "apr_7Qm2",
    "conversation_id": "c1",
    "agent": "merchant",
    "tool": "run_mutation",
    "tool_input": {"store": "summit", "skus": ["A1"]},
    "edited_input": None,
    "decision": "approved",
    "scope": "once",
    "reason": "",
    "by": "ann",
}


def test_a_callback_is_told_of_every_decision_in_one_call() -> None:
    heard: list[Any] = []
    assert refusal(heard.append, [NOTICE, {**NOTICE, "request": None}]) is None
    assert heard == [[NOTICE, {**NOTICE, "request": None}]]
    assert set(heard[0][0]) == set(get_type_hints(DecisionNotice))


def test_what_a_callback_does_to_its_notices_reaches_nobody() -> None:
    def meddling(decisions: list[Any]) -> None:
        decisions[0]["tool_input"]["skus"].append("B1")
        decisions.clear()

    told = [NOTICE]
    assert refusal(meddling, told) is None
    assert told == [NOTICE]
    assert NOTICE["tool_input"] == {"store": "summit", "skus": ["A1"]}


@pytest.mark.parametrize("returned", [{}, {"seen": 2}, {"refuse": "no"}])
def test_a_mistyped_refusal_accepts_nothing(returned: Any) -> None:
    assert "accepts nothing" in str(refusal(lambda decisions: returned, [NOTICE]))


@pytest.mark.parametrize("returned", [None, True, {"refused": None}, {"refused": False}])
def test_nothing_and_what_names_no_refusal_accepts(returned: Any) -> None:
    assert refusal(lambda decisions: returned, [NOTICE]) is None


@given(st.text(min_size=1).filter(lambda text: bool(text.split())))
def test_a_refusal_says_why_in_its_own_words(why: str) -> None:
    assert refusal(lambda decisions: {"refused": why}, [NOTICE])


def test_the_words_of_a_refusal_hide_nothing() -> None:
    said = refusal(lambda decisions: {"refused": "no\u202e\nmore " + "x" * 1_000}, [NOTICE])
    assert said is not None
    assert said.startswith("no⟦U+202E⟧ more xxx")
    assert len(said) < 600


@pytest.mark.parametrize("why", ["", "  ", True, 5, ["no"], {}])
def test_a_refusal_without_a_reason_is_one(why: Any) -> None:
    assert (
        refusal(lambda decisions: {"refused": why}, [NOTICE], name="decide")
        == "decide refused, and gave no reason."
    )


@pytest.mark.parametrize("error", [ValueError("the service is down"), SystemExit("the service is down")])
def test_a_callback_that_fails_refuses(error: BaseException) -> None:
    def failing(decisions: list[Any]) -> None:
        raise error

    assert (
        refusal(failing, [NOTICE], name="decide")
        == f"decide failed with {type(error).__name__}: the service is down"
    )


def test_an_error_that_cannot_even_be_shown_refuses() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def failing(decisions: list[Any]) -> None:
        raise Broken

    assert (
        refusal(failing, [NOTICE], name="decide") == "decide failed with Broken; its message can't be shown."
    )


def test_stopping_the_program_is_no_refusal() -> None:
    def interrupted(decisions: list[Any]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        refusal(interrupted, [NOTICE])


@pytest.mark.parametrize("returned", [False, 0, 1, "", "accepted", [], [{"refused": "no"}]])
def test_any_other_answer_accepts_nothing(returned: Any) -> None:
    said = refusal(lambda decisions: returned, [NOTICE], name="decide")
    assert said == f"decide returned a value of type {type(returned).__name__}, which accepts nothing."


def test_an_asynchronous_callback_is_refused_with_the_reason() -> None:
    async def later(decisions: list[Any]) -> None:
        return None

    assert refusal(later, [NOTICE], name="decide") == "decide is asynchronous, and can't be."
