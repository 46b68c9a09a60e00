"""What can't be kept is refused whole, and no one conversation's trouble reaches another."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.harness import Bench, price, shop
from workbench.policy import AnswerRefused
from workbench.policy.answer import Answer, Approved, Denied, Skipped

BAD: list[Any] = [
    Approved("thread", uses=10**30),
    Approved("thread", uses=True),
    Approved("thread", lifetime_seconds=10**12),
    Approved("thread", uses="2"),  # type: ignore[arg-type]
    Approved("forever"),  # type: ignore[arg-type]
    Denied(5),  # type: ignore[arg-type]
    Skipped({}),  # type: ignore[arg-type]
    "yes",
    None,
]
HOST = "def decide(decisions):\n    pass\n"


@pytest.mark.parametrize("answer", BAD, ids=repr)
@pytest.mark.parametrize("host", [False, True], ids=["alone", "with a host"])
def test_an_answer_that_cannot_be_kept_is_refused_and_the_card_stays_open(
    bench: Callable[..., Bench], answer: Answer, host: bool
) -> None:
    interrupt: dict[str, Any] = {"tools": [{"name": "set_price", "remember": "always"}]}
    if host:
        interrupt["on_decision"] = "./host.py:decide"
    table = bench(shop([price()], interrupt=interrupt), files={"host.py": HOST})
    table.say()
    with pytest.raises(AnswerRefused):
        table.engine.answer(table.card().id, answer, by="Ada")
    card = table.card()
    assert card.status == "open" and card.held is None
    assert not table.store.grants.list()
    table.answer(Approved())
    table.until("idle")
    assert len(table.ran()) == 1


def test_a_host_that_hangs_while_a_crash_is_mended_keeps_nobody_else_waiting(
    bench: Callable[..., Bench],
) -> None:
    hanging = "import time\ndef decide(decisions):\n    time.sleep(8)\n"
    table = bench(
        shop([price()], interrupt={"tools": ["set_price"], "on_decision": "./host.py:decide"}),
        files={"host.py": hanging},
    )
    table.say()
    card = table.card()
    request = table.store.requests.require(card.id)
    table.store.held.hold(
        request.id, request.pause_id, table.id, {"kind": "denied", "reason": ""}, by="Ada", via="app"
    )
    other = table.engine.new_conversation(table.file)
    table.restart()
    began = time.monotonic()
    table.engine.send(other, "go", by="Ben")
    table.wait(lambda: table.engine.conversation(other).status != "working", "the other conversation")
    assert time.monotonic() - began < 6


def test_stop_does_not_wait_for_a_host_that_hangs(bench: Callable[..., Bench]) -> None:
    hanging = "import time\ndef decide(decisions):\n    time.sleep(20)\n"
    table = bench(
        shop([price()], interrupt={"tools": ["set_price"], "on_decision": "./host.py:decide"}),
        files={"host.py": hanging},
    )
    table.say()
    began = time.monotonic()
    table.engine.stop(table.id, by="Ada")
    assert time.monotonic() - began < 10
    table.until("idle")
