"""`${NAME}`: filled in after the YAML is read, so that no value can become YAML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.config.texts import MODELS, config_of, only_problem, parsed, pointed


def described(value: str, **options: object) -> str | None:
    return config_of(f"agents:\n  a:\n    description: {value}\n{MODELS}", **options).agents["a"].description


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("in ${REGION}", "in us"),
        ("'${REGION}'", "us"),
        ("${REGION}-${REGION}", "us-us"),
        ("${NONE:-eu}", "eu"),
        ("${EMPTY:-eu}", "eu"),
        ("a${EMPTY}b", "ab"),
        ("a${NONE:-}b", "ab"),
        ("'${NONE:-a: [b], {c}}'", "a: [b], {c}"),
        ("$${REGION}", "${REGION}"),
        ("$$${REGION}", "$us"),
        ("costs $5, or $$5", "costs $5, or $5"),
        ("^a$", "^a$"),
        ("'$$'", "$"),
    ],
)
def test_variables_are_filled_into_text(written: str, read: str) -> None:
    if written == "'${NONE:-a: [b], {c}}'":
        read = "a: [b], {c}"  # The default ends at the first brace; what follows is text.
    assert described(written, env={"REGION": "us", "EMPTY": ""}) == read


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60))
def test_whatever_a_variable_holds_is_the_text_of_that_one_value(value: str) -> None:
    assert described("'${VALUE}'", env={"VALUE": value}) == value
    assert described("is ${VALUE}", env={"VALUE": value}) == f"is {value}"


def test_a_variable_cannot_open_a_gate_by_holding_yaml() -> None:
    text = f"agents:\n  a:\n    description: ${{VALUE}}\n    auto: false\n{MODELS}"
    agent = config_of(text, env={"VALUE": "x\n    auto: true\n    tools: [rm]"}).agents["a"]
    assert (agent.auto, agent.tools) == (False, ())


@pytest.mark.parametrize(
    ("held", "read"), [("600", 600), ("600 ", None), ("six", None), ("1.5", None), ("true", None)]
)
def test_a_reference_without_quotes_is_read_like_a_plain_value(held: str, read: int | None) -> None:
    text = f"agents:\n  a:\n    interrupt:\n      ttl_seconds: ${{TTL:-60}}\n{MODELS}"
    found = parsed(text, env={"TTL": held})
    if read is None:
        assert [one.path for one in found.errors] == ["agents.a.interrupt.ttl_seconds"]
    else:
        block = found.raise_if_invalid().agents["a"].interrupt
        assert block is not None and block.ttl_seconds == read


def test_a_reference_in_quotes_is_text_and_the_problem_says_how_to_write_it() -> None:
    problem = pointed(f"agents: {{a: {{auto: «'${{AUTO}}'}}}}\n{MODELS}", env={"AUTO": "true"})
    assert problem.message == (
        "'${AUTO}', as filled in, is a text, not true or false; write ${AUTO} without quotes, on a line of its own"
    )


def test_auto_from_the_environment_is_as_strict_as_any() -> None:
    text = f"agents:\n  a:\n    auto: ${{AUTO:-false}}\n{MODELS}"
    assert config_of(text).agents["a"].auto is False
    assert config_of(text, env={"AUTO": "true"}).agents["a"].auto is True
    assert not parsed(text, env={"AUTO": "yes"}).config


def test_vars_are_looked_up_before_the_environment() -> None:
    text = f"vars: {{REGION: eu}}\nagents: {{a: {{description: '${{REGION}}'}}}}\n{MODELS}"
    found = parsed(text, env={"REGION": "us"})
    assert found.raise_if_invalid().agents["a"].description == "eu"
    assert found.variables == {}


def test_vars_use_each_other_in_any_order_and_keep_their_types() -> None:
    text = f"""\
vars:
  B: ${{A}}
  C: "${{A}} and ${{D}}"
  A: 5
  D: true
agents: {{a: {{}}}}
{MODELS}"""
    assert config_of(text).vars == {"B": 5, "C": "5 and true", "A": 5, "D": True}


def test_the_name_of_a_var_inside_itself_is_the_one_outside() -> None:
    text = f"vars: {{REGION: '${{REGION:-eu}}'}}\nagents: {{a: {{description: '${{REGION}}'}}}}\n{MODELS}"
    assert config_of(text).agents["a"].description == "eu"
    assert config_of(text, env={"REGION": "us"}).agents["a"].description == "us"


def test_vars_that_go_round_are_named_once() -> None:
    problem = only_problem(
        f"vars: {{A: '${{B}}', B: '${{C}}', C: '${{A}}'}}\nagents: {{a: {{description: '${{A}}'}}}}\n{MODELS}"
    )
    assert problem.message == "vars refer to each other in a circle: A → B → C → A"


@pytest.mark.parametrize(
    ("written", "part"),
    [
        (
            "${NONE}",
            "the variable ${NONE} is not set; set it in the environment or under vars, or give a default: ${NONE:-…}",
        ),
        ("${REGIO}", "did you mean ${REGION}?"),
        ("${A B}", "'${A B}' is not a variable; write ${NAME} or ${NAME:-default}, or $$ for a dollar sign"),
        ("${A-b}", "is not a variable"),
        ("${A:?b}", "is not a variable"),
        ("${}", "is not a variable"),
        ("${A", "has no closing '}'"),
        ("${A:-${B}}", "is not a variable"),
    ],
)
def test_a_reference_that_gives_nothing_says_why_where_it_stands(written: str, part: str) -> None:
    problem = pointed(f"vars: {{REGION: eu}}\nagents: {{a: {{description: «'{written}'}}}}\n{MODELS}")
    assert part in problem.message
    assert problem.path == "agents.a.description"


def test_every_missing_variable_is_named_and_none_twice() -> None:
    text = f"vars: {{A: '${{X}}'}}\nagents: {{a: {{description: '${{A}} ${{Y}} ${{Z}}', auto: '${{A}}'}}}}\n{MODELS}"
    assert [one.culprit for one in parsed(text).problems] == ["X", "Y", "Z"]


def test_a_var_holds_one_value() -> None:
    assert (
        "can't be a var; use a text, a number, true or false"
        in pointed(f"vars: {{A: «[1]}}\nagents: {{a: {{}}}}\n{MODELS}").message
    )


def test_keys_are_not_filled_in() -> None:
    config = config_of(f"agents: {{a: {{}}}}\ntool_annotations: {{'${{X}}': {{}}}}\n{MODELS}")
    assert list(config.tool_annotations) == ["${X}"]


def test_what_was_found_outside_is_kept_secrets_aside() -> None:
    text = f"""\
vars: {{URL: "${{SHOP_URL}}", X: "${{API_KEY}}"}}
agents: {{a: {{description: "${{REGION:-eu}} ${{DB_PASSWORD:-none}} ${{X}}"}}}}
{MODELS}"""
    found = parsed(text, env={"SHOP_URL": "http://shop", "API_KEY": "k", "UNUSED": "u"})
    assert found.variables == {"SHOP_URL": "http://shop", "REGION": "eu"}


def test_a_stored_version_reads_alike_whatever_the_environment_says_by_now() -> None:
    text = f"agents: {{a: {{description: '${{A:-1}} ${{A:-2}} ${{B:-3}} ${{C}} ${{API_TOKEN}}'}}}}\n{MODELS}"
    first = parsed(text, env={"C": "c", "API_TOKEN": "old"})
    again = parsed(
        text, env={"A": "a", "B": "b", "C": "other", "API_TOKEN": "new"}, variables=first.variables
    )
    assert first.raise_if_invalid().agents["a"].description == "1 2 3 c old"
    assert again.raise_if_invalid().agents["a"].description == "1 2 3 c new"
    assert again.variables == first.variables


def test_a_name_that_took_two_defaults_is_not_kept() -> None:
    assert parsed(f"agents: {{a: {{description: '${{A:-1}} ${{A:-2}}'}}}}\n{MODELS}").variables == {}


def test_vars_that_lead_through_very_many_others_are_refused() -> None:
    chain = "\n".join(f"  V{number}: ${{V{number + 1}}}" for number in range(40))
    found = parsed(f"agents: {{a: {{}}}}\n{MODELS}vars:\n{chain}\n  V40: end\n").errors
    assert found and "vars lead through more than 30 others to get here" in found[0].message


def test_vars_that_multiply_are_refused_before_they_fill_the_memory() -> None:
    chain = "\n".join(f"  V{number}: {f'${{V{number - 1}}} ' * 50}" for number in range(1, 12))
    (problem,) = parsed(f"agents: {{a: {{}}}}\n{MODELS}vars:\n  V0: {'x' * 100}\n{chain}\n").errors
    assert problem.message == "variables fill in more than 1,048,576 characters by here; no config needs that"
