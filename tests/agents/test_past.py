"""The past of a conversation, and a model that is told it: the same words as if strands had sent them all."""

import asyncio
import copy
from typing import Any

import pytest
from strands import Agent
from strands.agent.conversation_manager import NullConversationManager
from strands.models.model import Model

from tests.agents.talk import results, says, user, uses
from workbench.agents.guarded_model import GuardedModel
from workbench.agents.past import Past, turn_start
from workbench.agents.transcript_rule import TranscriptBroken

CALL = ("c1", "look", {"order": "A1"})
BLANK: dict[str, Any] = {"role": "assistant", "content": []}
ODD_NAME = uses(("c2", "no such name!", {}))

FIRST = [user("hi"), says("hello")]
ACTED = [user("look"), uses(CALL), results(("c1", "paid")), says("It is paid.")]
SILENT = [user("and?"), BLANK]
SPACES = [user("well?"), {"role": "assistant", "content": [{"text": "  "}]}]
ODD = [user("try"), ODD_NAME, results(("c2", "no")), says("I can't.")]
HISTORIES = [FIRST, [*FIRST, *ACTED], [*ACTED, *SILENT, *FIRST], [*SPACES, *ODD, *FIRST]]


class Hears(Model):
    """A model that keeps what it was sent."""

    def __init__(self, spoil: bool = False) -> None:
        self.heard: list[Any] = []
        self.spoil = spoil

    def update_config(self, **config: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    async def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        yield {}

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.heard.append(copy.deepcopy(messages))
        if self.spoil:
            for message in messages:
                message["content"].append({"text": "spoilt"})
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": "yes"}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def tracked(history: list[Any]) -> list[Any]:
    return [{**copy.deepcopy(message), "tracking_id": f"m{index}"} for index, message in enumerate(history)]


def agent_of(model: Model, messages: list[Any]) -> Agent:
    return Agent(
        model=model, messages=messages, callback_handler=None, conversation_manager=NullConversationManager()
    )


def past_of(messages: list[Any], *cuts: int) -> Past:
    past = Past()
    for begin, end in zip((0, *cuts), (*cuts, len(messages)), strict=True):
        past.add(messages[begin:end])
    return past


@pytest.mark.parametrize("history", HISTORIES)
def test_a_model_hears_the_same_whether_strands_holds_the_past_or_not(history: list[Any]) -> None:
    whole, folded = Hears(), Hears()
    agent_of(GuardedModel(whole), tracked(history))("now")
    agent_of(GuardedModel(folded, past=past_of(tracked(history))), [])("now")
    assert folded.heard == whole.heard


@pytest.mark.parametrize("history", HISTORIES)
def test_the_turns_of_a_history_may_become_the_past_one_by_one(history: list[Any]) -> None:
    messages = tracked(history)
    starts = [index for index in range(1, len(messages)) if turn_start(messages[: index + 1]) == index]
    assert past_of(messages, *starts).told() == past_of(messages).told()


def test_a_past_that_breaks_the_transcript_is_never_sent() -> None:
    model = Hears()
    torn = [user("look"), uses(CALL)]
    with pytest.raises(TranscriptBroken, match="message 1 has tool uses without a result: c1"):
        agent_of(GuardedModel(model, past=past_of(torn)), [])("now")
    assert model.heard == []


def test_a_broken_turn_is_named_by_its_place_in_the_whole_conversation() -> None:
    guarded = GuardedModel(Hears(), past=past_of(FIRST))
    with pytest.raises(TranscriptBroken, match="message 3 has tool uses without a result: c1"):
        asyncio.run(_drain(guarded, [user("look"), uses(CALL)]))


def test_a_call_id_of_the_past_is_not_used_again() -> None:
    class Repeats(Hears):
        async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "c1", "name": "look"}}}}

    (chunk,) = asyncio.run(_drain(GuardedModel(Repeats(), past=past_of(ACTED)), [user("again")]))
    assert chunk["contentBlockStart"]["start"]["toolUse"]["toolUseId"].startswith("call_")


def test_a_model_of_somebody_else_can_not_spoil_the_past() -> None:
    model, past = Hears(spoil=True), past_of(tracked(ACTED))
    for _ in range(2):
        asyncio.run(_drain(GuardedModel(model, past=past, apart=True), [user("now")]))
    assert model.heard[0] == model.heard[1]


def test_what_is_added_stays_the_callers_own() -> None:
    messages = tracked(SILENT)
    past_of(messages)
    assert messages == tracked(SILENT)


@pytest.mark.parametrize(
    ("messages", "start"),
    [
        ([], 0),
        ([user("a")], 0),
        ([*FIRST, *ACTED], 2),
        ([*FIRST, *ACTED, user("b")], 6),
        # A message that also closes a batch needs the batch before it.
        ([*FIRST, user("look"), uses(CALL), results(("c1", "skipped"), then="never mind"), says("fine")], 2),
    ],
)
def test_a_turn_begins_where_it_stands_on_its_own(messages: list[Any], start: int) -> None:
    assert turn_start(messages) == start


async def _drain(model: GuardedModel, messages: list[Any]) -> list[Any]:
    return [event async for event in model.stream(messages)]
