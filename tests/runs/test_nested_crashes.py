"""A process that dies inside a delegate or a team: asked about at its own place, and never run twice unasked."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.arrangements import (
    asker,
    config,
    delegating,
    graph,
    model,
    swarm,
    talker,
    team,
    worker,
)
from tests.runs.harness import Bench
from tests.runs.test_delegates import COUNTING, assert_all_ended, calls_to
from workbench.policy import Answer
from workbench.policy.answer import Approved, GaveUp, Happened, RunAgain

MakeBench = Callable[..., Bench]

SHIP = {"tool": "ship", "input": {"order": "7"}}
LOOK = {"tool": "look_up", "input": {"sku": "A1"}}


def shipper(who: str = "shipper", *more: dict[str, Any]) -> dict[str, Any]:
    """An agent that ships, unasked, and says what came of it."""
    script = [LOOK, SHIP, *more]
    return {
        "model": model(who, script=script, final_text=f"{who} is done. {{{{last_result}}}}"),
        "tools": ["./kit.py:look_up", "./kit.py:ship", "./kit.py:set_price"],
        "interrupt": {"tools": ["set_price"]},
    }


def apart(bench: MakeBench, text: dict[str, Any]) -> Bench:
    return bench(text, files={"counting.py": COUNTING}, apart=True)


def torn(b: Bench) -> None:
    """Kill the process inside a tool that has had its effect, and start another."""
    b.waits_in("ship-7")
    b.restart()


def shipped(b: Bench) -> int:
    """How often it was really shipped."""
    return sum(tool == "ship" for tool, _ in b.ran())


def looked_up(b: Bench) -> int:
    """How often it was really looked up."""
    return sum(tool == "look_up" for tool, _ in b.ran())


def delegate_ships() -> dict[str, Any]:
    agents = {"boss": worker("boss", delegating(("shipper", "ship 7"))), "shipper": shipper()}
    return config("team", agents, team=team("boss", "shipper"))


def two_down_ships() -> dict[str, Any]:
    agents = {
        "boss": worker("boss", delegating(("floor", "ship 7"))),
        "lead": worker("lead", delegating(("shipper", "ship 7"))),
        "shipper": shipper(),
    }
    return config("team", agents, team=team("boss", "floor"), floor=team("lead", "shipper"))


# -- delegates ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "read", "times"),
    [
        (Happened("it left"), "with this result: it left", 1),
        (RunAgain(), "order 7 is on its way", 2),
        (GaveUp(), "Given up: this call was started", 1),
    ],
    ids=["it happened", "run it again", "give up"],
)
@pytest.mark.parametrize(
    ("text", "path"),
    [(delegate_ships, ("boss", "shipper")), (two_down_ships, ("boss", "lead", "shipper"))],
    ids=["delegate", "two down"],
)
def test_a_call_of_a_delegate_that_a_kill_tore_is_a_doubt_under_the_delegates_own_path(
    bench: MakeBench,
    text: Callable[[], dict[str, Any]],
    path: tuple[str, ...],
    answer: Answer,
    read: str,
    times: int,
) -> None:
    b = apart(bench, text())
    b.send()
    torn(b)
    b.until("waiting")
    card = b.card()
    assert (card.kind, card.tool, card.agent_path, card.input) == ("doubt", "ship", path, {"order": "7"})
    b.let("ship-7")
    b.answer(answer)
    assert b.page.status == "idle"
    assert (shipped(b), looked_up(b)) == (times, 1), "what was done before the kill is not done again"
    (item,) = calls_to(b, "ship")
    assert item.agent_path == path and read in str(item.result_text)
    assert read in b.results()[0], "the coordinator goes on with what its delegate says of it"
    assert_all_ended(b)


def test_a_kill_between_two_delegates_answers_repeats_neither(bench: MakeBench) -> None:
    ship = shipper()
    seller = asker("seller", "approval", "A1")
    agents = {
        "boss": worker("boss", delegating(("shipper", "ship"), ("seller", "price"))),
        "shipper": ship,
        "seller": seller,
    }
    b = apart(bench, config("team", agents, team=team("boss", "shipper", "seller")))
    b.send()
    torn(b)
    b.until("waiting")
    assert {(card.kind, card.agent) for card in b.cards()} == {("doubt", "shipper"), ("approval", "seller")}
    doubt = next(card for card in b.cards() if card.kind == "doubt")
    b.restart()
    b.answer(Happened("it left"), doubt)
    b.restart()
    b.answer(Approved(), b.card("set_price"))
    assert b.page.status == "idle"
    assert (shipped(b), looked_up(b), b.prices()) == (1, 2, [("A1", 12.0)])
    assert_all_ended(b)


def test_a_kill_after_a_delegates_pause_was_answered_keeps_what_was_approved(bench: MakeBench) -> None:
    """The approved call ran and has its result; the next one is torn."""
    seller = {
        "model": model(
            "seller",
            script=[{"tool": "set_price", "input": {"sku": "A1", "price": 12.0}}, SHIP],
            final_text="seller is done. {{last_result}}",
        ),
        "tools": ["./kit.py:set_price", "./kit.py:ship"],
        "interrupt": {"tools": ["set_price"]},
    }
    agents = {"boss": worker("boss", delegating(("seller", "sell"))), "seller": seller}
    b = apart(bench, config("team", agents, team=team("boss", "seller")))
    b.say()
    b.engine.answer(b.card().id, Approved(), by="Ada")
    torn(b)
    b.until("waiting")
    assert (b.card().kind, b.card().agent_path) == ("doubt", ("boss", "seller"))
    b.answer(Happened("it left"))
    assert b.page.status == "idle"
    assert (b.prices(), shipped(b)) == ([("A1", 12.0)], 1)
    assert "approved set_price" in b.results()[0] and "it left" in b.results()[0]
    assert_all_ended(b)


def test_a_message_instead_of_settling_a_delegates_doubt_says_that_it_may_have_happened(
    bench: MakeBench,
) -> None:
    b = apart(bench, delegate_ships())
    b.send()
    torn(b)
    b.until("waiting")
    b.let("ship-7")
    b.say("never mind")
    (first, *_) = b.results()
    assert "Unknown: this call was started and may have happened" in first and "ship" in first
    (item, *_) = calls_to(b, "ship")
    assert item.state == "closed" and "Unknown" in str(item.result_text)


# -- teams --------------------------------------------------------------------------------------


def swarm_ships() -> dict[str, Any]:
    greeter = worker("greeter", {"handoff": "shipper", "message": "ship 7"})
    return config("peers", {"greeter": greeter, "shipper": shipper()}, peers=swarm("greeter", "shipper"))


def graph_ships() -> dict[str, Any]:
    agents = {"opener": talker("opener"), "shipper": shipper()}
    return config("flow", agents, flow=graph("opener", ("opener", "shipper")))


@pytest.mark.parametrize("text", [swarm_ships, graph_ships], ids=["swarm", "graph"])
def test_a_team_torn_by_a_kill_runs_nothing_again_until_the_person_says_so(
    bench: MakeBench, text: Callable[[], dict[str, Any]]
) -> None:
    b = apart(bench, text())
    b.send()
    torn(b)
    b.until("failed")
    assert "nothing was run twice" in str(b.page.last_error)
    assert shipped(b) == 1
    (item,) = calls_to(b, "ship")
    assert item.state == "closed" and "may have happened" in str(item.result_text)
    b.restart()
    assert b.page.status == "failed" and shipped(b) == 1
    b.let("ship-7")
    b.engine.retry(b.id, by="Ada")
    assert b.settle() == "idle"
    assert shipped(b) == 2, "trying again is the person's word for beginning anew"
    assert_all_ended(b)


@pytest.mark.parametrize("text", [swarm_ships, graph_ships], ids=["swarm", "graph"])
def test_a_message_to_a_torn_team_begins_anew_and_the_torn_call_reads_unknown(
    bench: MakeBench, text: Callable[[], dict[str, Any]]
) -> None:
    b = apart(bench, text())
    b.send("first")
    torn(b)
    b.until("failed")
    b.let("ship-7")
    assert b.say("second") == "idle"
    assert shipped(b) == 2
    assert [item.state for item in calls_to(b, "ship")] == ["closed", "finished"]
    assert_all_ended(b)


def asks_then_ships(first: str, then: str, **orchestration: Any) -> dict[str, Any]:
    """A member whose approval is answered, then another that ships."""
    seller = asker("seller", "approval", "A1")
    if first == "swarm":
        seller["model"] = model(
            "seller",
            script=[
                {"tool": "set_price", "input": {"sku": "A1", "price": 12.0}},
                {"handoff": "shipper", "message": "ship 7"},
            ],
        )
        return config("peers", {"seller": seller, "shipper": shipper()}, peers=swarm("seller", "shipper"))
    return config(
        "flow", {"seller": seller, "shipper": shipper()}, flow=graph("seller", ("seller", "shipper"))
    )


@pytest.mark.parametrize("kind", ["swarm", "graph"])
def test_a_kill_after_a_teams_pause_was_answered_runs_no_later_member_twice(
    bench: MakeBench, kind: str
) -> None:
    b = apart(bench, asks_then_ships(kind, ""))
    b.say()
    b.engine.answer(b.card().id, Approved(), by="Ada")
    torn(b)
    b.wait(lambda: b.page.status in ("failed", "waiting"), "the team's end or its doubt")
    assert (b.prices(), shipped(b)) == ([("A1", 12.0)], 1)
    assert b.page.status == "failed" and "nothing was run twice" in str(b.page.last_error)


@pytest.mark.parametrize("kind", ["swarm", "graph"])
def test_a_kill_inside_the_call_that_a_team_waited_for_is_a_doubt_of_that_member(
    bench: MakeBench, kind: str
) -> None:
    """The pause is the last known place of the team, so nothing after it is lost."""
    ship = {**shipper(), "interrupt": {"tools": ["ship"]}}
    if kind == "swarm":
        greeter = worker("greeter", {"handoff": "shipper", "message": "ship 7"})
        text = config("peers", {"greeter": greeter, "shipper": ship}, peers=swarm("greeter", "shipper"))
    else:
        text = config(
            "flow", {"opener": talker("opener"), "shipper": ship}, flow=graph("opener", ("opener", "shipper"))
        )
    b = apart(bench, text)
    b.say()
    path = b.card().agent_path
    b.engine.answer(b.card().id, Approved(), by="Ada")
    torn(b)
    b.until("waiting")
    assert (b.card().kind, b.card().agent_path) == ("doubt", path)
    b.restart()
    b.answer(Happened("it left"))
    assert b.page.status == "idle" and shipped(b) == 1 and looked_up(b) == 1
    assert "it left" in b.said()[-1]
    assert_all_ended(b)


# -- teams that are delegates -------------------------------------------------------------------


def flow_in_delegate() -> dict[str, Any]:
    agents = {
        "boss": worker("boss", delegating(("flow", "ship 7"))),
        "opener": talker("opener"),
        "shipper": shipper(),
    }
    return config("team", agents, team=team("boss", "flow"), flow=graph("opener", ("opener", "shipper")))


@pytest.mark.parametrize(
    ("answer", "read", "times"),
    [
        (Happened("it left"), "with this result: it left", 1),
        (RunAgain(), "order 7 is on its way", 2),
        (GaveUp(), "Given up: this call was started", 1),
    ],
    ids=["it happened", "run it again", "give up"],
)
def test_a_delegated_team_that_a_kill_tore_is_a_doubt_about_the_delegation(
    bench: MakeBench, answer: Answer, read: str, times: int
) -> None:
    b = apart(bench, flow_in_delegate())
    b.send()
    torn(b)
    b.until("waiting")
    card = b.card()
    assert (card.kind, card.tool, card.agent_path) == ("doubt", "flow", ("boss",))
    # The person can only judge it knowing what the team had done.
    assert "look_up: A1 costs 10" in card.message and "ship" in card.message
    b.let("ship-7")
    b.answer(answer)
    assert b.page.status == "idle"
    assert shipped(b) == times
    assert read in b.results()[0]
    assert_all_ended(b)


def test_a_delegated_team_that_had_paused_when_another_call_was_killed_begins_anew_only_if_told_to(
    bench: MakeBench,
) -> None:
    """Nothing of its pause was stored yet, for the whole run had not paused."""
    agents = {
        "boss": worker("boss", delegating(("flow", "price A1"), ("shipper", "ship 7"))),
        "opener": talker("opener"),
        "seller": asker("seller", "approval", "A1"),
        "shipper": shipper(),
    }
    flow = graph("opener", ("opener", "seller"))
    b = apart(bench, config("team", agents, team=team("boss", "flow", "shipper"), flow=flow))
    b.send()
    b.wait(lambda: len(b.ran()) == 3, "both look-ups and the shipping")
    torn(b)
    b.until("waiting")
    assert {(card.kind, card.tool) for card in b.cards()} == {("doubt", "flow"), ("doubt", "ship")}
    assert (looked_up(b), shipped(b)) == (2, 1)
    b.answer(Happened("it left"), b.card("ship"))
    b.answer(RunAgain(), b.card("flow"))
    assert b.card().tool == "set_price"
    b.answer(Approved())
    assert b.page.status == "idle"
    assert (looked_up(b), shipped(b), b.prices()) == (3, 1, [("A1", 12.0)])
    assert_all_ended(b)


@pytest.mark.parametrize(
    ("answer", "read", "times"),
    [
        (Happened("it left"), "with this result: it left", 1),
        (RunAgain(), "order 7 is on its way", 2),
        (GaveUp(), "Given up: this call was started", 1),
    ],
    ids=["it happened", "run it again", "give up"],
)
def test_a_kill_inside_the_call_that_a_delegated_team_waited_for_is_a_doubt_about_that_call(
    bench: MakeBench, answer: Answer, read: str, times: int
) -> None:
    text = flow_in_delegate()
    text["agents"]["shipper"]["interrupt"] = {"tools": ["ship"]}
    b = apart(bench, text)
    b.say()
    b.engine.answer(b.card().id, Approved(), by="Ada")
    torn(b)
    b.until("waiting")
    assert (b.card().kind, b.card().tool) == ("doubt", "ship")
    assert b.card().agent_path == ("boss", "flow", "shipper")
    b.restart()
    b.let("ship-7")
    b.answer(answer)
    assert b.page.status == "idle"
    assert (shipped(b), looked_up(b)) == (times, 1)
    assert read in b.results()[0]
    assert_all_ended(b)


def test_a_kill_after_a_delegated_teams_pause_was_answered_runs_no_later_member_twice(
    bench: MakeBench,
) -> None:
    agents = {
        "boss": worker("boss", delegating(("flow", "price A1"))),
        "seller": asker("seller", "approval", "A1"),
        "shipper": shipper(),
    }
    flow = graph("seller", ("seller", "shipper"))
    b = apart(bench, config("team", agents, team=team("boss", "flow"), flow=flow))
    b.say()
    b.engine.answer(b.card().id, Approved(), by="Ada")
    torn(b)
    b.until("waiting")
    assert (b.card().kind, b.card().tool) == ("doubt", "flow")
    assert "set_price: A1 now costs 12" in b.card().message and "ship {" in b.card().message
    assert (b.prices(), shipped(b)) == ([("A1", 12.0)], 1)
    b.answer(Happened("all of it"))
    assert b.page.status == "idle" and shipped(b) == 1
    assert_all_ended(b)
