"""A tool whose code can no longer be loaded while its call waits: the run says so, runs nothing, and goes on."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.arrangements import BY_NAME, Arrangement
from tests.runs.harness import Bench, price, shop
from tests.runs.test_delegates import assert_all_ended, calls_to, make
from workbench.policy.answer import Answer, Approved, Denied

MakeBench = Callable[..., Bench]

BROKEN = "raise RuntimeError('half an edit')\n"
GONE = "Not run: the tool set_price can't be loaded any more"


def two_files() -> dict[str, Any]:
    """A config whose two tools come from two files."""
    text = shop(
        [
            {"tools": [price(), {"tool": "look_up", "input": {"sku": "A1"}}]},
            {"tool": "look_up", "input": {"sku": "B2"}},
        ],
        ask=["set_price", "look_up"],
    )
    text["agents"]["merchant"]["tools"] = ["./kit.py:look_up", "./prices.py"]
    return text


PRICES = '''
import strands

@strands.tool
def set_price(sku: str, price: float, store: str = "summit") -> str:
    """Set a price."""
    raise AssertionError("this must not run")
'''


def go_wrong(b: Bench, how: str) -> None:
    """Make the code of set_price unloadable."""
    path = b.folder / "prices.py"
    match how:
        case "deleted":
            path.unlink()
        case "broken":
            path.write_text(BROKEN, encoding="utf-8")
        case "renamed":
            path.write_text(PRICES.replace("def set_price", "def set_a_price"), encoding="utf-8")


@pytest.mark.parametrize("how", ["deleted", "broken", "renamed"])
@pytest.mark.parametrize("again", [False, True], ids=["here", "after a restart"])
def test_an_approved_call_whose_tool_is_gone_closes_with_a_note_and_the_agent_goes_on(
    bench: MakeBench, how: str, again: bool
) -> None:
    b = bench(two_files(), files={"prices.py": PRICES})
    b.say()
    go_wrong(b, how)
    if again:
        b.restart()
    card = b.card("set_price")
    b.answer(Approved(), card)
    b.answer(Approved(), b.card("look_up"))
    assert b.page.status == "waiting", "the agent goes on with its other tool"
    assert b.ran() == [("look_up", {"sku": "A1"})]
    assert b.results()[0].startswith(GONE) and b.results()[1] == "A1 costs 10"
    decided = b.engine.card(card.id)
    assert decided.not_run and decided.note.startswith(GONE)
    assert decided.decision is not None and decided.decision.decision == "approved"
    (item,) = calls_to(b, "set_price")
    assert item.state == "closed" and str(item.result_text).startswith(GONE)
    b.answer()
    assert b.page.status == "idle"
    assert_all_ended(b)


def test_the_note_says_what_is_wrong_with_the_code(bench: MakeBench) -> None:
    b = bench(two_files(), files={"prices.py": PRICES})
    b.say()
    go_wrong(b, "broken")
    for card in b.cards():
        b.answer(Approved(), card)
    assert "half an edit" in b.results()[0] and "Traceback" not in b.results()[0]


def test_a_denied_call_whose_tool_is_gone_reads_as_denied(bench: MakeBench) -> None:
    b = bench(two_files(), files={"prices.py": PRICES})
    b.say()
    go_wrong(b, "deleted")
    b.answer(Denied("too cheap"), b.card("set_price"))
    b.answer(Approved(), b.card("look_up"))
    assert b.results() == ["Declined: too cheap", "A1 costs 10"]


def test_code_that_is_mended_while_its_call_waits_runs(bench: MakeBench) -> None:
    mended = PRICES.replace('raise AssertionError("this must not run")', 'return "mended"')
    b = bench(two_files(), files={"prices.py": PRICES})
    b.say()
    go_wrong(b, "broken")
    b.restart()
    (b.folder / "prices.py").write_text(mended, encoding="utf-8")
    b.answer(Approved(), b.card("set_price"))
    b.answer(Approved(), b.card("look_up"))
    assert b.results() == ["mended", "A1 costs 10"]


def test_the_next_message_says_that_the_tool_cannot_be_loaded(bench: MakeBench) -> None:
    b = bench(two_files(), files={"prices.py": PRICES})
    b.say()
    go_wrong(b, "broken")
    for card in b.cards():
        b.answer(Approved(), card)
    b.answer()
    assert b.say("and again") == "failed"
    assert "half an edit" in str(b.page.last_error)


@pytest.mark.parametrize(
    "arrangement",
    [
        BY_NAME[name]
        for name in (
            "delegate two down",
            "swarm member after a handoff",
            "graph node",
            "graph in a delegate",
            "delegate in a swarm",
        )
    ],
    ids=lambda arrangement: arrangement.name,
)
@pytest.mark.parametrize("answer", [Approved(), Denied("no")], ids=["approved", "denied"])
def test_a_tool_that_is_gone_closes_its_call_at_every_position(
    bench: MakeBench, arrangement: Arrangement, answer: Answer
) -> None:
    text = arrangement.config("approval")
    for agent in text["agents"].values():
        if "./kit.py:set_price" in agent.get("tools", []):
            agent["tools"] = ["./kit.py:look_up", "./prices.py"]
    b = make(bench, text, files={"prices.py": PRICES})
    b.say()
    go_wrong(b, "deleted")
    b.restart()
    for card in b.cards():
        b.answer(answer, card)
    assert b.settle() == "idle"
    assert b.prices() == []
    wanted = GONE if isinstance(answer, Approved) else "Declined: no"
    assert all(str(item.result_text).startswith(wanted) for item in calls_to(b, "set_price"))
    assert_all_ended(b)
