"""Stop: in the middle of a word, of a call, of a pause; and the conversation goes on."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.harness import Bench, price, shop
from workbench.policy.answer import Approved, Happened
from workbench.runs.drive import Drive
from workbench.runs.errors import NothingToDo

MakeBench = Callable[..., Bench]

SHIP = {"tool": "ship", "input": {"order": "7"}}
GO_ON = [{"text": "On we go."}]
SLOW = {"stream_chunk": 1, "stream_delay_ms": 10}
CANCELLED = "Cancelled by the person"


def stop(b: Bench) -> None:
    b.engine.stop(b.id, by="Ada")
    b.settle()


def goes_on(b: Bench) -> None:
    assert b.page.status == "idle"
    assert b.say("go on") == "idle"
    assert b.said()[-1] == "On we go."
    with pytest.raises(NothingToDo):
        b.engine.stop(b.id, by="Ada")


def test_stop_while_the_model_speaks_cuts_it_off(bench: MakeBench) -> None:
    b = bench(shop([{"text": "A long answer that takes its time, " * 5}], GO_ON, streaming=SLOW))
    b.send()
    b.wait(lambda: len("".join(b.texts())) > 3, "some text")
    stop(b)
    assert b.statuses() == ["cancelled"]
    assert len(b.texts()[0]) < 100
    assert not any(item.streaming for item in b.items(type(b.views()[0].items[0])))
    goes_on(b)


def test_stop_while_the_model_writes_a_call_runs_nothing(bench: MakeBench) -> None:
    b = bench(shop([price("A" * 100)], GO_ON, ask=["nothing"], streaming=SLOW))
    b.send()
    b.wait(lambda: b.items() and len(b.items()[0].input_text) > 3, "half a call")
    stop(b)
    assert (b.statuses(), b.ran(), b.results()) == (["cancelled"], [], [])
    goes_on(b)


def test_stop_lets_a_started_call_finish_and_starts_no_other(bench: MakeBench) -> None:
    b = bench(shop([SHIP, price()], GO_ON, ask=["nothing"]))
    b.send()
    b.waits_in("ship-7")
    b.engine.stop(b.id, by="Ada")
    assert b.page.stopping
    b.let("ship-7")
    b.settle()
    assert b.statuses() == ["cancelled"]
    assert (b.ran(), b.results()) == ([("ship", {"order": "7"})], ["order 7 is on its way"])
    goes_on(b)


@pytest.mark.parametrize("apart", [False, True], ids=["here", "after a kill"])
def test_stop_on_a_pause_closes_its_cards_and_runs_nothing(bench: MakeBench, apart: bool) -> None:
    b = bench(shop([{"tools": [price("A1"), price("B2")]}], GO_ON), apart=apart)
    b.say()
    approved, open_card = b.card(sku="A1"), b.card(sku="B2")
    b.answer(Approved(), approved)
    b.restart()
    stop(b)
    assert b.statuses() == ["paused", "cancelled"]
    assert b.results() == [CANCELLED, CANCELLED]
    assert b.prices() == [] and b.cards() == []
    assert b.engine.card(approved.id).not_run
    decided = b.engine.card(open_card.id).decision
    assert decided is not None and decided.decision == "skipped"
    goes_on(b)


def test_stop_after_the_last_answer_and_before_the_resume_runs_nothing(bench: MakeBench) -> None:
    b = bench(shop([price()], GO_ON), apart=True)
    b.say()
    card = b.card()
    b.stop()
    b.engine.answer(card.id, Approved(), by="Ada")
    b.engine.stop(b.id, by="Ada")
    b.start()
    b.settle()
    assert b.prices() == []
    assert b.statuses() == ["paused", "cancelled"]
    assert b.results() == [CANCELLED]
    assert b.engine.card(card.id).not_run
    goes_on(b)


def test_stop_before_a_message_was_taken_up_keeps_the_message(bench: MakeBench) -> None:
    b = bench(shop([price()], GO_ON), apart=True)
    b.stop()
    b.send("first")
    b.engine.stop(b.id, by="Ada")
    b.start()
    b.settle()
    assert b.statuses() == ["cancelled"]
    goes_on(b)
    assert [block["text"] for block in b.heard()[0]["content"]] == ["first", "go on"]


def test_stop_and_kill_while_a_call_runs_ends_as_stopped_with_a_doubtful_call_told_as_such(
    bench: MakeBench,
) -> None:
    b = bench(shop([SHIP], GO_ON), apart=True)
    b.send()
    b.waits_in("ship-7")
    b.engine.stop(b.id, by="Ada")
    b.restart()
    b.settle()
    assert b.statuses() == ["failed", "cancelled"]
    assert b.results() == ["Unknown: this call was started and may have happened"]
    assert len(b.ran()) == 1
    goes_on(b)


def test_stop_on_a_doubt_never_says_that_it_did_not_run(bench: MakeBench) -> None:
    b = bench(shop([SHIP], GO_ON), apart=True)
    b.send()
    b.waits_in("ship-7")
    b.restart()
    b.until("waiting")
    card = b.card()
    stop(b)
    assert b.results() == ["Unknown: this call was started and may have happened"]
    decided = b.engine.card(card.id).decision
    assert decided is not None and decided.decision == "unknown"
    goes_on(b)


def test_stop_in_one_conversation_leaves_another_alone(bench: MakeBench) -> None:
    b = bench(shop([SHIP], GO_ON))
    b.send()
    b.waits_in("ship-7")
    first, b.id = b.id, b.engine.new_conversation(b.file)
    b.send()
    b.wait(lambda: len(b.ran()) == 2, "both at work")
    stopped, b.id = b.id, first
    b.engine.stop(stopped, by="Ada")
    b.let("ship-7")
    b.settle()
    assert b.statuses() == ["done"]
    b.id = stopped
    b.settle()
    assert b.statuses() == ["cancelled"]


def test_a_worker_that_is_stopped_politely_gives_its_run_back_at_once(bench: MakeBench) -> None:
    b = bench(shop([SHIP]))
    b.send()
    b.waits_in("ship-7")
    old = b.worker
    assert old is not None
    old.stop(timeout=0.5)
    b.wait(lambda: b.store.leases.held() == [], "the lease to be given back before it runs out")
    b.worker = None
    b.start()
    b.until("waiting")
    assert b.card().kind == "doubt"
    b.let("ship-7")
    b.answer(Happened("it did"))
    assert len(b.ran()) == 1
    old.stop()


def test_a_call_that_was_about_to_start_when_stop_was_pressed_does_not(bench: MakeBench) -> None:
    """Its batch has begun, and a hook of the config holds it up: from Stop on, nothing starts."""
    hooks = '''
import asyncio

from strands.hooks import BeforeToolCallEvent, HookProvider
from .kit import HERE


class Guard(HookProvider):
    """Takes its time before each call."""

    def register_hooks(self, registry, **kwargs):
        registry.add_callback(BeforeToolCallEvent, self.before)

    async def before(self, event):
        (HERE / "hook.here").touch()
        while not (HERE / "hook").exists():
            await asyncio.sleep(0.005)
'''
    config = shop([price()], GO_ON, ask=["nothing"], hooks=["./hooks.py:Guard"])
    b = bench(config, files={"hooks.py": hooks})
    b.send()
    b.waits_in("hook")
    b.engine.stop(b.id, by="Ada")
    b.let("hook")
    b.settle()
    assert (b.statuses(), b.ran(), b.results()) == (["cancelled"], [], [CANCELLED])
    goes_on(b)


def test_stop_at_the_very_moment_of_a_pause_is_not_lost(
    bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    b = bench(shop([price()], GO_ON))
    pause = Drive._pause

    def stopped_first(drive: Drive, *args: Any) -> Any:
        b.engine.stop(b.id, by="Ada")
        return pause(drive, *args)

    monkeypatch.setattr(Drive, "_pause", stopped_first)
    b.say()
    assert (b.statuses(), b.cards(), b.results()) == (["cancelled"], [], [CANCELLED])
    goes_on(b)
