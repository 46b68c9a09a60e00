"""Which permission covers a call."""

import pytest

from workbench.policy import Grant, matching_grant

SUMMIT = Grant("g1", "set_price", "store:summit", "thread")


def test_the_first_grant_for_the_tool_and_subject_is_found() -> None:
    other = Grant("g0", "set_price", "store:harbour", "always")
    later = Grant("g2", "set_price", "store:summit", "always")
    assert matching_grant([other, SUMMIT, later], "set_price", "store:summit") is SUMMIT


@pytest.mark.parametrize(
    ("tool", "key"),
    [
        ("set_prices", "store:summit"),
        ("set_price", "store:summit/catalog"),
        ("set_price", "store:*"),
        ("*", "*"),
    ]
    + [("set_price", ""), ("", "store:summit"), ("SET_PRICE", "store:summit")],
)
def test_nothing_but_the_exact_tool_and_subject_matches(tool: str, key: str) -> None:
    assert matching_grant([SUMMIT], tool, key) is None


def test_a_grant_is_never_a_wildcard() -> None:
    assert matching_grant([Grant("g", "*", "*", "always")], "set_price", "store:summit") is None
    assert matching_grant([Grant("g", "set_price", "", "always")], "set_price", "") is None


def test_an_approval_once_is_no_permission_for_another_call() -> None:
    assert (
        matching_grant([Grant("g", "set_price", "store:summit", "once")], "set_price", "store:summit") is None
    )
