"""The config changes while a card waits: the answer decides, whatever the YAML says by then."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.runs.harness import Bench, price, shop
from tests.runs.test_edits import BY_STORE, SUBJECTS
from workbench.policy import Answer, AnswerRefused
from workbench.policy.answer import Approved, Denied, Skipped
from workbench.runs.errors import EngineRefused

MakeBench = Callable[..., Bench]

STEP = [price()]
FINE = [{"text": "Fine."}]
NO_SUBJECT = "def store_of(tool, tool_input):\n    return None\n"

LOOSER: dict[str, Any] = {
    "no rule names it any more": shop(STEP, FINE, ask=["nothing"]),
    "the rule exempts it": shop(STEP, FINE, ask=[{"name": "set_price", "ask": False}]),
    "auto runs everything": shop(STEP, FINE, auto=True, interrupt={}),
    "read-only tools are skipped": shop(
        STEP,
        FINE,
        interrupt={"tools": ["set_price"], "skip_read_only": True},
        top={"tool_annotations": {"set_price": {"readOnlyHint": True}}},
    ),
    "the subject needs no approval": shop(
        STEP, FINE, ask=[{"name": "set_price", "subject": "./nobody.py:store_of"}]
    ),
    "the tool is gone": shop(STEP, FINE, tools="./kit.py:look_up"),
    "the agent is gone": {
        "version": "1",
        "agents": {"other": {"model": {"provider": "scripted", "params": {}}, "auto": True}},
    },
}


@pytest.mark.parametrize("again", [False, True], ids=["at once", "after a restart"])
@pytest.mark.parametrize("answer", [Denied("no"), Skipped("later")], ids=["denied", "skipped"])
@pytest.mark.parametrize("newer", list(LOOSER.values()), ids=list(LOOSER))
def test_no_looser_config_runs_what_the_person_did_not_approve(
    bench: MakeBench, newer: dict[str, Any], answer: Answer, again: bool
) -> None:
    b = bench(shop(STEP, FINE), files={"nobody.py": NO_SUBJECT})
    b.say()
    b.apply(newer)
    if again:
        b.restart()
    b.answer(answer)
    assert b.ran() == [] and b.page.status == "idle"
    assert b.results() == ["Declined: no" if isinstance(answer, Denied) else "Skipped: later"]


def test_a_file_that_was_broken_meanwhile_opens_nothing(bench: MakeBench) -> None:
    b = bench(shop(STEP, FINE))
    b.say()
    Path(b.file).write_text("agents: [", encoding="utf-8")
    assert {row.valid_on_disk for row in b.engine.config_files()} == {False}
    b.restart()
    b.answer(Denied("no"))
    assert (b.ran(), b.results()) == ([], ["Declined: no"])
    assert b.say("go on") == "idle", "the last good version stays live"


@pytest.mark.parametrize("code", ["raise RuntimeError('gone')\n", NO_SUBJECT], ids=["broken", "says nothing"])
def test_a_subject_function_that_changed_meanwhile_opens_nothing(bench: MakeBench, code: str) -> None:
    b = bench(shop(STEP, FINE, ask=BY_STORE), files={"subjects.py": SUBJECTS})
    b.say()
    b.beside("subjects.py", code)
    b.restart()
    b.answer(Denied("no"))
    assert (b.ran(), b.results()) == ([], ["Declined: no"])


def test_a_stricter_config_meanwhile_does_not_undo_an_approval(bench: MakeBench) -> None:
    b = bench(shop(STEP, FINE, ask=[{"name": "set_price", "remember": "always"}]))
    b.say()
    b.apply(shop(STEP, FINE, ask=["*"]))
    assert b.card().scopes == ("once", "thread", "always"), "the card offers what it offered"
    b.answer(Approved())
    assert b.prices() == [("A1", 12)]


def test_a_pause_finishes_under_its_version_and_the_next_message_uses_the_newest(bench: MakeBench) -> None:
    b = bench(shop([*STEP, {"text": "said under v1"}]))
    b.say()
    b.apply(shop([*STEP, {"text": "said under v2"}], [{"text": "said under v2, too"}]))
    b.restart()
    b.answer(Approved())
    assert b.said() == ["said under v1"]
    b.say("next")
    assert b.said()[-1] == "said under v2, too"
    assert [view.config_number for view in b.views()] == [1, 1, 2]
    assert b.page.version_number == 2


def test_a_running_conversation_takes_up_a_policy_edit_with_its_next_message(bench: MakeBench) -> None:
    b = bench(shop([price("A1")], [price("B2")], ask=["set_price"]))
    b.say()
    b.answer(Approved())
    b.apply(shop([price("A1")], [price("B2")], ask=["nothing"]))
    assert b.say("next") == "idle"
    assert b.prices() == [("A1", 12), ("B2", 12)]
    b.apply(shop([price("A1")], [price("B2")], [price("C3")], ask=["set_price"]))
    assert b.say("next") == "waiting"


@pytest.mark.parametrize(
    ("newer", "says", "outcome"),
    [
        ("no rule names it any more", "would run this call without asking", "run"),
        ("the tool is gone", "has no agent 'merchant' with the tool 'set_price' any more", None),
        ("the agent is gone", "has no agent 'merchant' with the tool 'set_price' any more", None),
    ],
)
def test_a_waiting_card_says_that_the_config_changed_and_what_it_would_say_now(
    bench: MakeBench, newer: str, says: str, outcome: str | None
) -> None:
    b = bench(shop(STEP, FINE), files={"nobody.py": NO_SUBJECT})
    b.say()
    assert b.card().config_changed is None
    b.apply(LOOSER[newer])
    change = b.card().config_changed
    assert change is not None and change.newest_number == 2 and says in change.sentence
    assert (change.verdict_now.outcome if change.verdict_now else None) == outcome


def test_asking_again_supersedes_the_card_by_one_under_the_newest_config(bench: MakeBench) -> None:
    b = bench(shop(STEP, FINE, ask=["set_price"]))
    b.say()
    old = b.card()
    b.apply(shop(STEP, FINE, ask=[{"name": "set_price", "remember": "always", "ttl_seconds": 60}]))
    new = b.engine.ask_again(old.id, by="Ada")
    assert new.id != old.id and b.card().id == new.id
    assert (new.config_number, new.scopes, new.expires_at is not None) == (
        2,
        ("once", "thread", "always"),
        True,
    )
    assert new.because_sentence == "Asked again under the newest config."
    assert new.position == (1, 1) and new.left == 1
    superseded = b.engine.card(old.id).decision
    assert superseded is not None and superseded.decision == "superseded"
    with pytest.raises(AnswerRefused) as refused:
        b.answer(Approved(), old)
    assert refused.value.code == "already_decided"
    b.restart()
    b.answer(Approved("always"))
    assert b.prices() == [("A1", 12)]
    assert len(b.store.grants.list()) == 1
    assert len(b.items()) == 1 and b.items()[0].request_id == new.id


def test_asking_again_always_makes_a_card_even_where_the_newest_config_would_not_ask(
    bench: MakeBench,
) -> None:
    b = bench(shop(STEP, FINE))
    b.say()
    b.apply(shop(STEP, FINE, ask=["nothing"]))
    new = b.engine.ask_again(b.card().id, by="Ada")
    assert (new.status, new.scopes, b.prices()) == ("open", ("once",), [])
    b.answer(Denied("no"))
    assert b.prices() == []


def test_asking_again_without_the_tool_or_twice_is_refused_and_the_card_stays(bench: MakeBench) -> None:
    b = bench(shop(STEP, FINE))
    b.say()
    card = b.card()
    b.apply(LOOSER["the tool is gone"])
    with pytest.raises(EngineRefused):
        b.engine.ask_again(card.id, by="Ada")
    assert b.card().id == card.id
    b.answer(Denied())
    with pytest.raises(AnswerRefused) as refused:
        b.engine.ask_again(card.id, by="Ada")
    assert refused.value.code == "already_decided"


def test_answering_a_card_while_another_is_asked_again_finishes_once(bench: MakeBench) -> None:
    two = [{"tools": [price("A1"), price("B2")]}]
    b = bench(shop(two, FINE))
    b.say()
    b.apply(shop(two, FINE, ask=[{"name": "set_price", "remember": "thread"}]))
    b.engine.ask_again(b.card(sku="A1").id, by="Ada")
    b.answer(Approved(), b.card(sku="B2"))
    assert b.prices() == [] and b.card().input["sku"] == "A1"
    b.answer(Approved())
    assert sorted(b.prices()) == [("A1", 12), ("B2", 12)]


def test_every_verdict_names_its_rule_and_line(bench: MakeBench) -> None:
    text = """\
version: "1"
agents:
  merchant:
    model:
      provider: scripted
      params:
        script:
          - tools:
              - {tool: look_up, input: {sku: X}}
              - {tool: set_price, input: {sku: A1, price: 2}}
              - {tool: close_shop, input: {}}
    tools: [./kit.py]
    interrupt:
      tools:
        - {name: "look_*", ask: false}
        - "set_*"
        - "*"
"""
    b = bench(text)
    b.say()
    prices, closing = b.card("set_price"), b.card("close_shop")
    assert prices.because_sentence == "Asked because of rule 2, “set_*” (line 16)." and prices.rule_line == 16
    assert closing.because_sentence == "Asked because of rule 3, “*” (line 17)."
    looked = next(item for item in b.items() if item.tool == "look_up")
    assert looked.because_sentence == "Ran without asking: rule 1, “look_*” (line 15) exempts it."
    assert looked.verdict is not None and len(looked.verdict.trace) >= 2
    b.answer(Approved(), prices)
    b.answer(Denied(), closing)
    for decision in b.store.decisions.list(b.id):
        assert decision.verdict is not None and decision.verdict["line"] in (16, 17)


def test_a_quoted_false_is_an_error_and_switches_nothing_off(bench: MakeBench) -> None:
    b = bench(shop(STEP, FINE))
    text = b.write(shop(STEP, FINE, auto="false", interrupt={}))
    assert "auto: 'false'" in text
    parsed = b.engine.check(b.file, text)
    assert parsed.config is None and any("auto" in problem.path for problem in parsed.errors)
    assert b.say() == "waiting", "the last valid version stays live"
