"""The last step before a model call: nothing torn is sent, no id is used twice, and the window is made to fit."""

import asyncio
import copy
from collections.abc import AsyncIterator
from typing import Any

import pytest
from strands.models.model import Model
from strands.types.exceptions import ContextWindowOverflowException

from tests.agents.talk import answer, results, says, spec, user, uses
from workbench.agents.guarded_model import GuardedModel, without_oldest_turn
from workbench.agents.scripted import ScriptedModel
from workbench.agents.transcript_rule import TranscriptBroken

TOOL = spec("look_up", sku="string")


class Window(Model):
    """A model that hears so many messages at most, and remembers what it heard."""

    def __init__(self, most: int, late: bool = False) -> None:
        self.most, self.late = most, late
        self.heard: list[list[Any]] = []

    def update_config(self, **settings: Any) -> None: ...

    def get_config(self) -> Any:
        return {"model_id": "window"}

    async def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        self.heard.append(messages)
        if self.late:
            yield {"messageStart": {"role": "assistant"}}
        if len(messages) > self.most:
            raise ContextWindowOverflowException("too long")
        yield {"contentBlockDelta": {"delta": {"text": "fine"}}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def guarded(*calls: dict[str, Any], used: set[str] | None = None) -> GuardedModel:
    return GuardedModel(ScriptedModel({"script": [{"tools": list(calls)}]}), used)


def look(sku: str, **more: Any) -> dict[str, Any]:
    return {"tool": "look_up", "input": {"sku": sku}, **more}


LONG_PAST = [
    user("one"),
    uses(("a", "look_up", {"sku": "A"})),
    results(("a", "10")),
    says("ten"),
    user("two"),
    says("again ten"),
    user("three"),
]


@pytest.mark.parametrize(
    "torn",
    [
        [user("go"), uses(("a", "look_up", {})), user("and?")],
        [user("go"), uses(("a", "look_up", {})), results(("a", "1"), ("a", "2"))],
        [user("go"), uses(("a", "look_up", {})), results(("b", "1"))],
        [user("go"), uses(("a", "look_up", {}), ("b", "look_up", {})), results(("b", "1"), ("a", "2"))],
        [user("go"), user("go")],
        [says("hello")],
    ],
    ids=[
        "no result",
        "two results",
        "a stray result",
        "another order",
        "two user turns",
        "begins with the agent",
    ],
)
def test_a_torn_transcript_is_never_sent(torn: list[dict[str, Any]]) -> None:
    window = Window(100)
    with pytest.raises(TranscriptBroken):
        answer(GuardedModel(window), torn)
    assert window.heard == []


def test_an_id_that_the_conversation_used_is_made_fresh() -> None:
    past = [user("go"), uses(("call_1", "look_up", {"sku": "A"})), results(("call_1", "10")), says("ten")]
    ((given, name, raw),) = answer(guarded(look("B", id="call_1")), [*past, user("again")], TOOL)["calls"]
    assert given != "call_1" and (name, raw) == ("look_up", '{"sku": "B"}')


def test_two_equal_ids_of_one_message_become_two_and_the_first_keeps_its_own() -> None:
    calls = answer(guarded(look("A", id="call_1"), look("B", id="call_1")), [user("go")], TOOL)["calls"]
    ids = [call[0] for call in calls]
    assert ids[0] == "call_1" and len(set(ids)) == 2


def test_agents_of_one_run_share_no_id() -> None:
    used: set[str] = set()
    first = answer(guarded(look("A", id="call_1"), used=used), [user("go")], TOOL)["calls"][0][0]
    second = answer(guarded(look("A", id="call_1"), used=used), [user("go")], TOOL)["calls"][0][0]
    assert first == "call_1" != second and used == {first, second}


@pytest.mark.parametrize("odd", ["with space", "ü", "x" * 65, "a/b"])
def test_an_id_that_some_provider_would_refuse_is_made_one_that_none_does(odd: str) -> None:
    ((given, _, _),) = answer(guarded(look("A", id=odd)), [user("go")], TOOL)["calls"]
    assert given != odd and given.replace("_", "").isalnum() and len(given) <= 64


def test_a_full_window_leaves_the_oldest_turns_out_of_a_copy() -> None:
    window = Window(3)
    messages = copy.deepcopy(LONG_PAST)
    assert answer(GuardedModel(window), messages)["text"] == "fine"
    assert [len(heard) for heard in window.heard] == [7, 3]
    assert window.heard[-1][0]["content"] == [{"text": "two"}]
    assert messages == LONG_PAST, "what is stored stays whole"


def test_a_turn_is_left_out_whole_with_its_calls_and_their_results() -> None:
    shorter: Any = without_oldest_turn(LONG_PAST)  # type: ignore[arg-type]
    assert [message["content"][0].get("text") for message in shorter] == ["two", "again ten", "three"]
    assert without_oldest_turn([user("one"), says("1")]) is None  # type: ignore[list-item]


def test_a_message_that_closed_a_pause_does_not_begin_a_window() -> None:
    """It holds results of calls that would no longer be there."""
    past = [
        user("one"),
        uses(("a", "x", {})),
        results(("a", "skipped"), then="two"),
        says("2"),
        user("three"),
    ]
    shorter: Any = without_oldest_turn(past)  # type: ignore[arg-type]
    assert shorter == [user("three")]


def test_a_turn_that_alone_is_too_long_says_so() -> None:
    with pytest.raises(ContextWindowOverflowException):
        answer(GuardedModel(Window(0)), [user("go")])


def test_a_window_that_overflows_after_words_were_said_is_not_tried_again() -> None:
    window = Window(3, late=True)
    with pytest.raises(ContextWindowOverflowException):
        answer(GuardedModel(window), copy.deepcopy(LONG_PAST))
    assert len(window.heard) == 1


def test_every_chunk_is_shown_before_strands_sees_it_with_its_fresh_id() -> None:
    shown: list[Any] = []
    model = GuardedModel(
        ScriptedModel({"script": [look("A", id="call_1")]}), {"call_1"}, on_chunk=shown.append
    )

    async def stream() -> None:
        async for event in model.stream([user("go")], [TOOL]):  # type: ignore[list-item]
            assert shown[-1] is event

    asyncio.run(stream())
    (start,) = [chunk for chunk in shown if "toolUse" in chunk.get("contentBlockStart", {}).get("start", {})]
    assert start["contentBlockStart"]["start"]["toolUse"]["toolUseId"] != "call_1"
