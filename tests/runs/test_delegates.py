"""Delegates: what they see, how they fail, and what becomes of them when the person does not answer."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.arrangements import (
    asker,
    asker_of_both,
    asking,
    config,
    delegate_two_down,
    delegating,
    graph,
    model,
    one_delegate_twice,
    price,
    question,
    talker,
    team,
    two_delegates_at_once,
    worker,
)
from tests.runs.harness import Bench
from tests.runs.test_positions import COUNTING, assert_pairs_balance
from workbench.policy import AnswerRefused
from workbench.policy.answer import Answered, Approved, Denied
from workbench.policy.notes import CANCELLED, SKIPPED_BY_MESSAGE
from workbench.runs.views import CallItem, TextItem

MakeBench = Callable[..., Bench]


def make(bench: MakeBench, text: dict[str, Any], **given: Any) -> Bench:
    """A bench whose models are counted."""
    files = {"counting.py": COUNTING, **given.pop("files", {})}
    return bench(text, files=files, **given)


def tools_of(b: Bench) -> dict[str, set[str]]:
    """The tools that each agent's model was told of."""
    lines = (b.folder / "asked.jsonl").read_text(encoding="utf-8").splitlines()
    return {one["who"]: set(one["tools"]) for one in map(json.loads, lines)}


def calls_to(b: Bench, tool: str) -> list[CallItem]:
    """The transcript's calls of a tool."""
    return [item for item in b.items() if item.tool == tool]


def assert_all_ended(b: Bench) -> None:
    """No call is left in the journal or in the transcript without its end."""
    assert b.store.journal.open(b.id) == []
    assert {item.state for item in b.items()} <= {"finished", "failed", "closed"}
    assert_pairs_balance(b)


# -- what a delegate sees -----------------------------------------------------------------------


def test_an_agent_never_sees_a_client_tool_that_its_config_does_not_name(bench: MakeBench) -> None:
    agents = {
        "boss": {**worker("boss", delegating(("seller", "price A1"))), "client_tools": ["ask_user"]},
        "seller": {
            "model": model("seller", script=[{"tool": "ask_user", "input": {"question": "Which?"}}]),
            "tools": ["./kit.py:look_up"],
            "auto": True,
        },
    }
    b = make(bench, config("team", agents, team=team("boss", "seller")))
    assert b.say() == "idle"
    assert tools_of(b) == {"boss": {"ask_user", "seller"}, "seller": {"look_up"}}
    (asked,) = calls_to(b, "ask_user")
    assert asked.state == "failed" and "Unknown tool: ask_user" in str(asked.result_text)
    assert b.store.requests.of_conversation(b.id) == []


def test_what_a_tool_may_know_of_the_run_names_the_agent_that_calls_it(bench: MakeBench) -> None:
    source = '''
import json
import strands
from strands import ToolContext

@strands.tool(context=True)
def where(tool_context: ToolContext) -> str:
    """Say where this runs."""
    known = tool_context.invocation_state["workbench"]
    return json.dumps([known["person"], known["agent_path"]])
'''
    seller = {
        "model": model("seller", script=[{"tool": "where"}], final_text="{{last_result}}"),
        "tools": ["./where.py"],
        "auto": True,
    }
    boss = {
        **worker("boss", {"tools": [{"tool": "where"}, {"tool": "seller", "input": "go"}]}),
        "tools": ["./where.py"],
    }
    agents = {"boss": boss, "seller": seller}
    b = make(bench, config("team", agents, team=team("boss", "seller")), files={"where.py": source})
    b.say(by="Ada")
    assert [item.result_text for item in calls_to(b, "where")] == [
        '["Ada", ["boss"]]',
        '["Ada", ["boss", "seller"]]',
    ]


# -- a message instead of an answer -------------------------------------------------------------


def test_a_message_closes_a_delegate_with_one_result_that_says_what_it_had_done(bench: MakeBench) -> None:
    b = make(bench, one_delegate_twice("approval"))
    b.say("first")
    assert b.say("second") == "waiting"  # the coordinator's script delegates again
    first, second = b.results()[:2]
    assert first == f"{SKIPPED_BY_MESSAGE}. Before that, seller had done this: look_up: A1 costs 10"
    assert second == f"{SKIPPED_BY_MESSAGE}. Before that, seller had done this: look_up: B2 costs 10"
    closed = [item for item in b.views()[0].items if isinstance(item, CallItem)]
    assert {item.state for item in closed if item.tool != "look_up"} == {"closed"}
    assert {item.state for item in closed if item.tool == "look_up"} == {"finished"}
    b.engine.stop(b.id, by="Ada")
    b.settle()
    assert b.prices() == []
    assert_all_ended(b)


def test_a_message_closes_every_level_of_delegates(bench: MakeBench) -> None:
    b = make(bench, delegate_two_down("approval"))
    b.say("first")
    b.send("second")
    b.settle()
    assert b.results()[0] == f"{SKIPPED_BY_MESSAGE}. Before that, floor had done this: look_up: A1 costs 10"
    first = [item for item in b.views()[0].items if isinstance(item, CallItem)]
    assert {item.tool: item.state for item in first} == {
        "floor": "closed",
        "seller": "closed",
        "look_up": "finished",
        "set_price": "closed",
    }


def test_an_answer_given_to_a_delegate_is_told_to_its_coordinator_when_the_person_moves_on(
    bench: MakeBench,
) -> None:
    b = make(bench, two_delegates_at_once("question"))
    b.say("first")
    answer = {"answers": [{"question": question("A1"), "selected": ["north"], "other": None}]}
    b.answer(Answered(answer), next(card for card in b.cards() if card.agent == "seller"))
    b.say("second")
    told, untold = b.results()[:2]
    assert SKIPPED_BY_MESSAGE in told and "The person's answer: north" in told
    assert SKIPPED_BY_MESSAGE in untold and "The person's answer" not in untold


def test_what_was_approved_in_a_delegate_does_not_run_once_the_person_moves_on(bench: MakeBench) -> None:
    b = make(bench, two_delegates_at_once("approval"))
    b.say("first")
    approved = next(card for card in b.cards() if card.agent == "seller")
    b.answer(Approved(), approved)
    assert [card.id for card in b.engine.open_for_message(b.id).approved_not_run] == [approved.id]
    b.say("second")
    assert b.prices() == []
    card = b.engine.card(approved.id)
    assert card.not_run and card.decision is not None and card.decision.decision == "approved"
    (item,) = [item for item in calls_to(b, "set_price") if item.request_id == approved.id]
    assert item.state == "closed" and "moved on" in str(item.result_text)


def test_the_message_after_a_closed_delegate_can_delegate_again(bench: MakeBench) -> None:
    b = make(bench, two_delegates_at_once("approval"))
    b.say("first")
    b.say("second")
    for card in b.cards():
        b.answer(Approved(), card)
    assert b.settle() == "idle"
    assert sorted(b.prices()) == [("A1", 12.0), ("B2", 12.0)]
    assert_all_ended(b)


# -- stop ---------------------------------------------------------------------------------------


def test_stop_closes_a_nested_pause_and_the_conversation_goes_on(bench: MakeBench) -> None:
    b = make(bench, delegate_two_down("approval"))
    b.say()
    b.engine.stop(b.id, by="Ada")
    assert b.settle() == "idle"
    assert b.results() == [f"{CANCELLED}. Before that, floor had done this: look_up: A1 costs 10"]
    assert_all_ended(b)
    assert b.say("again") == "waiting"
    b.answer()
    assert b.prices() == [("A1", 12.0)]
    assert_all_ended(b)


def test_stop_reaches_a_delegate_at_work_and_lets_its_started_call_end(bench: MakeBench) -> None:
    slow = {"tool": "read_slowly", "input": {"page": "7"}}
    seller = {
        "model": model("seller", script=[slow, price("A1")]),
        "tools": ["./kit.py:read_slowly", "./kit.py:set_price"],
        "auto": True,
    }
    agents = {"boss": worker("boss", delegating(("seller", "read"))), "seller": seller}
    b = make(bench, config("team", agents, team=team("boss", "seller")))
    b.send()
    b.waits_in("read-7")
    b.engine.stop(b.id, by="Ada")
    b.let("read-7")
    assert b.settle() == "idle"
    assert b.statuses() == ["cancelled"]
    (read,) = calls_to(b, "read_slowly")
    assert (read.state, read.result_text) == ("finished", "page 7 is read")
    assert b.prices() == []
    assert "page 7 is read" in b.results()[0]
    assert_all_ended(b)
    assert b.say("again") == "idle"


# -- a delegate that fails ----------------------------------------------------------------------


def test_a_delegate_that_fails_tells_its_coordinator_and_the_run_goes_on(bench: MakeBench) -> None:
    agents = {
        "boss": worker("boss", delegating(("seller", "price A1"), ("helper", "help"))),
        "seller": {"model": model("seller", script=[{"error": "the provider is down"}]), "auto": True},
        "helper": talker("helper"),
    }
    b = make(bench, config("team", agents, team=team("boss", "seller", "helper")))
    assert b.say() == "idle"
    failed, helped = b.results()
    assert failed.startswith("seller could not do this.") and "the provider is down" in failed
    assert "Traceback" not in failed
    assert helped == "helper is done."
    (item,) = calls_to(b, "seller")
    assert item.state == "failed"
    assert [e["message"] for e in b.events("SUBAGENT_ERROR")] == [
        failed.removeprefix("seller could not do this. ")
    ]
    assert_all_ended(b)


def test_a_delegate_whose_model_cannot_be_made_is_an_error_of_its_call_alone(bench: MakeBench) -> None:
    agents = {
        "boss": worker("boss", delegating(("seller", "price A1"))),
        "seller": {"model": {"provider": "openai", "model_id": "x"}, "auto": True},
    }
    b = make(bench, config("team", agents, team=team("boss", "seller")))
    assert b.say() == "idle"
    assert "OPENAI_API_KEY" in b.results()[0]
    assert_all_ended(b)


def test_a_delegate_that_fails_after_its_pause_is_an_error_too(bench: MakeBench) -> None:
    agents = {
        "boss": worker("boss", delegating(("seller", "price A1"))),
        "seller": {
            **asker("seller", "approval", "A1"),
            "model": model("seller", script=[asking("approval", "A1"), {"error": "gone"}]),
        },
    }
    b = make(bench, config("team", agents, team=team("boss", "seller")))
    b.say()
    b.answer()
    assert b.page.status == "idle"
    assert b.prices() == [("A1", 12.0)]
    (told,) = b.results()
    assert told.startswith("seller could not do this.") and "gone" in told
    # What it had done is not lost on the coordinator, who would otherwise delegate it again.
    assert "set_price: A1 now costs 12 in summit" in told
    assert_all_ended(b)


def test_a_tool_of_a_delegate_that_raises_is_an_error_that_the_delegate_reads(bench: MakeBench) -> None:
    seller = {
        "model": model(
            "seller", script=[{"tool": "stumble", "input": {"over": "a stone"}}], final_text="{{last_result}}"
        ),
        "tools": ["./kit.py:stumble"],
        "auto": True,
    }
    agents = {"boss": worker("boss", delegating(("seller", "walk"))), "seller": seller}
    b = make(bench, config("team", agents, team=team("boss", "seller")))
    assert b.say() == "idle"
    (item,) = calls_to(b, "stumble")
    assert item.state == "failed" and item.agent_path == ("boss", "seller")
    assert "stumbled over a stone" in b.results()[0]


# -- permissions and gates of delegates ---------------------------------------------------------


def twice_with_grants() -> dict[str, Any]:
    seller = asker("seller", "approval", "A1")
    seller["interrupt"] = {"tools": [{"name": "set_price", "remember": "thread"}]}
    seller["model"] = model("seller", script=[price("A1"), price("A1")], final_text="{{last_result}}")
    other = {**seller, "model": model("buyer", script=[price("A1")], final_text="{{last_result}}")}
    boss = worker("boss", delegating(("seller", "price")), delegating(("buyer", "price")))
    agents = {"boss": boss, "seller": seller, "buyer": other}
    return config("team", agents, team=team("boss", "seller", "buyer"))


def test_a_permission_given_in_a_delegate_lets_its_later_calls_run_and_nobody_elses(bench: MakeBench) -> None:
    b = make(bench, twice_with_grants())
    b.say()
    assert b.card().agent_path == ("boss", "seller")
    b.answer(Approved(scope="thread"))
    # seller's second call ran by the permission; buyer has no part in it
    assert b.card().agent_path == ("boss", "buyer")
    first, second, _ = calls_to(b, "set_price")
    assert first.decision is not None and first.decision.by == "person"
    assert second.decision is not None and second.decision.by == "permission"
    assert len(b.prices()) == 2
    b.answer(Denied("no"))
    assert len(b.prices()) == 2
    assert_all_ended(b)


def test_a_revoked_permission_asks_again_in_the_delegates_next_delegation(bench: MakeBench) -> None:
    b = make(bench, twice_with_grants())
    b.say()
    b.answer(Approved(scope="thread"))
    b.answer(Denied("no"))
    (grant,) = b.store.grants.list()
    b.store.grants.revoke(grant.id, "Ada")
    b.say("again")
    assert b.card().agent_path == ("boss", "seller")


def gated_delegate(**rule: Any) -> dict[str, Any]:
    boss = worker("boss", delegating(("seller", "price A1")))
    del boss["auto"]
    boss["interrupt"] = {"tools": [{"name": "seller", **rule}]}
    agents = {"boss": boss, "seller": asker("seller", "approval", "A1")}
    return config("team", agents, team=team("boss", "seller"))


def test_a_rule_that_names_a_delegate_asks_before_it_starts_and_once(bench: MakeBench) -> None:
    b = make(bench, gated_delegate())
    b.say()
    card = b.card()
    assert (card.tool, card.agent_path, card.input) == ("seller", ("boss",), {"input": "price A1"})
    assert b.ran() == []
    b.restart()
    b.answer()
    assert (b.card().tool, b.card().agent_path) == ("set_price", ("boss", "seller"))
    b.restart()
    b.answer()
    assert b.page.status == "idle" and b.prices() == [("A1", 12.0)]
    assert_all_ended(b)


def test_a_permission_for_a_delegate_is_used_once_for_one_delegation_however_often_it_pauses(
    bench: MakeBench,
) -> None:
    b = make(bench, gated_delegate(remember="thread"))
    b.say()
    b.answer(Approved(scope="thread"))
    b.answer(Denied("no"))
    b.say("again")
    assert b.card().tool == "set_price"  # the delegation itself ran by the permission
    (grant,) = b.store.grants.list()
    uses = grant.uses
    b.store.grants.revoke(grant.id, "Ada")
    b.answer()
    assert b.page.status == "idle", "the delegation had begun; revoking does not ask for it again"
    assert b.store.grants.list()[0].uses == uses
    assert_all_ended(b)


def test_a_denied_delegation_never_starts(bench: MakeBench) -> None:
    b = make(bench, gated_delegate())
    b.say()
    b.answer(Denied("not today"))
    assert b.page.status == "idle"
    assert b.results() == ["Declined: not today"]
    assert b.events("SUBAGENT_STARTED") == []


# -- names and circles --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("orchestrations", "said"),
    [
        ({"team": team("boss", "team")}, "the orchestration 'team' holds itself"),
        (
            {"team": team("boss", "flow"), "flow": graph("seller", ("seller", "team"))},
            "holds itself, by way of",
        ),
        (
            {"team": graph("boss", ("boss", "seller"), ("seller", "boss"))},
            "add max_node_executions or execution_timeout",
        ),
    ],
    ids=["itself", "itself by way of another", "a circle without a limit"],
)
def test_what_would_go_round_for_ever_is_an_error_with_its_line(
    bench: MakeBench, orchestrations: dict[str, Any], said: str
) -> None:
    agents = {"boss": talker("boss"), "seller": talker("seller")}
    b = make(bench, config("boss", agents))
    text = config("team", agents, **orchestrations)
    from workbench.config import ConfigInvalid

    with pytest.raises(ConfigInvalid) as invalid:
        b.apply(text)
    (problem,) = [p for p in invalid.value.problems if p.severity == "error"]
    assert said in problem.message and problem.line > 1
    assert b.say() == "idle"  # the version that loads stays live


def test_two_coordinators_of_one_name_may_speak_at_once(bench: MakeBench) -> None:
    chatty = model("boss", final_text="one two three four five six seven", stream_chunk=2, stream_delay_ms=1)
    agents = {
        "opener": talker("opener"),
        "boss": {"model": chatty, "auto": True},
        "helper": talker("helper"),
    }
    flow = graph("opener", ("opener", "north"), ("opener", "south"))
    teams = {"north": team("boss", "helper"), "south": team("boss", "helper")}
    b = make(bench, config("flow", agents, flow=flow, **teams))
    assert b.say() == "idle"
    spoken = [item.text for item in b.items(TextItem) if item.agent == "boss"]
    assert spoken == ["one two three four five six seven"] * 2


def test_a_late_answer_to_a_closed_delegates_card_is_refused_and_changes_nothing(bench: MakeBench) -> None:
    b = make(bench, two_delegates_at_once("approval"))
    b.say("first")
    late = b.cards()[0]
    b.say("second")
    with pytest.raises(AnswerRefused):
        b.engine.answer(late.id, Approved(), by="Bo")
    assert b.prices() == []
    assert len(b.cards()) == 2


def test_a_delegate_may_be_called_again_in_the_same_turn_and_asks_again(bench: MakeBench) -> None:
    agents = {
        "boss": worker("boss", delegating(("seller", "price A1")), delegating(("seller", "price B2"))),
        "seller": asker_of_both("seller", "approval"),
    }
    b = make(bench, config("team", agents, team=team("boss", "seller")))
    b.say()
    b.answer(Denied("A1 is too cheap"))
    assert b.card().input["sku"] == "B2"
    b.restart()
    b.answer(Approved())
    first, second = b.results()
    assert "declined set_price, saying: A1 is too cheap" in first
    assert "approved set_price" in second and "A1" not in second
    assert b.prices() == [("B2", 12.0)]
    assert_all_ended(b)
