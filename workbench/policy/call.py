"""A tool call as a policy sees it, and the digest that recognises its input."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

# A default repr carries the object's address, which differs in every process.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


@dataclass(frozen=True)
class Call:
    """One tool call: the tool's name and the input it was called with."""

    tool: str
    input: Mapping[str, Any]


def digest(input: Mapping[str, Any]) -> str:
    """The SHA-256, in hex, of an input's canonical JSON.

    Equal inputs have equal digests in every process and after a round trip through JSON: the order of keys
    does not matter, tuples count as lists, and a value that JSON can't say counts as its `repr`. Inputs that
    differ at all, if only as `1`, `1.0`, `true` and `"1"` do, have different digests.
    """
    return hashlib.sha256(_canonical(input).encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(value: Any) -> str:
    match value:
        case None | bool() | int() | float() | str():
            return json.dumps(value, ensure_ascii=False)
        case Mapping():
            members = (f"{_key(key)}:{_canonical(member)}" for key, member in value.items())
            return "{" + ",".join(sorted(members)) + "}"
        case bytes() | bytearray():
            return _text(repr(value))
        case Set():
            # A set of strings has another order, and so another repr, in each process.
            return _text(f"{type(value).__name__}({', '.join(sorted(_canonical(item) for item in value))})")
        case Sequence():
            return "[" + ",".join(_canonical(item) for item in value) + "]"
        case _:
            return _text(_ADDRESS.sub("", repr(value)))


def _key(key: Any) -> str:
    # JSON turns these keys into strings, so an input that was stored and read back has them as strings.
    if key is None or isinstance(key, bool | int | float):
        return _text(json.dumps(key))
    return _text(key if isinstance(key, str) else _ADDRESS.sub("", repr(key)))


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
