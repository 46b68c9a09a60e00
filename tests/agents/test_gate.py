"""The gate, alone: what each standing of a call makes of it, and that it judges exactly as `decide` says."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.gated import Gated
from tests.agents.memory_ledger import MemoryLedger, approved, finished
from tests.policy import drawn
from workbench.agents.ports import Closed, Doubtful, Edit, Ruled
from workbench.policy import AgentPolicy, Call, Grant, Rule, Subject, ToolFacts, decide

ASKS = AgentPolicy("merchant", rules=(Rule("set_price", remember="always"),))
OPEN = AgentPolicy("merchant", auto=True)
INPUT = {"sku": "A1", "price": 12}
STEP = [{"tool": "set_price", "input": INPUT}]


def gated(policy: AgentPolicy = ASKS, **more: Any) -> Gated:
    return Gated(STEP, policy, tools=["set_price"], **more)


@settings(max_examples=60)
@given(
    policy=drawn.policies(),
    call=drawn.calls,
    grants=drawn.grants,
    facts=st.builds(
        ToolFacts,
        kind=st.sampled_from(["local", "mcp", "delegate", "handoff"]),
        read_only=st.none() | st.booleans(),
        idempotent=st.none() | st.booleans(),
    ),
    remembers=st.booleans(),
)
def test_the_live_gate_pauses_exactly_when_decide_says_ask(
    policy: AgentPolicy, call: Call, grants: tuple[Grant, ...], facts: ToolFacts, remembers: bool
) -> None:
    expected = decide(copy.deepcopy(call), policy, grants, facts, remembers=remembers)
    ledger = MemoryLedger(permissions=list(grants), remembers=remembers)
    g = Gated(
        [{"tool": call.tool, "input": dict(call.input)}],
        policy,
        tools=[call.tool],
        facts={call.tool: facts},
        ledger=ledger,
    )
    stopped = g.go()
    assert ledger.verdicts == [expected]
    if expected.outcome == "ask":
        assert (stopped, g.ran(), [one.kind for one in ledger.asked]) == ("interrupt", [], ["approval"])
        assert ledger.asked[0].verdict == expected
    else:
        assert (stopped, g.ran(), ledger.asked) == ("end_turn", [call.tool], [])
        assert [grant for _, _, grant, _ in ledger.started] == [expected.grant_id]


def test_an_approval_runs_the_stored_input_whatever_the_model_says_now() -> None:
    g = gated(ledger=MemoryLedger(stands={"set_price": approved("set_price", {"sku": "B2"})}))
    g.go()
    assert g.tools["set_price"].given == [{"sku": "B2"}]


def test_an_edit_is_told_to_the_model_once() -> None:
    edit = Edit({"sku": "A1", "price": 12}, {"sku": "A1", "price": 9})
    ledger = MemoryLedger(stands={"set_price": approved("set_price", *edit.__dict__.values())})
    ledger.edits["set_price"] = edit
    g = gated(ledger=ledger)
    g.go()
    assert "The person changed the arguments" in g.read()[0] and g.read()[1:] == ["set_price ran"]


@pytest.mark.parametrize("decision", ["denied", "skipped", "expired", "superseded", "gave_up", "unknown"])
@pytest.mark.parametrize("policy", [ASKS, OPEN], ids=["asks", "open"])
def test_nothing_but_an_approval_runs_a_call(decision: Any, policy: AgentPolicy) -> None:
    ruled = Ruled("r", "approval", "set_price", decision, INPUT, None, note=f"So: {decision}", value=None)
    g = gated(policy, ledger=MemoryLedger(stands={"set_price": ruled}))
    assert g.go() == "end_turn"
    assert (g.ran(), g.read()) == ([], [f"So: {decision}"])


def test_an_approval_without_an_input_runs_nothing() -> None:
    ruled = Ruled("r", "approval", "set_price", "approved", INPUT, None, note="", value=None)
    g = gated(OPEN, ledger=MemoryLedger(stands={"set_price": ruled}))
    g.go()
    assert (g.ran(), g.read()) == ([], ["Not run"])


def test_a_result_the_journal_has_is_given_and_the_tool_is_not_called() -> None:
    g = gated(ledger=MemoryLedger(stands={"set_price": finished("it was done")}))
    g.go()
    assert (g.ran(), g.read(), g.ledger.started) == ([], ["it was done"], [])


def test_a_closed_call_stays_closed() -> None:
    g = gated(OPEN, ledger=MemoryLedger(stands={"set_price": Closed("Declined: no")}))
    g.go()
    assert (g.ran(), g.read()) == ([], ["Declined: no"])


@pytest.mark.parametrize(
    ("facts", "lost", "asks"),
    [
        (ToolFacts(), 0, True),
        (ToolFacts(read_only=False, idempotent=False), 0, True),
        (ToolFacts(read_only=True), 0, False),
        (ToolFacts(idempotent=True), 0, False),
        (ToolFacts(read_only=True), 2, True),
        (ToolFacts(kind="delegate", idempotent=True), 9, False),
    ],
)
def test_a_doubtful_call_asks_unless_it_is_harmless_and_not_lost_again_and_again(
    facts: ToolFacts, lost: int, asks: bool
) -> None:
    ledger = MemoryLedger(stands={"set_price": Doubtful(INPUT, lost)})
    g = gated(OPEN, ledger=ledger, facts={"set_price": facts})
    assert g.go() == ("interrupt" if asks else "end_turn")
    assert g.ran() == ([] if asks else ["set_price"])
    assert [one.kind for one in ledger.asked] == (["doubt"] if asks else [])
    assert [again for _, _, _, again in ledger.started] == ([] if asks else [True])


GRANT = Grant("g1", "set_price", "set_price", "always")


def test_a_permission_that_is_gone_when_the_call_starts_makes_it_ask_as_the_policy_says() -> None:
    ledger = MemoryLedger(permissions=[GRANT])
    ledger.before_start = ledger.permissions.clear
    g = gated(ledger=ledger)
    assert g.go() == "interrupt"
    assert g.ran() == []
    (asked,) = ledger.asked
    assert (asked.kind, asked.metadata["why"]) == ("approval", "withdrawn")
    assert asked.verdict is not None and asked.verdict.outcome == "ask"
    assert asked.verdict.scopes == ("once", "thread", "always") and asked.verdict.pattern == "set_price"


def test_another_permission_takes_the_place_of_one_that_is_gone() -> None:
    other = Grant("g2", "set_price", "set_price", "always")
    ledger = MemoryLedger(permissions=[GRANT])

    def swap() -> None:
        ledger.permissions[:] = [other]

    ledger.before_start = swap
    g = gated(ledger=ledger)
    assert g.go() == "end_turn"
    assert g.ran() == ["set_price"] and [grant for _, _, grant, _ in ledger.started] == ["g2"]
    assert ledger.asked == []


def test_nothing_starts_once_the_person_pressed_stop() -> None:
    ledger = MemoryLedger(stopped=True)
    g = gated(OPEN, ledger=ledger)
    g.go()
    assert (g.ran(), g.read()) == ([], ["Cancelled by the person"])
    assert ledger.closed == [("set_price", "Cancelled by the person")]


def test_the_subject_function_cannot_change_what_runs() -> None:
    def meddles(tool: str, tool_input: dict[str, Any]) -> Subject:
        tool_input["price"] = 0
        return Subject("all", "all")

    policy = AgentPolicy("merchant", rules=(Rule("set_price", subject=meddles),))
    g = gated(policy)
    g.go()
    assert g.ledger.asked[0].call.input == INPUT
    g = gated(policy, ledger=MemoryLedger(permissions=[Grant("g", "set_price", "all", "always")]))
    g.go()
    assert g.tools["set_price"].given == [INPUT]


def test_a_tool_cannot_change_the_models_words_through_its_input() -> None:
    g = gated(OPEN)
    g.go()
    g.tools["set_price"].given[0]["sku"] = "GOLD"
    proposed = next(block["toolUse"] for block in g.agent.messages[1]["content"] if "toolUse" in block)
    assert proposed["input"] == INPUT


def test_results_stand_in_the_order_of_the_calls() -> None:
    names = ["slow", "set_price", "quick"]
    g = Gated([{"tools": [{"tool": name} for name in names]}], OPEN, tools=names)
    g.go()
    assert g.read() == [f"{name} ran" for name in names]
