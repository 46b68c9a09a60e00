"""Whole stores."""

from typing import Literal

from strands import tool

from .shop import log, shop, store_name


@tool
def delete_store(store: Literal["summit", "harbor"], keep_orders: bool = True) -> str:
    """Delete a store with everything on its shelves. There is no way back.

    Args:
        store: The store to delete.
        keep_orders: Keep its past orders and returns for the books.
    """
    with shop() as connection:
        name = store_name(connection, store)
        items = connection.execute("DELETE FROM items WHERE store = ?", (store,)).rowcount
        orders = connection.execute("SELECT count(*) FROM orders WHERE store = ?", (store,)).fetchone()[0]
        if not keep_orders:
            connection.execute(
                "DELETE FROM returns WHERE order_id IN (SELECT id FROM orders WHERE store = ?)", (store,)
            )
            connection.execute("DELETE FROM orders WHERE store = ?", (store,))
        connection.execute("DELETE FROM stores WHERE key = ?", (store,))
        kept = f"its {orders} orders are kept" if keep_orders else f"its {orders} orders are deleted too"
        what = f"{name} is gone, with {items} items; {kept}."
        log(connection, what)
    return what
