"""What a new policy would let happen that the old one stopped at."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policy import drawn
from workbench.policy import SCOPES, AgentPolicy, Call, Loosening, Rule, ToolFacts, decide, loosenings


def store_of(tool: str, tool_input: dict[str, Any]) -> str:
    raise AssertionError("a difference never calls a subject function")


def team_of(tool: str, tool_input: dict[str, Any]) -> str:
    raise AssertionError("a difference never calls a subject function")


BY_STORE = Rule("set_*", subject=store_of, subject_spec="./subjects.py:store_of", remember="thread", line=4)
TOOLS = {"set_price": ToolFacts(), "get_order": ToolFacts(read_only=True)}


def found(old: AgentPolicy, new: AgentPolicy, tools: Mapping[str, ToolFacts] = TOOLS) -> list[Loosening]:
    return loosenings({"merchant": old}, {"merchant": new}, {"merchant": tools})


def sentences(old: AgentPolicy, new: AgentPolicy, tools: Mapping[str, ToolFacts] = TOOLS) -> list[str]:
    return [loosening.sentence for loosening in found(old, new, tools)]


def policy(*rules: Rule, **settings: Any) -> AgentPolicy:
    return AgentPolicy("merchant", rules, **settings)


def test_a_tool_that_asked_and_would_run_is_named_with_both_verdicts_and_the_reason() -> None:
    [loosening] = found(policy(Rule("set_*")), policy(Rule("set_price", ask=False, line=3), Rule("set_*")))
    assert (loosening.agent, loosening.tool) == ("merchant", "set_price")
    assert loosening.before is not None and loosening.before.outcome == "ask"
    assert loosening.after is not None and loosening.after.because == "exempt"
    assert loosening.sentence == (
        'merchant: set_price asked and would now run: Rule 1, "set_price" (line 3), says ask: false.'
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            policy(Rule("set_*")),
            policy(Rule("get_*")),
            "set_price asked and would now run: no rule matches it",
        ),
        (policy(auto=False), policy(auto=True), "set_price asked and would now run: auto is true"),
        (policy(), policy(default_auto=True), "set_price asked and would now run: auto is true"),
        (
            policy(Rule("*")),
            policy(Rule("*"), skip_read_only=True),
            "get_order asked and would now run: it is read-only, and skip_read_only is on",
        ),
        (
            policy(Rule("*")),
            policy(Rule("*", remember="always")),
            "set_price could be allowed only once, and now always",
        ),
        (
            policy(remember="once"),
            policy(),
            "set_price could be allowed only once, and now for a conversation",
        ),
        (
            policy(Rule("*"), ttl_seconds=60),
            policy(Rule("*")),
            "set_price had to be approved within 60 seconds, and now has no deadline",
        ),
        (
            policy(Rule("*"), ttl_seconds=60),
            policy(Rule("*", ttl_seconds=90)),
            "set_price had to be approved within 60 seconds, and now within 90",
        ),
        (
            policy(BY_STORE),
            policy(replace(BY_STORE, subject=None, subject_spec=None)),
            "set_price was allowed for what ./subjects.py:store_of says, and now a decision covers the whole tool",
        ),
        (
            policy(BY_STORE),
            policy(replace(BY_STORE, subject=team_of, subject_spec="./subjects.py:team_of")),
            "set_price was allowed for what ./subjects.py:store_of says, and now for what ./subjects.py:team_of says",
        ),
        (
            policy(replace(BY_STORE, subject=None)),
            policy(BY_STORE),
            "set_price always asked, and now ./subjects.py:store_of may say that a call needs no approval",
        ),
    ],
)
def test_each_kind_of_loosening_has_a_sentence(old: AgentPolicy, new: AgentPolicy, expected: str) -> None:
    assert f"merchant: {expected}." in sentences(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (policy(Rule("*")), policy(Rule("*"))),
        (policy(auto=True), policy(auto=False)),
        (policy(Rule("*", ask=False)), policy(Rule("*"))),
        (policy(Rule("*", remember="always")), policy(Rule("*", remember="once"))),
        (policy(Rule("*")), policy(Rule("*", ttl_seconds=60))),
        (policy(Rule("*", ttl_seconds=90)), policy(Rule("*", ttl_seconds=60))),
        (policy(Rule("*"), skip_read_only=True), policy(Rule("*"))),
        (policy(tool_approvals=False), policy(tool_approvals=True)),
        (policy(BY_STORE), policy(replace(BY_STORE, line=90))),
        (policy(Rule("set_price"), Rule("get_order")), policy(Rule("get_order"), Rule("set_price"))),
    ],
)
def test_a_policy_that_is_as_strict_or_stricter_has_no_loosening(old: AgentPolicy, new: AgentPolicy) -> None:
    assert sentences(old, new) == []


def test_a_function_loaded_again_from_the_same_spec_is_the_same_function() -> None:
    again = replace(BY_STORE, subject=lambda tool, tool_input: "x")
    assert sentences(policy(BY_STORE), policy(again)) == []


def test_tool_approvals_switched_off_is_about_the_agent() -> None:
    [loosening] = found(policy(Rule("*"), tool_approvals=True), policy(Rule("*")))
    assert (loosening.tool, loosening.before, loosening.after) == (None, None, None)
    assert "tools may no longer ask for approval themselves" in loosening.sentence


def test_one_change_can_loosen_in_several_ways() -> None:
    old = policy(replace(BY_STORE, ttl_seconds=60, remember="once"))
    new = policy(Rule("set_*", remember="always"))
    assert len([one for one in found(old, new) if one.tool == "set_price"]) == 3


def test_rules_about_tools_that_are_not_known_are_compared_too() -> None:
    old, new = policy(Rule("shop___*"), Rule("set_*")), policy(Rule("set_*"))
    [loosening] = found(old, new)
    assert loosening.tool == "shop___*"
    assert loosening.sentence == "merchant: shop___* asked and would now run: no rule matches it."
    exempted = policy(Rule("shop___get_*", ask=False), Rule("shop___*"), Rule("set_*"))
    assert [one.tool for one in found(old, exempted)] == ["shop___get_*"]


@pytest.mark.parametrize("pattern", ["a?c", "a[bc]d", "a[!bc]*", "[!a-z0-9]x", "x[]]y", "*"])
def test_globs_of_every_form_are_compared(pattern: str) -> None:
    assert [one.tool for one in found(policy(Rule(pattern)), policy(Rule("no_such")), {})] == [pattern]


def test_what_loosens_only_for_tools_that_are_not_known_is_found() -> None:
    old, new = policy(auto=False), policy(auto=False, skip_read_only=True)
    [one] = found(old, new, {"set_price": ToolFacts()})
    assert one.sentence == (
        "merchant: any other tool (read-only) asked and would now run: it is read-only, and skip_read_only is on."
    )
    [bare] = found(policy(), policy(auto=True), {})
    assert bare.tool == "any other tool"


def test_delegates_and_client_tools_are_judged_as_what_they_are() -> None:
    tools = {"analyst": ToolFacts("delegate"), "ask_user": ToolFacts("client")}
    old, new = policy(Rule("analyst")), policy(Rule("anal*"))
    assert [one.tool for one in found(old, new, tools)] == ["analyst"]


def test_an_agent_that_is_new_or_gone_has_not_loosened() -> None:
    asking, running = policy(auto=False), policy(auto=True)
    assert loosenings({"a": asking}, {"b": running}, {"a": TOOLS, "b": TOOLS}) == []


@given(drawn.policies(), drawn.policies(), st.dictionaries(drawn.tools, drawn.gated_facts, max_size=4))
def test_no_known_tool_loosens_unnoticed(
    old: AgentPolicy, new: AgentPolicy, tools: dict[str, ToolFacts]
) -> None:
    still = [replace(it, rules=tuple(replace(rule, subject=None) for rule in it.rules)) for it in (old, new)]
    noticed = {one.tool for one in found(still[0], still[1], tools)}
    for tool, facts in tools.items():
        before, after = (decide(Call(tool, {}), it, (), facts) for it in still)
        if before.outcome == "run":
            assert tool not in noticed
            continue
        loosened = after.outcome == "run" or SCOPES.index(after.scopes[-1]) > SCOPES.index(before.scopes[-1])
        if before.ttl_seconds is not None and after.outcome == "ask":
            loosened |= after.ttl_seconds is None or after.ttl_seconds > before.ttl_seconds
        assert (tool in noticed) == loosened


@given(drawn.policies(drawn.rules(st.none())), st.dictionaries(drawn.tools, drawn.facts, max_size=4))
def test_a_policy_never_loosens_against_itself(it: AgentPolicy, tools: dict[str, ToolFacts]) -> None:
    assert found(it, it, tools) == []
