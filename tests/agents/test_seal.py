"""The seal: the last code before a tool runs. Nothing gets between what was allowed and what it runs."""

import asyncio
from typing import Any

import pytest
from strands.interrupt import InterruptException, _InterruptState
from strands.types._events import ToolResultEvent

from tests.agents.gated import Recorder
from tests.agents.memory_ledger import MemoryLedger
from workbench.agents.ports import Doubtful, Place, ProposedCall, StartRefused
from workbench.agents.seal import Sealed
from workbench.policy import ToolFacts, digest

INPUT = {"sku": "A1", "price": 12}
CALL = ProposedCall(
    key="c:merchant:m:call_1",
    agent="merchant",
    place=Place("c", ("merchant",)),
    tool="set_price",
    facts=ToolFacts(),
    tool_call_id="call_1",
    input=INPUT,
    digest=digest(INPUT),
)


class Speaker:
    """What a context needs of an agent to pause."""

    def __init__(self) -> None:
        self._interrupt_state = _InterruptState()


def sealed(ledger: MemoryLedger, tool: Recorder) -> Sealed:
    return Sealed(tool, CALL, INPUT, ledger, agent=Speaker(), verdict=None)


def run(seal: Sealed, **changed: Any) -> list[Any]:
    use: Any = {"toolUseId": "call_1", "name": "set_price", "input": dict(INPUT), **changed}

    async def collect() -> list[Any]:
        return [event async for event in seal.stream(use, {})]

    return asyncio.run(collect())


def text(event: Any) -> str:
    assert isinstance(event, ToolResultEvent)
    return str(event.tool_result["content"][0]["text"])


def test_it_journals_the_start_runs_once_and_keeps_the_result() -> None:
    ledger, tool = MemoryLedger(), Recorder("set_price")
    seal = sealed(ledger, tool)
    assert text(run(seal)[-1]) == "set_price ran"
    assert [(call.key, given) for call, given, _, _ in ledger.started] == [(CALL.key, INPUT)]
    assert [name for name, _ in ledger.finished] == ["set_price"]
    assert "not the call that was allowed" in text(run(seal)[-1]), "a second time it runs nothing"
    assert tool.given == [INPUT]


@pytest.mark.parametrize("changed", [{"toolUseId": "call_2"}, {"name": "delete_store"}], ids=["id", "name"])
def test_another_call_does_not_pass(changed: dict[str, Any]) -> None:
    ledger, tool = MemoryLedger(), Recorder("set_price")
    assert "not the call that was allowed" in text(run(sealed(ledger, tool), **changed)[-1])
    assert (tool.given, ledger.started) == ([], [])


@pytest.mark.parametrize(
    "given", [{"sku": "GOLD", "price": 12}, {"sku": "A1"}, {"sku": "A1", "price": 12, "store": "x"}, {}]
)
def test_arguments_that_changed_at_the_last_moment_run_nothing_and_ask_again(given: dict[str, Any]) -> None:
    ledger, tool = MemoryLedger(), Recorder("set_price")
    with pytest.raises(InterruptException):
        run(sealed(ledger, tool), input=given)
    assert (tool.given, ledger.started) == ([], [])
    (asked,) = ledger.asked
    assert (asked.kind, asked.call.input, asked.metadata["also_shown"]) == ("approval", given, INPUT)
    assert asked.call.digest == digest(given)


def test_the_tool_gets_a_copy_it_may_spoil() -> None:
    ledger, tool = MemoryLedger(), Recorder("set_price")
    seal = sealed(ledger, tool)
    run(seal)
    tool.given[0]["sku"] = "GOLD"
    assert seal.executed_input == INPUT == {"sku": "A1", "price": 12}


def test_a_start_that_is_in_doubt_asks_what_became_of_it() -> None:
    ledger, tool = MemoryLedger(), Recorder("set_price")

    def refuse() -> None:
        raise StartRefused(Doubtful(INPUT))

    ledger.before_start = refuse
    with pytest.raises(InterruptException):
        run(sealed(ledger, tool))
    assert tool.given == [] and [one.kind for one in ledger.asked] == ["doubt"]


class Raising(Recorder):
    async def stream(self, tool_use: Any, invocation_state: dict[str, Any], **kwargs: Any) -> Any:
        self.given.append(tool_use["input"])
        raise ValueError("no such shelf")
        yield


class Silent(Recorder):
    async def stream(self, tool_use: Any, invocation_state: dict[str, Any], **kwargs: Any) -> Any:
        self.given.append(tool_use["input"])
        return
        yield


@pytest.mark.parametrize(("kind", "says"), [(Raising, "Error: no such shelf"), (Silent, "None")])
def test_whatever_a_tool_does_its_call_ends_with_a_result(kind: type[Recorder], says: str) -> None:
    ledger, tool = MemoryLedger(), kind("set_price")
    assert text(run(sealed(ledger, tool))[-1]) == says
    assert len(ledger.finished) == 1 and len(tool.given) == 1
