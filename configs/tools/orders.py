"""Orders and what comes back of them."""

from typing import Literal

from pydantic import Field
from strands import tool

from .shop import ToolError, find_order, log, money, shop

Reason = Literal["too small", "too large", "damaged", "wrong item", "changed my mind"]


@tool
def get_order(order_id: str = Field(pattern=r"^[0-9]{4}$")) -> str:
    """Show one order: who placed it, when, where, what is in it and whether it came back. Changes nothing.

    Args:
        order_id: The number of the order, such as 1003.
    """
    with shop() as connection:
        order = find_order(connection, order_id)
        lines = connection.execute("SELECT * FROM order_lines WHERE order_id = ?", (order["id"],)).fetchall()
        back = connection.execute("SELECT * FROM returns WHERE order_id = ?", (order["id"],)).fetchone()
    items = ", ".join(f"{line['quantity']} × {line['name']} ({line['sku']})" for line in lines)
    total = money(sum(line["quantity"] * line["price_cents"] for line in lines))
    state = f" It came back as return {back['id']}: {back['reason']}." if back else ""
    head = f"Order {order['id']} of {order['customer']}, {order['placed_on']}, store {order['store']}"
    return f"{head}: {items}. Together {total}.{state}"


@tool
def create_return(
    order_id: str = Field(pattern=r"^[0-9]{4}$"),
    reason: Reason = "changed my mind",
    note: str = Field(default="", max_length=2_000),
) -> str:
    """Take a whole order back: refund it and put its items into stock again.

    Args:
        order_id: The number of the order, such as 1003.
        reason: Why it comes back.
        note: What the customer said, in their own words.
    """
    with shop() as connection:
        order = find_order(connection, order_id)
        earlier = connection.execute("SELECT id FROM returns WHERE order_id = ?", (order["id"],)).fetchone()
        if earlier:
            raise ToolError(
                f"Order {order['id']} already came back as return {earlier['id']}; nothing was refunded."
            )
        lines = connection.execute("SELECT * FROM order_lines WHERE order_id = ?", (order["id"],)).fetchall()
        refund = sum(line["quantity"] * line["price_cents"] for line in lines)
        cursor = connection.execute(
            "INSERT INTO returns (order_id, reason, note, refund_cents, created_at)"
            " VALUES (?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
            (order["id"], reason, note, refund),
        )
        # What is thrown away doesn't go back on the shelf.
        if reason != "damaged":
            connection.executemany(
                "UPDATE items SET stock = stock + ? WHERE store = ? AND sku = ?",
                [(line["quantity"], order["store"], line["sku"]) for line in lines],
            )
        what = (
            f"Return {cursor.lastrowid} is open for order {order['id']} ({reason}); "
            f"{money(refund)} goes back to {order['customer']}."
        )
        log(connection, what)
    return what
