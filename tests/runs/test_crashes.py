"""A process that dies, at every point where it could matter: nothing is lost and nothing happens twice unasked."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.harness import Bench, price, shop
from tests.runs.processes import CRASHES
from workbench.policy import Answer, AnswerRefused
from workbench.policy.answer import Answered, Approved, Denied, GaveUp, Happened, RunAgain, Skipped

MakeBench = Callable[..., Bench]

SHIP = {"tool": "ship", "input": {"order": "7"}}
READ = {"tool": "read_slowly", "input": {"page": "1"}}
LOOK = {"tool": "look_up", "input": {"sku": "X"}}
READ_ONLY = {"tool_annotations": {"read_*": {"readOnlyHint": True}, "look_up": {"readOnlyHint": True}}}
IDEMPOTENT = {"tool_annotations": {"read_slowly": {"idempotentHint": True}}}


def torn(b: Bench, name: str = "ship-7") -> None:
    """Kill the process inside a tool that has had its effect, and start another."""
    b.waits_in(name)
    b.restart()


def test_killed_after_the_effect_and_before_the_result_the_call_is_a_doubt_and_not_repeated(
    bench: MakeBench,
) -> None:
    b = bench(shop([SHIP], ask=["ship"]), apart=True)
    b.say()
    b.engine.answer(b.card().id, Approved(), by="Ada")
    torn(b)
    b.until("waiting")
    card = b.card()
    assert (card.kind, card.tool, card.input) == ("doubt", "ship", {"order": "7"})
    assert b.ran() == [("ship", {"order": "7"})]


@pytest.mark.parametrize(
    ("answer", "decision", "read", "times"),
    [
        (
            Happened("on its way"),
            "happened",
            "This call was interrupted. The person says that it did happen, with this result: on its way",
            1,
        ),
        (RunAgain(), "run_again", "order 7 is on its way", 2),
        (
            GaveUp(),
            "gave_up",
            "Given up: this call was started and may have happened. The person does not want it run again; "
            "do not repeat it.",
            1,
        ),
        (Skipped(), "unknown", "Unknown: this call was started and may have happened", 1),
    ],
    ids=["it happened", "run it again", "give up", "skipped"],
)
def test_a_doubt_is_settled_as_the_person_says(
    bench: MakeBench, answer: Answer, decision: str, read: str, times: int
) -> None:
    b = bench(shop([SHIP]), apart=True)
    b.send()
    torn(b)
    b.until("waiting")
    card = b.card()
    b.let("ship-7")
    b.answer(answer)
    assert b.page.status == "idle"
    assert (b.results(), len(b.ran())) == ([read], times)
    decided = b.engine.card(card.id).decision
    assert decided is not None and decided.decision == decision
    assert "Skipped" not in b.results()[0]


def test_run_again_is_permission_for_once_a_second_crash_asks_again(bench: MakeBench) -> None:
    b = bench(shop([SHIP]), apart=True)
    b.send()
    torn(b)
    b.until("waiting")
    (b.folder / "ship-7.here").unlink()
    first = b.card()
    b.engine.answer(first.id, RunAgain(), by="Ada")
    torn(b)
    b.until("waiting")
    assert b.card().kind == "doubt" and b.card().id != first.id
    assert len(b.ran()) == 2
    b.answer(Happened("twice, it seems"))
    assert len(b.ran()) == 2


def test_a_doubt_survives_further_kills(bench: MakeBench) -> None:
    b = bench(shop([SHIP]), apart=True)
    b.send()
    torn(b)
    b.until("waiting")
    asked = b.card().id
    b.restart()
    b.restart()
    assert b.card().id == asked
    b.let("ship-7")
    b.answer(GaveUp())
    assert len(b.ran()) == 1


@pytest.mark.parametrize("declared", [READ_ONLY, IDEMPOTENT], ids=["read-only", "idempotent"])
def test_a_call_that_may_run_twice_runs_again_without_asking(
    bench: MakeBench, declared: dict[str, Any]
) -> None:
    b = bench(shop([READ], top=declared), apart=True)
    b.send()
    torn(b, "read-1")
    b.let("read-1")
    assert b.settle() == "idle"
    assert [tool for tool, _ in b.ran()] == ["read_slowly", "read_slowly"]
    assert b.results() == ["page 1 is read"]
    assert b.store.requests.of_conversation(b.id) == []


def test_a_doubt_about_an_edited_call_is_about_the_edit(bench: MakeBench) -> None:
    b = bench(shop([{"tool": "ship", "input": {"order": "8"}}], ask=["ship"]), apart=True)
    b.say()
    b.engine.answer(b.card().id, Approved(tool_input={"order": "7"}), by="Ada")
    torn(b)
    b.until("waiting")
    assert b.card().input == {"order": "7"}
    b.let("ship-7")
    b.answer(RunAgain())
    assert b.ran() == [("ship", {"order": "7"})] * 2
    assert "The person changed the arguments" in b.results()[0]
    assert b.results()[0].endswith("order 7 is on its way")


def test_a_doubt_about_a_call_that_was_edited_to_nothing_runs_nothing_else(bench: MakeBench) -> None:
    source = '''
import strands
from .kit import note, wait_for

@strands.tool
def sweep(shop: str = "all") -> str:
    """Sweep.

    Args:
        shop: which.
    """
    note("sweep", shop=shop)
    wait_for("sweep")
    return f"swept {shop}"
'''
    step = {"tool": "sweep", "input": {"shop": "summit"}}
    b = bench(shop([step], ask=["sweep"], tools="./sweep.py"), files={"sweep.py": source}, apart=True)
    b.say()
    b.engine.answer(b.card().id, Approved(tool_input={}), by="Ada")
    torn(b, "sweep")
    b.until("waiting")
    assert b.card().input == {}
    b.let("sweep")
    b.answer(RunAgain())
    assert b.ran() == [("sweep", {"shop": "all"})] * 2


def test_siblings_of_a_doubt_keep_their_results_and_run_once(bench: MakeBench) -> None:
    b = bench(shop([{"tools": [LOOK, SHIP, price()]}], ask=["set_price"]), apart=True)
    b.send()
    b.waits_in("ship-7")
    b.wait(lambda: ("look_up", {"sku": "X"}) in b.ran(), "the sibling")
    b.wait(
        lambda: len([c for c in b.store.journal.of_conversation(b.id) if c.state == "finished"]) == 1, "it"
    )
    b.restart()
    b.until("waiting")
    assert {card.kind for card in b.cards()} == {"doubt", "approval"}
    b.answer(Approved(), b.card("set_price"))
    b.answer(Happened("shipped"), b.card("ship"))
    assert b.results()[0] == "X costs 10" and b.results()[2] == "A1 now costs 12 in summit"
    assert sorted(tool for tool, _ in b.ran()) == ["look_up", "set_price", "ship"]


def test_killed_while_paused_the_card_is_there_again(bench: MakeBench) -> None:
    b = bench(shop([price()]), apart=True)
    b.say()
    card = b.card()
    b.stop()
    assert b.card().id == card.id
    b.restart()
    b.answer()
    assert b.prices() == [("A1", 12)]
    assert len(b.statuses()) == 2, "a pause is no crash: nothing is recovered"


def test_killed_between_the_answer_and_the_resume_the_next_start_resumes(bench: MakeBench) -> None:
    b = bench(shop([price()]), apart=True)
    b.say()
    b.stop()
    assert b.engine.answer(b.card().id, Approved(), by="Ada").left == 0
    assert (b.prices(), b.page.status) == ([], "working")
    b.restart()
    assert b.settle() == "idle"
    assert b.prices() == [("A1", 12)]


def test_killed_in_the_resume_before_the_call_started_the_approval_still_stands(bench: MakeBench) -> None:
    b = bench(shop([price()]), apart=True)
    b.say()
    b.restart(dies="before a call starts")
    assert b.process is not None
    b.engine.answer(b.card().id, Approved(), by="Ada")
    b.process.gone()
    assert b.prices() == []
    b.restart()
    assert b.settle() == "idle"
    assert b.prices() == [("A1", 12)]
    assert len(b.store.requests.of_conversation(b.id)) == 1, "nobody was asked twice"


def test_killed_while_streaming_the_answer_is_given_again_and_the_cut_one_shows(bench: MakeBench) -> None:
    streaming = {"stream_chunk": 1, "stream_delay_ms": 10}
    b = bench(shop([{"text": "A long answer, letter by letter."}], streaming=streaming), apart=True)
    b.send()
    b.wait(lambda: len("".join(b.texts())) > 3, "some text")
    b.restart()
    assert b.settle() == "idle"
    assert b.said() == ["A long answer, letter by letter."]
    cut, whole = b.texts()
    assert whole == "A long answer, letter by letter." and whole.startswith(cut) and cut != whole
    first, second = b.items(type(b.views()[0].items[0]))
    assert (first.cut, first.streaming, second.cut) == (True, False, False)


@pytest.mark.parametrize("point", list(CRASHES))
def test_a_kill_at_any_point_loses_nothing_and_repeats_no_effect(bench: MakeBench, point: str) -> None:
    """An ungated read-only call, a gated call and a last word; the process dies at one point in each of its runs."""
    b = bench(shop([{"tools": [LOOK, price()]}, price("B2", 9.0)], top=READ_ONLY), apart=True)
    for _ in range(12):
        b.restart(dies=point)
        assert b.process is not None
        if b.page.status == "idle" and not b.statuses():
            b.send()
        if b.page.status == "waiting":
            b.stop()
            card = b.cards()[0]
            answer: Answer = Happened("A1 now costs 12 in summit") if card.kind == "doubt" else Approved()
            b.engine.answer(card.id, answer, by="Ada")
            b.start(dies=point)
        if b.page.status == "idle":
            break
        b.wait(lambda: not b.process or not b.process.alive or b.page.status != "working", "death or a pause")
        b.stop()
        b.start()  # one start in two is left alone, or no run could ever get anywhere
        b.settle()
    assert b.page.status == "idle", b.statuses()
    set_to = b.prices()
    assert len(set_to) == len(set(set_to)), "an approved call ran twice"
    assert len(b.results()) == 3 and b.said()[-1] == "Done."
    assert b.results()[0] == "X costs 10"
    if "doubt" not in {one.kind for one in b.store.requests.of_conversation(b.id)}:
        assert set_to == [("A1", 12), ("B2", 9)]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", range(1, 10))
def test_a_kill_at_any_commit_leaves_a_conversation_that_goes_on_to_the_same_end(
    bench: MakeBench, number: int, when: str
) -> None:
    """A turn with an ungated call, a gated one and another ungated one; the process dies at one of its commits."""
    close = {"tool": "close_shop", "input": {}}
    b = bench(shop([{"tools": [LOOK, price()]}, close]), apart=True)
    b.restart(dies=f"{when} commit {number}")
    b.send()
    died = False
    for _ in range(60):
        b.wait(lambda: b.page.status != "working" or not (b.process and b.process.alive), "a pause or death")
        if not (b.process and b.process.alive):
            died = True
            b.restart()
        elif b.page.status == "waiting":
            card = b.cards()[0]
            b.engine.answer(card.id, Happened("done") if card.kind == "doubt" else Approved(), by="Ada")
        else:
            break
    assert b.page.status == "idle"
    tools = [tool for tool, _ in b.ran()]
    assert len(tools) == len(set(tools)), "a call ran twice"
    kinds = [one.kind for one in b.store.requests.of_conversation(b.id)]
    assert kinds.count("approval") == 1, "the person was asked once"
    assert set(tools) == {"look_up", "set_price", "close_shop"} or "doubt" in kinds
    assert len(b.results()) == 3 and b.said() == ["Done."]
    assert b.process is not None
    if number > 8:
        assert not died and b.process.alive, "this turn has eight commits, and each is tried"
    elif not died:
        b.process.gone()  # the last commit ends the run, and its process goes down just after it
    told = [event["toolCallId"] for event in b.events("TOOL_CALL_RESULT")]
    assert len(set(told)) == 3
    assert [item.state for item in b.items()] == ["finished"] * 3


def test_the_transcript_shows_a_call_that_was_torn_at_once(bench: MakeBench) -> None:
    """The journal knows of the call before the tool's first line; the transcript must, too."""
    b = bench(shop([price()], ask=["nothing"]), apart=True)
    b.restart(dies="after a call started")
    assert b.process is not None
    b.send()
    b.process.gone()
    b.restart()
    b.until("waiting")
    item = b.items()[0]
    assert (item.tool, item.state) == ("set_price", "waiting")
    assert item.card is not None and item.card.kind == "doubt"
    assert b.texts() == []


def test_a_message_instead_of_settling_a_doubt_tells_the_model_that_it_may_have_happened(
    bench: MakeBench,
) -> None:
    b = bench(shop([SHIP], [{"text": "I see."}]), apart=True)
    b.send()
    torn(b)
    b.until("waiting")
    card = b.card()
    b.say("never mind")
    assert b.results() == ["Unknown: this call was started and may have happened"]
    decided = b.engine.card(card.id).decision
    assert decided is not None and decided.decision == "unknown"
    assert b.said() == ["I see."] and len(b.ran()) == 1


def test_a_settled_doubt_keeps_what_was_said_when_a_message_ends_the_pause(bench: MakeBench) -> None:
    orders = [{"tool": "ship", "input": {"order": n}} for n in ("1", "2", "3")]
    b = bench(shop([{"tools": orders}], [{"text": "I see."}]), apart=True)
    b.send()
    for number in "123":
        b.waits_in(f"ship-{number}")
    b.restart()
    b.until("waiting")
    b.answer(Happened("it left on Monday"), b.card(order="1"))
    b.answer(GaveUp(), b.card(order="2"))
    b.say("never mind")
    one, two, three = b.results()
    assert one.endswith("it left on Monday") and two.startswith("Given up")
    assert three == "Unknown: this call was started and may have happened"
    assert len(b.ran()) == 3


def test_a_doubt_takes_no_other_answer_and_cannot_be_asked_again(bench: MakeBench) -> None:
    b = bench(shop([SHIP]), apart=True)
    b.send()
    torn(b)
    b.until("waiting")
    card = b.card()
    for answer in (Approved(), Denied(), Answered("yes")):
        with pytest.raises(AnswerRefused) as refused:
            b.answer(answer)
        assert refused.value.code == "wrong_answer"
    b.apply(shop([SHIP], [{"text": "newer"}]))
    with pytest.raises(AnswerRefused):
        b.engine.ask_again(card.id, by="Ada")
    assert b.card().id == card.id


def test_a_run_that_kills_its_process_again_and_again_is_left_to_the_person(bench: MakeBench) -> None:
    """A read-only call may run again; one that takes the process with it must not do so for ever."""
    source = '''
import os, strands
from .kit import note

@strands.tool
def read_dump() -> str:
    """Read a dump."""
    note("read_dump")
    os.kill(os.getpid(), 9)
'''
    b = bench(
        shop([{"tool": "read_dump"}], tools="./dump.py", top=READ_ONLY), files={"dump.py": source}, apart=True
    )
    b.send()
    for _ in range(8):
        assert b.process is not None
        process = b.process
        b.wait(lambda p=process: not p.alive or b.page.status != "working", "death or an end")
        if b.page.status != "working":
            break
        b.restart()
    assert b.page.status in ("waiting", "failed")
    assert len(b.ran()) <= 4


def test_a_model_that_takes_its_process_with_it_each_time_is_given_up_and_can_be_tried_again(
    bench: MakeBench,
) -> None:
    source = '''
import os
from pathlib import Path

from workbench.agents.scripted import ScriptedModel


class Deadly(ScriptedModel):
    """Kills its process whenever it is asked, until it is mended."""

    async def stream(self, *args, **kwargs):
        if not (Path(__file__).parent / "mended").exists():
            os.kill(os.getpid(), 9)
        async for event in super().stream(*args, **kwargs):
            yield event
'''
    config = shop()
    config["agents"]["merchant"]["model"] = {"provider": "./models.py:Deadly"}
    b = bench(config, files={"models.py": source}, apart=True)
    b.send()
    for _ in range(12):
        assert b.process is not None
        process = b.process
        b.wait(lambda p=process: not p.alive or b.page.status != "working", "death or an end")
        if b.page.status != "working":
            break
        b.restart()
    assert b.page.status == "failed" and "yours to try again" in str(b.page.last_error)
    assert len(b.statuses()) == 6, "it was taken up five times"
    b.let("mended")
    b.engine.retry(b.id, by="Ada")
    assert b.settle() == "idle"
