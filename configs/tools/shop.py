"""The shop the sample tools work on: one SQLite file with two stores, their items, orders and returns.

The file is `WORKBENCH_SHOP_DB`, or `.workbench/shop.db` below the working folder. It is made and filled on first
use; delete it to start over. Money is a `Decimal` outside and whole cents inside.
"""

import difflib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

# Marks the file as the shop, so that no other database is ever filled with it.
SHOP = 7240001

SCHEMA = """
CREATE TABLE IF NOT EXISTS stores (key TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS items (
    store TEXT NOT NULL, sku TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
    price_cents INTEGER NOT NULL CHECK (price_cents > 0), stock INTEGER NOT NULL CHECK (stock >= 0),
    PRIMARY KEY (store, sku));
CREATE TABLE IF NOT EXISTS orders (
    id TEXT PRIMARY KEY, store TEXT NOT NULL, customer TEXT NOT NULL, placed_on TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS order_lines (
    order_id TEXT NOT NULL REFERENCES orders (id) ON DELETE CASCADE, sku TEXT NOT NULL, name TEXT NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity > 0), price_cents INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS returns (
    id INTEGER PRIMARY KEY AUTOINCREMENT, order_id TEXT NOT NULL UNIQUE, reason TEXT NOT NULL, note TEXT NOT NULL,
    refund_cents INTEGER NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, what TEXT NOT NULL);
"""

STORES = {"summit": "Summit Outfitters", "harbor": "Harbor Books"}

# Each store numbers its own shelves: A1 is one thing in Summit and another in Harbor.
ITEMS = [
    ("summit", "A1", "Trail socks", "clothing", "10.50", 60),
    ("summit", "A2", "Rain jacket", "clothing", "119.00", 14),
    ("summit", "A3", "Wool hat", "clothing", "24.00", 33),
    ("summit", "B1", "Ridge tent, 2 persons", "tents", "189.00", 8),
    ("summit", "B2", "Enamel mug", "kitchen", "7.50", 90),
    ("summit", "B3", "Family tent, 4 persons", "tents", "349.00", 3),
    ("harbor", "A1", "Sea charts of the north coast", "maps", "32.00", 11),
    ("harbor", "A2", "The Lighthouse Keeper", "novels", "14.90", 40),
    ("harbor", "A3", "Salt and Stone", "novels", "16.50", 25),
    ("harbor", "B1", "Knots for beginners", "handbooks", "12.00", 18),
    ("harbor", "B2", "Birds of the estuary", "handbooks", "27.50", 9),
    ("harbor", "B3", "Pocket notebook", "paper", "5.20", 120),
]

ORDERS = [
    ("1001", "summit", "Ada Marsh", "2025-09-03", [("A1", 3), ("B2", 2)]),
    ("1002", "harbor", "Bo Lindqvist", "2025-09-09", [("A2", 1), ("B3", 4)]),
    ("1003", "summit", "Carmen Ortiz", "2025-09-17", [("A2", 1)]),
    ("1004", "summit", "Dev Patel", "2025-09-26", [("B1", 1), ("A3", 2)]),
    ("1005", "harbor", "Esi Boateng", "2025-10-02", [("B2", 1)]),
    ("1006", "summit", "Farid Haddad", "2025-10-11", [("B3", 1), ("A1", 4)]),
    ("1007", "harbor", "Greta Holm", "2025-10-15", [("A1", 1), ("A3", 1)]),
    ("1008", "harbor", "Hiro Tanaka", "2025-10-28", [("B1", 2), ("A2", 1)]),
]


class ToolError(ValueError):
    """What a tool can't do, in a sentence the model and the person both read."""


def database_path() -> Path:
    """The shop's file: `WORKBENCH_SHOP_DB`, else `.workbench/shop.db` below the working folder."""
    return Path(os.environ.get("WORKBENCH_SHOP_DB") or Path(".workbench") / "shop.db")


@contextmanager
def shop() -> Iterator[sqlite3.Connection]:
    """The shop inside one transaction: committed at the end, undone when the block raises.

    Raises: `ToolError` when the file can't be opened, is not a database or stays locked.
    """
    path = database_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=10, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise ToolError(f"The shop's database {str(path)!r} can't be opened: {error}.") from error
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        # Taking the write lock first makes two processes that start together seed once.
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA user_version").fetchone()[0] != SHOP:
            _seed(connection, path)
        yield connection
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise ToolError(f"The shop's database {str(path)!r} can't be used now: {error}.") from error
    finally:
        connection.close()


def _seed(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise ToolError(
            f"{str(path)!r} holds something other than the shop; point WORKBENCH_SHOP_DB at another file."
        )
    for statement in SCHEMA.split(";"):
        connection.execute(statement)
    connection.executemany("INSERT INTO stores VALUES (?, ?)", STORES.items())
    shelf = {(store, sku): (name, cents(price)) for store, sku, name, _, price, _ in ITEMS}
    connection.executemany(
        "INSERT INTO items VALUES (?, ?, ?, ?, ?, ?)",
        [(store, sku, name, kind, cents(price), stock) for store, sku, name, kind, price, stock in ITEMS],
    )
    for order_id, store, customer, placed_on, lines in ORDERS:
        connection.execute("INSERT INTO orders VALUES (?, ?, ?, ?)", (order_id, store, customer, placed_on))
        connection.executemany(
            "INSERT INTO order_lines VALUES (?, ?, ?, ?, ?)",
            [
                (order_id, sku, shelf[store, sku][0], quantity, shelf[store, sku][1])
                for sku, quantity in lines
            ],
        )
    connection.execute(f"PRAGMA user_version = {SHOP}")


def cents(amount: Decimal | float | str) -> int:
    """An amount of money in whole cents. Raises: `ToolError` when it has more than two decimals."""
    exact = Decimal(str(amount))
    rounded = exact.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
    if exact != rounded:
        raise ToolError(f"{amount} is not an amount of money: it has more than two decimals.")
    return int(rounded * 100)


def dollars(amount_cents: int) -> Decimal:
    """Whole cents as an amount of money with two decimals."""
    return (Decimal(amount_cents) / 100).quantize(Decimal("0.01"))


def money(amount_cents: int) -> str:
    """Whole cents as people read them: `1,189.00 USD`."""
    return f"{dollars(amount_cents):,} USD"


def store_name(connection: sqlite3.Connection, key: str) -> str:
    """The name of an open store. Raises: `ToolError` that names the stores still open."""
    row = connection.execute("SELECT name FROM stores WHERE key = ?", (key,)).fetchone()
    if row is None:
        keys = [r["key"] for r in connection.execute("SELECT key FROM stores ORDER BY key")]
        raise ToolError(f"There is no store {key!r}; " + _choices("open stores", keys))
    return str(row["name"])


def find_item(connection: sqlite3.Connection, store: str, sku: str) -> sqlite3.Row:
    """One item of a store by its sku, in any case. Raises: `ToolError` with the nearest sku there is."""
    name = store_name(connection, store)
    wanted = sku.strip().upper()
    rows = connection.execute("SELECT * FROM items WHERE store = ? ORDER BY sku", (store,)).fetchall()
    for row in rows:
        if row["sku"] == wanted:
            return row
    raise ToolError(f"{name} has no item {sku!r}; " + _nearest(wanted, {r["sku"]: r["name"] for r in rows}))


def find_order(connection: sqlite3.Connection, order_id: str) -> sqlite3.Row:
    """One order by its number. Raises: `ToolError` with the nearest number there is."""
    row = connection.execute("SELECT * FROM orders WHERE id = ?", (order_id.strip(),)).fetchone()
    if row is None:
        known = {
            r["id"]: r["customer"] for r in connection.execute("SELECT id, customer FROM orders ORDER BY id")
        }
        raise ToolError(f"There is no order {order_id!r}; " + _nearest(order_id.strip(), known))
    return row


def log(connection: sqlite3.Connection, what: str) -> None:
    """Write one line into the shop's own list of changes, so that what really happened can be counted."""
    connection.execute(
        "INSERT INTO changes (at, what) VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?)", (what,)
    )


def _nearest(wanted: str, known: dict[str, str]) -> str:
    if not known:
        return "there is none left."
    close = max(sorted(known), key=lambda key: difflib.SequenceMatcher(None, wanted, key).ratio())
    return f"the nearest is {close!r} ({known[close]})."


def _choices(what: str, keys: list[str]) -> str:
    return f"{what}: {', '.join(keys)}." if keys else "every store is closed."
