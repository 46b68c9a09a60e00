import pytest

from tests.agents.talk import results, says, user, uses
from workbench.agents.transcript_rule import TranscriptBroken, check_request, check_transcript

CALL = ("c1", "look", {"order": "A1"})
OTHER = ("c2", "look", {"order": "A2"})


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [user("hi")],
        [user("hi"), says("hello")],
        [user("hi"), uses(CALL), results(("c1", "paid"))],
        [user("hi"), uses(CALL, OTHER), results(("c1", "paid"), ("c2", "open")), says("done")],
        [user("hi"), uses(CALL), results(("c1", "skipped"), then="never mind"), says("fine")],
        [user("hi"), uses(CALL), results(("c1", "a")), uses(CALL), results(("c1", "b"))],
    ],
)
def test_a_whole_transcript_passes(messages):
    check_transcript(messages)


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        ([says("hi")], "message 0 is from 'assistant'"),
        ([user("hi"), user("there")], "message 1 is from 'user'"),
        ([user("hi"), says("a"), says("b")], "message 2 is from 'assistant'"),
        ([{"role": "user", "content": []}], "message 0 .user. has no content"),
        ([user("hi"), {"role": "system", "content": [{"text": "x"}]}], "from 'system'"),
        ([user("hi"), uses(CALL)], "message 1 has tool uses without a result: c1"),
        ([user("hi"), uses(CALL), user("and?")], "message 2 has no result for the tool use 'c1'"),
        ([user("hi"), uses(CALL, OTHER), results(("c1", "x"))], "no result for the tool use 'c2'"),
        ([user("hi"), uses(CALL), results(("c1", "x"), ("c1", "y"))], "2 results for 'c1'"),
        (
            [user("hi"), uses(CALL), results(("c1", "x"), ("c9", "y"))],
            "result for 'c9', which the message before",
        ),
        ([results(("c1", "x"))], "result for 'c1', which the message before"),
        (
            [user("hi"), uses(CALL, OTHER), results(("c2", "x"), ("c1", "y"))],
            r"another order \(c2, c1\) than c1, c2",
        ),
        ([user("hi"), uses(CALL, CALL), results(("c1", "x"), ("c1", "y"))], "id 'c1' twice"),
        ([user("hi"), says("a"), results(("c1", "x"))], "which the message before never used"),
    ],
)
def test_a_broken_transcript_is_refused_with_the_message_and_the_reason(messages, why):
    with pytest.raises(TranscriptBroken, match=why):
        check_transcript(messages)


def test_results_stand_ahead_of_the_text_that_closes_a_pause():
    message = results(("c1", "x"), then="go on")
    message["content"].reverse()
    with pytest.raises(TranscriptBroken, match="results come first"):
        check_transcript([user("hi"), uses(CALL), message])


def test_only_the_assistant_uses_tools_and_only_the_user_side_answers_them():
    with pytest.raises(TranscriptBroken, match="holds a tool use"):
        check_transcript([{**uses(CALL), "role": "user"}])
    with pytest.raises(TranscriptBroken, match="holds a tool result"):
        check_transcript([user("hi"), {**results(("c1", "x")), "role": "assistant"}])


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        ([], "no message to answer"),
        ([user("hi"), says("hello")], "nothing to answer"),
        ([user("  ")], "blank text"),
        ([user("hi"), uses(("c 1", "look", {})), results(("c 1", "x"))], "not a tool use id"),
        ([user("hi"), uses(("c" * 65, "look", {})), results(("c" * 65, "x"))], "not a tool use id"),
        (
            [user("hi"), uses(("c1", "look", "text")), results(("c1", "x"))],
            "the input of 'look' is not an object",
        ),
    ],
)
def test_a_request_is_held_to_the_strictest_provider(messages, why):
    with pytest.raises(TranscriptBroken, match=why):
        check_request(messages)
    if messages:
        check_transcript(messages)
