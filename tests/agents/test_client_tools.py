import copy

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.talk import agent, text_of
from workbench.agents.client_tools import (
    BadAnswer,
    BadArguments,
    ClientToolAgentTool,
    ClientToolSpec,
    answer_text,
    catalogue,
    check_answer,
    check_arguments,
)
from workbench.agents.scripted import ScriptedModel
from workbench.config import CLIENT_TOOLS

ASK = catalogue()["ask_user"]
REGION = {
    "question": "Which region?",
    "header": "Region",
    "options": [{"label": "Europe", "description": "All of it"}, {"label": "Asia"}],
}
OWN = ClientToolSpec(
    "pick_file", "Pick a file", {"type": "object", "properties": {"kind": {"enum": ["csv", "json"]}}}
)


def one(**changes):
    return {"questions": [{**REGION, **changes}]}


def answered(selected=(), other=None):
    return {"answers": [{"question": "Which region?", "selected": list(selected), "other": other}]}


def test_no_client_tool_there_is_gives_a_config_a_hint():
    assert set(catalogue()) <= set(CLIENT_TOOLS)


# Arguments


def test_a_question_comes_back_with_every_key_filled():
    assert check_arguments(ASK, {"questions": [REGION]}) == {
        "questions": [
            {
                "question": "Which region?",
                "header": "Region",
                "options": [
                    {"label": "Europe", "description": "All of it"},
                    {"label": "Asia", "description": None},
                ],
                "multi_select": False,
                "allow_other": True,
            }
        ]
    }


def test_the_short_form_is_the_same_question():
    short = check_arguments(ASK, {"question": " Which region? ", "options": ["Europe", "Asia"]})
    long = check_arguments(
        ASK, {"questions": [{"question": "Which region?", "options": ["Europe", {"label": "Asia"}]}]}
    )
    assert short == long


def test_checking_what_was_checked_changes_nothing():
    once = check_arguments(ASK, {"question": "Why?"})
    assert check_arguments(ASK, once) == once


def test_a_question_without_options_is_answered_freely():
    assert check_arguments(ASK, {"question": "Why?"})["questions"][0]["options"] == []


def test_checking_leaves_the_models_own_arguments_alone():
    given_input = one()
    before = copy.deepcopy(given_input)
    check_arguments(ASK, given_input)
    assert given_input == before


@pytest.mark.parametrize(
    ("tool_input", "problem"),
    [
        (None, "must be an object, not null"),
        ("Which region?", "must be an object, not a text"),
        ({}, "there is no question"),
        ({"options": ["a"]}, "there is no question"),
        ({"qestion": "Which?"}, "did you mean `question`"),
        ({"questions": []}, "`questions` is empty"),
        ({"questions": {"question": "x"}}, "`questions` must be a list, not an object"),
        ({"questions": [REGION], "title": "x"}, "unknown key `title`"),
        ({"questions": ["Which region?"]}, "question 1 is a text"),
        ({"questions": [7]}, "question 1 must be an object, not a number"),
        ({"questions": [REGION, REGION]}, "asked twice"),
        ({"questions": [{**REGION, "question": str(n)} for n in range(9)]}, "9 questions are too many"),
        (one(question=None), "question 1 has no text"),
        (one(question="  "), "question 1 has no text"),
        (one(question=["x"]), "`question` of question 1 must be a text, not a list"),
        (one(question="x" * 2001), "2001 characters"),
        (one(header=3), "`header` of question 1 must be a text, not a number"),
        (one(options="Europe, Asia"), "options of question 1 must be a list, not a text"),
        (one(options={"a": "b"}), "must be a list, not an object"),
        (one(options=[1, 2]), "option 1 of question 1 must be a text or"),
        (one(options=[{"description": "x"}]), "option 1 of question 1 has no label"),
        (one(options=["a", ""]), "option 2 of question 1 has no label"),
        (one(options=[{"label": True}]), "`label` of option 1 of question 1 must be a text, not a boolean"),
        (one(options=[{"label": "a", "value": 1}]), "unknown key `value`"),
        (one(options=["Europe", " europe "]), "the option 'europe' twice"),
        (one(options=["Europe", "Other"]), "lists 'Other'"),
        (one(options=[str(n) for n in range(13)]), "13 options"),
        (one(options=[], allow_other=False), "nobody could answer it"),
        (one(options=None, allow_other=False), "nobody could answer it"),
        (one(multi_select="yes"), "`multi_select` of question 1 must be true or false, not 'yes'"),
        (one(multiSelect=True), "did you mean `multi_select`"),
        (
            {"question": "Which?", "allow_other": 0},
            "`allow_other` of the question must be true or false, not 0",
        ),
    ],
)
def test_a_malformed_question_is_refused_with_what_is_wrong_for_the_model_to_correct(tool_input, problem):
    with pytest.raises(BadArguments) as caught:
        check_arguments(ASK, tool_input)
    assert problem in str(caught.value)
    assert str(caught.value).startswith("The question was not shown to the person: ")


def test_an_option_called_other_is_fine_when_there_is_no_other():
    checked = check_arguments(ASK, one(options=["Europe", "Other"], allow_other=False))
    assert checked["questions"][0]["options"][1]["label"] == "Other"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["questions", "question", "options", "label", "header", "multi_select", "allow_other", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_whatever_a_model_sends_is_either_a_whole_question_or_refused(tool_input):
    try:
        checked = check_arguments(ASK, tool_input)
    except BadArguments:
        return
    assert checked["questions"]
    for entry in checked["questions"]:
        assert entry["question"] and (entry["options"] or entry["allow_other"])
        assert check_answer(
            ASK,
            checked,
            {"answers": [_first_answer(other) for other in checked["questions"]]},
        )


def _first_answer(entry):
    if entry["options"]:
        return {"question": entry["question"], "selected": [entry["options"][0]["label"]], "other": None}
    return {"question": entry["question"], "selected": [], "other": "words"}


def test_the_schema_accepts_what_the_checks_accept():
    jsonschema.validate(one(), ASK.input_schema)
    jsonschema.Draft202012Validator.check_schema(ASK.input_schema)


# Answers


def test_an_answer_comes_back_whole():
    assert check_answer(ASK.name, one(), {"answers": [{"selected": ["Asia"]}]}) == answered(["Asia"])
    assert check_answer(ASK.name, one(), answered(other="  Mars ")) == answered(other="Mars")


def test_several_options_and_own_words_go_together_where_several_may_be_chosen():
    value = answered(["Asia", "Europe"], "and the Moon")
    assert check_answer(ASK.name, one(multi_select=True), value) == answered(["Europe", "Asia"], "and the Moon")


@pytest.mark.parametrize(
    "value", [None, False, 0, "", [], {}, "Europe", {"answers": None}, {"answers": "Europe"}]
)
def test_odd_values_are_no_answer_to_a_question(value):
    with pytest.raises(BadAnswer, match="an answer is"):
        check_answer(ASK.name, one(), value)


@pytest.mark.parametrize(
    ("changes", "value", "problem"),
    [
        ({}, {"answers": []}, "1 questions, and 0 answers"),
        ({}, answered(), "has no answer yet"),
        ({}, {"answers": [None]}, "has no answer yet"),
        ({}, answered(other="   "), "has no answer yet"),
        ({}, answered(["Mars"]), "has no option 'Mars'"),
        ({}, answered([["Asia"]]), "has no option"),
        ({}, answered(["Europe", "Asia"]), "takes one answer only"),
        ({}, answered(["Europe"], "and more"), "takes one answer only"),
        ({}, {"answers": [{"selected": "Europe"}]}, "needs a list of the chosen options, not a text"),
        ({}, {"answers": [{"other": 5}]}, "needs an own answer in words, not a number"),
        ({}, {"answers": [{"question": "Why?", "selected": ["Asia"]}]}, "answered as if it were 'Why?'"),
        ({"allow_other": False}, answered(other="Mars"), "takes one of its options only"),
    ],
)
def test_an_answer_that_does_not_answer_is_refused(changes, value, problem):
    with pytest.raises(BadAnswer) as caught:
        check_answer(ASK.name, one(**changes), value)
    assert problem in caught.value.sentence


def test_a_refused_answer_names_each_question_that_lacks_one():
    asked = {"questions": [REGION, {"question": "Why?"}, {"question": "When?"}]}
    answers = [{"selected": ["Asia"]}, {"other": ""}, {"selected": ["Never"]}]
    with pytest.raises(BadAnswer) as caught:
        check_answer(ASK.name, asked, {"answers": answers})
    assert caught.value.fields == {"1": "has no answer yet.", "2": "has no option 'Never'."}


def test_the_model_reads_each_question_with_its_answer():
    asked = {"questions": [{**REGION, "multi_select": True}, {"question": "Why?"}]}
    value = {"answers": [{"selected": ["Europe", "Asia"], "other": "Mars"}, {"other": "Because."}]}
    assert answer_text(ASK.name, asked, value) == (
        "Question: Which region?\nThe person's answer: Europe; Asia; (in their own words) Mars\n\n"
        "Question: Why?\nThe person's answer: (in their own words) Because."
    )


# Other client tools


def test_another_tools_arguments_are_held_to_its_schema():
    assert check_arguments(OWN, {"kind": "csv"}) == {"kind": "csv"}
    with pytest.raises(BadArguments, match="`kind` must be one of csv, json. Correct the arguments"):
        check_arguments(OWN, {"kind": "xml"})
    with pytest.raises(BadArguments, match="must be an object, not a list"):
        check_arguments(OWN, [])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (False, "false"),
        (0, "0"),
        ("", '""'),
        ("sales.csv", "sales.csv"),
        ({"a": 1}, '{"a": 1}'),
    ],
)
def test_any_json_value_answers_another_tool(value, text):
    assert check_answer(OWN.name, {}, value) == value
    assert answer_text(OWN.name, {}, value) == text


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
def test_what_is_no_json_value_answers_nothing(value):
    with pytest.raises(BadAnswer, match="not a JSON value"):
        check_answer(OWN.name, {}, value)


# The tool object


def test_the_model_sees_the_tool_and_executing_it_here_is_an_error():
    talk = agent(
        ScriptedModel({"script": [{"tool": "ask_user", "input": one()}], "final_text": "{{last_result}}"}),
        ClientToolAgentTool(ASK),
    )
    assert talk.tool_registry.get_all_tool_specs()[0]["name"] == "ask_user"
    assert "runs at the person's side and was executed here" in text_of(talk("go").message)


def test_registering_the_tool_leaves_the_catalogue_as_it_was():
    before = copy.deepcopy(ASK.input_schema)
    agent(ScriptedModel(), ClientToolAgentTool(ASK))
    assert ASK.input_schema == before
    assert catalogue()["ask_user"].input_schema is not catalogue()["ask_user"].input_schema
