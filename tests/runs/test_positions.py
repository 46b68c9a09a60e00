"""Every kind of pause at every position: asked, answered in every way, here or in another process, and finished."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.runs import arrangements
from tests.runs.arrangements import Arrangement, Ask, Asker, question
from tests.runs.harness import Bench
from workbench.policy.answer import Answer, Answered, Approved, Denied, Skipped
from workbench.runs.views import CallItem, Card, TextItem

MakeBench = Callable[..., Bench]
Where = Literal["here", "after a restart", "in another process"]

COUNTING = Path(__file__).with_name("counting.py").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Decided:
    """One way to answer a card, and what must come of it.

    Attributes:
        ran: the prices that were really set, by the answer.
        heard: what the asking agent reads of its call.
        told: what its coordinator is told, besides the delegate's own words.
        state: how the call stands in the transcript.
    """

    ask: Ask
    answer: Callable[[str], Answer]
    ran: tuple[float, ...]
    heard: Callable[[str], tuple[str, ...]]
    told: Callable[[str], tuple[str, ...]]
    state: Literal["finished", "closed"]
    decision: str


def _chosen(sku: str) -> Answer:
    return Answered({"answers": [{"question": question(sku), "selected": [shop_of(sku)], "other": None}]})


def shop_of(sku: str) -> str:
    """What the person answers about an article."""
    return "north" if sku == "A1" else "south"


DECISIONS = {
    "approved": Decided(
        "approval",
        lambda sku: Approved(),
        (12.0,),
        lambda sku: (f"{sku} now costs 12 in summit",),
        lambda sku: ("- The person approved set_price.",),
        "finished",
        "approved",
    ),
    "edited": Decided(
        "approval",
        lambda sku: Approved(tool_input={"sku": sku, "price": 9.0, "store": "summit"}),
        (9.0,),
        lambda sku: (
            "The person changed the arguments of this call",
            "price: 9.0 instead of 12.0",
            f"{sku} now costs 9 in summit",
        ),
        lambda sku: ("- The person approved set_price with changed arguments.",),
        "finished",
        "approved",
    ),
    "denied": Decided(
        "approval",
        lambda sku: Denied(f"{sku} is too cheap"),
        (),
        lambda sku: (f"Declined: {sku} is too cheap",),
        lambda sku: (f"- The person declined set_price, saying: {sku} is too cheap.",),
        "closed",
        "denied",
    ),
    "skipped": Decided(
        "approval",
        lambda sku: Skipped(f"{sku} can wait"),
        (),
        lambda sku: (f"Skipped: {sku} can wait",),
        lambda sku: (f"- set_price did not run: Skipped: {sku} can wait.",),
        "closed",
        "skipped",
    ),
    "question answered": Decided(
        "question",
        _chosen,
        (),
        lambda sku: (f"Question: {question(sku)}\nThe person's answer: {shop_of(sku)}",),
        lambda sku: (f"asked the person. Question: {question(sku)}", f"The person's answer: {shop_of(sku)}"),
        "finished",
        "answered",
    ),
    "question skipped": Decided(
        "question",
        lambda sku: Skipped(f"{sku} can wait"),
        (),
        lambda sku: (f"Skipped: {sku} can wait",),
        lambda sku: (f"asked: {question(sku)} The person did not answer.",),
        "closed",
        "skipped",
    ),
}
OTHER: dict[str, str] = {
    "approved": "denied",
    "edited": "approved",
    "denied": "approved",
    "skipped": "edited",
    "question answered": "question answered",
    "question skipped": "question answered",
}
"""How the second card of a pause is answered: otherwise, so that a mix-up shows."""

BRACKETS = {
    "STEP": ("subagentRunId", "stepName", "metadata"),
    "SUBAGENT": ("subagentRunId",),
    "TEXT_MESSAGE": ("messageId",),
    "REASONING_MESSAGE": ("messageId",),
    "TOOL_CALL": ("subagentRunId", "toolCallId"),
}
"""What begins and ends in the log, and by which of an event's fields the two belong together."""

FAR = {
    ("delegate two down", "edited"),
    ("one delegate twice", "question answered"),
    ("swarm member after a handoff", "approved"),
    ("two graph nodes at once", "denied"),
    ("all of them", "approved"),
}
"""The cells that are also answered in a process of its own, the asking one having been killed."""


def cells() -> list[Any]:
    every = [
        (arrangement, decision, where)
        for arrangement in arrangements.ALL
        for decision in DECISIONS
        for where in ("here", "after a restart", "in another process")
        if where != "in another process" or (arrangement.name, decision) in FAR
    ]
    return [
        pytest.param(arrangement, decision, where, id=f"{arrangement.name}-{decision}-{where}")
        for arrangement, decision, where in every
    ]


@pytest.mark.parametrize(("arrangement", "decision", "where"), cells())
def test_a_pause_at_any_position_is_answered_in_any_way_by_any_process(
    bench: MakeBench, arrangement: Arrangement, decision: str, where: Where
) -> None:
    ask = DECISIONS[decision].ask
    answers = dict(zip(arrangement.askers, (DECISIONS[decision], DECISIONS[OTHER[decision]]), strict=False))
    b = bench(arrangement.config(ask), files={"counting.py": COUNTING}, apart=where == "in another process")

    assert b.say("please price A1 and B2") == "waiting"
    assert_it_waits(b, arrangement)
    asked_so_far = asked(b)
    for number, (asker, decided) in enumerate(answers.items()):
        if where != "here":
            b.restart()
        outcome = b.answer(decided.answer(asker.sku), card_of(b, asker))
        left = len(answers) - number - 1
        assert outcome.left == left
        if left:
            assert b.settle() == "waiting" and b.prices() == [] and asked(b) == asked_so_far

    assert b.settle() == "idle"
    assert_what_ran(b, answers)
    for asker, decided in answers.items():
        assert_own_call(b, asker, decided)
    assert_coordinators_know(b, answers)
    assert Counter(who for who, _ in asked(b)) == arrangement.asked
    assert len(set(asked(b))) == len(asked(b)), "a model was asked the same thing twice"
    assert_log_is_whole(b)
    assert b.store.journal.open(b.id) == []


def assert_it_waits(b: Bench, arrangement: Arrangement) -> None:
    """Each asking agent has its card, its other call ran once, and nothing else happened."""
    assert Counter((card.agent_path, sku_of(card)) for card in b.cards()) == Counter(
        (asker.path, asker.sku) for asker in arrangement.askers
    )
    assert sorted(b.ran(), key=str) == [("look_up", {"sku": asker.sku}) for asker in arrangement.askers]
    waiting = [item for item in b.items() if item.state == "waiting"]
    assert Counter(item.agent_path for item in waiting) == Counter(a.path for a in arrangement.askers)
    assert_pairs_balance(b)


def assert_what_ran(b: Bench, answers: dict[Asker, Decided]) -> None:
    """Exactly the approved calls, each once and as it was approved."""
    prices = [(asker.sku, price) for asker, decided in answers.items() for price in decided.ran]
    assert sorted(b.prices()) == sorted(prices)
    looked_up = [given["sku"] for tool, given in b.ran() if tool == "look_up"]
    assert sorted(looked_up) == sorted(asker.sku for asker in answers)


def assert_own_call(b: Bench, asker: Asker, decided: Decided) -> None:
    """The asking agent read the decision on its own call, and the transcript shows it there."""
    (item,) = [item for item in b.items() if item.agent_path == asker.path and sku_of(item) == asker.sku]
    assert item.state == decided.state
    assert item.decision is not None and item.decision.decision == decided.decision
    assert item.card is not None and item.card.agent_path == asker.path
    assert item.result_text is not None
    for words in decided.heard(asker.sku):
        assert words in item.result_text
    # The scripted agent repeats what it read last, which is what became of this call.
    assert any(decided.heard(asker.sku)[-1] in text for text in said_by(b, asker.path))


def assert_coordinators_know(b: Bench, answers: dict[Asker, Decided]) -> None:
    """Whoever delegated reads what was asked below, and nothing of what was asked elsewhere."""
    delegating = [item for item in b.items() if (item.input or {}).keys() == {"input"}]
    for item in delegating:
        assert item.state == "finished" and item.result_text is not None
        note, _, words = item.result_text.partition(" is done.")
        assert words, "the delegate's own reply is there"
        for asker, decided in answers.items():
            for told in decided.told(asker.sku):
                assert (told in note) == (asker.sku in str(item.input)), (told, item)
        lines = [line for line in note.splitlines() if line.startswith("- ")]
        assert len(lines) == sum(asker.sku in str(item.input) for asker in answers)


def assert_log_is_whole(b: Bench) -> None:
    """The log folds into a transcript in which everything has its end."""
    assert {item.state for item in b.items()} <= {"finished", "closed"}
    assert [view.status for view in b.views()] == ["paused", "done"]
    assert len({item.key for item in b.items()}) == len(b.items())
    assert all(item.key for item in b.items())
    assert_pairs_balance(b)


def assert_pairs_balance(b: Bench) -> None:
    """In each run, whatever begins ends: steps, delegates, texts, calls."""
    for run in b.store.runs.of_conversation(b.id):
        if (run.error or {}).get("code") == "interrupted":
            continue  # its process was killed; the error that its log ends with ends all
        open_now: list[tuple[str, ...]] = []
        for event in b.store.events.read(b.id, run_id=run.id):
            kind, _, edge = event.type.rpartition("_")
            if (kind, edge) == ("SUBAGENT", "ERROR"):
                edge = "FINISHED"
            if kind not in BRACKETS or edge not in ("STARTED", "START", "FINISHED", "END"):
                continue
            name = (kind, *(str(event.data.get(key)) for key in BRACKETS[kind]))
            if edge in ("STARTED", "START"):
                open_now.append(name)
            else:
                assert name in open_now, f"{name} ended and had not begun"
                open_now.remove(name)
        assert open_now == [], f"left open in the run of kind {run.kind}"


def card_of(b: Bench, asker: Asker) -> Card:
    """The open card of an asking agent."""
    (card,) = [card for card in b.cards() if card.agent_path == asker.path and sku_of(card) == asker.sku]
    return card


def sku_of(what: Card | CallItem) -> str | None:
    """The article that a card or a call that asks is about."""
    given = what.input or {}
    if what.tool == "set_price":
        return str(given["sku"])
    return next((sku for sku in ("A1", "B2") if question(sku) in json.dumps(given)), None)


def said_by(b: Bench, path: tuple[str, ...]) -> list[str]:
    """What the agent at a path said."""
    return [item.text for item in b.items(TextItem) if item.agent_path == path]


def asked(b: Bench) -> list[tuple[str, str]]:
    """Who was asked, about what, each time a model was asked."""
    lines = (b.folder / "asked.jsonl").read_text(encoding="utf-8").splitlines()
    return [(one["who"], one["about"]) for one in map(json.loads, lines)]
