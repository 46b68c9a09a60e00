"""What only the holder of a secret can make: the token of a host's decisions, and the hash of a call."""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

SHORTEST_SECRET: Final = 16
"""Bytes; 128 bits."""


def sign(decisions: Sequence[Mapping[str, Any]], secret: bytes) -> str:
    """The token by which a host proves that exactly these decisions, in this order, are its own.

    Raises:
        TypeError: a decision holds something that JSON can't say.
    """
    return _hmac(secret, b"decisions", list(decisions))


def is_signed(decisions: Sequence[Mapping[str, Any]], secret: bytes, token: str) -> bool:
    """Whether a token is that of these decisions."""
    try:
        right = sign(decisions, secret)
    except (TypeError, ValueError, RecursionError):
        return False
    return isinstance(token, str) and hmac.compare_digest(right.encode(), token.encode("utf-8", "replace"))


def call_hash(secret: bytes, tool: str, resource: str, arguments: Mapping[str, Any]) -> str:
    """The exact call as one value, which gives nothing of the arguments away, not even to who guesses them.

    Raises:
        TypeError: the arguments hold something that JSON can't say.
    """
    return _hmac(secret, b"call", [tool, resource, arguments])


def decision_hash(secret: bytes, *said: Any) -> str:
    """What a person said as one value, by which a repeat of it is known."""
    return _hmac(secret, b"decision", list(said))


def _hmac(secret: bytes, purpose: bytes, value: Any) -> str:
    # Plain mappings in place of any other kind, so that both sides of a call write the same JSON.
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), default=_plain)
    return hmac.new(secret, purpose + b"\n" + canonical.encode(), hashlib.sha256).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a call's arguments are JSON, and {value!r} is not")
