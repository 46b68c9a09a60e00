"""A hook that sends the agent back for another pass in the same run: an answered gate stays answered."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.arrangements import BY_NAME, Arrangement, asker, config, delegating, graph, team, worker
from tests.runs.harness import Bench
from tests.runs.test_delegates import assert_all_ended, calls_to, make
from tests.runs.test_positions import asked
from workbench.policy.answer import Answered, Approved, Denied

MakeBench = Callable[..., Bench]

HOOKS = '''
from strands.hooks import AfterInvocationEvent, HookProvider


class _Once(HookProvider):
    on, prompt = "", None

    def __init__(self):
        self.sent = False

    def register_hooks(self, registry, **kwargs):
        registry.add_callback(AfterInvocationEvent, self.after)

    def after(self, event):
        if event.result is not None and event.result.stop_reason == self.on and not self.sent:
            self.sent = True
            event.resume = self.prompt


class OnceMore(_Once):
    """Sends the agent back when it is done."""

    on, prompt = "end_turn", "look once more"


class Impatient(_Once):
    """Sends the agent back when it waits."""

    on, prompt = "interrupt", []
'''

PLACES = pytest.mark.parametrize(
    "arrangement",
    [
        BY_NAME[name]
        for name in (
            "plain",
            "delegate two down",
            "one delegate twice",
            "swarm member after a handoff",
            "two graph nodes at once",
            "delegate in a graph",
            "graph in a delegate",
            "all of them",
        )
    ],
    ids=lambda arrangement: arrangement.name,
)


def with_hook(text: dict[str, Any], hook: str, *names: str) -> dict[str, Any]:
    """Give some agents a hook, and a second pass in which they only speak."""
    for name in names or text["agents"]:
        agent = text["agents"][name]
        agent["hooks"] = [f"./passes.py:{hook}"]
        params = agent["model"]["params"]
        speaks = {"match": "look once more", "final_text": f"{name} has looked once more."}
        rest = params.get("replies") or [{"script": params.pop("script", [])}]
        params["replies"] = [speaks, *rest]
    return text


def price_of(b: Bench) -> list[str]:
    return sorted(sku for sku, _ in b.prices())


@PLACES
@pytest.mark.parametrize("again", [False, True], ids=["here", "after a restart"])
def test_another_pass_after_the_answer_runs_nothing_twice(
    bench: MakeBench, arrangement: Arrangement, again: bool
) -> None:
    text = with_hook(arrangement.config("approval"), "OnceMore")
    b = make(bench, text, files={"passes.py": HOOKS})
    assert b.say("please price A1 and B2") == "waiting"
    for card in b.cards():
        if again:
            b.restart()
        b.answer(Approved(), card)
    assert b.settle() == "idle", b.page
    assert price_of(b) == sorted(asker.sku for asker in arrangement.askers)
    assert len(calls_to(b, "set_price")) == len(arrangement.askers)
    assert len(b.store.requests.of_conversation(b.id)) == len(arrangement.askers)
    said = [item.text for item in b.items(type(b.views()[-1].items[-1])) if hasattr(item, "text")]
    assert any("has looked once more" in text for text in said)
    assert_all_ended(b)


@PLACES
def test_another_pass_while_it_waits_asks_nothing_twice(bench: MakeBench, arrangement: Arrangement) -> None:
    """Sent back before anybody answered: the same cards stand, each once."""
    text = with_hook(arrangement.config("approval"), "Impatient")
    b = make(bench, text, files={"passes.py": HOOKS})
    assert b.say("please price A1 and B2") == "waiting", b.page
    assert len(b.cards()) == len(arrangement.askers)
    assert sorted(b.ran(), key=str) == [("look_up", {"sku": asker.sku}) for asker in arrangement.askers]
    b.restart()
    first, *rest = b.cards()
    b.answer(Denied("no"), first)
    for card in rest:
        b.answer(Approved(), card)
    assert b.settle() == "idle"
    assert len(b.prices()) == len(rest)
    assert len(b.store.requests.of_conversation(b.id)) == len(arrangement.askers)
    assert_all_ended(b)


@pytest.mark.parametrize("hook", ["OnceMore", "Impatient"])
def test_another_pass_leaves_a_tools_own_question_answered(bench: MakeBench, hook: str) -> None:
    seller = asker("seller", "approval", "A1")
    seller["tools"] = ["./kit.py:book"]
    seller["model"]["params"]["script"] = [{"tool": "book", "input": {"room": "12"}}]
    seller["auto"] = True
    del seller["interrupt"]
    agents = {"boss": worker("boss", delegating(("seller", "book"))), "seller": seller}
    text = with_hook(config("team", agents, team=team("boss", "seller")), hook)
    b = make(bench, text, files={"passes.py": HOOKS})
    assert b.say() == "waiting"
    asked = [tool for tool, _ in b.ran()].count("book asks")
    b.restart()
    b.answer(Answered(3))
    assert b.page.status == "idle"
    assert [tool for tool, _ in b.ran()].count("book") == 1
    assert asked <= 2
    assert_all_ended(b)


def test_another_pass_of_a_coordinator_keeps_a_delegated_team_where_it_waits(bench: MakeBench) -> None:
    agents = {
        "boss": worker("boss", delegating(("flow", "price A1"))),
        "opener": worker("opener", {"tool": "look_up", "input": {"sku": "O"}}),
        "seller": asker("seller", "approval", "A1"),
    }
    agents["opener"]["tools"] = ["./kit.py:look_up"]
    flow = graph("opener", ("opener", "seller"))
    text = with_hook(config("team", agents, team=team("boss", "flow"), flow=flow), "Impatient", "boss")
    b = make(bench, text, files={"passes.py": HOOKS})
    assert b.say() == "waiting"
    assert [card.tool for card in b.cards()] == ["set_price"]
    assert [given["sku"] for tool, given in b.ran() if tool == "look_up"] == ["O", "A1"]
    b.answer()
    assert b.page.status == "idle" and b.prices() == [("A1", 12.0)]
    assert_all_ended(b)


def test_a_hook_cannot_send_an_agent_back_that_was_stopped(bench: MakeBench) -> None:
    seller = asker("seller", "approval", "A1")
    seller["tools"] = ["./kit.py:read_slowly"]
    seller["model"]["params"]["script"] = [{"tool": "read_slowly", "input": {"page": "1"}}]
    stubborn = HOOKS.replace('"interrupt", []', '"cancelled", "look once more"')
    text = with_hook(config("seller", {"seller": seller}), "Impatient")
    b = make(bench, text, files={"passes.py": stubborn})
    b.send()
    b.waits_in("read-1")
    b.engine.stop(b.id, by="Ada")
    b.wait(lambda: b.page.stopping, "the run to know")
    b.let("read-1")
    assert b.settle() == "idle" and b.statuses() == ["cancelled"]
    assert len(asked(b)) == 1
    assert_all_ended(b)
