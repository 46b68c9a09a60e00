import asyncio

import openai
import pytest
from strands import tool
from strands.types.exceptions import ModelThrottledException

from tests.agents.openai_server import BreaksOff, Calls, FailsMidway, OpenAIServer, Refuses, Text
from tests.agents.talk import agent, text_of
from workbench.agents.models import build_model
from workbench.config import ImportSpecs, ModelConfig


@tool
def search(query: str) -> str:
    """Search the catalogue.

    Args:
        query: What to look for.
    """
    return f"two {query}"


def model(server, key=OpenAIServer.key):
    params = {"client_args": {"base_url": server.url, "api_key": key, "max_retries": 0}, "temperature": 0}
    return build_model(
        ModelConfig(provider="openai", model_id="gpt-test", params=params), ImportSpecs("/nowhere")
    )


def pieces(talk, prompt):
    async def collect():
        found = []
        async for event in talk.stream_async(prompt):
            delta = event.get("event", {}).get("contentBlockDelta", {}).get("delta", {})
            if "text" in delta:
                found.append(delta["text"])
        return found

    return asyncio.run(collect())


def test_an_openai_model_calls_a_tool_reads_its_result_and_streams_its_answer():
    with OpenAIServer([Calls(("search", {"query": "chairs"})), Text("There are two chairs.")]) as server:
        talk = agent(model(server), search, system_prompt="Be brief.")
        streamed = pieces(talk, "Any chairs?")
    assert streamed == ["Ther", "e ar", "e tw", "o ch", "airs", "."]
    assert talk.messages[1]["content"][0]["toolUse"]["input"] == {"query": "chairs"}
    assert text_of(talk.messages[-1]) == "There are two chairs."
    first, second = server.requests
    assert (first["model"], first["stream"], first["temperature"]) == ("gpt-test", True, 0)
    assert [tool["function"]["name"] for tool in first["tools"]] == ["search"]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "tool"]
    assert second["messages"][-1] == {
        "role": "tool",
        "tool_call_id": "call_search_0",
        "content": "two chairs",
    }
    assert talk.event_loop_metrics.accumulated_usage["totalTokens"] == 60


def test_several_calls_of_one_message_each_get_their_result():
    calls = Calls(("search", {"query": "chairs"}), ("search", {"query": "desks"}))
    with OpenAIServer([calls, Text("Both.")]) as server:
        talk = agent(model(server), search)
        talk("Any furniture?")
    sent = [m["content"] for m in server.requests[1]["messages"] if m["role"] == "tool"]
    assert sorted(sent) == ["two chairs", "two desks"]


def test_a_wrong_key_is_refused_by_the_server():
    with (
        OpenAIServer([Text("unheard")]) as server,
        pytest.raises(openai.AuthenticationError, match="Incorrect API key"),
    ):
        agent(model(server, key="wrong"))("hi")
    assert server.requests == []


def test_a_busy_server_is_a_throttled_model():
    with (
        OpenAIServer([Refuses(429, "Rate limit reached")]) as server,
        pytest.raises(ModelThrottledException, match="Rate limit"),
    ):
        agent(model(server))("hi")


def test_a_server_error_is_told():
    with (
        OpenAIServer([Refuses(500, "boom")]) as server,
        pytest.raises(openai.InternalServerError, match="boom"),
    ):
        agent(model(server))("hi")


def test_a_stream_that_reports_an_error_fails_and_the_agent_goes_on():
    with OpenAIServer([FailsMidway("I was ab"), Text("Again.")]) as server:
        talk = agent(model(server))
        with pytest.raises(openai.APIError, match="had an error"):
            talk("hi")
        talk.messages.clear()
        assert text_of(talk("hi").message) == "Again."


def test_a_stream_that_breaks_off_fails_and_leaves_no_half_answer():
    with OpenAIServer([BreaksOff("I was ab")]) as server:
        talk = agent(model(server))
        with pytest.raises(Exception, match="peer closed connection"):
            talk("hi")
    assert [message["role"] for message in talk.messages] == ["user"]
