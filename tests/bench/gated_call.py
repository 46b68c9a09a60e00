"""One gated call, durable, against the same strands agent driven bare and in memory.

Both sides have the same scripted model, the same tool and the same rounds, in one process and one event loop, taking
turns. A round begins with the person's message and ends when the agent has spoken its last word:

- *bare*: an agent that is there already; a hook interrupts before the call; the answer is handed to the same object.
- *here*: the message, both runs, the card and the answer go through the engine and its database file; an agent is
  built anew for each run; six commits wait for the disk.
"""

import asyncio
import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from strands import Agent
from strands.agent.conversation_manager import NullConversationManager
from strands.hooks import BeforeToolCallEvent

from tests.bench.measuring import TOOLS, Shop, Times, settled, shop
from tests.bench.row import Row
from workbench.agents.scripted import ScriptedModel
from workbench.policy.answer import Approved
from workbench.runs.worker import POLL_SECONDS, Worker

ROUNDS = 300
WARM_UP = 30
WORKER_ROUNDS = 30
PROMISE = 2.0
RAM_DISK = Path("/dev/shm")
"""Where there is one, the rounds are done there too: what is left is what does not come from the disk."""
SCRIPT = {
    "script": [{"tool": "set_price", "input": {"sku": "A1", "price": 12}}],
    "final_text": "The price is set.",
}
MODEL = {"provider": "scripted", "params": SCRIPT}

Round = tuple[float, float]
"""Seconds of the whole round, and of its part from the approval on."""


def bare_agent(tool: Any) -> Agent:
    """Build the agent that is driven bare: the same prompt, model and tool, and a gate that asks."""
    agent = Agent(
        model=ScriptedModel(SCRIPT),
        tools=[tool],
        system_prompt="You keep the prices of a shop.",
        callback_handler=None,
        conversation_manager=NullConversationManager(),
    )

    def gate(event: BeforeToolCallEvent) -> None:
        if event.interrupt("approval", reason={"tool": event.tool_use["name"]}) != "approved":
            event.cancel_tool = "Declined"

    agent.add_hook(gate, BeforeToolCallEvent)
    return agent


async def bare(agent: Agent) -> Round:
    """Drive an agent bare."""
    begun = perf_counter()
    result = await _result(agent, "Set it")
    approved = perf_counter()
    answer = {"interruptId": result.interrupts[0].id, "response": "approved"}
    result = await _result(agent, [{"interruptResponse": answer}])
    ended = perf_counter()
    assert result.stop_reason == "end_turn"
    return ended - begun, ended - approved


async def _result(agent: Agent, prompt: Any) -> Any:
    result = None
    async for event in agent.stream_async(prompt):
        if "result" in event:
            result = event["result"]
    return result


async def here(place: Shop, conversation_id: str) -> Round:
    """Drive the same through the engine."""
    engine = place.engine
    begun = perf_counter()
    engine.send(conversation_id, "Set it", by="Ada")
    await place.drive()
    (request,) = place.store.requests.of_conversation(conversation_id, open_only=True)
    approved = perf_counter()
    engine.answer(request.id, Approved(), by="Ada")
    await place.drive()
    ended = perf_counter()
    assert (status := engine.conversation(conversation_id).status) == "idle", status
    return ended - begun, ended - approved


async def _rounds(place: Shop, tool: Any) -> tuple[list[Round], list[Round]]:
    ours, theirs = [], []
    for number in range(WARM_UP + ROUNDS):
        agent, conversation_id = bare_agent(tool), place.conversation()
        pair: list[tuple[list[Round], Callable[[], Any]]] = [
            (theirs, lambda agent=agent: bare(agent)),
            (ours, lambda id=conversation_id: here(place, id)),
        ]
        for taken, work in pair if number % 2 else reversed(pair):
            taken.append(await work())
    return ours[WARM_UP:], theirs[WARM_UP:]


def by_worker(place: Shop) -> tuple[Times, Times]:
    """Let the worker find the queued runs, as in the app; the person answers as soon as the card is there."""
    worker = Worker(place.store, place.engine.desk)
    worker.start()
    whole, rest = [], []
    try:
        for _ in range(WORKER_ROUNDS):
            conversation_id = place.conversation()
            begun = perf_counter()
            place.engine.send(conversation_id, "Set it", by="Ada")
            _wait(place, conversation_id, "paused")
            (request,) = place.store.requests.of_conversation(conversation_id, open_only=True)
            approved = perf_counter()
            place.engine.answer(request.id, Approved(), by="Ada")
            _wait(place, conversation_id, "done")
            ended = perf_counter()
            whole.append(ended - begun)
            rest.append(ended - approved)
    finally:
        worker.stop()
    return Times(tuple(whole)), Times(tuple(rest))


def _wait(place: Shop, conversation_id: str, status: str) -> None:
    until = perf_counter() + 20
    while (run := place.store.runs.latest(conversation_id)) is None or run.status != status:
        assert perf_counter() < until, run
        sleep(0.001)


def run() -> list[Row]:
    """Measure."""
    tool = _tool()
    with shop(MODEL) as place, settled():
        ours, theirs = asyncio.run(_rounds(place, tool))
        whole, rest = by_worker(place)
    rows = _compared(ours, theirs, promised=True)
    if RAM_DISK.is_dir():
        with shop(MODEL, folder=RAM_DISK) as place, settled():
            rows += _compared(*asyncio.run(_rounds(place, tool)), promised=False)
    rows.append(
        Row(
            what="the same, found by the worker",
            measured=f"{whole.middle * 1e3:.1f} ms",
            note=f"median, message to finish, of which approval to finish {rest.middle * 1e3:.1f} ms; the worker "
            f"looks for queued runs every {POLL_SECONDS * 1e3:.0f} ms, twice a round",
        )
    )
    return rows


def _compared(ours: list[Round], theirs: list[Round], *, promised: bool) -> list[Row]:
    rows = []
    for part, what in ((0, "message to finish"), (1, "approval to finish")):
        mine = Times(tuple(one[part] for one in ours))
        bares = Times(tuple(one[part] for one in theirs))
        ratio = Times(tuple(a[part] / b[part] for a, b in zip(ours, theirs, strict=True)))
        rows.append(
            Row(
                what=what if promised else f"{what}, on a RAM disk",
                measured=f"{ratio.middle:.2f} ×",
                promise=f"≤ {PROMISE} ×" if promised else "",
                kept=ratio.middle <= PROMISE if promised else None,
                note=f"median {mine.middle * 1e3:.2f} ms, bare {bares.middle * 1e3:.2f} ms; "
                f"fastest {mine.least * 1e3:.2f} and {bares.least * 1e3:.2f} ms; {ROUNDS} pairs of rounds",
            )
        )
    return rows


def _tool() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set_price.py"
        path.write_text(TOOLS, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("bench_set_price", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module.set_price
