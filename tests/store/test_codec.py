"""JSON columns: every value can be written; what JSON can hold comes back equal."""

import base64
import datetime
import decimal
import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strands.types.session import decode_bytes_values, encode_bytes_values

from workbench.store.codec import canonical, decode, encode

plain_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text() | st.sampled_from(["__bytes_encoded__", "data", "__escaped__", "__not_json__"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(plain_values)
@example({"__bytes_encoded__": True, "data": "aGk="})
@example({"__escaped__": {"__bytes_encoded__": True, "data": "aGk="}})
@example({"__bytes_encoded__": True, "data": b"hi"})
@example([{"__bytes_encoded__": True, "data": "not base64!"}, b"\x00\xff"])
@example("half a pair: \ud83d")
@example({"\udc00": ["\ud800", 'quoted "__bytes_encoded__" text']})
@example("nul \x00 and \u2028")
def test_what_json_and_bytes_can_hold_comes_back_equal(value: Any) -> None:
    text = encode(value)
    text.encode("utf-8")
    assert decode(text) == value
    assert type(decode(text)) is type(value)


def test_bytes_are_written_the_way_strands_sessions_write_them() -> None:
    message = {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}]}
    assert json.loads(encode(message)) == encode_bytes_values(message)
    assert decode(json.dumps(encode_bytes_values(message))) == decode_bytes_values(
        encode_bytes_values(message)
    )


class Odd:
    def __repr__(self) -> str:
        return "an odd thing"


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        ({3}, "set", "{3}"),
        (datetime.date(2026, 3, 1), "datetime.date", "datetime.date(2026, 3, 1)"),
        (decimal.Decimal("1.50"), "decimal.Decimal", "Decimal('1.50')"),
        (math.nan, "float", "nan"),
        (-math.inf, "float", "-inf"),
        (Odd(), f"{__name__}.Odd", "an odd thing"),
        (Broken(), f"{__name__}.Broken", "<Broken, whose repr raises RuntimeError>"),
    ],
)
def test_what_json_can_not_hold_is_written_as_marked_text(value: Any, kind: str, shown: str) -> None:
    marked = {"__not_json__": kind, "repr": shown}
    assert decode(encode(value)) == marked
    assert decode(encode({"deep": [value, 1]})) == {"deep": [marked, 1]}


def test_a_number_too_long_for_decimal_digits_is_written_in_hexadecimal() -> None:
    assert decode(encode([10**5000])) == [{"__not_json__": "int", "repr": hex(10**5000)}]


def test_keys_that_are_not_text_become_text() -> None:
    assert decode(encode({7: "a", None: "b", True: "c", (1, 2): "d"})) == {
        "7": "a",
        "null": "b",
        "true": "c",
        "(1, 2)": "d",
    }


def test_tuples_come_back_as_lists() -> None:
    assert decode(encode((1, (2, {3})))) == [1, [2, {"__not_json__": "set", "repr": "{3}"}]]


def test_a_value_that_holds_itself_is_cut_where_it_repeats() -> None:
    round_and_round: dict[str, Any] = {"name": "loop"}
    round_and_round["again"] = round_and_round
    found = decode(encode(round_and_round))
    assert found["name"] == "loop"
    assert found["again"]["__not_json__"] == "dict"


def test_a_value_nested_beyond_reason_is_still_written_and_read() -> None:
    deep: Any = "bottom"
    for _ in range(100_000):
        deep = [deep]
    found = decode(encode(deep))
    while isinstance(found, list):
        found = found[0]
    assert found["__not_json__"] in ("list", "nested too deep")
    assert decode("[" * 100_000 + "]" * 100_000)["__not_json__"] == "nested too deep"


def test_broken_base64_is_left_as_it_is() -> None:
    assert decode('{"__bytes_encoded__":true,"data":"%%%"}') == {"__bytes_encoded__": True, "data": "%%%"}
    assert decode('{"__bytes_encoded__":true,"data":7}') == {"__bytes_encoded__": True, "data": 7}


def test_five_megabytes_are_a_value_like_any_other() -> None:
    value = {"content": [{"text": "ä" * 2_500_000}, {"bytes": base64.b64decode("AAAA") * 100_000}]}
    assert decode(encode(value)) == value


def test_one_text_for_equal_values_and_two_for_false_and_zero() -> None:
    assert canonical({"a": 1, "b": [None]}) == canonical({"b": [None], "a": 1})
    assert len({canonical({"value": value}) for value in (None, False, 0, "", [], {})}) == 6
