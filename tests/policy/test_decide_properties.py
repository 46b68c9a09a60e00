"""What holds of every verdict, whatever the policy."""

import copy
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.policy import drawn
from workbench.policy import SCOPES, AgentPolicy, Call, Grant, Rule, ToolFacts, Verdict, decide


@given(drawn.calls, drawn.policies(min_rules=1), drawn.grants, drawn.gated_facts, st.booleans())
def test_the_first_rule_that_matches_wins(
    call: Call, policy: AgentPolicy, grants: Any, facts: ToolFacts, remembers: bool
) -> None:
    matching = [index for index, rule in enumerate(policy.rules) if fnmatchcase(call.tool, rule.pattern)]
    v = decide(call, policy, grants, facts, remembers=remembers)
    if not matching:
        assert v.rule_index is None
        return
    first = matching[0]
    assert (v.rule_index, v.pattern, v.line) == (first, policy.rules[first].pattern, policy.rules[first].line)
    alone = decide(call, replace(policy, rules=(policy.rules[first],)), grants, facts, remembers=remembers)
    assert replace(v, rule_index=None, trace=()) == replace(alone, rule_index=None, trace=())


@given(drawn.calls, drawn.policies(min_rules=1))
def test_a_rules_own_settings_beat_the_blocks(call: Call, policy: AgentPolicy) -> None:
    asking = tuple(replace(rule, pattern="*", ask=True, subject=None) for rule in policy.rules)
    v = decide(call, replace(policy, rules=asking), (), ToolFacts())
    rule = policy.rules[0]
    assert (v.outcome, v.because) == ("ask", "rule")
    assert v.scopes[-1] == (rule.remember or policy.remember or "once")
    assert v.ttl_seconds == (policy.ttl_seconds if rule.ttl_seconds is None else rule.ttl_seconds)


@given(drawn.calls, drawn.policies())
def test_auto_takes_the_blocks_settings(call: Call, policy: AgentPolicy) -> None:
    missing = tuple(replace(rule, pattern="nothing") for rule in policy.rules)
    v = decide(call, replace(policy, rules=missing, auto=False), (), ToolFacts())
    assert (v.outcome, v.because, v.line) == ("ask", "auto", policy.auto_line)
    assert v.scopes[-1] == (policy.remember or "thread")
    assert v.ttl_seconds == policy.ttl_seconds


@given(
    drawn.calls,
    drawn.policies(drawn.rules(drawn.broken_functions), min_rules=1),
    drawn.grants,
    drawn.gated_facts,
    st.booleans(),
)
def test_a_broken_subject_function_never_opens_a_gate(
    call: Call, policy: AgentPolicy, grants: Any, facts: ToolFacts, remembers: bool
) -> None:
    """Without its functions the policy asks at the same calls or fewer, and never offers less than once."""
    v = decide(call, policy, grants, facts, remembers=remembers)
    without = replace(policy, rules=tuple(replace(rule, subject=None) for rule in policy.rules))
    if decide(call, without, (), facts).outcome == "ask":
        assert v.outcome == "ask" or (v.because == "grant" and v.rule_index is None)
    if v.outcome == "ask" and v.rule_index is not None:
        assert v.scopes == ("once",)
        assert v.subject.key == call.tool
        assert len(v.warnings) == 1


@given(drawn.calls, drawn.policies(), drawn.grants, drawn.facts, st.booleans())
def test_decide_depends_on_nothing_but_its_arguments_and_changes_none(
    call: Call, policy: AgentPolicy, grants: tuple[Grant, ...], facts: ToolFacts, remembers: bool
) -> None:
    before = (copy.deepcopy(call.input), policy, grants, facts)
    listed = list(grants)
    first = decide(call, policy, listed, facts, remembers=remembers)
    # Other decisions in between leave no trace in the next one.
    decide(Call("delete_store", {}), replace(policy, rules=policy.rules[::-1]), (), ToolFacts())
    again = decide(
        Call(call.tool, copy.deepcopy(dict(call.input))), policy, grants, facts, remembers=remembers
    )
    assert first == again
    assert before == (call.input, policy, tuple(listed), facts)


@given(drawn.calls, drawn.policies(), drawn.grants, drawn.facts, st.booleans())
def test_every_verdict_is_whole(
    call: Call, policy: AgentPolicy, grants: tuple[Grant, ...], facts: ToolFacts, remembers: bool
) -> None:
    v = decide(call, policy, grants, facts, remembers=remembers)
    assert Verdict.from_dict(v.to_dict()) == v
    assert v.trace
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in v.trace)
    assert v.subject.key
    if v.outcome == "ask":
        assert v.because in ("rule", "auto")
        assert v.scopes == SCOPES[: len(v.scopes)]
        assert v.scopes
        assert remembers or v.scopes == ("once",)
    else:
        assert v.because != "rule"
        assert (v.scopes, v.ttl_seconds) == ((), None)
    assert (v.grant_id is not None) == (v.because == "grant")


@given(drawn.calls, st.sampled_from(drawn.KEYS), drawn.grants)
def test_a_permission_runs_only_calls_of_its_own_tool_and_subject(
    call: Call, key: str, grants: tuple[Grant, ...]
) -> None:
    policy = AgentPolicy("merchant", (Rule("*", subject=drawn.always_about(key)),))
    fitting = [g for g in grants if (g.tool, g.subject_key) == (call.tool, key) and g.scope != "once"]
    v = decide(call, policy, grants, ToolFacts())
    assert v.outcome == ("run" if fitting else "ask")
    assert v.grant_id == (fitting[0].id if fitting else None)
    lone = Grant("lone", call.tool, key, "thread")
    assert decide(call, policy, (*grants, lone), ToolFacts()).because == "grant"


@given(drawn.calls, drawn.policies(drawn.rules(st.none())), drawn.facts)
def test_what_runs_without_permissions_runs_with_them(
    call: Call, policy: AgentPolicy, facts: ToolFacts
) -> None:
    grant = Grant("g", call.tool, call.tool, "always")
    without, given_it = decide(call, policy, (), facts), decide(call, policy, (grant,), facts)
    if without.outcome == "run":
        assert given_it == without
    else:
        assert given_it.because == "grant"


@given(drawn.calls, drawn.policies(), st.sampled_from(["client", "handoff"]), drawn.grants)
def test_no_policy_gates_client_tools_and_handoffs(
    call: Call, policy: AgentPolicy, kind: Any, grants: Any
) -> None:
    assert decide(call, policy, grants, ToolFacts(kind)).because == "exempt"


@given(drawn.calls, drawn.policies())
def test_a_delegate_is_gated_by_its_own_name_alone(call: Call, policy: AgentPolicy) -> None:
    named: list[Rule] = [rule for rule in policy.rules if rule.pattern == call.tool]
    v = decide(call, policy, (), ToolFacts("delegate"))
    if not named:
        assert (v.outcome, v.because) == ("run", "unlisted")
    else:
        assert v.pattern == call.tool
