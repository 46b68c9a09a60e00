"""Whatever people do, in whatever order: what was not approved does not run, and what was runs once."""

import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from tests.runs.harness import Bench
from workbench.policy import Answer, AnswerRefused
from workbench.policy.answer import Answered, Approved, Denied, GaveUp, Happened, RunAgain, Skipped
from workbench.runs.errors import EngineRefused
from workbench.runs.views import Card

MakeBench = Callable[..., Bench]

STEPS = {
    "two prices": [
        {
            "tools": [
                {"tool": "set_price", "input": {"sku": "{{n}}a", "price": 1.0}},
                {"tool": "look_up", "input": {"sku": "{{n}}b"}},
                {"tool": "set_price", "input": {"sku": "{{n}}c", "price": 2.0}},
            ]
        }
    ],
    "one after another": [
        {"tool": "set_price", "input": {"sku": "{{n}}a", "price": 1.0}},
        {"tool": "set_price", "input": {"sku": "{{n}}b", "price": 1.0}},
    ],
    "something slow": [
        {
            "tools": [
                {"tool": "linger", "input": {"sku": "{{n}}a"}},
                {"tool": "set_price", "input": {"sku": "{{n}}b", "price": 3.0}},
            ]
        }
    ],
    "a question": [{"tool": "ask_user", "input": {"question": "Which?", "options": ["x", "y"]}}],
    "a room": [{"tool": "book", "input": {"room": "{{n}}"}}],
    "trouble": [{"tool": "stumble", "input": {"over": "{{n}}"}}, {"error": "gone"}],
    "just talk": [{"text": "Yes?"}],
}


def config(ask: list[Any]) -> dict[str, Any]:
    replies = [
        {"match": rf"^(?P<n>\w+) {words}$", "example": f"s1 {words}", "script": script}
        for words, script in STEPS.items()
    ]
    params = {"replies": replies, "stream_chunk": 8, "stream_delay_ms": 1}
    agent = {
        "model": {"provider": "scripted", "params": params},
        "tools": ["./kit.py"],
        "client_tools": ["ask_user"],
        "interrupt": {"tools": ask},
    }
    return {"version": "1", "agents": {"merchant": agent}}


POLICIES = [
    config([{"name": "set_price", "remember": "always"}]),
    config(["set_*"]),
    config([{"name": "set_price", "remember": "thread", "ttl_seconds": 60}]),
    config(["*"]),
]


def some_answer(dice: random.Random, card: Card) -> Answer:
    match card.kind:
        case "question":
            picked = {"question": "Which?", "selected": [dice.choice("xy")], "other": None}
            return dice.choice([Answered({"answers": [picked]}), Skipped(), Answered("nonsense")])
        case "tool_interrupt":
            return dice.choice([Answered(3), Answered(None), Answered(["no"]), Skipped("no")])
        case "doubt":
            return dice.choice([Happened("it did"), RunAgain(), GaveUp(), Skipped()])
        case _:
            edit = {**card.input, "price": 5.0} if card.tool == "set_price" else dict(card.input)
            return dice.choice(
                [
                    Approved(),
                    Approved(),
                    Approved("thread"),
                    Approved("always"),
                    Approved(tool_input=edit),
                    Denied("no"),
                    Skipped(),
                ]
            )


def one_move(b: Bench, dice: random.Random, number: int) -> None:
    seen = b.store.requests.of_conversation(b.id)
    moves = ["say"] * 4 + ["answer"] * 8 + ["wait"] * 3
    match dice.choice([*moves, "stop", "restart", "apply", "retry", "revoke", "late", "old"]):
        case "say":
            if not b.cards() or dice.random() < 0.2:
                b.send(f"s{number} {dice.choice(list(STEPS))}")
                match dice.choice(["look", "look", "crash", "go on"]):
                    case "look":
                        b.settle()
                    case "crash":
                        time.sleep(dice.random() / 10)
                        b.restart()
        case "answer":
            cards = b.cards()
            if cards:
                card = dice.choice(cards)
                b.engine.answer(card.id, some_answer(dice, card), by="Ada")
        case "stop":
            b.engine.stop(b.id, by="Ada")
        case "restart":
            b.restart()
        case "apply":
            b.apply(dice.choice(POLICIES))
            for card in b.cards()[:1]:
                b.engine.ask_again(card.id, by="Ada")
        case "retry":
            b.engine.retry(b.id, by="Ada")
        case "revoke":
            for grant in b.store.grants.list(live_only=True):
                b.store.grants.revoke(grant.id, by="Ada")
        case "wait":
            b.settle()
        case "late":
            b.clock.move(120)
        case "old":
            if seen:
                b.engine.answer(dice.choice(seen).id, Approved(), by="Bo")


@pytest.mark.parametrize("apart", [False, True], ids=["restarted", "killed"])
@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_done_nothing_runs_unapproved_or_twice(bench: MakeBench, seed: int, apart: bool) -> None:
    dice = random.Random(f"{seed} {apart}")
    b = bench(POLICIES[0], apart=apart)
    for number in range(60):
        with suppress(EngineRefused, AnswerRefused):
            one_move(b, dice, number)
    b.settle()
    for _ in range(40):
        cards = b.cards()
        if not cards:
            break
        with suppress(AnswerRefused):
            b.engine.answer(cards[0].id, GaveUp() if cards[0].kind == "doubt" else Skipped(), by="Ada")
        b.settle()
    assert b.page.status in ("idle", "failed") and b.engine.waiting() == []

    ran = Counter(given["sku"] for tool, given in b.ran() if tool in ("set_price", "linger"))
    effects = [call for call in b.store.journal.of_conversation(b.id) if call.tool in ("set_price", "linger")]
    calls = {call.input["sku"]: call for call in effects}
    about = {sku: b.store.requests.about_call(call.key) for sku, call in calls.items()}
    for sku, call in calls.items():
        decided = [one for one in about[sku] if one.kind == "approval" and one.decision != "superseded"]
        by_person = [one for one in decided if one.decision == "approved" and not one.not_run]
        by_policy = bool(call.verdict and call.verdict["outcome"] == "run")
        again = sum(one.decision == "run_again" for one in about[sku])
        doubtful = any(one.kind == "doubt" for one in about[sku]) or call.state == "closed"
        may = bool(by_person) or by_policy
        assert ran[sku] <= int(may) + again, f"{sku} ran {ran[sku]} times: {about[sku]}"
        if may and not doubtful and call.state == "finished":
            assert ran[sku] == 1, f"{sku} was approved and did not run: {call}, {about[sku]}"
    assert set(ran) <= set(calls)
    assert b.say("last just talk") == "idle", "and it still talks"
    assert b.said()[-1] == "Yes?"
