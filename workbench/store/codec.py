"""JSON columns: every value can be written, and what JSON can hold comes back equal.

- `bytes` are written as `{"__bytes_encoded__": true, "data": BASE64}`, the form strands' own sessions use, and
  come back as bytes.
- A dict that itself has such a key, a model can write one, is wrapped as `{"__escaped__": {...}}` and comes back as
  it was, so that nothing a model says turns into bytes on the way.
- Anything else JSON can't hold (a set, a datetime, NaN, an object of some class) is written as
  `{"__not_json__": "module.Class", "repr": "..."}` and comes back as that dict.
- Keys that are not text become text; half a surrogate pair survives.
"""

import base64
import binascii
import json
import math
from typing import Any

BYTES = "__bytes_encoded__"
ESCAPED = "__escaped__"
NOT_JSON = "__not_json__"

_BYTES_KEY = f'"{BYTES}"'
_ESCAPED_KEY = f'"{ESCAPED}"'
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_DECODER = json.JSONDecoder()
_DEEPEST = 200


def encode(value: Any) -> str:
    """Any value as compact JSON text."""
    try:
        text = _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError):
        return _encode_plain(value)
    # The C encoder can't see a dict that looks like encoded bytes; a search of the text is far cheaper than a walk.
    if _BYTES_KEY in text or _ESCAPED_KEY in text:
        return _encode_plain(value)
    return encodable(text)


def encodable(text: str) -> str:
    """The text, with half a surrogate pair as an escape, for SQLite keeps UTF-8 only.

    Inside a JSON string that escape is JSON's own, so it is read back as what it was.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def decode(text: str) -> Any:
    """The value that `encode` was given; one nested too deep for the reader's stack comes back as its text, marked."""
    try:
        value = _DECODER.decode(text)
        return _restored(value) if _BYTES_KEY in text or _ESCAPED_KEY in text else value
    except RecursionError:
        return {NOT_JSON: "nested too deep", "repr": text}


def canonical(value: Any) -> str:
    """One text for equal values, whatever the order of their keys; `false` and `0` stay two."""
    return json.dumps(json.loads(encode(value)), sort_keys=True)


def encode_optional(value: Any | None) -> str | None:
    """Like `encode`, but None is SQL's NULL."""
    return None if value is None else encode(value)


def decode_optional(text: str | None) -> Any:
    """Like `decode`, and NULL is None."""
    return None if text is None else decode(text)


def _encode_plain(value: Any) -> str:
    plain = _plain(value, 0, ())
    return encodable(_ENCODER.encode(plain))


def _plain(value: Any, depth: int, above: tuple[int, ...]) -> Any:
    match value:
        case None | bool():
            return value
        case str():
            return str(value)
        case int():
            return _plain_int(value)
        case float():
            return float(value) if math.isfinite(value) else _marked(value)
        case bytes() | bytearray() | memoryview():
            return {BYTES: True, "data": base64.b64encode(bytes(value)).decode("ascii")}
        case dict() | list() | tuple() if depth >= _DEEPEST or id(value) in above:
            return _marked(value)
        case dict():
            inner = (*above, id(value))
            copy = {_key(key): _plain(item, depth + 1, inner) for key, item in value.items()}
            return {ESCAPED: copy} if BYTES in copy or ESCAPED in copy else copy
        case list() | tuple():
            inner = (*above, id(value))
            return [_plain(item, depth + 1, inner) for item in value]
        case _:
            return _marked(value)


def _plain_int(value: int) -> Any:
    try:
        int.__repr__(value)
    except ValueError:  # Python refuses to write out integers of thousands of digits in decimal.
        return {NOT_JSON: "int", "repr": hex(value)}
    return int(value)


def _key(key: Any) -> str:
    match key:
        case str():
            return str(key)
        case None:
            return "null"
        case bool():
            return "true" if key else "false"
        case _:
            return _repr(key)


def _marked(value: Any) -> dict[str, str]:
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return {NOT_JSON: name, "repr": _repr(value)}


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception as error:  # A stranger's __repr__ may raise anything; the value still has to be stored.
        return f"<{type(value).__qualname__}, whose repr raises {type(error).__qualname__}>"


def _restored(value: Any) -> Any:
    match value:
        case dict():
            if value.keys() == {ESCAPED} and isinstance(value[ESCAPED], dict):
                return {key: _restored(item) for key, item in value[ESCAPED].items()}
            if value.keys() == {BYTES, "data"} and value[BYTES] is True and isinstance(value["data"], str):
                return _bytes(value)
            return {key: _restored(item) for key, item in value.items()}
        case list():
            return [_restored(item) for item in value]
        case _:
            return value


def _bytes(value: dict[str, Any]) -> Any:
    try:
        return base64.b64decode(value["data"], validate=True)
    except (binascii.Error, ValueError):
        return value
