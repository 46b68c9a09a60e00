"""What a remembered decision covers. Each function gets the tool's name and its input.

It answers with `{"key": …, "label": …}`: the key is compared, the label is what people read on the card. `None`
would say that the call needs no approval. An error never opens a gate: the call asks, for once at most.
"""

from typing import Any

from .tools.shop import STORES

REASONS = ("too small", "too large", "damaged", "wrong item", "changed my mind")


def store_of(tool_name: str, tool_input: dict[str, Any]) -> dict[str, str]:
    """Prices of one store: allowing them in Summit leaves Harbor asking. Raises: `KeyError` for another store."""
    store = tool_input["store"]
    return {"key": f"store:{store}/prices", "label": f"prices in {STORES[store]}"}


def reason_of(tool_name: str, tool_input: dict[str, Any]) -> dict[str, str]:
    """Returns for one reason. Raises: `ValueError` for a reason the tool doesn't know."""
    reason = tool_input.get("reason", "changed my mind")
    if reason not in REASONS:
        raise ValueError(f"{reason!r} is not a reason for a return; use one of {', '.join(REASONS)}")
    return {"key": f"returns:{reason}", "label": f"returns with the reason “{reason}”"}
