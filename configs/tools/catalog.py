"""The catalogue: looking things up and changing prices."""

from typing import Literal

from pydantic import Field
from strands import tool

from .shop import cents, find_item, log, money, shop, store_name


@tool
def search_catalog(words: str = "", store: Literal["any", "summit", "harbor"] = "any") -> str:
    """Look through the catalogue: every item with its store, sku, price and stock. Changes nothing.

    Args:
        words: What to look for in names, kinds and skus, such as "tents". Empty lists everything.
        store: The store to look in.
    """
    wanted = [word.lower().rstrip("s") for word in words.split()]
    with shop() as connection:
        rows = connection.execute(
            "SELECT items.*, stores.name AS store_name FROM items JOIN stores ON stores.key = items.store"
            " WHERE ? IN ('any', store) ORDER BY store DESC, sku",
            (store,),
        ).fetchall()
    found = [
        row for row in rows if all(w in f"{row['sku']} {row['name']} {row['kind']}".lower() for w in wanted)
    ]
    if not found:
        where = "the catalogue" if store == "any" else f"store {store!r}"
        return f"Nothing in {where} matches {words!r}." if wanted else f"There is nothing in {where}."
    return "\n".join(
        f"- {row['name']} ({row['kind']}), {row['sku']} in {row['store_name']}: "
        f"{money(row['price_cents'])}, {row['stock']} in stock"
        for row in found
    )


@tool
def set_price(
    store: Literal["summit", "harbor"],
    sku: str = Field(pattern=r"^[A-Za-z][0-9]{1,3}$"),
    price: float = Field(gt=0, le=10_000),
) -> str:
    """Set the price of one item in a store.

    Args:
        store: The store that sells the item.
        sku: The item's code on that store's shelf, such as A1.
        price: The new price in US dollars, with at most two decimals.
    """
    new = cents(price)
    with shop() as connection:
        item = find_item(connection, store, sku)
        connection.execute(
            "UPDATE items SET price_cents = ? WHERE store = ? AND sku = ?", (new, store, item["sku"])
        )
        what = (
            f"{item['name']} ({item['sku']}) in {store_name(connection, store)} now costs {money(new)}; "
            f"it was {money(item['price_cents'])}."
        )
        log(connection, what)
    return what
