import asyncio
import json

import pytest
from pydantic import BaseModel, ValidationError
from strands import tool
from strands.multiagent import Swarm

from tests.agents.talk import agent, answer, chunks, results, says, spec, text_of, user, uses
from workbench.agents.scripted import ScriptedFailure, ScriptedModel, read_standpoint
from workbench.agents.transcript_rule import TranscriptBroken


@tool
def set_price(sku: str, price: float) -> dict:
    """Set a price.

    Args:
        sku: What to price.
        price: The new price.
    """
    return {"sku": sku, "price": price}


@tool
def search(query: str) -> str:
    """Search."""
    return f"found {query}"


PRICE = spec("set_price", sku="string", price="number")


def calls_of(model, messages, *specs):
    return [(name, json.loads(given)) for _, name, given in answer(model, messages, *specs)["calls"]]


# The steps


def test_a_script_is_played_step_by_step_and_ends_with_its_final_text():
    model = ScriptedModel(
        {
            "script": [{"tool": "search", "input": "chairs"}, {"tool": "search", "input": "desks"}],
            "final_text": "Both.",
        }
    )
    talk = agent(model, search)
    result = talk("go")
    assert text_of(result.message) == "Both."
    assert [m["role"] for m in talk.messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert "found desks" in str(talk.messages[4])


def test_a_script_without_final_text_still_ends_in_words():
    assert answer(ScriptedModel({"script": []}), [user("hi")])["text"] == "Done."
    assert answer(ScriptedModel(), [user("hi")])["text"] == "Done."


def test_the_same_script_is_played_again_for_every_turn():
    model = ScriptedModel({"script": [{"tool": "search", "input": "x"}], "final_text": "end"})
    history = [user("one"), uses(("c1", "search", {})), results(("c1", "r")), says("end")]
    assert calls_of(model, [*history, user("two")], spec("search", query="string")) == [
        ("search", {"query": "x"})
    ]


def test_turns_give_one_script_to_each_human_turn_and_then_nothing_more():
    model = ScriptedModel({"turns": [[{"text": "first"}], [{"text": "second"}]]})
    assert answer(model, [user("a")])["text"] == "first"
    assert answer(model, [user("a"), says("first"), user("b")])["text"] == "second"
    third = [user("a"), says("first"), user("b"), says("second"), user("c")]
    assert answer(model, third)["text"] == "My script has nothing more to say."
    assert answer(ScriptedModel({"turns": [], "final_text": "bye"}), [user("a")])["text"] == "bye"


def test_parallel_calls_come_in_one_message_with_ids_of_their_own():
    model = ScriptedModel(
        {"script": [{"tools": [{"tool": "search", "input": "a"}, {"tool": "search", "input": "b"}]}]}
    )
    talk = agent(model, search)
    talk("go")
    ids = [block["toolUse"]["toolUseId"] for block in talk.messages[1]["content"]]
    assert len(set(ids)) == 2
    assert {block["toolResult"]["toolUseId"] for block in talk.messages[2]["content"]} == set(ids)


def test_a_text_ahead_of_a_call_is_said_in_the_same_message():
    model = ScriptedModel(
        {
            "script": [
                {"text": "Looking."},
                {"tool": "search", "input": "x", "before": [{"reasoning": "hm"}, {"text": "Now."}]},
            ]
        }
    )
    talk = agent(model, search)
    talk("go")
    kinds = [next(iter(block)) for block in talk.messages[1]["content"]]
    assert kinds == ["text", "reasoningContent", "text", "toolUse"]
    assert text_of(talk.messages[1]) == "Looking.Now."


def test_a_text_at_the_end_is_the_answer_in_place_of_the_final_text():
    model = ScriptedModel({"script": [{"text": "One."}, {"text": " Two."}], "final_text": "unsaid"})
    said = answer(model, [user("hi")])
    assert (said["text"], said["stop"], said["calls"]) == ("One. Two.", "end_turn", [])


def test_a_text_input_goes_to_the_tools_first_declared_parameter():
    model = ScriptedModel({"script": [{"tool": "look", "input": "A1"}]})
    assert calls_of(model, [user("hi")], spec("look", order="string", verbose="boolean")) == [
        ("look", {"order": "A1"})
    ]


def test_a_text_input_of_a_tool_nobody_declared_is_still_called():
    model = ScriptedModel({"script": [{"tool": "ghost", "input": "boo"}]})
    assert calls_of(model, [user("hi")]) == [("ghost", {"input": "boo"})]


def test_a_bare_schema_is_read_like_a_wrapped_one():
    model = ScriptedModel({"script": [{"tool": "look", "input": "A1"}]})
    bare = {"name": "look", "description": "", "inputSchema": {"properties": {"order": {"type": "string"}}}}
    assert calls_of(model, [user("hi")], bare) == [("look", {"order": "A1"})]


def test_a_call_without_input_has_an_empty_object():
    assert calls_of(ScriptedModel({"script": [{"tool": "now"}]}), [user("hi")]) == [("now", {})]


def test_a_handoff_uses_the_tool_of_a_strands_swarm():
    first = agent(
        ScriptedModel({"script": [{"handoff": "second", "message": "yours"}], "final_text": "over"}),
        name="first",
    )
    second = agent(ScriptedModel({"script": [{"text": "mine: {{message}}"}]}), name="second")
    result = Swarm([first, second], entry_point=first)("help")
    assert [node.node_id for node in result.node_history] == ["first", "second"]
    assert "Handoff Message: yours" in str(result.results["second"].result)


def test_an_error_step_fails_like_a_provider_after_the_text_ahead_of_it():
    model = ScriptedModel({"script": [{"error": "503 overloaded", "before": [{"text": "I was about to"}]}]})

    async def stream():
        said = ""
        with pytest.raises(ScriptedFailure, match="503 overloaded"):
            async for event in model.stream([user("hi")]):
                said += event.get("contentBlockDelta", {}).get("delta", {}).get("text", "")
        return said

    assert asyncio.run(stream()) == "I was about to"
    with pytest.raises(ScriptedFailure, match="503"):
        agent(model)("hi")


# Where the conversation stands


def test_a_rebuilt_model_lands_on_the_right_step():
    params = {
        "script": [{"tool": "search", "input": "a"}, {"tool": "search", "input": "b"}],
        "final_text": "end",
    }
    talk = [user("go")]
    seen = []
    for number in range(3):
        said = answer(ScriptedModel(params), talk, spec("search", query="string"))
        seen.append(said["calls"][0][2] if said["calls"] else said["text"])
        talk += [uses((f"c{number}", "search", {})), results((f"c{number}", "r"))]
    assert seen == ['{"query": "a"}', '{"query": "b"}', "end"]


def test_asking_twice_at_one_step_changes_nothing():
    model = ScriptedModel({"script": [{"tool": "search", "input": "a"}], "stream_chunk": 3})
    assert chunks(model, [user("go")]) == chunks(model, [user("go")])


def test_a_message_that_closes_a_pause_with_results_starts_a_new_turn():
    model = ScriptedModel({"turns": [[{"tool": "search", "input": "a"}], [{"text": "You said {{message}}"}]]})
    closed = [user("go"), uses(("c1", "search", {})), results(("c1", "Skipped: …"), then="never mind")]
    assert read_standpoint(closed).turn == 1
    assert answer(model, closed)["text"] == "You said never mind"


def test_results_alone_do_not_start_a_turn():
    standpoint = read_standpoint(
        [user("go"), uses(("c1", "a", {}), ("c2", "b", {})), results(("c1", "x"), ("c2", "y"))]
    )
    assert (standpoint.turn, standpoint.step, standpoint.message) == (0, 1, "go")
    assert (standpoint.results, standpoint.last_result) == (("x", "y"), "y")


def test_an_image_without_words_is_a_turn_too():
    picture = {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": b""}}}]}
    assert read_standpoint([user("a"), says("b"), picture]).turn == 1


def test_a_delegate_reads_its_own_messages_not_its_coordinators():
    analyst = agent(
        ScriptedModel(
            {"script": [{"tool": "search", "input": "{{message}}"}], "final_text": "analyst: {{last_result}}"}
        ),
        search,
        name="analyst",
    )
    coordinator = agent(
        ScriptedModel(
            {"script": [{"tool": "analyst", "input": "sales"}], "final_text": "I hear: {{last_result}}"}
        ),
        analyst.as_tool(),
    )
    assert "I hear: analyst: found sales" in text_of(coordinator("ask").message)


def test_a_broken_transcript_is_refused_before_anything_is_said():
    model = ScriptedModel({"script": []})
    with pytest.raises(TranscriptBroken, match="no result for the tool use 'c1'"):
        answer(model, [user("go"), uses(("c1", "search", {})), user("and?")])


# Replies


def replying(**extra):
    return ScriptedModel(
        {
            "replies": [
                {
                    "match": r"price of (?P<sku>\w+) to (\d+(?:\.\d+)?)",
                    "example": "Raise the price of A1 to 12",
                    "script": [{"tool": "set_price", "input": {"sku": "{{sku}}", "price": "{{2}}"}}],
                    "final_text": "{{sku}} now costs {{last_result.price}}.",
                },
                {"match": "^hello", "script": [{"text": "Hi!"}]},
                {"match": "price", "script": [{"text": "Which?"}]},
            ],
            **extra,
        }
    )


def test_free_typing_plays_offline_with_the_values_that_were_typed():
    talk = agent(replying(), set_price)
    result = talk("Please raise the PRICE of A1 to 12.50")
    assert talk.messages[1]["content"][0]["toolUse"]["input"] == {"sku": "A1", "price": 12.5}
    assert text_of(result.message) == "A1 now costs 12.5."


def test_the_first_matching_reply_wins_whatever_the_case():
    assert answer(replying(), [user("HELLO, what price?")])["text"] == "Hi!"
    assert answer(replying(), [user("what price?")])["text"] == "Which?"


def test_a_reply_is_chosen_by_the_newest_message_of_the_person():
    talk = [user("hello"), says("Hi!"), user("the price?")]
    assert answer(replying(), talk)["text"] == "Which?"


def test_what_matches_nothing_falls_back_on_the_entry_without_match():
    model = ScriptedModel(
        {
            "replies": [
                {"script": [{"text": "Pardon: {{message}}"}]},
                {"match": "hi", "script": [{"text": "Hi."}]},
            ]
        }
    )
    assert answer(model, [user("hi")])["text"] == "Hi."
    assert answer(model, [user("xyz")])["text"] == "Pardon: xyz"


def test_what_matches_nothing_falls_back_on_final_text_and_then_on_what_can_be_said():
    assert answer(replying(final_text="No idea."), [user("xyz")])["text"] == "No idea."
    assert answer(replying(), [user("xyz")])["text"] == (
        "I play a script and only know what to do with: “Raise the price of A1 to 12”; “^hello”; “price”."
    )


def test_a_group_that_took_no_part_is_empty():
    model = ScriptedModel({"replies": [{"match": "deny( because (.+))?", "final_text": "reason: {{2}}."}]})
    assert answer(model, [user("deny")])["text"] == "reason: ."
    assert answer(model, [user("deny because late")])["text"] == "reason: late."


# Templates


def filled(value, message="12", result=None, schema=None):
    talk = [user(message)]
    if result is not None:
        talk = [user("before"), uses(("c0", "x", {})), results(("c0", result)), says("ok"), *talk]
    model = ScriptedModel(
        {"replies": [{"match": r"(?P<all>.*)", "script": [{"tool": "t", "input": {"value": value}}]}]}
    )
    specs = [spec("t", value=schema)] if schema else []
    return calls_of(model, talk, *specs)[0][1]["value"]


@pytest.mark.parametrize(
    ("value", "message", "schema", "expected"),
    [
        ("{{all}}", "12", None, 12),
        ("{{ all }}", "-1.5e3", None, -1500.0),
        ("{{all}}", "12", "integer", 12),
        ("{{all}}", "12", "string", "12"),
        ("{{all}}", "12", {"anyOf": [{"type": "string"}, {"type": "null"}]}, "12"),
        ("{{all}}", "12", {"anyOf": [{"type": "number"}, {"type": "null"}]}, 12),
        ("{{all}}", "007", None, "007"),
        ("{{all}}", "A1", "number", "A1"),
        ("{{all}}", "True", "boolean", True),
        ("{{all}}", "true", None, "true"),
        ("no {{all}}", "12", "number", "no 12"),
        (["{{all}}"], "12", None, [12]),
        (["{{all}}"], "12", {"type": "array", "items": {"type": "string"}}, ["12"]),
        ({"in": "{{all}}"}, "12", None, {"in": 12}),
        ({"in": "{{all}}"}, "12", {"type": "object", "properties": {"in": {"type": "string"}}}, {"in": "12"}),
        (7, "12", "string", 7),
        ("plain", "12", None, "plain"),
    ],
)
def test_a_value_that_is_one_template_takes_the_type_its_tool_declares(value, message, schema, expected):
    found = filled(value, message, schema=schema)
    assert found == expected and type(found) is type(expected)


def test_templates_look_into_results_that_are_json():
    order = json.dumps({"id": 7, "lines": [{"sku": "A1"}], "open": True})
    assert filled("{{last_result.lines.0.sku}}", result=order) == "A1"
    assert filled("{{last_result.open}}", result=order) is True
    assert filled("{{last_result.id}}", result=order, schema="string") == "7"
    assert (
        filled("order {{last_result.id}}, {{last_result.lines}}", result=order) == 'order 7, [{"sku": "A1"}]'
    )


def test_results_are_those_of_this_turn_in_order():
    model = ScriptedModel(
        {"script": [{"tools": [{"tool": "a"}, {"tool": "b"}]}], "final_text": "{{results.1}}{{results.0}}"}
    )
    talk = [user("go"), uses(("c1", "a", {}), ("c2", "b", {})), results(("c1", "x"), ("c2", "y"))]
    assert answer(model, talk)["text"] == "yx"


def test_a_template_that_this_conversation_cannot_fill_ends_the_turn_in_plain_words():
    model = ScriptedModel({"script": [{"tool": "a"}, {"tool": "b", "input": {"id": "{{last_result.id}}"}}]})
    talk = [user("go"), uses(("c1", "a", {})), results(("c1", "Declined: too much"))]
    said = answer(model, talk)
    assert said["calls"] == []
    assert "I can't go on with my script" in said["text"] and "Declined: too much" in said["text"]
    assert (
        "no tool has given a result"
        in answer(ScriptedModel({"final_text": "{{last_result}}"}), [user("x")])["text"]
    )


# Ids, streaming and tokens


def test_ids_are_the_same_on_a_replay_and_never_repeat_in_a_conversation():
    model = ScriptedModel(
        {"script": [{"tool": "search", "input": "same"}, {"tool": "search", "input": "same"}]}
    )
    talk = agent(model, search)
    for _ in range(3):
        talk("same words")
    ids = [
        block["toolUse"]["toolUseId"] for m in talk.messages for block in m["content"] if "toolUse" in block
    ]
    assert len(ids) == 6 and len(set(ids)) == 6
    again = answer(model, [{"role": m["role"], "content": m["content"]} for m in talk.messages[:3]])
    assert again["calls"][0][0] == ids[1]


def test_two_agents_with_one_script_make_different_ids_for_different_tasks():
    model = ScriptedModel({"script": [{"tool": "search", "input": "x"}]})
    first, second = answer(model, [user("north")]), answer(model, [user("south")])
    assert first["calls"][0][0] != second["calls"][0][0]


def test_an_id_can_be_forced_to_play_a_model_that_reuses_ids():
    model = ScriptedModel(
        {
            "script": [
                {"tool": "a", "id": "same"},
                {"tools": [{"tool": "a", "id": "same"}, {"tool": "b", "id": "same"}]},
            ]
        }
    )
    talk = [user("go"), uses(("same", "a", {})), results(("same", "x"))]
    assert answer(model, talk[:1])["calls"][0][0] == "same"
    assert [call[0] for call in answer(model, talk)["calls"]] == ["same", "same"]


def test_text_reasoning_and_arguments_stream_in_chunks():
    model = ScriptedModel(
        {
            "script": [
                {"tool": "t", "input": {"a": "bcdef"}, "before": [{"text": "abcdefg"}, {"reasoning": "xyz"}]}
            ],
            "stream_chunk": 3,
        }
    )
    deltas = [
        e["contentBlockDelta"]["delta"] for e in chunks(model, [user("go")]) if "contentBlockDelta" in e
    ]
    assert [d["text"] for d in deltas if "text" in d] == ["abc", "def", "g"]
    assert [d["reasoningContent"]["text"] for d in deltas if "reasoningContent" in d] == ["xyz"]
    pieces = [d["toolUse"]["input"] for d in deltas if "toolUse" in d]
    assert len(pieces) > 1 and json.loads("".join(pieces)) == {"a": "bcdef"}


def test_a_delay_is_waited_before_every_chunk(monkeypatch):
    waited = []

    async def sleep(seconds):
        waited.append(seconds)

    monkeypatch.setattr("workbench.agents.scripted.asyncio.sleep", sleep)
    answer(
        ScriptedModel({"script": [{"text": "abcdef"}], "stream_chunk": 2, "stream_delay_ms": 20}),
        [user("go")],
    )
    assert waited == [0.02, 0.02, 0.02]


def test_tokens_are_counted_from_the_length_of_what_is_read_and_said():
    model = ScriptedModel({"script": [{"text": "x" * 40}]})
    assert answer(model, [user("y" * 80)])["usage"] == {
        "inputTokens": 20,
        "outputTokens": 10,
        "totalTokens": 30,
    }
    longer = [user("y" * 80), uses(("c1", "t", {"a": "b" * 40})), results(("c1", "z" * 400))]
    assert answer(model, longer)["usage"]["inputTokens"] > 120


def test_tokens_reach_the_agents_metrics():
    result = agent(ScriptedModel({"script": [{"text": "x" * 40}]}))("hello")
    assert result.metrics.accumulated_usage["outputTokens"] == 10


# The model object


def test_a_changed_script_that_does_not_parse_changes_nothing():
    model = ScriptedModel({"script": [{"text": "one"}]}, model_id="m")
    with pytest.raises(ValueError, match="unknown key"):
        model.update_config(scrpt=[])
    assert answer(model, [user("hi")])["text"] == "one"
    model.update_config(script=[{"text": "two"}], model_id="n")
    assert answer(model, [user("hi")])["text"] == "two"
    assert model.get_config() == {"model_id": "n"}


class Colour(BaseModel):
    name: str


def test_structured_output_is_the_scripts_answer_read_as_json():
    async def ask(params):
        return [event async for event in ScriptedModel(params).structured_output(Colour, [user("which?")])]

    assert asyncio.run(ask({"final_text": '{"name": "blue"}'})) == [{"output": Colour(name="blue")}]
    with pytest.raises(ValidationError):
        asyncio.run(ask({"final_text": "blue"}))
