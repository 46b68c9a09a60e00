"""Hypothesis strategies for policies, calls and what comes with them."""

from typing import Any

from hypothesis import strategies as st

from workbench.policy import SCOPES, AgentPolicy, Call, Grant, Rule, Subject, ToolFacts

# Few names and patterns that often meet, so that rules match, shadow each other and miss.
TOOLS = ["set_price", "set_stock", "get_order", "delete_store", "shop___get_item", "analyst"]
PATTERNS = ["*", "set_*", "get_*", "*_store", "shop___*", "shop___get_*", "[gs]et_*", "nothing", *TOOLS]
KEYS = ["store:summit", "store:harbour", *TOOLS]

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
inputs = st.dictionaries(st.text(max_size=6), json_values, max_size=4)
tools = st.sampled_from(TOOLS)
scopes = st.sampled_from(SCOPES)
seconds = st.none() | st.integers(1, 10_000)


def always_about(key: str) -> Any:
    """A subject function that says the same of every call."""
    return lambda tool, tool_input: {"key": key, "label": f"about {key}"}


def no_approval_needed(tool: str, tool_input: dict[str, Any]) -> None:
    return None


def raises(tool: str, tool_input: dict[str, Any]) -> Any:
    raise LookupError("no such store")


working_functions = st.sampled_from(KEYS).map(always_about) | st.just(no_approval_needed)
nonsense: st.SearchStrategy[Any] = (
    st.just("")
    | st.just("  \n")
    | st.integers()
    | st.booleans()
    | st.floats()
    | st.binary(max_size=3)
    | st.lists(st.text(max_size=3), max_size=2)
    | st.just({})
    | st.fixed_dictionaries({"label": st.text(max_size=3)})
    | st.fixed_dictionaries(
        {"key": st.none() | st.integers() | st.just("") | st.lists(st.text(), max_size=1)}
    )
    | st.fixed_dictionaries({"key": st.just("store:summit"), "label": st.none() | st.integers()})
    | st.builds(Subject, key=st.just(""), label=st.text(max_size=3))
)
broken_functions = nonsense.map(lambda returned: lambda tool, tool_input: returned) | st.just(raises)


def rules(functions: st.SearchStrategy[Any] = st.none() | working_functions | broken_functions) -> Any:
    return st.builds(
        Rule,
        pattern=st.sampled_from(PATTERNS),
        ask=st.sampled_from([True, True, True, False]),
        remember=st.none() | scopes,
        subject=functions,
        subject_spec=st.none() | st.just("./subjects.py:store_of"),
        ttl_seconds=seconds,
        line=st.none() | st.integers(1, 200),
    )


def policies(rule: Any = rules(), min_rules: int = 0) -> Any:
    return st.builds(
        AgentPolicy,
        agent=st.just("merchant"),
        rules=st.lists(rule, min_size=min_rules, max_size=5).map(tuple),
        auto=st.none() | st.booleans(),
        default_auto=st.booleans(),
        skip_read_only=st.booleans(),
        remember=st.none() | scopes,
        ttl_seconds=seconds,
        auto_line=st.none() | st.integers(1, 200),
    )


facts = st.builds(
    ToolFacts,
    kind=st.sampled_from(["local", "mcp", "client", "delegate", "handoff"]),
    read_only=st.none() | st.booleans(),
    idempotent=st.none() | st.booleans(),
)
gated_facts = st.builds(
    ToolFacts, kind=st.sampled_from(["local", "mcp"]), read_only=st.none() | st.booleans()
)
calls = st.builds(Call, tool=tools, input=inputs)
grants = st.lists(
    st.builds(Grant, id=st.uuids().map(str), tool=tools, subject_key=st.sampled_from(KEYS), scope=scopes),
    max_size=4,
).map(tuple)
