"""Turns with delegates and teams, killed at each of their commits: they go on to an end, and repeat no effect."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.arrangements import BY_NAME
from tests.runs.harness import Bench
from tests.runs.test_delegates import COUNTING, assert_all_ended
from workbench.policy.answer import Approved, Happened

MakeBench = Callable[..., Bench]

AT = {"two delegates at once": 22, "graph in a delegate": 20, "all of them": 24}
"""How many commits a turn of each arrangement has."""
EVERY = 4
"""One commit of so many is tried, or this would take minutes; 1 tries them all."""


def kills() -> list[Any]:
    return [
        pytest.param(name, f"{when} commit {number}", id=f"{name}-{when} commit {number}")
        for name, commits in AT.items()
        for number in range(1, commits, EVERY)
        for when in ("before", "after")
    ]


@pytest.mark.parametrize(("name", "dies"), kills())
def test_a_kill_at_any_commit_of_a_nested_turn_repeats_nothing(
    bench: MakeBench, name: str, dies: str
) -> None:
    arrangement = BY_NAME[name]
    text = arrangement.config("approval")
    b = bench(text, files={"counting.py": COUNTING}, apart=True)
    b.restart(dies=dies)
    b.send("please price A1 and B2")
    for _ in range(60):
        b.wait(lambda: b.page.status != "working" or not (b.process and b.process.alive), "a pause or death")
        if not (b.process and b.process.alive):
            b.restart()
        elif b.page.status == "waiting":
            card = b.cards()[0]
            b.engine.answer(card.id, Happened("done") if card.kind == "doubt" else Approved(), by="Ada")
        else:
            break
    assert b.page.status in ("idle", "failed"), b.page
    if b.page.status == "failed":
        assert "nothing was run twice" in str(b.page.last_error)
    ran = Counter((tool, given["sku"]) for tool, given in b.ran())
    assert set(ran.values()) <= {1}, f"an effect was repeated: {ran}"
    kinds = Counter((one.kind, one.tool) for one in b.store.requests.of_conversation(b.id))
    if b.page.status == "idle" and not any(kind == "doubt" for kind, _ in kinds):
        assert len(ran) == 2 * len(arrangement.askers)
        assert kinds == {("approval", "set_price"): len(arrangement.askers)}, "asked once, whatever died"
    assert_all_ended(b)
