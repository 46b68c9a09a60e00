"""A tool that can't be judged by its name: what a call changes stands in its arguments, and its service asks."""

import sqlite3
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Literal

from pydantic import Field
from strands import ToolContext, tool

from workbench.approval_service import Asked, NotPermitted

from ..shop_service import Change, Mutation, service
from .shop import ToolError, cents, find_item, log, money, shop, store_name


@tool(context=True)
def run_mutation(
    store: Literal["summit", "harbor"],
    change: Change,
    tool_context: ToolContext,
    skus: list[str] = Field(min_length=1, max_length=20),
    value: float | None = Field(default=None),
) -> Any:
    """Change some items of one store. The shop may ask a person to approve a change before it makes it.

    Args:
        store: The store that sells the items.
        change: What to do: set_price (value in US dollars), change_price (value in percent, such as -10),
            set_stock (value in pieces) or remove (no value).
        skus: The items' codes on that store's shelf, such as A1.
        value: The new price, the percentage or the new stock.
    """
    mutation = Mutation(store=store, change=change, skus=tuple(skus), value=value)
    asker = tool_context.invocation_state.get("workbench") or {}
    try:
        standing = service().authorize(
            mutation.model_dump(mode="json"),
            tool="run_mutation",
            call_id=tool_context.tool_use["toolUseId"],
            person=asker.get("person", ""),
            conversation=asker.get("conversation_id", ""),
        )
    except NotPermitted as refused:
        raise ToolError(str(refused)) from refused
    if isinstance(standing, Asked):
        return standing.reply
    return _change(mutation)


def _change(mutation: Mutation) -> str:
    with shop() as connection:
        done = [_change_item(connection, mutation, sku) for sku in mutation.skus]
        what = f"{store_name(connection, mutation.store)}: {'; '.join(done)}."
        log(connection, what)
    return what


def _change_item(connection: sqlite3.Connection, mutation: Mutation, sku: str) -> str:
    item = find_item(connection, mutation.store, sku)
    called = f"{item['name']} ({item['sku']})"
    here = (mutation.store, item["sku"])
    value = Decimal(str(mutation.value or 0))
    match mutation.change:
        case "remove":
            connection.execute("DELETE FROM items WHERE store = ? AND sku = ?", here)
            return f"{called} is removed"
        case "set_stock":
            connection.execute("UPDATE items SET stock = ? WHERE store = ? AND sku = ?", (int(value), *here))
            return f"{called} has {int(value)} in stock, it had {item['stock']}"
        case "set_price":
            new = cents(value)
        case "change_price":
            exact = item["price_cents"] * (100 + value) / 100
            new = max(1, int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP)))
    connection.execute("UPDATE items SET price_cents = ? WHERE store = ? AND sku = ?", (new, *here))
    return f"{called} costs {money(new)}, it was {money(item['price_cents'])}"
