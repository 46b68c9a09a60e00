"""Long conversations: a turn reads what is new, the model hears all of it, and nothing is kept for long."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.runs.harness import Bench, shop
from workbench.runs.pasts import FEWEST, IDLE_SECONDS, Pasts
from workbench.store import Store

MakeBench = Callable[..., Bench]

LISTENS = """
from workbench.agents.scripted import ScriptedModel

heard = []


class Listens(ScriptedModel):
    async def stream(self, messages, *args, **kwargs):
        heard.append([[block.get("text") for block in message["content"]] for message in messages])
        async for event in super().stream(messages, *args, **kwargs):
            yield event
"""

TOOL = '''
import strands

%s
def greet(name: str%s) -> str:
    """Say hello.

    Args:
        name: whom.
    """
    return f"hello {%s}"
'''
PLAIN = TOOL % ("@strands.tool", "", "name")
LOOKS = TOOL % (
    "@strands.tool(context=True)",
    ", tool_context: strands.ToolContext",
    "len(tool_context.agent.messages)",
)
GUARD = """
from strands.hooks import BeforeModelCallEvent, HookProvider

seen = []


class Guard(HookProvider):
    def register_hooks(self, registry, **kwargs):
        registry.add_callback(BeforeModelCallEvent, lambda event: seen.append(len(event.agent.messages)))
"""


def talks(model: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    greet = {"tool": "greet", "input": {"name": "Ada"}}
    params = {
        "replies": [
            {"match": "greet", "script": [greet], "final_text": "{{last_result}}"},
            {"script": [{"text": "ok"}]},
        ]
    }
    return shop(
        tools="./greet.py",
        ask=["nothing"],
        model=model or {"provider": "./listens.py:Listens", "params": params},
        **more,
    )


def started(bench: MakeBench, tool: str = PLAIN, **more: Any) -> Bench:
    return bench(talks(**more), files={"greet.py": tool, "listens.py": LISTENS, "guard.py": GUARD})


def module(b: Bench, name: str) -> Any:
    return b.engine.desk.open(1).specs.module(f"./{name}.py")


def test_a_model_hears_every_turn_of_a_long_conversation(bench: MakeBench) -> None:
    b = started(bench)
    said = [f"message {number}" for number in range(FEWEST)]
    for text in said:
        assert b.say(text) == "idle"
    last = module(b, "listens").heard[-1]
    assert last == [part for text in said for part in ([text], ["ok"])][:-1]
    assert len(b.engine.desk.pasts) == 1
    b.restart()
    assert b.say("after a restart") == "idle"
    assert module(b, "listens").heard[-1] == [*last, ["ok"], ["after a restart"]]


def test_what_is_stored_is_the_whole_conversation_in_its_order(bench: MakeBench) -> None:
    b = started(bench)
    for number in range(FEWEST):
        b.say(f"greet {number}" if number % 3 == 0 else f"message {number}")
    texts = [block["text"] for message in b.heard() for block in message["content"] if "text" in block]
    assert [text for text in texts if text not in ("ok", "hello Ada")] == [
        f"greet {number}" if number % 3 == 0 else f"message {number}" for number in range(FEWEST)
    ]


@pytest.mark.parametrize(
    ("tool", "more"), [(LOOKS, {}), (PLAIN, {"hooks": ["./guard.py:Guard"]})], ids=["a tool", "a hook"]
)
def test_code_that_may_look_back_finds_the_whole_conversation(
    bench: MakeBench, tool: str, more: dict[str, Any]
) -> None:
    b = started(bench, tool, **more)
    for number in range(FEWEST // 2 + 1):
        b.say(f"message {number}")
    before = len(b.heard())
    assert b.say("greet") == "idle"
    # The person's message and the call have been added by then.
    assert (
        (b.texts()[-1] == f"hello {before + 2}") if not more else (module(b, "guard").seen[-1] == before + 3)
    )
    assert len(b.heard()) == before + 4


def test_a_history_that_another_process_went_on_with_is_read_to_its_end(tmp_path: Path) -> None:
    with Store.open(tmp_path / "workbench.db") as one, Store.open(tmp_path / "workbench.db") as other:
        id = filled(one)
        pasts = Pasts(one)
        assert len(pasts.history(one.conversations.require(id)).past) == FEWEST
        other.messages.append(id, turn("from elsewhere"))
        history = pasts.history(one.conversations.require(id))
        assert len(history.past) == FEWEST + 2
        assert texts(history.whole)[-2:] == ["from elsewhere", "ok"]


def test_a_history_that_was_rewritten_is_read_anew(tmp_path: Path) -> None:
    with Store.open(tmp_path / "workbench.db") as store:
        id = filled(store)
        pasts = Pasts(store)
        pasts.history(store.conversations.require(id))
        store.messages.rewrite_from(id, 3, [*turn("instead"), *turn("again")])
        assert texts(pasts.history(store.conversations.require(id)).whole) == [
            "message 0", "ok", "instead", "ok", "again", "ok",
        ]  # fmt: skip


def test_a_past_that_nobody_used_for_a_while_is_dropped(tmp_path: Path) -> None:
    with Store.open(tmp_path / "workbench.db") as store:
        seconds = [0.0]
        pasts = Pasts(store, clock=lambda: seconds[0])
        ids = [filled(store), filled(store)]
        pasts.history(store.conversations.require(ids[0]))
        seconds[0] = IDLE_SECONDS / 2
        pasts.history(store.conversations.require(ids[1]))
        seconds[0] = IDLE_SECONDS + 1
        pasts.sweep()
        assert len(pasts) == 1
        seconds[0] *= 2
        pasts.sweep()
        assert len(pasts) == 0


def test_a_short_past_is_not_kept(tmp_path: Path) -> None:
    with Store.open(tmp_path / "workbench.db") as store:
        pasts = Pasts(store)
        pasts.history(store.conversations.require(filled(store, turns=3)))
        assert len(pasts) == 0


def filled(store: Store, turns: int = FEWEST // 2 + 1) -> str:
    id = store.conversations.create("shop.yaml", door="app", entry="merchant").id
    for number in range(turns):
        store.messages.append(id, turn(f"message {number}"))
    return id


def turn(text: str) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": [{"text": text}], "tracking_id": f"u {text}"},
        {"role": "assistant", "content": [{"text": "ok"}], "tracking_id": f"a {text}"},
    ]


def texts(messages: list[dict[str, Any]]) -> list[str]:
    return [block["text"] for message in messages for block in message["content"]]
