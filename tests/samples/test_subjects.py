"""What a remembered decision of the merchant covers."""

import pytest

from tests.samples.play import CONFIGS, load
from workbench.config import ImportSpecs, annotation_facts, policy_for
from workbench.policy import Call, Grant, Verdict, decide


def verdict(tool: str, tool_input: dict[str, object], *grants: Grant) -> Verdict:
    config = load("merchant.yaml")
    policy = policy_for(config, "merchant", ImportSpecs(CONFIGS))
    return decide(Call(tool, tool_input), policy, grants, annotation_facts(config, tool))


def test_a_price_in_summit_asks_and_may_be_allowed_for_the_chat_in_summit_only() -> None:
    asked = verdict("set_price", {"store": "summit", "sku": "A1", "price": 12})
    assert (asked.outcome, asked.because, asked.pattern) == ("ask", "rule", "set_price")
    assert (asked.subject.key, asked.subject.label) == ("store:summit/prices", "prices in Summit Outfitters")
    assert (asked.scopes, asked.ttl_seconds) == (("once", "thread"), 600)

    grant = Grant(id="g1", tool="set_price", subject_key=asked.subject.key, scope="thread")
    assert verdict("set_price", {"store": "summit", "sku": "B2", "price": 9}, grant).because == "grant"
    assert verdict("set_price", {"store": "harbor", "sku": "B2", "price": 9}, grant).outcome == "ask"


def test_a_store_nobody_knows_covers_the_whole_tool_and_only_once() -> None:
    asked = verdict("set_price", {"store": "moon", "sku": "A1", "price": 12})
    assert (asked.outcome, asked.subject.key, asked.scopes) == ("ask", "set_price", ("once",))
    assert asked.warnings


def test_a_return_may_be_allowed_always_for_its_reason() -> None:
    asked = verdict("create_return", {"order_id": "1003", "reason": "too small"})
    assert (asked.outcome, asked.scopes) == ("ask", ("once", "thread", "always"))
    assert asked.subject.key == "returns:too small"
    assert verdict("create_return", {"order_id": "1003"}).subject.key == "returns:changed my mind"


def test_deleting_a_store_is_allowed_once_at_a_time() -> None:
    assert verdict("delete_store", {"store": "summit"}).scopes == ("once",)


@pytest.mark.parametrize("tool", ["search_catalog", "get_order"])
def test_tools_that_only_look_run(tool: str) -> None:
    looked = verdict(tool, {})
    assert (looked.outcome, looked.because) == ("run", "read_only")


def test_a_tool_that_no_rule_names_asks_too() -> None:
    assert verdict("send_newsletter", {}).outcome == "ask"
