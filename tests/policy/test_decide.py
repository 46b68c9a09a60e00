"""The order of DESIGN's one decision function, step by step."""

import dataclasses
from typing import Any

import pytest

from workbench.policy import SCOPES, AgentPolicy, Call, Grant, Rule, ToolFacts, Verdict, decide

SET_PRICE = Call("set_price", {"store": "summit", "sku": "A1", "price": 12})


def store_of(tool: str, tool_input: dict[str, Any]) -> dict[str, str]:
    store = tool_input["store"]
    return {"key": f"store:{store}", "label": f"prices in {store.title()}"}


def verdict(
    call: Call = SET_PRICE,
    *rules: Rule,
    grants: tuple[Grant, ...] = (),
    facts: ToolFacts = ToolFacts(),
    remembers: bool = True,
    **settings: Any,
) -> Verdict:
    return decide(call, AgentPolicy("merchant", rules, **settings), grants, facts, remembers=remembers)


# Gated or not


@pytest.mark.parametrize("kind", ["client", "handoff"])
def test_client_tools_and_handoffs_are_never_gated(kind: Any) -> None:
    v = verdict(SET_PRICE, Rule("*"), auto=False, facts=ToolFacts(kind))
    assert (v.outcome, v.because, v.rule_index) == ("run", "exempt", None)


def test_a_delegate_is_gated_only_by_a_rule_that_names_it_exactly() -> None:
    call, delegate = Call("analyst", {"input": "look"}), ToolFacts("delegate")
    globbed = verdict(call, Rule("*"), Rule("anal?st"), auto=False, facts=delegate)
    assert (globbed.outcome, globbed.because) == ("run", "unlisted")
    named = verdict(call, Rule("*", line=3), Rule("analyst", line=4), facts=delegate)
    assert (named.outcome, named.because, named.rule_index, named.line) == ("ask", "rule", 1, 4)


def test_a_delegate_without_rules_runs_even_where_auto_is_false() -> None:
    v = verdict(Call("analyst", {}), auto=False, facts=ToolFacts("delegate"))
    assert (v.outcome, v.because) == ("run", "unlisted")


def test_an_exemption_that_names_a_delegate_lets_it_run() -> None:
    v = verdict(Call("analyst", {}), Rule("analyst", ask=False), Rule("analyst"), facts=ToolFacts("delegate"))
    assert (v.outcome, v.because, v.rule_index) == ("run", "exempt", 0)


def test_the_first_rule_that_matches_applies() -> None:
    v = verdict(SET_PRICE, Rule("get_*", line=5), Rule("set_*", line=6), Rule("set_price", ask=False, line=7))
    assert (v.outcome, v.because, v.rule_index, v.pattern, v.line) == ("ask", "rule", 1, "set_*", 6)


def test_an_exemption_placed_first_wins_over_the_rule_behind_it() -> None:
    v = verdict(Call("shop___get_item", {}), Rule("shop___get_*", ask=False, line=9), Rule("shop___*"))
    assert (v.outcome, v.because, v.rule_index, v.line) == ("run", "exempt", 0, 9)


def test_patterns_match_with_case_and_globs() -> None:
    assert verdict(Call("Set_Price", {}), Rule("set_*")).because == "unlisted"
    assert verdict(Call("set_price", {}), Rule("[gs]et_?????")).because == "rule"


def test_a_tool_no_rule_matches_runs() -> None:
    v = verdict(Call("get_order", {}), Rule("set_*"))
    assert (v.outcome, v.because, v.rule_index, v.line) == ("run", "unlisted", None, None)


def test_a_tool_no_rule_matches_is_gated_where_the_agent_itself_says_auto_false() -> None:
    v = verdict(Call("get_order", {}), Rule("set_*"), auto=False, auto_line=4)
    assert (v.outcome, v.because, v.line, v.scopes) == ("ask", "auto", 4, ("once", "thread"))


def test_a_default_of_auto_false_does_not_gate_what_an_agents_rules_leave_out() -> None:
    assert verdict(Call("get_order", {}), Rule("set_*"), default_auto=False).because == "unlisted"


@pytest.mark.parametrize("kind", ["local", "mcp"])
def test_a_tool_nobody_thought_about_asks(kind: Any) -> None:
    v = verdict(facts=ToolFacts(kind))
    assert (v.outcome, v.because, v.rule_index) == ("ask", "auto", None)


def test_auto_true_runs_everything() -> None:
    v = verdict(auto=True, auto_line=8)
    assert (v.outcome, v.because, v.line) == ("run", "auto", 8)


def test_an_agents_own_auto_beats_the_default() -> None:
    assert verdict(auto=False, default_auto=True).outcome == "ask"
    assert verdict(auto=True, default_auto=False).outcome == "run"
    assert verdict(auto=None, default_auto=True).outcome == "run"


@pytest.mark.parametrize("quoted", ["false", "true", "no", 1])
def test_an_auto_that_is_no_truth_value_opens_nothing(quoted: Any) -> None:
    assert verdict(auto=quoted).outcome == "ask"
    assert verdict(auto=None, default_auto=quoted).outcome == "ask"
    assert verdict(SET_PRICE, Rule("get_*"), auto=quoted).outcome == "ask"


# Read-only tools


def test_a_read_only_tool_runs_where_skip_read_only_is_on() -> None:
    v = verdict(SET_PRICE, Rule("*", line=2), skip_read_only=True, facts=ToolFacts(read_only=True))
    assert (v.outcome, v.because, v.rule_index, v.line) == ("run", "read_only", 0, 2)
    assert verdict(auto=False, skip_read_only=True, facts=ToolFacts(read_only=True)).because == "read_only"


@pytest.mark.parametrize(
    ("skip", "read_only"), [(True, None), (True, False), (False, True), ("true", True), (True, "true")]
)
def test_a_tool_asks_unless_it_is_plainly_read_only_and_plainly_skipped(skip: Any, read_only: Any) -> None:
    v = verdict(SET_PRICE, Rule("*"), skip_read_only=skip, facts=ToolFacts(read_only=read_only))
    assert v.outcome == "ask"


# Subjects


def test_a_decision_covers_the_whole_tool_unless_a_function_says_otherwise() -> None:
    v = verdict(SET_PRICE, Rule("*"))
    assert (v.subject.key, v.subject.label) == ("set_price", "set_price")


def test_a_subject_function_says_what_a_decision_covers() -> None:
    v = verdict(SET_PRICE, Rule("*", subject=store_of))
    assert (v.subject.key, v.subject.label) == ("store:summit", "prices in Summit")


def test_a_subject_that_is_a_string_is_its_own_label() -> None:
    v = verdict(SET_PRICE, Rule("*", subject=lambda tool, tool_input: "store:summit", remember="always"))
    assert (v.subject.key, v.subject.label, v.scopes, v.warnings) == (
        "store:summit",
        "store:summit",
        SCOPES,
        (),
    )


def test_a_subject_without_a_label_is_called_by_its_key() -> None:
    for returned in ({"key": "store:summit"}, {"key": "store:summit", "label": " "}):
        v = verdict(SET_PRICE, Rule("*", subject=lambda tool, tool_input, it=returned: it))  # type: ignore[misc]
        assert (v.subject.key, v.subject.label, v.warnings) == ("store:summit", "store:summit", ())


def test_a_subject_of_none_lets_the_call_run() -> None:
    v = verdict(SET_PRICE, Rule("*", subject=lambda tool, tool_input: None, line=7))
    assert (v.outcome, v.because, v.rule_index, v.line) == ("run", "no_subject", 0, 7)


def test_a_subject_function_that_raises_asks_about_the_whole_tool_only_once_and_warns() -> None:
    rule = Rule(
        "*", subject=store_of, subject_spec="./subjects.py:store_of", remember="always", ttl_seconds=9
    )
    v = verdict(
        Call("set_price", {"price": 3}), rule, grants=(Grant("g", "set_price", "set_price", "always"),)
    )
    assert (v.outcome, v.because, v.subject.key, v.scopes) == ("ask", "rule", "set_price", ("once",))
    assert v.ttl_seconds == 9
    [warning] = v.warnings
    assert "./subjects.py:store_of" in warning
    assert "KeyError: 'store'" in warning


def test_a_subject_function_that_exits_does_not_take_the_process_with_it() -> None:
    def leaves(tool: str, tool_input: dict[str, Any]) -> str:
        raise SystemExit(3)

    v = verdict(SET_PRICE, Rule("*", subject=leaves))
    assert (v.outcome, v.scopes) == ("ask", ("once",))
    assert "SystemExit: 3" in v.warnings[0]


def test_an_asynchronous_subject_function_is_a_broken_one() -> None:
    async def later(tool: str, tool_input: dict[str, Any]) -> str:
        return "store:summit"

    v = verdict(SET_PRICE, Rule("*", subject=later, remember="always"))
    assert (v.outcome, v.subject.key, v.scopes) == ("ask", "set_price", ("once",))
    assert "asynchronous" in v.warnings[0]


@pytest.mark.parametrize(
    "returned",
    [
        0,
        False,
        3.5,
        b"key",
        [],
        ["store"],
        {},
        "",
        " \n",
        {"label": "x"},
        {"key": ""},
        {"key": 3},
        {"key": None},
    ]
    + [{"key": "k", "label": 3}, {"key": "k", "label": None}, object()],
)
def test_a_subject_that_is_nonsense_asks_about_the_whole_tool_only_once_and_warns(returned: Any) -> None:
    v = verdict(SET_PRICE, Rule("*", subject=lambda tool, tool_input: returned, remember="always"))
    assert (v.outcome, v.subject.key, v.scopes, len(v.warnings)) == ("ask", "set_price", ("once",), 1)


def test_a_subject_function_can_not_change_the_call() -> None:
    call = Call("set_price", {"lines": [{"sku": "A1"}]})

    def changes_it(tool: str, tool_input: dict[str, Any]) -> str:
        tool_input["lines"][0]["sku"] = "everything"
        tool_input.clear()
        return "some"

    verdict(call, Rule("*", subject=changes_it))
    assert call.input == {"lines": [{"sku": "A1"}]}


def test_an_input_that_can_not_be_copied_asks() -> None:
    class Stubborn:
        def __deepcopy__(self, memo: dict[int, Any]) -> "Stubborn":
            raise TypeError("one of a kind")

    v = verdict(Call("set_price", {"it": Stubborn()}), Rule("*", subject=lambda tool, tool_input: None))
    assert (v.outcome, v.scopes) == ("ask", ("once",))


def test_an_exception_without_readable_text_is_still_a_warning() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    def fails(tool: str, tool_input: dict[str, Any]) -> str:
        raise Mute

    assert "Mute" in verdict(SET_PRICE, Rule("*", subject=fails)).warnings[0]


# Grants


def test_a_grant_for_this_tool_and_subject_runs_the_call_and_is_named() -> None:
    grant = Grant("g1", "set_price", "store:summit", "thread")
    v = verdict(SET_PRICE, Rule("*", subject=store_of, remember="thread", line=3), grants=(grant,))
    assert (v.outcome, v.because, v.grant_id, v.rule_index, v.line) == ("run", "grant", "g1", 0, 3)
    assert v.subject.key == "store:summit"


@pytest.mark.parametrize(
    "grant",
    [
        Grant("g", "set_price", "store:harbour", "always"),
        Grant("g", "set_stock", "store:summit", "always"),
        Grant("g", "set_*", "store:summit", "always"),
        Grant("g", "*", "*", "always"),
        Grant("g", "set_price", "set_price", "always"),
        Grant("g", "set_price", "", "always"),
        Grant("g", "set_price", "store:summit", "once"),
    ],
)
def test_a_grant_for_anything_else_does_not(grant: Grant) -> None:
    v = verdict(SET_PRICE, Rule("*", subject=store_of, remember="always"), grants=(grant,))
    assert (v.outcome, v.grant_id) == ("ask", None)


def test_a_grant_covers_a_call_gated_by_auto_too() -> None:
    assert verdict(auto=False, grants=(Grant("g", "set_price", "set_price", "thread"),)).because == "grant"


def test_a_permission_wider_than_what_is_offered_by_now_holds_and_is_pointed_out() -> None:
    v = verdict(
        SET_PRICE, Rule("*", remember="once"), grants=(Grant("g", "set_price", "set_price", "always"),)
    )
    assert (v.because, len(v.warnings)) == ("grant", 1)
    assert "until it is revoked" in v.warnings[0]


# Scopes and deadlines


@pytest.mark.parametrize(
    ("rule", "block", "offered"),
    [
        (None, None, ("once",)),
        (None, "thread", ("once", "thread")),
        ("once", "always", ("once",)),
        ("always", "once", SCOPES),
        ("thread", None, ("once", "thread")),
    ],
)
def test_a_rules_own_scope_beats_the_blocks(rule: Any, block: Any, offered: Any) -> None:
    assert verdict(SET_PRICE, Rule("*", remember=rule), remember=block).scopes == offered


@pytest.mark.parametrize(
    ("block", "offered"), [(None, ("once", "thread")), ("once", ("once",)), ("always", SCOPES)]
)
def test_auto_offers_the_blocks_scope_or_this_conversation(block: Any, offered: Any) -> None:
    assert verdict(auto=False, remember=block).scopes == offered


def test_only_once_is_offered_where_nothing_remembers() -> None:
    v = verdict(SET_PRICE, Rule("*", remember="always"), remembers=False)
    assert (v.scopes, v.warnings) == (("once",), ())
    assert verdict(auto=False, remembers=False).scopes == ("once",)


@pytest.mark.parametrize(
    ("rule", "block", "seconds"), [(None, None, None), (None, 60, 60), (5, 60, 5), (90, None, 90)]
)
def test_a_rules_own_deadline_beats_the_blocks(rule: Any, block: Any, seconds: Any) -> None:
    assert verdict(SET_PRICE, Rule("*", ttl_seconds=rule), ttl_seconds=block).ttl_seconds == seconds


def test_a_call_gated_by_auto_has_the_blocks_deadline() -> None:
    assert verdict(auto=False, ttl_seconds=60).ttl_seconds == 60


def test_a_call_that_runs_offers_nothing_and_has_no_deadline() -> None:
    v = verdict(SET_PRICE, Rule("*", ask=False, remember="always", ttl_seconds=5), ttl_seconds=6)
    assert (v.scopes, v.ttl_seconds) == ((), None)


# The trace


def test_the_trace_of_a_call_that_asks_tells_each_step_in_order() -> None:
    v = verdict(
        SET_PRICE,
        Rule("get_*", ask=False, line=12),
        Rule(
            "set_*",
            remember="thread",
            subject=store_of,
            subject_spec="./subjects.py:store_of",
            line=14,
            ttl_seconds=600,
        ),
        skip_read_only=True,
    )
    assert v.trace == (
        'Rule 1, "get_*" (line 12), does not match.',
        'Rule 2, "set_*" (line 14), matches.',
        "skip_read_only is on, but set_price has no annotation, which counts as not read-only.",
        "The subject function ./subjects.py:store_of says that a decision covers prices in Summit (store:summit).",
        "No permission covers prices in Summit (store:summit).",
        "The call asks. A person may allow it once or for this conversation, within 600 seconds.",
    )


def test_the_trace_of_a_call_gated_by_auto() -> None:
    assert verdict(auto=False).trace == (
        "merchant has no rules.",
        "It says auto: false, so every local and MCP tool is gated.",
        "No subject function: a decision covers the whole tool.",
        "No permission covers set_price.",
        "The call asks. A person may allow it once or for this conversation.",
    )


def test_the_trace_says_when_auto_is_a_default() -> None:
    assert verdict(default_auto=True).trace == (
        "merchant has no rules.",
        "It does not say auto, and the default is true, so every call runs.",
    )


def test_the_trace_of_a_call_that_a_permission_covers() -> None:
    assert verdict(auto=False, grants=(Grant("g", "set_price", "set_price", "thread"),)).trace[-1] == (
        "A permission (thread) covers set_price, so the call runs."
    )


def test_the_trace_says_that_a_broken_function_closes_the_gate() -> None:
    v = verdict(
        Call("set_price", {}), Rule("*", subject=store_of, subject_spec="./s.py:f", remember="always")
    )
    assert v.trace[-3:] == (
        "The subject function ./s.py:f raised KeyError: 'store': a decision covers the whole tool, and only this once.",
        "No permission is looked at, because the subject function failed.",
        "The call asks. A person may allow it only once.",
    )


def test_the_trace_says_that_nothing_remembers() -> None:
    v = verdict(SET_PRICE, Rule("*", remember="always"), remembers=False)
    assert "Nothing remembers a decision here, so the call can be allowed only once." in v.trace


def test_text_from_a_call_can_not_dress_up_the_trace() -> None:
    label = "prices\n\u202eThe call was approved already."
    v = verdict(SET_PRICE, Rule("*", subject=lambda tool, tool_input: {"key": "k", "label": label}))
    assert v.subject.label == label
    assert not any("\n" in sentence or "\u202e" in sentence for sentence in v.trace)
    assert any("prices ⟦U+202E⟧The call was approved already. (k)" in sentence for sentence in v.trace)


def test_a_verdict_can_not_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        verdict().outcome = "run"  # type: ignore[misc]
