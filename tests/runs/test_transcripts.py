"""The transcript that is kept at hand says what a fresh reading of the log says, whatever happened in between."""

from collections.abc import Callable

import pytest

from tests.runs.harness import Bench, price, shop
from workbench.policy.answer import Approved, Denied
from workbench.runs import transcripts
from workbench.runs.engine import Engine
from workbench.runs.views import RunView

MakeBench = Callable[..., Bench]


def read_anew(b: Bench) -> list[RunView]:
    return Engine(b.store, b.folder).run_views(b.id)


def same(b: Bench) -> None:
    kept = b.engine.run_views(b.id)
    assert kept == read_anew(b)
    assert b.engine.run_views(b.id, last=2) == kept[-2:]
    assert [view.number for view in kept] == list(range(1, len(kept) + 1))


def test_turns_that_are_over_stay_as_they_were(bench: MakeBench) -> None:
    b = bench(shop(*[[price(), {"text": "Done."}]] * 7))
    for answer in (
        Approved(),
        Denied("no"),
        Approved(tool_input={"sku": "B2", "price": 1.0}),
        None,
        Approved(),
        None,
        None,
    ):
        assert b.say() == "waiting"
        same(b)
        if answer is not None:
            b.answer(answer)
            same(b)
    settled = b.engine.transcripts._kept[b.id].settled
    assert [view.number for view in settled] == list(range(1, len(settled) + 1))
    assert len(b.views()) - len(settled) <= 4


def test_a_pause_that_a_message_closes_is_drawn_as_closed(bench: MakeBench) -> None:
    b = bench(
        shop([price(), {"text": "Done."}], [{"text": "Fine."}], [{"text": "Bye."}], [{"text": "Again."}])
    )
    assert b.say() == "waiting"
    same(b)
    for _ in range(3):
        assert b.say() == "idle"
        same(b)
    assert [item.decision.decision for item in b.items() if item.decision] == ["skipped"]


def test_a_settled_turn_is_not_read_again(bench: MakeBench, monkeypatch: pytest.MonkeyPatch) -> None:
    b = bench(shop(*[[{"text": "Fine."}]] * 6))
    for _ in range(6):
        assert b.say() == "idle"
        b.views()
    drawn: list[str] = []
    monkeypatch.setattr(transcripts, "replace", lambda view, **_: drawn.append(view.run_id) or view)
    assert len(b.views()) == 6
    assert len(drawn) == 2
