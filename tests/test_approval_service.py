"""The service behind a tool that enforces its own approvals: the nine points of its checklist, one by one."""

import base64
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule

from workbench.approval_service import (
    Action,
    Allowed,
    ApprovalService,
    Asked,
    AuditEntry,
    DecisionRefused,
    NotAuthentic,
    NotPermitted,
    Outcome,
    Scope,
    sign,
)

SECRET = b"a secret of 32 bytes, or of more"
NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
TOOL = "run_mutation"
CALL: dict[str, Any] = {"store": "summit", "kind": "price", "skus": ["A1", "A2"], "value": 12.5}
OTHER_CALL = {**CALL, "value": 13}
OTHER_STORE = {**CALL, "store": "harbor"}
NOES = ("denied", "skipped", "expired")

few = settings(max_examples=30)

people = st.sampled_from(["ann", "bo"])
conversations = st.sampled_from(["c1", "c2"])
scopes = st.sampled_from(get_args(Scope))
noes = st.sampled_from(NOES)
calls = st.fixed_dictionaries(
    {
        "store": st.sampled_from(["summit", "harbor"]),
        "kind": st.sampled_from(["price", "stock"]),
        "skus": st.lists(st.sampled_from(["A1", "A2", "B1"]), max_size=2),
        "value": st.none() | st.integers(0, 3) | st.floats(0, 3) | st.text(max_size=3),
    }
)


def text(call: Mapping[str, Any]) -> str:
    """A call so that two of them compare: the order of its keys does not matter, 1 and 1.0 differ."""
    return json.dumps(call, sort_keys=True)


class World:
    """A service with its clock, its roles and its host."""

    def __init__(self, folder: Path, offered: Sequence[Scope] = get_args(Scope), **more: Any) -> None:
        self.now = NOW
        self.banned: set[str] = set()
        self.offered = tuple(offered)
        self.path = folder / "approvals.db"
        self.more = more
        self.service = self.another()

    def another(self, secret: bytes = SECRET) -> ApprovalService:
        return ApprovalService(
            self.path,
            secret=secret,
            action_of=lambda tool, arguments: self.action_of(tool, arguments),
            permits=lambda person, action: person not in self.banned,
            clock=lambda: self.now,
            **self.more,
        )

    def action_of(self, tool: str, arguments: Mapping[str, Any]) -> Action:
        if arguments["store"] not in ("summit", "harbor"):
            raise ValueError(f"there is no store {arguments['store']!r}")
        key = f"store:{arguments['store']}/{arguments['kind']}"
        return Action(arguments["store"], key, f"{arguments['kind']}s in {arguments['store']}", self.offered)

    def authorize(self, call: Mapping[str, Any] = CALL, **more: Any) -> Allowed | Asked:
        return self.service.authorize(
            call, **{"tool": TOOL, "person": "ann", "conversation": "c1", "call_id": "t1", **more}
        )

    def ask(self, call: Mapping[str, Any] = CALL, **more: Any) -> str:
        asked = self.authorize(call, **more)
        assert isinstance(asked, Asked)
        return asked.request

    def tell(self, *decisions: Mapping[str, Any]) -> list[Outcome]:
        return self.service.decide(decisions, token=sign(decisions, SECRET))

    def approve(self, request: str, **more: Any) -> Outcome:
        (outcome,) = self.tell(approved(request, **more))
        return outcome

    def state(self) -> list[Any]:
        """Everything in the file but the audit."""
        with reading(self.path) as connection:
            tables = [
                connection.execute(f"SELECT * FROM {name} ORDER BY id") for name in ("requests", "grants")
            ]
            return [table.fetchall() for table in tables]


def approved(request: str, **more: Any) -> dict[str, Any]:
    return {
        "request": request,
        "conversation_id": "c1",
        "by": "ann",
        "decision": "approved",
        "scope": "once",
        "tool_input": CALL,
        "edited_input": None,
        **more,
    }


def said_no(request: str, decision: str = "denied", **more: Any) -> dict[str, Any]:
    return approved(request, decision=decision, scope=None, **more)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def a_world(**more: Any) -> Iterator[World]:
    with tempfile.TemporaryDirectory() as folder:
        yield World(Path(folder), **more)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


# -- 1. ids -----------------------------------------------------------------------------------


@few
@given(st.lists(calls, min_size=2, max_size=6))
def test_every_request_has_a_new_random_id_of_128_bits_or_more(asked_for: list[dict[str, Any]]) -> None:
    with a_world() as world, a_world() as same_again:
        ids = [place.ask(call) for place in (world, same_again) for call in asked_for]
    assert len(set(ids)) == len(ids)
    for request in ids:
        prefix, _, random = request.partition("_")
        assert prefix == "apr"
        assert len(base64.urlsafe_b64decode(random)) * 8 >= 128


def test_the_reply_is_the_one_that_hosts_read(world: World) -> None:
    asked = World(world.path.parent / "timed", ["thread"], answer_within=timedelta(hours=1)).authorize()
    assert isinstance(asked, Asked)
    assert asked.reply == {
        "kaboo_approval": {
            "request": asked.request,
            "subject": {"key": "store:summit/price", "label": "prices in summit"},
            "scopes": ["once", "thread"],
            "message": "",
            "expiresAt": "2026-03-14T13:00:00.000000Z",
        }
    }
    forever = world.authorize()
    assert isinstance(forever, Asked) and "expiresAt" not in forever.reply["kaboo_approval"]


# -- 2. binding -------------------------------------------------------------------------------


@few
@given(
    calls, calls, people, conversations, st.sampled_from(["t1", "t2"]), st.sampled_from([TOOL, "other_tool"])
)
def test_an_approval_runs_the_exact_call_of_its_person_and_conversation_and_no_other(
    asked_for: dict[str, Any], tried: dict[str, Any], person: str, conversation: str, call_id: str, tool: str
) -> None:
    same = text(asked_for) == text(tried)
    with a_world() as world:
        request = world.ask(asked_for)
        world.approve(request, tool_input=asked_for)
        standing = world.authorize(
            tried, person=person, conversation=conversation, call_id=call_id, tool=tool
        )
        if same and (person, conversation, call_id, tool) == ("ann", "c1", "t1", TOOL):
            assert standing == Allowed("approval", request)
        else:
            assert isinstance(standing, Asked)
            assert world.authorize(asked_for) == Allowed("approval", request)


@pytest.mark.parametrize(
    ("what", "other"),
    [
        ("person", "bo"),
        ("conversation", "c2"),
        ("call_id", "t2"),
        ("tool", "other_tool"),
        ("call", OTHER_CALL),
        ("call", OTHER_STORE),
        ("call", {**CALL, "more": None}),
    ],
)
def test_whatever_differs_alone_makes_it_another_call(world: World, what: str, other: Any) -> None:
    request = world.ask()
    world.approve(request)
    assert isinstance(world.authorize(**{what: other}), Asked)
    assert world.authorize() == Allowed("approval", request)


@pytest.mark.parametrize("value", [12, 12.0, "12", True, None, [12], {"n": 12}])
def test_arguments_that_differ_only_in_kind_are_another_call(world: World, value: Any) -> None:
    world.approve(world.ask({**CALL, "value": 1}), tool_input={**CALL, "value": 1})
    world.approve(world.ask({**CALL, "value": value}, call_id="t2"), tool_input={**CALL, "value": value})
    for other in (12, 12.0, "12", True, None, [12], {"n": 12}):
        if repr(other) != repr(value):
            assert isinstance(world.authorize({**CALL, "value": other}, call_id="t2"), Asked)
    assert isinstance(world.authorize({**CALL, "value": value}, call_id="t2"), Allowed)


def test_a_call_that_can_be_written_in_several_ways_is_compared_in_one(tmp_path: Path) -> None:
    def action_of(tool: str, arguments: Mapping[str, Any]) -> Action:
        whole = {"store": arguments["store"], "value": float(arguments.get("value", 1))}
        return Action(arguments["store"], arguments["store"], "a store", arguments=whole)

    service = ApprovalService(tmp_path / "a.db", secret=SECRET, action_of=action_of, permits=lambda *_: True)
    about: dict[str, Any] = {"tool": TOOL, "person": "ann", "conversation": "c1"}
    asked = service.authorize({"store": "summit", "value": 1.0}, **about)
    assert isinstance(asked, Asked)
    told = [approved(asked.request, tool_input={"store": "summit"})]
    service.decide(told, token=sign(told, SECRET))
    assert isinstance(service.authorize({"store": "summit", "value": 1}, **about), Allowed)


def test_an_approval_is_not_used_for_a_call_the_service_never_saw_under_that_id(world: World) -> None:
    """A reply that quotes another request's id can't have it approved under its own card."""
    request = world.ask(CALL)
    with pytest.raises(DecisionRefused, match="showed another call"):
        world.approve(request, tool_input=OTHER_CALL)
    for shown in (None, [], "call", {}, {"store": "moon"}):
        with pytest.raises(DecisionRefused):
            world.approve(request, tool_input=shown)
    assert isinstance(world.authorize(), Asked)


# -- 3. who may decide ------------------------------------------------------------------------


@few
@given(st.text() | st.binary() | st.none() | st.integers(), st.binary(min_size=16))
def test_a_decision_without_the_hosts_token_is_not_looked_at(token: Any, other_secret: bytes) -> None:
    assume(other_secret != SECRET)
    with a_world() as world:
        decisions = [approved(world.ask())]
        before, audit = world.state(), world.service.audit()
        for wrong in (token, sign(decisions, other_secret), sign([], SECRET)):
            with pytest.raises(NotAuthentic):
                world.service.decide(decisions, token=wrong)
        assert (world.state(), world.service.audit()) == (before, audit)
        assert isinstance(world.authorize(), Asked)


@few
@given(st.data())
def test_the_token_is_for_exactly_the_decisions_that_were_signed(data: st.DataObject) -> None:
    with a_world() as world:
        signed = [said_no(world.ask()), approved(world.ask(OTHER_CALL), tool_input=OTHER_CALL)]
        token = sign(signed, SECRET)
        which = data.draw(st.integers(0, 1))
        key, value = data.draw(
            st.sampled_from(
                [
                    ("request", signed[1 - which]["request"]),
                    ("decision", "skipped"),
                    ("scope", "always"),
                    ("by", "bo"),
                    ("conversation_id", "c2"),
                    ("tool_input", OTHER_STORE),
                    ("edited_input", {**CALL, "value": 99}),
                    ("more", 1),
                ]
            )
        )
        tampered = [dict(decision) for decision in signed]
        tampered[which][key] = value
        for decisions in (tampered, signed[:1], signed[::-1], [*signed, signed[0]], []):
            with pytest.raises(NotAuthentic):
                world.service.decide(decisions, token=token)
        assert [outcome.status for outcome in world.service.decide(signed, token=token)] == ["taken", "taken"]


def test_decisions_that_are_not_json_have_no_token(world: World) -> None:
    decisions = [approved(world.ask(), reason=object())]
    with pytest.raises(TypeError):
        sign(decisions, SECRET)
    with pytest.raises(NotAuthentic):
        world.service.decide(decisions, token="")


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        ApprovalService(tmp_path / "a.db", secret=b"short", action_of=lambda *_: ..., permits=lambda *_: True)  # type: ignore[arg-type, return-value]


# -- 4. which decisions count -----------------------------------------------------------------

said = st.builds(
    lambda decision, scope, value: (decision, scope if decision == "approved" else None, value),
    st.sampled_from(["approved", *NOES]),
    scopes,
    st.sampled_from([None, 13, 14]),
)


def decision_of(request: str, decision: str, scope: str | None, value: int | None) -> dict[str, Any]:
    edited = None if value is None else {**CALL, "value": value}
    return approved(request, decision=decision, scope=scope, edited_input=edited)


@few
@given(st.lists(said, min_size=1, max_size=5))
def test_the_first_decision_counts_its_repeat_is_harmless_and_nothing_later_allows_more(
    told: list[tuple[str, str | None, int | None]],
) -> None:
    first = told[0]
    with a_world() as world:
        request = world.ask()
        world.tell(decision_of(request, *first))
        taken = world.state()
        taken_back = False
        for later in told[1:]:
            same = later == first if later[0] == "approved" else later[0] == first[0]
            try:
                (outcome,) = world.tell(decision_of(request, *later))
            except DecisionRefused as refused:
                (outcome,) = refused.refused
            if same and not taken_back:
                assert outcome.status == "repeated"
            elif first[0] == "approved" and later[0] in NOES:
                assert outcome.status == "withdrawn"
                taken_back = True
            else:
                assert outcome.status == ("refused" if later[0] == "approved" else "ignored")
            if not taken_back:
                assert world.state() == taken
        for value in (None, 13, 14):
            tried = CALL if value is None else {**CALL, "value": value}
            covered = first[0] == "approved" and (value == first[2] or first[1] != "once")
            assert isinstance(world.authorize(tried), Allowed) == (covered and not taken_back)


@few
@given(people, conversations, said)
def test_a_decision_counts_only_for_the_same_person_and_conversation(
    person: str, conversation: str, told: tuple[str, str | None, int | None]
) -> None:
    assume((person, conversation) != ("ann", "c1"))
    with a_world() as world:
        request = world.ask()
        before = world.state()
        strange = {**decision_of(request, *told), "by": person, "conversation_id": conversation}
        if told[0] == "approved":
            with pytest.raises(DecisionRefused):
                world.tell(strange)
        else:
            assert world.tell(strange)[0].status == "ignored"
        assert world.state() == before
        assert world.approve(request).status == "taken"


@few
@given(st.text() | st.integers() | st.lists(st.text(max_size=2), max_size=2) | st.just("\ud800"), said)
def test_a_request_that_this_service_never_made_is_ignored(
    forged: Any, told: tuple[str, str | None, int | None]
) -> None:
    with a_world() as world:
        world.ask()
        before = world.state()
        (outcome,) = world.tell(decision_of(forged, *told))
        assert outcome.status == "ignored"
        assert world.state() == before
        assert world.service.audit()[-1].event == "ignored"


def test_a_decision_that_carries_no_request_is_not_for_this_service(world: World) -> None:
    assert world.tell({**approved("x"), "request": None}, {"decision": "answered"}) == []


@pytest.mark.parametrize("decision", ["answered", "superseded", "yes", "", None, True, ["approved"], {}])
def test_a_word_that_is_no_decision_about_an_approval_is_ignored(world: World, decision: Any) -> None:
    request = world.ask()
    assert world.tell(approved(request, decision=decision))[0].status == "ignored"
    assert world.approve(request).status == "taken"


def test_a_set_is_taken_whole_or_not_at_all(world: World) -> None:
    first, second, third = world.ask(), world.ask(OTHER_CALL), world.ask(OTHER_STORE)
    before = world.state()
    with pytest.raises(DecisionRefused) as refused:
        world.tell(
            approved(first, scope="always"),
            said_no(third),
            approved(second, by="bo", tool_input=OTHER_CALL),
        )
    assert [outcome.request for outcome in refused.value.refused] == [second]
    assert str(refused.value) == "This was asked for ann, and nobody else can decide it."
    assert world.state() == before
    # The person answers again, otherwise than before, and every decision of the set is sent again.
    outcomes = world.tell(
        said_no(first), approved(second, tool_input=OTHER_CALL), approved(third, tool_input=OTHER_STORE)
    )
    assert [outcome.status for outcome in outcomes] == ["taken"] * 3
    assert isinstance(world.authorize(), Asked)
    assert isinstance(world.authorize(OTHER_CALL), Allowed)


def test_a_repeat_is_known_even_when_the_call_makes_no_sense_any_more(world: World) -> None:
    """A repeat must not fail, even after the approved call has deleted what it was about."""
    request = world.ask()
    world.approve(request)
    world.action_of = lambda *_: 1 / 0  # type: ignore[assignment, return-value]
    assert world.approve(request).status == "repeated"


@few
@given(noes, scopes)
def test_a_later_no_takes_back_what_is_left_of_an_approval(no: str, scope: Scope) -> None:
    """A set can be opened again after this service took its part; the last word may then be no."""
    with a_world() as world:
        request = world.ask()
        world.approve(request, scope=scope)
        assert world.tell(said_no(request, no))[0].status == "withdrawn"
        assert isinstance(world.authorize(), Asked)
        assert world.service.grants() == []
        with pytest.raises(DecisionRefused, match="taken back"):
            world.approve(request, scope=scope)
        assert isinstance(world.authorize(), Asked)


# -- 5. what a decision grants ----------------------------------------------------------------


@few
@given(st.lists(scopes, max_size=3), scopes | st.sampled_from(["forever", "", 5, ["once"]]) | st.none())
def test_only_an_offered_scope_is_granted_and_once_always_is(offered: list[Scope], chosen: Any) -> None:
    with a_world(offered=offered) as world:
        request = world.ask()
        if chosen in ("once", "", None) or chosen in offered:
            assert world.approve(request, scope=chosen).status == "taken"
            grants = world.service.grants()
            assert [grant.scope for grant in grants] == ([chosen] if chosen in ("thread", "always") else [])
            assert isinstance(world.authorize(), Allowed)
        else:
            with pytest.raises(DecisionRefused, match="can be approved once"):
                world.approve(request, scope=chosen)
            assert isinstance(world.authorize(), Asked)
            assert world.service.grants() == []


@few
@given(scopes, people, conversations, calls, st.sampled_from([TOOL, "other_tool"]))
def test_a_scope_reaches_the_subject_it_named_and_not_further(
    scope: Scope, person: str, conversation: str, tried: dict[str, Any], tool: str
) -> None:
    with a_world() as world:
        request = world.ask()
        world.approve(request, scope=scope)
        assert world.authorize() == Allowed("approval", request)
        standing = world.authorize(tried, person=person, conversation=conversation, tool=tool, call_id="t9")
        covered = (
            scope != "once"
            and (person, tool) == ("ann", TOOL)
            and (scope == "always" or conversation == "c1")
            and (tried["store"], tried["kind"]) == ("summit", "price")
        )
        assert isinstance(standing, Allowed) == covered


@few
@given(calls, scopes)
def test_an_edited_call_keeps_the_subject_and_is_then_the_only_one_allowed(
    edited: dict[str, Any], scope: Scope
) -> None:
    assume(text(edited) != text(CALL))
    with a_world() as world:
        request = world.ask()
        if (edited["store"], edited["kind"]) == ("summit", "price"):
            assert world.approve(request, edited_input=edited, scope=scope).status == "taken"
            if scope == "once":
                assert isinstance(world.authorize(CALL), Asked)
            assert world.authorize(edited) == Allowed("approval", request)
        else:
            with pytest.raises(DecisionRefused, match="The edited call is about"):
                world.approve(request, edited_input=edited, scope=scope)
            for tried in (CALL, edited):
                assert isinstance(world.authorize(tried), Asked)


@pytest.mark.parametrize("edited", [{}, {"store": "moon"}, [], "call", 5, False])
def test_an_edit_that_makes_no_sense_is_refused(world: World, edited: Any) -> None:
    request = world.ask()
    with pytest.raises(DecisionRefused):
        world.approve(request, edited_input=edited)
    assert isinstance(world.authorize(), Asked)


@pytest.mark.parametrize("empty", ["resource", "subject_key", "subject_label"])
def test_an_action_says_what_it_is_about(empty: str) -> None:
    with pytest.raises(ValueError, match="needs a resource"):
        Action(**{"resource": "r", "subject_key": "k", "subject_label": "l", empty: ""})
    with pytest.raises(ValueError, match="'forever' is not a scope"):
        Action("r", "k", "l", ("forever",))  # type: ignore[arg-type]


# -- 6. checked again at execution ------------------------------------------------------------


@few
@given(scopes)
def test_a_right_that_was_lost_meanwhile_stops_an_approved_call_and_uses_nothing_up(scope: Scope) -> None:
    with a_world() as world:
        request = world.ask()
        world.approve(request, scope=scope)
        world.banned = {"ann"}
        with pytest.raises(NotPermitted, match="ann has no right to this: prices in summit"):
            world.authorize()
        world.banned = set()
        assert world.authorize() == Allowed("approval", request)


def test_who_has_no_right_is_not_even_asked(world: World) -> None:
    world.banned = {"ann"}
    with pytest.raises(NotPermitted):
        world.authorize()
    assert world.service.audit() == []


@pytest.mark.parametrize("answer", [None, 1, "yes", [True], lambda: True])
def test_a_check_of_rights_that_does_not_say_true_says_no(tmp_path: Path, answer: Any) -> None:
    world = World(tmp_path)
    service = ApprovalService(
        world.path, secret=SECRET, action_of=world.action_of, permits=lambda person, action: answer
    )
    with pytest.raises(NotPermitted):
        service.authorize(CALL, tool=TOOL, person="ann", conversation="c1")


@pytest.mark.parametrize("missing", ["person", "conversation"])
@pytest.mark.parametrize("nobody", ["", "  ", None, 5])
def test_a_call_of_nobody_or_nowhere_is_not_permitted(world: World, missing: str, nobody: Any) -> None:
    with pytest.raises(NotPermitted, match="a person and a conversation"):
        world.authorize(**{missing: nobody})


@few
@given(st.integers(2, 5))
def test_an_approval_of_one_call_runs_it_once(tries: int) -> None:
    with a_world() as world:
        world.approve(world.ask())
        standings = [world.authorize() for _ in range(tries)]
        assert [isinstance(standing, Allowed) for standing in standings] == [True] + [False] * (tries - 1)


def test_an_approval_under_a_subject_that_means_something_else_by_now_runs_nothing(world: World) -> None:
    world.approve(world.ask())
    world.action_of = lambda tool, arguments: Action("summit", "store:summit/everything", "everything")  # type: ignore[method-assign]
    assert isinstance(world.authorize(), Asked)


def test_under_another_secret_an_open_approval_matches_nothing(world: World) -> None:
    world.approve(world.ask())
    world.service = world.another(b"another secret, of enough bytes")
    assert isinstance(world.authorize(), Asked)


def test_an_action_that_is_none_and_arguments_that_are_not_json_run_nothing(world: World) -> None:
    with pytest.raises(TypeError, match="are JSON"):
        world.authorize({**CALL, "value": object()})
    world.action_of = lambda tool, arguments: "summit"  # type: ignore[assignment, method-assign, return-value]
    with pytest.raises(TypeError, match="and not an Action"):
        world.authorize()
    assert world.service.audit() == []


# -- 7. waiting and expiry --------------------------------------------------------------------

waits = st.timedeltas(timedelta(0), timedelta(days=20_000))


@few
@given(waits)
def test_a_pending_request_waits_for_ever_and_authorises_nothing(wait: timedelta) -> None:
    with a_world() as world:
        request = world.ask()
        world.now += wait
        assert isinstance(world.authorize(), Asked)
        assert world.approve(request).status == "taken"
        assert world.authorize() == Allowed("approval", request)


@few
@given(waits, st.timedeltas(timedelta(seconds=1), timedelta(days=400)))
def test_a_deadline_is_compared_with_the_moment_of_the_decision(wait: timedelta, within: timedelta) -> None:
    with a_world(answer_within=within) as world:
        request = world.ask()
        world.now += wait
        if wait <= within:
            assert world.approve(request).status == "taken"
        else:
            with pytest.raises(DecisionRefused, match="time to approve this is over"):
                world.approve(request)
            assert world.tell(said_no(request, "expired"))[0].status == "taken"
            assert isinstance(world.authorize(), Asked)


@few
@given(waits, st.timedeltas(timedelta(seconds=1), timedelta(days=400)), st.sampled_from(["thread", "always"]))
def test_a_remembered_approval_expires(wait: timedelta, lifetime: timedelta, scope: Scope) -> None:
    with a_world(remember_for=lifetime, use_within=timedelta(seconds=1)) as world:
        world.approve(world.ask(), scope=scope)
        assert world.authorize().by == "approval"  # type: ignore[union-attr]
        world.now += wait
        live = wait < lifetime
        assert isinstance(world.authorize(OTHER_CALL), Allowed) == live
        assert len(world.service.grants()) == live
        assert len(world.service.grants(live=False)) == 1


@few
@given(waits, st.timedeltas(timedelta(seconds=1), timedelta(days=400)))
def test_an_approval_that_nobody_uses_lapses(wait: timedelta, within: timedelta) -> None:
    with a_world(use_within=within) as world:
        world.approve(world.ask())
        world.now += wait
        assert isinstance(world.authorize(), Allowed) == (wait < within)


@few
@given(st.sampled_from(["thread", "always"]), st.booleans())
def test_a_remembered_approval_can_be_revoked_with_immediate_effect(scope: Scope, used: bool) -> None:
    with a_world() as world:
        world.approve(world.ask(), scope=scope)
        if used:
            world.authorize()
        (grant,) = world.service.grants("ann")
        assert (grant.scope, grant.subject_label, grant.conversation) == (
            scope,
            "prices in summit",
            "c1" if scope == "thread" else None,
        )
        assert world.service.grants("bo") == []
        assert world.service.revoke(grant.id, by="bo")
        assert isinstance(world.authorize(), Asked)
        assert world.service.grants() == []
        assert not world.service.revoke(grant.id, by="bo")
        assert world.service.audit(grant.request)[-1].by == "bo"


def test_revoking_what_never_was_changes_nothing(world: World) -> None:
    assert not world.service.revoke("grt_none", by="bo")
    assert world.service.audit() == []


# -- 8. no secrets ----------------------------------------------------------------------------


@few
@given(st.text("abcdefghij", min_size=12, max_size=20), scopes)
def test_no_argument_ever_reaches_the_file_the_reply_or_the_audit(password: str, scope: Scope) -> None:
    holds = {**CALL, "value": {"password": password}}
    edited = {**CALL, "value": [password]}
    nonsense = {**CALL, "store": password}
    with a_world() as world:
        request = world.ask(holds)
        for wrong in ({"edited_input": nonsense}, {"tool_input": nonsense}, {"tool_input": edited}):
            with pytest.raises(DecisionRefused):
                world.approve(request, **{"tool_input": holds, **wrong})
        world.approve(request, tool_input=holds, edited_input=edited, scope=scope, reason=password)
        world.authorize(edited)
        asked = world.authorize(holds, conversation="c2")
        assert password not in repr(asked) and password not in repr(world.service.audit())
        written = b"".join(path.read_bytes() for path in world.path.parent.iterdir())
        assert password.encode() not in written
        assert SECRET not in written


def test_a_call_is_not_found_by_guessing_its_arguments(world: World) -> None:
    """The hash is keyed: who reads the file alone can't try out what the arguments were."""
    world.ask()
    first = world.state()[0][0]
    with a_world() as elsewhere:
        elsewhere.service = elsewhere.another(b"another secret, of enough bytes")
        elsewhere.ask()
        second = elsewhere.state()[0][0]
    hashes = [
        [value for value in row if isinstance(value, str) and len(value) == 64] for row in (first, second)
    ]
    assert len(hashes[0]) == len(hashes[1]) == 1
    assert hashes[0] != hashes[1]


# -- 9. audit ---------------------------------------------------------------------------------


def line(entry: AuditEntry) -> tuple[Any, ...]:
    return entry.event, entry.person, entry.by, entry.subject_label, entry.scope, entry.at


@few
@given(said, st.timedeltas(timedelta(0), timedelta(days=9)))
def test_every_decision_is_recorded_with_who_what_which_scope_and_when(
    told: tuple[str, str | None, int | None], wait: timedelta
) -> None:
    with a_world() as world:
        request = world.ask()
        world.now += wait
        world.tell(decision_of(request, *told))
        asked, decided = world.service.audit(request)
        assert line(asked) == ("asked", "ann", None, "prices in summit", None, NOW)
        assert line(decided) == (told[0], "ann", "ann", "prices in summit", told[1], NOW + wait)
        assert (decided.conversation, decided.tool, decided.request) == ("c1", TOOL, request)


def test_what_was_used_revoked_repeated_and_refused_is_recorded_too(world: World) -> None:
    request = world.ask()
    with pytest.raises(DecisionRefused):
        world.approve(request, by="bo")
    world.approve(request, scope="always")
    world.approve(request, scope="always")
    world.authorize()
    world.authorize(OTHER_CALL, conversation="c2")
    (grant,) = world.service.grants()
    world.service.revoke(grant.id, by="root")
    world.tell(said_no(request))
    assert [(e.event, e.by, e.scope, e.conversation, e.grant is not None) for e in world.service.audit()] == [
        ("asked", None, None, "c1", False),
        ("refused", "bo", "once", "c1", False),
        ("approved", "ann", "always", "c1", True),
        ("repeated", "ann", "always", "c1", False),
        ("used", None, "always", "c1", False),
        ("used", None, "always", "c2", True),
        ("revoked", "root", "always", "c1", True),
        ("withdrawn", "ann", None, "c1", False),
    ]
    assert [entry.number for entry in world.service.audit()] == list(range(1, 9))


def test_the_audit_only_grows(world: World) -> None:
    world.approve(world.ask())
    before = world.service.audit()
    with reading(world.path) as connection:
        for statement in (
            "UPDATE audit SET \"by\" = 'nobody'",
            "DELETE FROM audit",
            "INSERT OR REPLACE INTO audit SELECT * FROM audit",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="the audit only grows"):
                connection.execute(statement)
    assert world.service.audit() == before


# -- all of it together -----------------------------------------------------------------------


class Life(RuleBasedStateMachine):
    """Whatever happens in whatever order: nothing runs that an approval or a grant does not cover."""

    requests = Bundle("requests")

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.world = World(
            Path(self.folder.name), remember_for=timedelta(days=3), use_within=timedelta(days=1)
        )
        self.asked: dict[str, tuple[str, str, dict[str, Any]]] = {}
        self.open: set[str] = set()
        self.approvals: dict[str, tuple[dict[str, Any], datetime]] = {}
        self.remembered: dict[str, tuple[Scope, datetime]] = {}

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def covering(self, person: str, conversation: str, call: dict[str, Any]) -> set[str]:
        subject = (call["store"], call["kind"])
        exact = {
            request
            for request, (allowed, until) in self.approvals.items()
            if self.asked[request][:2] == (person, conversation)
            and text(allowed) == text(call)
            and self.world.now < until
        }
        wide = {
            request
            for request, (scope, until) in self.remembered.items()
            if self.asked[request][0] == person
            and (scope == "always" or self.asked[request][1] == conversation)
            and (self.asked[request][2]["store"], self.asked[request][2]["kind"]) == subject
            and self.world.now < until
        }
        return exact or wide

    @rule(target=requests, person=people, conversation=conversations, call=calls)
    def call(self, person: str, conversation: str, call: dict[str, Any]) -> Any:
        covered = self.covering(person, conversation, call)
        standing = self.world.authorize(call, person=person, conversation=conversation)
        if isinstance(standing, Asked):
            assert not covered
            self.asked[standing.request] = (person, conversation, call)
            self.open.add(standing.request)
            return standing.request
        if standing.by == "approval":
            assert standing.id in covered
            del self.approvals[standing.id]
        else:
            (grant,) = [grant for grant in self.world.service.grants() if grant.id == standing.id]
            assert grant.request in covered
        return multiple()

    @rule(request=requests, scope=scopes, edited=st.none() | calls)
    def approve(self, request: str, scope: Scope, edited: dict[str, Any] | None) -> None:
        person, conversation, call = self.asked[request]
        told = approved(
            request,
            by=person,
            conversation_id=conversation,
            scope=scope,
            tool_input=call,
            edited_input=edited,
        )
        same = edited is None or (edited["store"], edited["kind"]) == (call["store"], call["kind"])
        if request not in self.open:
            try:
                self.world.tell(told)
            except DecisionRefused:
                pass
        elif same:
            assert self.world.tell(told)[0].status == "taken"
            self.open.remove(request)
            self.approvals[request] = (edited or call, self.world.now + timedelta(days=1))
            if scope != "once":
                self.remembered[request] = (scope, self.world.now + timedelta(days=3))
        else:
            with pytest.raises(DecisionRefused):
                self.world.tell(told)

    @rule(request=requests, no=noes)
    def say_no(self, request: str, no: str) -> None:
        person, conversation, _ = self.asked[request]
        self.world.tell(said_no(request, no, by=person, conversation_id=conversation))
        self.open.discard(request)
        self.approvals.pop(request, None)
        self.remembered.pop(request, None)

    @rule(request=requests, person=people, conversation=conversations)
    def meddle(self, request: str, person: str, conversation: str) -> None:
        if (person, conversation) != self.asked[request][:2]:
            with pytest.raises(DecisionRefused):
                self.world.tell(approved(request, by=person, conversation_id=conversation))

    @rule(request=requests)
    def revoke(self, request: str) -> None:
        for grant in self.world.service.grants():
            if grant.request == request:
                self.world.service.revoke(grant.id, by="root")
                self.approvals.pop(request, None)
                del self.remembered[request]

    @rule(hours=st.integers(1, 40))
    def wait(self, hours: int) -> None:
        self.world.now += timedelta(hours=hours)

    @rule()
    def restart(self) -> None:
        self.world.service = self.world.another()


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=25, stateful_step_count=25)


# -- threads, processes and files -------------------------------------------------------------


def test_one_approval_is_used_by_one_of_many_threads(world: World) -> None:
    world.approve(world.ask())
    with ThreadPoolExecutor(8) as threads:
        standings = list(threads.map(lambda _: world.authorize(), range(16)))
    assert sum(isinstance(standing, Allowed) for standing in standings) == 1


def test_one_of_many_threads_decides_first(world: World) -> None:
    request = world.ask()
    told = [approved(request, edited_input={**CALL, "value": value}) for value in range(12)]

    def tell(decision: dict[str, Any]) -> str:
        try:
            return world.tell(decision)[0].status
        except DecisionRefused:
            return "refused"

    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(tell, told))
    assert sorted(statuses) == ["refused"] * 11 + ["taken"]
    allowed = [isinstance(world.authorize(decision["edited_input"]), Allowed) for decision in told]
    assert allowed == [status == "taken" for status in statuses]


PROCESS = """
import sys
from workbench.approval_service import Action, Allowed, ApprovalService
service = ApprovalService(
    sys.argv[1], secret=b"a secret of 32 bytes, or of more", permits=lambda person, action: True,
    action_of=lambda tool, arguments: Action("summit", "store:summit/price", "prices in summit"),
)
call = {"store": "summit", "kind": "price", "skus": ["A1", "A2"], "value": 12.5}
standing = service.authorize(call, tool="run_mutation", person="ann", conversation="c1", call_id="t1")
print(isinstance(standing, Allowed))
"""


def in_processes(path: Path, count: int) -> list[bool]:
    started = [
        subprocess.Popen([sys.executable, "-c", PROCESS, str(path)], stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    return [process.communicate()[0].strip() == "True" for process in started]


def test_one_approval_is_used_by_one_of_several_processes(tmp_path: Path) -> None:
    world = World(tmp_path)
    # The processes live by the real clock.
    world.now = datetime.now(UTC)
    world.approve(world.ask())
    assert sorted(in_processes(world.path, 3)) == [False, False, True]


def test_processes_that_start_together_make_the_file_once(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "folder" / "approvals.db"
    assert in_processes(path, 3) == [False] * 3
    with reading(path) as connection:
        assert connection.execute("SELECT count(*) FROM requests").fetchone() == (3,)


def test_another_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "approvals.db"
    with reading(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    with pytest.raises(ValueError, match="some other database"):
        World(tmp_path)
    with reading(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("mine",)]


def test_a_file_of_a_newer_release_is_left_alone(world: World) -> None:
    with reading(world.path) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(ValueError, match="newer release"):
        world.authorize()


@pytest.mark.parametrize("path", ["", ":memory:"])
def test_approvals_are_not_kept_in_memory(path: str) -> None:
    with pytest.raises(ValueError, match="need a file"):
        ApprovalService(path, secret=SECRET, action_of=lambda *_: ..., permits=lambda *_: True)  # type: ignore[arg-type, return-value]


def test_a_file_that_is_no_database_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "approvals.db").write_text("not a database, whatever its name says" * 50)
    with pytest.raises(sqlite3.DatabaseError):
        World(tmp_path)
