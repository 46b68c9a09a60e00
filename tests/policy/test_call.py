"""The digest that recognises a call's input."""

import json
import subprocess
import sys
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given

from tests.policy import drawn
from workbench.policy import digest


@given(drawn.inputs)
def test_a_digest_survives_a_round_trip_through_json(tool_input: dict[str, object]) -> None:
    assert digest(json.loads(json.dumps(tool_input))) == digest(tool_input)


@given(drawn.inputs)
def test_a_digest_does_not_depend_on_the_order_of_the_fields(tool_input: dict[str, object]) -> None:
    assert digest(dict(reversed(tool_input.items()))) == digest(tool_input)


@given(drawn.inputs, drawn.inputs)
def test_two_inputs_share_a_digest_only_if_their_json_is_the_same(
    one: dict[str, object], other: dict[str, object]
) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (digest(one) == digest(other)) == same


@pytest.mark.parametrize("one", [1, 1.0, True, "1", [1], {"1": 1}, None, "", 0, False, [], {}, "null"])
@pytest.mark.parametrize("other", [1, 1.0, True, "1", [1], {"1": 1}, None, "", 0, False, [], {}, "null"])
def test_values_that_python_calls_equal_have_digests_of_their_own(one: object, other: object) -> None:
    same = (type(one), one) == (type(other), other)
    assert (digest({"it": one}) == digest({"it": other})) == same


def test_values_that_json_can_not_say_have_stable_digests() -> None:
    class Plain:
        pass

    values = {"d": date(2026, 3, 14), "n": Decimal("1.50"), "b": b"\x00", "o": Plain(), "s": {"a", "b", "c"}}
    other = {**values, "o": Plain(), "s": {"c", "b", "a"}}
    assert digest(values) == digest(other)
    assert digest(values) != digest({**values, "n": Decimal("1.5")})


def test_a_set_has_the_same_digest_in_every_process() -> None:
    program = "from workbench.policy import digest; print(digest({'s': {'ab', 'cd', 'ef', 'gh', 'ij'}}))"
    run = [sys.executable, "-c", program]
    seen = {
        subprocess.run(run, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_keys_count_as_json_writes_them() -> None:
    assert digest({2: "a", None: "b", True: "c"}) == digest({"2": "a", "null": "b", "true": "c"})  # type: ignore[dict-item]


def test_two_keys_that_json_would_merge_both_count() -> None:
    assert digest({1: "a", "1": "b"}) != digest({"1": "b"})  # type: ignore[dict-item]


def test_lone_surrogates_have_a_digest() -> None:
    assert digest({"t": "\ud800"}) != digest({"t": "\ud801"})
