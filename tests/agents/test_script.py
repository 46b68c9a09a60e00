import pytest

from workbench.agents.script import ScriptError, parse_script
from workbench.agents.scripted import ScriptedModel


@pytest.mark.parametrize(
    ("params", "path", "problem"),
    [
        ({"scirpt": []}, "scirpt", "did you mean 'script'"),
        ({"script": {}}, "script", "expected a list of steps"),
        ({"script": ["hello"]}, "script[0]", "expected a step such as"),
        ({"script": [{"tool": "a"}, {"tol": "b"}]}, "script[1].tol", "did you mean 'tool'"),
        ({"script": [{"before": []}]}, "script[0]", "this one says none"),
        ({"script": [{}]}, "script[0]", "this one says none"),
        ({"script": [{"tool": "a", "text": "b"}]}, "script[0]", "says tool and text"),
        ({"script": [{"tool": "a", "inptu": {}}]}, "script[0].inptu", "did you mean 'input'"),
        ({"script": [{"tool": 7}]}, "script[0].tool", "7 is not a text"),
        ({"script": [{"tool": ""}]}, "script[0].tool", "the text is empty"),
        ({"script": [{"tool": "a", "input": ["x"]}]}, "script[0].input", "a mapping, or one value"),
        ({"script": [{"tool": "a", "id": 4}]}, "script[0].id", "4 is not a text"),
        ({"script": [{"tool": "a", "before": {"text": "x"}}]}, "script[0].before", "expected a list"),
        (
            {"script": [{"tool": "a", "before": [{"txt": "x"}]}]},
            "script[0].before[0].txt",
            "did you mean 'text'",
        ),
        ({"script": [{"tool": "a", "before": [{}]}]}, "script[0].before[0]", "one of text and reasoning"),
        ({"script": [{"tools": []}]}, "script[0].tools", "no call in it"),
        ({"script": [{"tools": [{"input": {}}]}]}, "script[0].tools[0]", "names its tool"),
        ({"script": [{"tools": [{"tool": "a", "before": []}]}]}, "script[0].tools[0].before", "unknown key"),
        ({"script": [{"handoff": "b", "context": "x"}]}, "script[0].context", "expected a mapping"),
        ({"script": [{"error": None}]}, "script[0].error", "None is not a text"),
        ({"turns": [[{"text": "a"}], {"text": "b"}]}, "turns[1]", "expected a list of steps"),
        ({"turns": [[{"txt": "a"}]]}, "turns[0][0].txt", "did you mean 'text'"),
        ({"replies": [{"match": "("}]}, "replies[0].match", "not a regular expression"),
        ({"replies": [{"match": 3}]}, "replies[0].match", "3 is not a text"),
        ({"replies": [{"match": "a", "scrpt": []}]}, "replies[0].scrpt", "did you mean 'script'"),
        ({"replies": [{"match": "a", "script": [{"nope": 1}]}]}, "replies[0].script[0].nope", "unknown key"),
        ({"replies": [{"script": []}, {"script": []}]}, "replies[1]", "only one can be the fallback"),
        ({"script": [], "turns": []}, "turns", "'script' is already given"),
        ({"final_text": 3}, "final_text", "3 is not a text"),
        ({"stream_chunk": 0}, "stream_chunk", "use 1 or more"),
        ({"stream_chunk": True}, "stream_chunk", "True is not a number"),
        ({"stream_delay_ms": -1}, "stream_delay_ms", "use 0 or more"),
        ({"stream_delay_ms": "fast"}, "stream_delay_ms", "'fast' is not a number"),
    ],
)
def test_a_bad_script_is_refused_when_it_is_built_and_names_its_step(params, path, problem):
    with pytest.raises(ScriptError) as caught:
        ScriptedModel(params)
    assert caught.value.path == path
    assert problem in caught.value.problem
    assert path in str(caught.value)


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"script": [{"text": "{{nobody}}"}]}, "script[0].text"),
        ({"script": [{"tool": "a", "input": {"deep": [{"x": "{{1}}"}]}}]}, "script[0].input"),
        ({"script": [{"error": "{{oops}}"}]}, "script[0].error"),
        ({"final_text": "{{results}}"}, "final_text"),
        ({"replies": [{"match": "(a)", "final_text": "{{2}}"}]}, "replies[0].final_text"),
        (
            {"replies": [{"match": "(?P<sku>a)", "script": [{"text": "{{skew}}"}]}]},
            "replies[0].script[0].text",
        ),
    ],
)
def test_a_template_that_names_nothing_is_refused_when_it_is_built(params, path):
    with pytest.raises(ScriptError, match="names nothing") as caught:
        parse_script(params)
    assert caught.value.path == path


def test_an_unknown_template_is_told_what_it_could_have_been():
    with pytest.raises(ScriptError, match="message, last_result, results.0, 0, 1, sku"):
        parse_script({"replies": [{"match": "(?P<sku>a)", "final_text": "{{skew}}"}]})


def test_a_script_of_nothing_is_a_script():
    script = parse_script({})
    assert (script.every_turn, script.turns, script.replies) == (None, None, None)
