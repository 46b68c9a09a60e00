"""What we rely on in strands beyond its documented API, each fact with a test, so that an upgrade says what it broke.

Every fact was seen on strands-agents 1.62. Where one no longer holds, look at who relies on it (named in the test)
before you change the pin.
"""

import asyncio
import json
import math
from importlib.metadata import version
from typing import Any

import pytest
import strands
from strands import Agent, ToolContext
from strands.agent.conversation_manager import NullConversationManager
from strands.hooks import (
    AfterToolCallEvent,
    AfterToolsEvent,
    BeforeModelCallEvent,
    BeforeToolCallEvent,
    BeforeToolsEvent,
    MessageAddedEvent,
)
from strands.middleware.stages import ExecuteToolStage
from strands.multiagent import GraphBuilder, Swarm
from strands.types._events import ToolResultEvent
from strands.types._snapshot import Snapshot
from strands.types.exceptions import EventLoopException
from strands.types.tools import AgentTool

from tests.agents.gated import Recorder
from workbench.agents.inside import asked_by_hooks, has_tool_middleware
from workbench.agents.past import Past
from workbench.agents.scripted import ScriptedModel

SEEN_ON = "1.62"


class Told(AgentTool):
    """Stands in for a tool with a result that is known."""

    def __init__(self, inner: Any, text: str) -> None:
        super().__init__()
        self.inner, self.text = inner, text
        self.got: list[Any] = []

    @property
    def tool_name(self) -> str:
        return str(self.inner.tool_name)

    @property
    def tool_spec(self) -> Any:
        return self.inner.tool_spec

    @property
    def tool_type(self) -> str:
        return str(self.inner.tool_type)

    async def stream(self, tool_use: Any, invocation_state: dict[str, Any], **kwargs: Any) -> Any:
        self.got.append(tool_use)
        yield ToolResultEvent(
            {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"text": self.text}]}
        )


class Counting(ScriptedModel):
    """A scripted model that counts how often it is asked."""

    asked = 0

    async def stream(self, *args: Any, **kwargs: Any) -> Any:
        self.asked += 1
        async for event in super().stream(*args, **kwargs):
            yield event


def call(tool: str, **more: Any) -> dict[str, Any]:
    return {"tool": tool, "input": {"x": 1}, **more}


def speaker(*steps: dict[str, Any], tools: Any = (), **settings: Any) -> Agent:
    return Agent(
        model=Counting({"script": list(steps)}),
        tools=list(tools),
        callback_handler=None,
        conversation_manager=NullConversationManager(),
        retry_strategy=None,
        **settings,
    )


def run(agent: Any, prompt: Any = "go") -> list[dict[str, Any]]:
    async def collect() -> list[dict[str, Any]]:
        return [event async for event in agent.stream_async(prompt)]

    return asyncio.run(collect())


def stop_of(events: list[dict[str, Any]]) -> str:
    return str(next(event["result"].stop_reason for event in reversed(events) if "result" in event))


def results(agent: Agent) -> list[tuple[str, str]]:
    return [
        (block["toolResult"]["toolUseId"], block["toolResult"]["content"][0]["text"])
        for message in agent.messages
        for block in message["content"]
        if "toolResult" in block
    ]


def roles(agent: Agent) -> list[str]:
    return [message["role"] for message in agent.messages]


def asked(agent: Agent) -> int:
    model: Any = agent.model
    return int(model.asked)


def pausing(tool: str) -> Any:
    """A hook that pauses before a tool until its interrupt is answered."""

    def before(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == tool and not getattr(before, "open", False):
            event.interrupt("gate", reason={"request": "gate"})

    return before


def test_the_release_is_the_one_that_these_facts_were_seen_on() -> None:
    assert version("strands-agents").startswith(SEEN_ON + ".")


# -- snapshots: workbench.runs.snapshots ------------------------------------------------------


def test_a_session_snapshot_without_messages_is_small_json_and_holds_the_pause() -> None:
    first, gate = Recorder("first"), pausing("second")
    agent = speaker({"tools": [call("first"), call("second")]}, tools=[first, Recorder("second")])
    agent.add_hook(gate, BeforeToolCallEvent)
    assert stop_of(run(agent)) == "interrupt"
    snapshot = agent.take_snapshot(preset="session", exclude=["messages"]).to_dict()
    assert snapshot["scope"] == "agent" and snapshot["schema_version"] == "1.0"
    assert "messages" not in snapshot["data"]
    state = json.loads(json.dumps(snapshot))["data"]["interrupt_state"]
    assert set(state) == {"interrupts", "context", "activated", "pending_tool_execution"}
    assert state["activated"] is True
    pending = state["pending_tool_execution"]
    assert pending["assistant_message"] == agent.messages[-1]
    assert [one["content"] for one in pending["completed_tool_results"]] == [[{"text": "first ran"}]]


def test_a_fresh_agent_goes_on_from_a_snapshot_and_its_messages() -> None:
    first, second, gate = Recorder("first"), Recorder("second"), pausing("second")
    script = {"tools": [call("first"), call("second")]}
    agent = speaker(script, tools=[first, second])
    agent.add_hook(gate, BeforeToolCallEvent)
    run(agent)
    kept = json.loads(json.dumps(agent.take_snapshot(preset="session", exclude=["messages"]).to_dict()))
    again = speaker(script, tools=[first, second], messages=agent.messages)
    again.load_snapshot(Snapshot.from_dict(kept))
    assert stop_of(run(again, [])) == "end_turn"
    assert (len(first.given), len(second.given)) == (1, 1)
    assert asked(again) == 1, "only the answer after the calls is asked of the model"


def test_a_partial_snapshot_restores_only_what_it_holds() -> None:
    agent = speaker(call("first"), tools=[Recorder("first")])
    agent.state.set("kept", 1)
    agent.load_snapshot(
        Snapshot(scope="agent", schema_version="1.0", data={"state": {"kept": 2}}, app_data={})
    )
    assert agent.state.get("kept") == 2 and agent.messages == []


def test_an_activated_state_without_interrupts_runs_only_the_missing_calls_and_asks_no_model_first() -> None:
    """`reopen_batch`: how a run is mended after a crash."""
    first, second = Recorder("first"), Recorder("second")
    batch: Any = {
        "role": "assistant",
        "content": [
            {"toolUse": {"toolUseId": "a", "name": "first", "input": {}}},
            {"toolUse": {"toolUseId": "b", "name": "second", "input": {}}},
        ],
        "tracking_id": "t",
    }
    agent = speaker(tools=[first, second], messages=[{"role": "user", "content": [{"text": "go"}]}, batch])
    done = {"toolUseId": "a", "status": "success", "content": [{"text": "from the journal"}]}
    state = {
        "interrupts": {},
        "context": {},
        "activated": True,
        "pending_tool_execution": {"assistant_message": batch, "completed_tool_results": [done]},
    }
    agent.load_snapshot(
        Snapshot(scope="agent", schema_version="1.0", data={"interrupt_state": state}, app_data={})
    )
    assert stop_of(run(agent, [])) == "end_turn"
    assert (first.given, len(second.given), asked(agent)) == ([], 1, 1)
    assert results(agent) == [("a", "from the journal"), ("b", "second ran")]


# -- interrupts: the gate, the seal, inside.py ------------------------------------------------


def test_resuming_with_no_answers_runs_every_hook_again_and_lets_ours_decide() -> None:
    second, gate = Recorder("second"), pausing("second")
    agent = speaker(call("second"), tools=[second])
    agent.add_hook(gate, BeforeToolCallEvent)
    run(agent)
    assert stop_of(run(agent, [])) == "interrupt", "an interrupt that is raised again pauses again"
    gate.open = True
    assert stop_of(run(agent, [])) == "end_turn" and len(second.given) == 1


def test_an_interrupts_id_is_made_of_the_tool_call_and_its_name() -> None:
    """Why the name is our request's id, and how `asked_by_hooks` tells whose an interrupt is."""
    agent = speaker(call("second", id="call_1"), tools=[Recorder("second")])
    agent.add_hook(lambda event: event.interrupt("ours", reason={"request": "ours"}), BeforeToolCallEvent)
    agent.add_hook(lambda event: event.interrupt("theirs", reason="who?"), BeforeToolCallEvent)
    events = run(agent)
    interrupts = next(event["result"].interrupts for event in events if "result" in event)
    assert {one.name for one in interrupts} == {"ours", "theirs"}
    assert all(one.id.startswith("v1:before_tool_call:call_1:") for one in interrupts)
    assert [one.name for one in asked_by_hooks(agent, "call_1")] == ["theirs"]
    assert asked_by_hooks(agent, "call_2") == []


def asking(heard: list[Any]) -> Any:
    @strands.tool(context=True, name="second")
    def second(x: int, tool_context: ToolContext) -> str:
        """Ask.

        Args:
            x: anything.
        """
        heard.append(tool_context.interrupt("how", reason="How?"))
        return "asked"

    return second


@pytest.mark.parametrize(("value", "pauses"), [(None, True), (False, False), (0, False), ("", False)])
def test_none_is_no_answer_to_an_interrupt_and_every_other_value_is(value: Any, pauses: bool) -> None:
    """Why the seal answers a tool's own interrupts itself."""
    heard: list[Any] = []
    agent = speaker(call("second", id="call_1"), tools=[asking(heard)])
    events = run(agent)
    (interrupt,) = next(event["result"].interrupts for event in events if "result" in event)
    assert interrupt.id.startswith("v1:tool_call:call_1:")
    told = [{"interruptResponse": {"interruptId": interrupt.id, "response": value}}]
    assert (stop_of(run(agent, told)) == "interrupt") is pauses
    assert heard == ([] if pauses else [value])


def test_a_decorated_tool_yields_its_interrupt_as_an_event_and_takes_the_context_it_is_given() -> None:
    """The seal listens for `ToolInterruptEvent`, and hands a context of its own in as `_tool_context`."""
    heard: list[Any] = []
    tool = asking(heard)

    class Context(ToolContext[Any]):
        def interrupt(self, name: str, reason: Any = None, response: Any = None) -> Any:
            return f"the answer to {name}"

    agent = speaker(tools=[tool])
    use: Any = {"toolUseId": "call_1", "name": "second", "input": {"x": 1}}

    async def collect(**kwargs: Any) -> list[Any]:
        return [event async for event in tool.stream(use, {"agent": agent}, **kwargs)]

    (paused,) = asyncio.run(collect())
    assert paused.interrupts[0].name == "how" and paused.interrupts[0].reason == "How?"
    asyncio.run(collect(_tool_context=Context(tool_use=use, agent=agent, invocation_state={})))
    assert heard == ["the answer to how"]


# -- hooks: the gate is the last before and after a call ---------------------------------------


def test_hooks_run_in_their_order_and_equal_ones_after_a_call_the_other_way_round() -> None:
    said: list[str] = []

    def note(what: str) -> Any:
        return lambda event: said.append(what)

    agent = speaker(call("first"), tools=[Recorder("first")])
    agent.add_hook(note("before, last"), BeforeToolCallEvent, order=math.inf)
    agent.add_hook(note("before, plain"), BeforeToolCallEvent)
    agent.add_hook(note("before, first"), BeforeToolCallEvent, order=-1)
    agent.add_hook(note("after, last"), AfterToolCallEvent, order=math.inf)
    agent.add_hook(note("after, one"), AfterToolCallEvent)
    agent.add_hook(note("after, two"), AfterToolCallEvent)
    run(agent)
    assert said == [
        "before, first",
        "before, plain",
        "before, last",
        "after, two",
        "after, one",
        "after, last",
    ]


def test_what_a_hook_puts_in_place_of_the_tool_and_its_input_is_what_runs() -> None:
    first = Recorder("first")
    stand_in = Told(first, "stood in")

    def swap(event: BeforeToolCallEvent[Any]) -> None:
        event.tool_use = {**event.tool_use, "input": {"x": 2}}
        event.selected_tool = stand_in

    agent = speaker(call("first", id="call_1"), tools=[first])
    agent.add_hook(swap, BeforeToolCallEvent, order=math.inf)
    run(agent)
    assert first.given == [] and stand_in.got[0]["input"] == {"x": 2}
    assert results(agent) == [("call_1", "stood in")]
    proposed: Any = agent.messages[1]["content"][0]
    assert proposed["toolUse"]["input"] == {"x": 1}, "the model's own words stay"


def test_a_hook_that_wants_a_retry_gets_it_unless_the_last_hook_takes_it_back() -> None:
    def wants(event: AfterToolCallEvent[Any]) -> None:
        event.retry = len(first.given) < 3

    first = Recorder("first")
    agent = speaker(call("first"), tools=[first])
    agent.add_hook(wants, AfterToolCallEvent)
    run(agent)
    assert len(first.given) == 3
    first.given.clear()
    agent = speaker(call("first"), tools=[first])
    agent.add_hook(wants, AfterToolCallEvent)
    agent.add_hook(lambda event: setattr(event, "retry", False), AfterToolCallEvent, order=math.inf)
    run(agent)
    assert len(first.given) == 1


def test_after_a_call_is_told_of_success_failure_unknown_tools_and_cancels_and_not_of_invalid_names() -> None:
    """Why `Gate._after_batch` hears of the rest."""

    @strands.tool(name="raises")
    def raises() -> str:
        """Raise."""
        raise ValueError("no")

    told: list[tuple[str, str]] = []
    tools = [Recorder("first"), Recorder("cancelled"), raises]
    calls = [call("not a name"), call("first"), {"tool": "raises"}, call("unknown"), call("cancelled")]
    steps = {"tools": calls}  # results of invalid names come first, and the model is strict about their order
    agent = speaker(steps, tools=tools)

    def cancel(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "cancelled":
            event.cancel_tool = "cancelled by a hook"

    agent.add_hook(cancel, BeforeToolCallEvent)
    agent.add_hook(
        lambda event: told.append((event.tool_use["name"], event.result["content"][0]["text"])),
        AfterToolCallEvent,
    )
    run(agent)
    assert sorted(told) == [
        ("cancelled", "cancelled by a hook"),
        ("first", "first ran"),
        ("raises", "Error: no"),
        ("unknown", "Unknown tool: unknown"),
    ]
    assert len(results(agent)) == 5


def test_a_batch_that_is_cancelled_before_it_begins_tells_no_hook_of_its_calls() -> None:
    told: list[Any] = []
    agent = speaker(call("first", id="call_1"), tools=[Recorder("first")])
    agent.add_hook(lambda event: setattr(event, "cancel", "not now"), BeforeToolsEvent)
    agent.add_hook(told.append, AfterToolCallEvent)
    run(agent)
    assert told == [] and results(agent) == [("call_1", "not now")]


def test_results_come_as_they_complete_after_a_resume_and_may_be_sorted_in_place() -> None:
    seen: list[list[str]] = []

    def look(event: AfterToolsEvent) -> None:
        content: Any = event.message["content"]
        seen.append([block["toolResult"]["toolUseId"] for block in content])
        content.sort(key=lambda block: block["toolResult"]["toolUseId"])

    gate = pausing("first")
    steps = {"tools": [call("first", id="a"), call("second", id="b")]}
    agent = speaker(steps, tools=[Recorder("first"), Recorder("second")])
    agent.add_hook(gate, BeforeToolCallEvent)
    agent.add_hook(look, AfterToolsEvent, order=math.inf)
    run(agent)
    gate.open = True
    run(agent, [])
    assert seen[-1] == ["b", "a"]
    assert [key for key, _ in results(agent)] == ["a", "b"]


def test_an_exception_of_a_hook_ends_the_run() -> None:
    def fails(event: BeforeToolCallEvent[Any]) -> None:
        raise LookupError("no such customer")

    agent = speaker(call("first"), tools=[Recorder("first")])
    agent.add_hook(fails, BeforeToolCallEvent)
    with pytest.raises(EventLoopException) as failed:
        run(agent)
    assert isinstance(failed.value.original_exception, LookupError)


def test_strands_own_tool_middleware_is_told_from_anybody_elses() -> None:
    agent = speaker(call("first"), tools=[Recorder("first")])
    assert not has_tool_middleware(agent)

    async def wraps(context: Any, call_next: Any) -> Any:
        async for event in call_next(context):
            yield event

    agent.add_middleware(ExecuteToolStage, wraps)
    assert has_tool_middleware(agent)
    agent = speaker(call("first"), tools=[Recorder("first")])
    agent.add_middleware(ExecuteToolStage.Input, lambda context: context)
    assert has_tool_middleware(agent)


# -- messages and the model --------------------------------------------------------------------


def test_every_message_gets_a_tracking_id_and_one_that_has_its_own_keeps_it() -> None:
    agent = speaker(call("first"), tools=[Recorder("first")])
    run(agent, [{"role": "user", "content": [{"text": "go"}], "tracking_id": "mine"}])
    ids = [message["tracking_id"] for message in agent.messages]
    assert ids[0] == "mine" and len(set(ids)) == 4 and all(ids)


def test_no_prompt_answers_the_last_message_with_one_model_call_and_adds_no_other() -> None:
    """How a message that closes a pause is delivered, and how a failed run is tried again."""
    added: list[str] = []
    agent = speaker(messages=[{"role": "user", "content": [{"text": "go"}]}])
    agent.add_hook(lambda event: added.append(event.message["role"]), MessageAddedEvent)
    assert stop_of(run(agent, None)) == "end_turn"
    assert (roles(agent), asked(agent), added) == (["user", "assistant"], 1, ["assistant"])


def test_a_prompt_on_top_of_an_open_batch_makes_results_that_nobody_gave() -> None:
    """Why `close_open_batch` puts results and words into one message and prompts with nothing."""
    batch: Any = {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "a", "name": "first", "input": {}}}],
    }
    agent = speaker(
        tools=[Recorder("first")], messages=[{"role": "user", "content": [{"text": "go"}]}, batch]
    )
    with pytest.raises(Exception, match="turn"):
        run(agent, "something else")
    assert "interrupted" in results(agent)[0][1]


def test_tool_results_are_not_in_the_stream() -> None:
    agent = speaker(call("first"), tools=[Recorder("first")])
    events = run(agent)
    assert not any("toolResult" in str(event.get("event", "")) for event in events)
    assert any("message" in event and "toolResult" in str(event["message"]) for event in events)


def test_a_model_that_fails_in_mid_stream_leaves_no_half_message() -> None:
    agent = speaker({"error": "gone", "before": [{"text": "half a"}]})
    with pytest.raises(Exception, match="gone"):
        run(agent)
    assert roles(agent) == ["user"]


def test_two_equal_ids_in_one_message_are_both_run() -> None:
    """Why ids are made fresh as they stream out of the model."""
    first = Recorder("first")
    agent = speaker({"tools": [call("first", id="same"), call("first", id="same")]}, tools=[first])
    with pytest.raises(Exception, match="twice"):
        run(agent)
    assert len(first.given) == 2


def test_an_empty_message_is_made_sendable() -> None:
    past = Past()
    past.add([{"role": "user", "content": [{"text": "go"}]}, {"role": "assistant", "content": []}])
    assert past.told()[1]["content"] == [{"text": "[blank text]"}]


# -- cancel -------------------------------------------------------------------------------------


def test_cancel_before_the_model_speaks_ends_the_turn_with_our_words() -> None:
    agent = speaker({"text": "never said"})
    agent.add_hook(lambda event: event.agent.cancel(message="Stopped."), BeforeModelCallEvent)
    assert stop_of(run(agent)) == "cancelled"
    assert roles(agent) == ["user", "assistant"] and agent.messages[-1]["content"] == [{"text": "Stopped."}]


@pytest.mark.parametrize(("message", "ends"), [("Stopped.", "assistant"), (None, "user")])
def test_cancel_in_a_tool_lets_it_finish_and_needs_a_message_for_roles_to_alternate(
    message: Any, ends: str
) -> None:
    agent = speaker(call("first"), tools=[Recorder("first")])
    agent.add_hook(lambda event: event.agent.cancel(message=message), AfterToolCallEvent)
    assert stop_of(run(agent)) == "cancelled"
    assert len(results(agent)) == 1 and roles(agent)[-1] == ends


def test_cancel_on_an_idle_agent_kills_its_next_run() -> None:
    """Why only agents at work are asked to stop."""
    agent = speaker({"text": "never said"})
    agent.cancel(message="Stopped.")
    assert stop_of(run(agent)) == "cancelled"


# -- orchestrators: workbench.agents.team, workbench.runs.seat -----------------------------------


@pytest.mark.parametrize("kind", ["swarm", "graph"])
def test_a_paused_orchestrators_state_is_json_and_says_what_waits(kind: str) -> None:
    member = speaker(call("first"), tools=[Recorder("first")], name="member")
    member.add_hook(pausing("first"), BeforeToolCallEvent)
    if kind == "swarm":
        team: Any = Swarm(nodes=[member])
    else:
        builder = GraphBuilder()
        builder.add_node(member, "member")
        builder.set_entry_point("member")
        builder.set_execution_timeout(60)
        team = builder.build()
    events = run(team)
    assert [event["result"].status.value for event in events if "result" in event][-1] == "interrupted"
    state = json.loads(json.dumps(team.serialize_state()))
    interrupts = state["_internal_state"]["interrupt_state"]["interrupts"]
    assert len(interrupts) == 1
    if kind == "graph":
        assert state["interrupted_nodes"] == ["member"]
