"""Ids: a model that reuses one, or uses one twice, never lets an old card speak for a new call."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from tests.runs.harness import Bench, price, shop
from workbench.policy import AnswerRefused
from workbench.policy.answer import Approved, Denied

MakeBench = Callable[..., Bench]


def ids(b: Bench) -> list[str]:
    return [
        block["toolUse"]["toolUseId"]
        for message in b.heard()
        for block in message["content"]
        if "toolUse" in block
    ]


@pytest.mark.parametrize("apart", [False, True], ids=["here", "after a kill"])
def test_an_old_approval_does_not_reach_a_new_call_with_the_same_id(bench: MakeBench, apart: bool) -> None:
    b = bench(shop([price("A1", id="call_1")], [price("B2", 99.0, id="call_1")]), apart=apart)
    b.say()
    old = b.card()
    b.answer(Approved(), old)
    assert b.say("again") == "waiting"
    b.restart()
    new = b.card()
    assert new.id != old.id and new.input["sku"] == "B2"
    assert b.engine.answer(old.id, Approved(), by="Ada").card.id == old.id, (
        "it says what was said, and no more"
    )
    assert b.prices() == [("A1", 12)]
    b.answer(Denied("no"), new)
    assert b.prices() == [("A1", 12)]
    assert b.results() == ["A1 now costs 12 in summit", "Declined: no"]


def test_a_reused_id_after_a_skipped_card_asks_anew(bench: MakeBench) -> None:
    b = bench(shop([price("A1", id="call_1")], [price("A1", id="call_1")]))
    b.say()
    old = b.card()
    b.say("never mind, or rather do")
    assert b.card().id != old.id
    with pytest.raises(AnswerRefused):
        b.answer(Approved(), old)
    b.answer(Approved())
    assert b.prices() == [("A1", 12)]
    assert len(set(ids(b))) == 2


def test_two_calls_with_one_id_in_one_message_are_two_calls(bench: MakeBench) -> None:
    twice = {"tools": [price("A1", 1.0, id="call_1"), price("B2", 2.0, id="call_1")]}
    b = bench(shop([twice]))
    b.say()
    assert sorted(card.input["sku"] for card in b.cards()) == ["A1", "B2"]
    b.answer(Approved(), b.card(sku="A1"))
    b.answer(Denied("no"), b.card(sku="B2"))
    assert b.prices() == [("A1", 1)]
    assert b.results() == ["A1 now costs 1 in summit", "Declined: no"]
    assert len(set(ids(b))) == 2


def test_a_gated_and_an_ungated_call_with_one_id_do_not_share_a_result(bench: MakeBench) -> None:
    look: dict[str, Any] = {"tool": "look_up", "input": {"sku": "X"}, "id": "call_1"}
    b = bench(shop([{"tools": [look, price(id="call_1")]}]))
    b.say()
    b.answer(Denied("no"))
    assert b.results() == ["X costs 10", "Declined: no"] and b.prices() == []


@pytest.mark.parametrize("odd", ["call 1 / ü", "x" * 65], ids=["odd characters", "too long"])
def test_ids_that_some_provider_would_refuse_are_replaced(bench: MakeBench, odd: str) -> None:
    b = bench(shop([price(id=odd)], [{"text": "Fine."}]))
    b.say()
    b.answer(Approved())
    assert b.page.status == "idle"
    assert b.say("go on") == "idle"
    assert b.prices() == [("A1", 12)] and odd not in ids(b)


def test_the_model_is_not_asked_again_when_a_step_is_resumed(bench: MakeBench) -> None:
    """Approved v1 must not run v2 because the model answered differently the second time."""
    source = '''
import random

from workbench.agents.scripted import ScriptedModel


class Fickle(ScriptedModel):
    """Proposes another price whenever it is asked."""

    def __init__(self, **settings):
        step = {"tool": "set_price", "input": {"sku": "A1", "price": random.random()}}
        super().__init__({"script": [step]})
'''
    config = shop()
    config["agents"]["merchant"]["model"] = {"provider": "./models.py:Fickle"}
    b = bench(config, files={"models.py": source}, apart=True)
    b.say()
    shown = b.card().input
    b.restart()
    b.answer(Approved())
    assert b.ran() == [("set_price", {**shown, "store": "summit"})]


def test_what_ran_is_what_the_card_showed_even_if_the_stored_call_was_tampered_with(bench: MakeBench) -> None:
    b = bench(shop([price()]))
    b.say()
    with closing(sqlite3.connect(b.database)) as connection, connection:
        changed = connection.execute("UPDATE message_bodies SET body = replace(body, '\"A1\"', '\"GOLD\"')")
        assert changed.rowcount > 0
    b.restart()
    b.answer(Approved())
    assert b.prices() == [("A1", 12)]
