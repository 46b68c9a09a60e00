"""What the shop sold: figures read from its orders."""

import sqlite3

from strands import tool

from .shop import STORES, money, shop

MONTHS = {"september": "2025-09", "october": "2025-10"}
DEFAULT = ["revenue", "orders"]
MEASURES = ("revenue", "orders", "units", "average", "returns", "best")


@tool
def sales_figures(wanted: str = "") -> str:
    """Read sales figures from the orders of September and October 2025. Changes nothing.

    Args:
        wanted: In words, what to read: a store (Summit, Harbor), a month (September, October) and measures
            (revenue, orders, units, average order, returns, best seller). What isn't named isn't narrowed down.
    """
    words = wanted.lower()
    stores = [key for key in STORES if key in words] or list(STORES)
    months = [name for name in MONTHS if name in words] or list(MONTHS)
    measures = [name for name in MEASURES if name in words]
    period = " and ".join(name.capitalize() for name in months) + " 2025"
    with shop() as connection:
        lines = [
            f"- {STORES[store]}, {period}: {_figures(connection, store, months, measures or DEFAULT)}."
            for store in stores
        ]
    if not measures:
        lines.append(f"No measure was named that the orders can tell; they know {', '.join(MEASURES)}.")
    return "\n".join(lines)


def _figures(connection: sqlite3.Connection, store: str, months: list[str], measures: list[str]) -> str:
    chosen = [MONTHS[month] for month in months]
    rows = connection.execute(
        "SELECT order_id, name, quantity, price_cents FROM order_lines JOIN orders ON orders.id = order_id"
        f" WHERE store = ? AND substr(placed_on, 1, 7) IN ({', '.join('?' * len(chosen))})",
        (store, *chosen),
    ).fetchall()
    if not rows:
        return "no orders"
    orders = {row["order_id"] for row in rows}
    revenue = sum(row["quantity"] * row["price_cents"] for row in rows)
    sold: dict[str, int] = {}
    for row in rows:
        sold[row["name"]] = sold.get(row["name"], 0) + row["quantity"]
    best = max(sold, key=lambda name: sold[name])
    back = [
        r for r in connection.execute("SELECT order_id, refund_cents FROM returns") if r["order_id"] in orders
    ]
    said = {
        "revenue": f"revenue {money(revenue)}",
        "orders": _counted(len(orders), "order"),
        "units": _counted(sum(sold.values()), "unit"),
        "average": f"average order {money(round(revenue / len(orders)))}",
        "returns": f"{_counted(len(back), 'return')} worth {money(sum(row['refund_cents'] for row in back))}",
        "best": f"best seller {best} ({sold[best]})",
    }
    return ", ".join(said[measure] for measure in measures)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
