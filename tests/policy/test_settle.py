"""What an answer makes of a request."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policy import drawn
from workbench.policy import (
    SKIPPED_BY_MESSAGE,
    UNKNOWN_CALL,
    AgentPolicy,
    Answer,
    Answered,
    AnswerRefused,
    Approved,
    Denied,
    GaveUp,
    Happened,
    RequestFacts,
    RequestKind,
    Rule,
    RunAgain,
    Settlement,
    Skipped,
    Subject,
    ToolFacts,
    digest,
    edited_subject,
    settle,
)

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
SHOWN = {"store": "summit", "sku": "A1", "price": 12}
SCHEMA = {
    "type": "object",
    "properties": {
        "store": {"type": "string"},
        "sku": {"type": "string"},
        "price": {"type": "number", "minimum": 0},
    },
    "required": ["store", "sku", "price"],
}


def store_of(tool: str, tool_input: Mapping[str, Any]) -> dict[str, str]:
    return {"key": f"store:{tool_input['store']}", "label": f"prices in {tool_input['store']}"}


POLICY = AgentPolicy("merchant", (Rule("set_*", subject=store_of, remember="always"),))
REQUEST = RequestFacts(
    kind="approval",
    tool="set_price",
    tool_input=SHOWN,
    input_schema=SCHEMA,
    response_schema=None,
    subject=Subject("store:summit", "prices in summit"),
    scopes=("once", "thread"),
    expires_at=None,
)
QUESTION = replace(REQUEST, kind="question", tool="ask_user", tool_input={"question": "Which?"})
DOUBT = replace(REQUEST, kind="doubt")


def settled(
    answer: Answer,
    request: RequestFacts = REQUEST,
    *,
    now: datetime = NOW,
    policy: AgentPolicy | None = POLICY,
    who: str = "tester",
) -> Settlement:
    return settle(request, answer, now=now, policy=policy, facts=ToolFacts(), who=who)


def refused(answer: Answer, request: RequestFacts = REQUEST, **more: Any) -> AnswerRefused:
    with pytest.raises(AnswerRefused) as caught:
        settled(answer, request, **more)
    return caught.value


# Approvals


def test_an_approval_runs_the_call_as_it_was_shown() -> None:
    s = settled(Approved())
    assert (s.decision, s.scope, s.tool_input, s.edited, s.note, s.remember) == (
        ("approved", "once", SHOWN, False, None, None)
    )
    assert s.runs


@pytest.mark.parametrize("kind", ["approval", "tool_approval"])
def test_a_denied_call_does_not_run_and_the_model_reads_why(kind: RequestKind) -> None:
    s = settled(Denied("wrong store"), replace(REQUEST, kind=kind))
    assert (s.decision, s.note, s.reason, s.scope, s.remember) == (
        ("denied", "Declined: wrong store", "wrong store", None, None)
    )
    assert (s.runs, s.tool_input) == (False, None)


def test_a_skipped_call_does_not_run() -> None:
    s = settled(Skipped())
    assert (s.decision, s.runs, s.remember) == ("skipped", False, None)
    assert s.note is not None and s.note.startswith("Skipped: ")
    assert settled(Skipped(SKIPPED_BY_MESSAGE)).note == SKIPPED_BY_MESSAGE


def test_a_wider_scope_that_was_offered_is_remembered_for_the_cards_subject() -> None:
    s = settled(Approved("thread"))
    assert (s.scope, s.remember, s.subject.key, s.warnings) == ("thread", "thread", "store:summit", ())


def test_a_scope_that_was_not_offered_becomes_once_and_is_not_remembered() -> None:
    s = settled(Approved("always"))
    assert (s.decision, s.scope, s.remember) == ("approved", "once", None)
    assert "not offered" in s.warnings[0]


def test_once_is_always_offered_whatever_a_request_lists() -> None:
    s = settled(Approved("once"), replace(REQUEST, scopes=("thread",)))
    assert (s.scope, s.warnings) == ("once", ())


@pytest.mark.parametrize("value", [True, "approved", {"status": "approved"}, 1])
def test_no_value_is_ever_an_approval(value: Any) -> None:
    assert refused(Answered(value)).code == "wrong_answer"


@pytest.mark.parametrize("who", ["", "  "])
def test_an_answer_needs_a_name(who: str) -> None:
    assert refused(Approved(), who=who).code == "no_name"


# Deadlines


@pytest.mark.parametrize(("seconds", "decision"), [(-1, "approved"), (0, "approved"), (1, "expired")])
def test_a_deadline_is_compared_with_the_moment_of_the_answer(seconds: int, decision: str) -> None:
    s = settled(Approved("thread"), replace(REQUEST, expires_at=NOW), now=NOW + timedelta(seconds=seconds))
    assert (s.decision, s.runs) == (decision, decision == "approved")
    assert (s.remember is None) == (decision == "expired")


def test_a_late_approval_reads_expired_to_the_model() -> None:
    s = settled(Approved(), replace(REQUEST, expires_at=NOW), now=NOW + timedelta(days=1))
    assert s.note is not None and s.note.startswith("Expired: ")


def test_a_late_approval_is_expired_even_where_its_edit_is_wrong() -> None:
    s = settled(Approved(tool_input={}), replace(REQUEST, expires_at=NOW), now=NOW + timedelta(days=1))
    assert (s.decision, s.edited) == ("expired", False)


@pytest.mark.parametrize(("answer", "decision"), [(Denied("no"), "denied"), (Skipped(), "skipped")])
def test_a_late_no_stays_what_it_is(answer: Answer, decision: str) -> None:
    s = settled(answer, replace(REQUEST, expires_at=NOW), now=NOW + timedelta(days=1))
    assert s.decision == decision


# Edits


def test_a_valid_edit_is_what_runs() -> None:
    s = settled(Approved("thread", {**SHOWN, "price": 13}))
    assert (s.tool_input, s.edited, s.scope, s.remember) == ({**SHOWN, "price": 13}, True, "thread", "thread")


def test_an_edit_that_changes_nothing_is_no_edit() -> None:
    s = settled(Approved(tool_input=dict(reversed(SHOWN.items()))))
    assert (s.edited, s.tool_input) == (False, SHOWN)


def test_what_was_shown_is_not_held_against_the_schema() -> None:
    s = settled(Approved(), replace(REQUEST, tool_input={"odd": 1}))
    assert s.tool_input == {"odd": 1}


def test_an_edit_that_breaks_the_schema_is_refused_beside_its_fields() -> None:
    error = refused(Approved(tool_input={"store": "summit", "price": "12"}))
    assert error.code == "invalid_edit"
    assert error.fields == {"price": "must be a number", "sku": "is required"}
    assert str(error) == "The edited call does not fit: price must be a number; sku is required."


def test_a_number_that_json_can_not_say_is_refused() -> None:
    assert refused(Approved(tool_input={**SHOWN, "price": float("nan")})).fields == {
        "price": "must be an ordinary number"
    }


def test_an_edit_that_is_no_object_is_refused_even_without_a_schema() -> None:
    error = refused(Approved(tool_input=[1]), replace(REQUEST, input_schema=None))  # type: ignore[arg-type]
    assert (error.code, error.fields) == ("invalid_edit", {"": "must be an object"})


def test_an_edit_nested_without_end_is_refused() -> None:
    deep: Any = {}
    for _ in range(5_000):
        deep = {"a": deep}
    assert refused(Approved(tool_input=deep)).fields == {"": "is nested more than 100 levels deep"}


def test_an_edit_of_a_tool_without_a_schema_may_be_anything() -> None:
    s = settled(Approved(tool_input={"store": "summit", "x": [None]}), replace(REQUEST, input_schema=None))
    assert s.tool_input == {"store": "summit", "x": [None]}


def test_an_edit_can_not_be_checked_against_a_broken_schema_and_the_call_as_shown_can_still_be_approved() -> (
    None
):
    broken = replace(REQUEST, input_schema={"type": "no such type"})
    assert refused(Approved(tool_input={**SHOWN, "price": 13}), broken).code == "schema_unusable"
    assert settled(Approved(), broken).runs


def test_an_edit_about_another_subject_is_approved_once_and_says_so() -> None:
    s = settled(Approved("thread", {**SHOWN, "store": "harbour"}))
    assert (s.decision, s.scope, s.remember, s.subject.key) == ("approved", "once", None, "store:harbour")
    assert s.warnings == (
        "The edited call is about prices in harbour and no longer about prices in summit, "
        "so this allows only this one call.",
    )


def test_an_edit_that_would_need_no_approval_is_not_remembered() -> None:
    policy = AgentPolicy(
        "merchant", (Rule("*", subject=lambda tool, i: None if i["price"] == 0 else store_of(tool, i)),)
    )
    s = settled(Approved("thread", {**SHOWN, "price": 0}), policy=policy)
    assert (s.runs, s.scope, s.remember) == (True, "once", None)


def test_an_edit_that_breaks_the_subject_function_is_approved_once_and_warns() -> None:
    whole = replace(REQUEST, subject=Subject("set_price", "set_price"), input_schema=None)
    s = settled(Approved("thread", {"price": 1}), whole)
    assert (s.runs, s.scope, s.remember) == (True, "once", None)
    assert "KeyError" in s.warnings[0]


def test_an_edit_without_a_policy_to_ask_is_approved_once() -> None:
    s = settled(Approved("thread", {**SHOWN, "price": 13}), policy=None)
    assert (s.runs, s.scope, s.remember, len(s.warnings)) == (True, "once", None, 1)


def test_a_subject_that_keeps_its_key_keeps_the_label_that_the_card_showed() -> None:
    policy = AgentPolicy(
        "merchant", (Rule("*", subject=lambda tool, i: {"key": "store:summit", "label": f"at {i['price']}"}),)
    )
    s = settled(Approved("thread", {**SHOWN, "price": 13}), policy=policy)
    assert (s.remember, s.subject) == ("thread", REQUEST.subject)


def test_what_runs_can_not_be_changed_through_the_answer_or_the_request() -> None:
    edit: dict[str, Any] = {**SHOWN, "more": [1]}
    s = settled(Approved(tool_input=edit))
    edit["more"].append(2)
    assert s.tool_input is not None and s.tool_input["more"] == [1]
    plain = settled(Approved())
    assert plain.tool_input is not SHOWN


@pytest.mark.parametrize(
    ("edit", "key", "changed"),
    [
        ({**SHOWN, "price": 13}, "store:summit", False),
        ({**SHOWN, "store": "harbour"}, "store:harbour", True),
        ({}, "set_price", True),
    ],
)
def test_the_subject_of_an_edit_can_be_seen_before_it_is_confirmed(
    edit: dict[str, Any], key: str, changed: bool
) -> None:
    subject, is_other = edited_subject(REQUEST, edit, POLICY, None)
    assert (subject.key, is_other) == (key, changed)


# Tool approvals


def test_a_tools_own_approval_never_creates_a_grant_and_keeps_its_scope() -> None:
    s = settled(Approved("thread"), replace(REQUEST, kind="tool_approval"))
    assert (s.scope, s.remember, s.runs) == ("thread", None, True)


def test_an_edit_of_a_tools_own_approval_is_checked_against_the_schema_only() -> None:
    request = replace(REQUEST, kind="tool_approval")
    s = settled(Approved("thread", {**SHOWN, "store": "harbour"}), request)
    assert (s.scope, s.subject, s.warnings) == ("thread", REQUEST.subject, ())
    assert refused(Approved(tool_input={}), request).code == "invalid_edit"
    assert edited_subject(request, {**SHOWN, "store": "harbour"}, POLICY, None) == (REQUEST.subject, False)


# Questions and tool interrupts


@pytest.mark.parametrize("kind", ["question", "tool_interrupt"])
@pytest.mark.parametrize("value", [None, False, 0, "", [], {}, "yes", {"answers": []}])
def test_any_json_value_answers_a_question(kind: RequestKind, value: Any) -> None:
    s = settled(Answered(value), replace(QUESTION, kind=kind))
    assert (s.decision, s.note, s.runs, s.remember) == ("answered", None, False, None)


def test_an_answer_keeps_to_the_schema_of_the_question() -> None:
    request = replace(QUESTION, response_schema={"type": "object", "required": ["size"]})
    assert settled(Answered({"size": None}), request).decision == "answered"
    error = refused(Answered({}), request)
    assert (error.code, error.fields) == ("invalid_answer", {"size": "is required"})
    assert refused(Answered(None), request).fields == {"": "must be an object"}


def test_a_question_can_be_skipped() -> None:
    s = settled(Skipped("not now"), QUESTION)
    assert (s.decision, s.note, s.reason) == ("skipped", "Skipped: not now", "not now")


# Doubts


def test_a_doubtful_call_that_happened_has_the_result_the_person_gave() -> None:
    s = settled(Happened("price is 12"), DOUBT)
    assert (s.decision, s.runs) == ("happened", False)
    assert s.note is not None and s.note.endswith("price is 12")


def test_a_doubtful_call_runs_again_with_its_own_input_when_the_person_says_so() -> None:
    s = settled(RunAgain(), DOUBT)
    assert (s.decision, s.tool_input, s.note, s.scope, s.remember) == ("run_again", SHOWN, None, None, None)


def test_a_doubt_can_be_given_up() -> None:
    s = settled(GaveUp(), DOUBT)
    assert (s.decision, s.runs) == ("gave_up", False)
    assert s.note is not None and "may have happened" in s.note


def test_a_doubt_left_alone_is_unknown_and_never_skipped() -> None:
    s = settled(Skipped(SKIPPED_BY_MESSAGE), DOUBT)
    assert (s.decision, s.note, s.runs) == ("unknown", UNKNOWN_CALL, False)


# Every kind of request, every kind of answer

ANSWERS: list[Answer] = [Approved(), Denied(), Skipped(), Answered(1), Happened(""), RunAgain(), GaveUp()]
TAKEN: dict[RequestKind, dict[type, str]] = {
    "approval": {Approved: "approved", Denied: "denied", Skipped: "skipped"},
    "tool_approval": {Approved: "approved", Denied: "denied", Skipped: "skipped"},
    "question": {Answered: "answered", Skipped: "skipped"},
    "tool_interrupt": {Answered: "answered", Skipped: "skipped"},
    "doubt": {Happened: "happened", RunAgain: "run_again", GaveUp: "gave_up", Skipped: "unknown"},
}


@pytest.mark.parametrize("kind", get_args(RequestKind))
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_a_request_takes_its_own_answers_and_refuses_all_others(kind: RequestKind, answer: Answer) -> None:
    decision = TAKEN[kind].get(type(answer))
    request = replace(REQUEST, kind=kind)
    if decision is None:
        assert refused(answer, request).code == "wrong_answer"
    else:
        assert settled(answer, request).decision == decision


answers = (
    st.builds(
        Approved, scope=drawn.scopes, tool_input=st.none() | drawn.inputs | st.just({**SHOWN, "price": 1})
    )
    | st.builds(Denied, reason=st.text(max_size=5))
    | st.builds(Skipped, reason=st.text(max_size=5))
    | st.builds(Answered, value=drawn.json_values)
    | st.builds(Happened, result=st.text(max_size=5))
    | st.just(RunAgain())
    | st.just(GaveUp())
)
requests = st.builds(
    RequestFacts,
    kind=st.sampled_from(get_args(RequestKind)),
    tool=drawn.tools,
    tool_input=drawn.inputs | st.just(SHOWN),
    input_schema=st.none() | st.just(SCHEMA),
    response_schema=st.none() | st.just({"type": "string"}),
    subject=st.just(REQUEST.subject),
    scopes=st.sampled_from([("once",), ("once", "thread"), ("once", "thread", "always")]),
    expires_at=st.none() | st.sampled_from([NOW - timedelta(seconds=1), NOW + timedelta(seconds=1)]),
)


@given(requests, answers, st.none() | drawn.policies())
def test_nothing_but_approved_runs(request: RequestFacts, answer: Answer, policy: AgentPolicy | None) -> None:
    try:
        s = settle(request, answer, now=NOW, policy=policy, facts=None, who="tester")
    except AnswerRefused as error:
        assert error.message
        return
    in_time = request.expires_at is None or request.expires_at >= NOW
    if request.kind in ("approval", "tool_approval"):
        assert s.runs == (isinstance(answer, Approved) and in_time)
    else:
        assert s.runs == isinstance(answer, RunAgain)
    assert (s.note is None) == (s.runs or s.decision == "answered")
    if s.runs:
        edit = answer.tool_input if isinstance(answer, Approved) else None
        ran = request.tool_input if edit is None else edit
        assert s.tool_input is not None and digest(s.tool_input) == digest(ran)
        assert s.edited == (digest(ran) != digest(request.tool_input))
    if s.remember is not None:
        assert request.kind == "approval"
        assert s.remember in request.scopes
        assert s.subject == request.subject
        assert s.remember == s.scope != "once"
