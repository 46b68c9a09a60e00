"""The shop's tools change the shop's file, and say in a sentence what they can't do."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.samples.conftest import Query
from tests.samples.play import CONFIGS, load, tools_of


@pytest.fixture(scope="module")
def tools() -> dict[str, Any]:
    merchant, analyst = load("merchant.yaml"), load("analyst.yaml")
    return tools_of(merchant, "merchant") | tools_of(analyst, "analyst")


def run(tool: Any, **tool_input: Any) -> tuple[str, str]:
    """Call a tool as an agent does: its status and its text."""

    async def last() -> Any:
        use = {"toolUseId": "t1", "name": tool.tool_name, "input": tool_input}
        return [event async for event in tool.stream(use, {})][-1]

    result = asyncio.run(last()).tool_result
    return result["status"], result["content"][0]["text"]


def test_a_new_shop_has_two_stores_twelve_items_and_eight_orders(tools: dict[str, Any], query: Query) -> None:
    run(tools["search_catalog"])
    counts = (
        "SELECT (SELECT count(*) FROM stores), (SELECT count(*) FROM items), (SELECT count(*) FROM orders)"
    )
    assert query(counts) == [(2, 12, 8)]


def test_set_price_changes_one_item_of_one_store_in_cents(tools: dict[str, Any], query: Query) -> None:
    assert run(tools["set_price"], store="summit", sku="a1", price=12.07) == (
        "success",
        "Trail socks (A1) in Summit Outfitters now costs 12.07 USD; it was 10.50 USD.",
    )
    assert query("SELECT store, price_cents FROM items WHERE sku = 'A1' ORDER BY store") == [
        ("harbor", 3200),
        ("summit", 1207),
    ]
    assert query("SELECT count(*) FROM changes") == [(1,)]


@pytest.mark.parametrize("price", [0, -1, 10_001, 12.345])
def test_set_price_refuses_what_is_no_price(tools: dict[str, Any], query: Query, price: float) -> None:
    run(tools["search_catalog"])
    status, _ = run(tools["set_price"], store="summit", sku="A1", price=price)
    assert status == "error"
    assert query("SELECT price_cents FROM items WHERE store = 'summit' AND sku = 'A1'") == [(1050,)]


def test_an_unknown_sku_is_answered_with_the_nearest_one(tools: dict[str, Any]) -> None:
    assert run(tools["set_price"], store="summit", sku="B9", price=5) == (
        "error",
        "Error: Summit Outfitters has no item 'B9'; the nearest is 'B1' (Ridge tent, 2 persons).",
    )


def test_an_unknown_order_is_answered_with_the_nearest_one(tools: dict[str, Any]) -> None:
    status, text = run(tools["get_order"], order_id="1009")
    assert status == "error"
    assert text.startswith("Error: There is no order '1009'; the nearest is '1001' (Ada Marsh).")


def test_a_return_refunds_the_order_and_restocks_it_once(tools: dict[str, Any], query: Query) -> None:
    assert run(tools["create_return"], order_id="1003", reason="too small") == (
        "success",
        "Return 1 is open for order 1003 (too small); 119.00 USD goes back to Carmen Ortiz.",
    )
    status, text = run(tools["create_return"], order_id="1003", reason="too small")
    assert (status, text) == (
        "error",
        "Error: Order 1003 already came back as return 1; nothing was refunded.",
    )
    assert query("SELECT refund_cents FROM returns") == [(11900,)]
    assert query("SELECT stock FROM items WHERE store = 'summit' AND sku = 'A2'") == [(15,)]
    assert "came back as return 1: too small" in run(tools["get_order"], order_id="1003")[1]


def test_what_came_back_damaged_is_not_for_sale_again(tools: dict[str, Any], query: Query) -> None:
    run(tools["create_return"], order_id="1003", reason="damaged")
    assert query("SELECT stock FROM items WHERE store = 'summit' AND sku = 'A2'") == [(14,)]


def test_deleting_a_store_leaves_the_other_and_the_orders_it_was_told_to_keep(
    tools: dict[str, Any], query: Query
) -> None:
    assert run(tools["delete_store"], store="summit", keep_orders=True) == (
        "success",
        "Summit Outfitters is gone, with 6 items; its 4 orders are kept.",
    )
    assert query("SELECT key FROM stores") == [("harbor",)]
    assert query("SELECT count(*) FROM orders") == [(8,)]
    assert run(tools["set_price"], store="summit", sku="A1", price=5) == (
        "error",
        "Error: There is no store 'summit'; open stores: harbor.",
    )


def test_deleting_a_store_with_its_orders_deletes_their_lines_and_returns(
    tools: dict[str, Any], query: Query
) -> None:
    run(tools["create_return"], order_id="1002")
    run(tools["delete_store"], store="harbor", keep_orders=False)
    assert query("SELECT DISTINCT store FROM orders") == [("summit",)]
    assert query("SELECT count(*) FROM returns") == [(0,)]
    assert query("SELECT count(*) FROM order_lines WHERE order_id NOT IN (SELECT id FROM orders)") == [(0,)]


def test_a_shop_whose_stores_are_all_deleted_is_not_filled_again(tools: dict[str, Any], query: Query) -> None:
    run(tools["delete_store"], store="summit")
    run(tools["delete_store"], store="harbor")
    assert run(tools["search_catalog"]) == ("success", "There is nothing in the catalogue.")
    assert run(tools["set_price"], store="summit", sku="A1", price=5)[1].endswith("every store is closed.")


def test_the_catalogue_is_searched_by_words_in_one_store_or_in_both(tools: dict[str, Any]) -> None:
    assert run(tools["search_catalog"], words="tents")[1].splitlines() == [
        "- Ridge tent, 2 persons (tents), B1 in Summit Outfitters: 189.00 USD, 8 in stock",
        "- Family tent, 4 persons (tents), B3 in Summit Outfitters: 349.00 USD, 3 in stock",
    ]
    assert len(run(tools["search_catalog"], words="A1")[1].splitlines()) == 2
    assert run(tools["search_catalog"], words="A1", store="harbor")[1].startswith("- Sea charts")
    assert (
        run(tools["search_catalog"], words="submarine")[1] == "Nothing in the catalogue matches 'submarine'."
    )


def test_sales_figures_add_up_what_the_orders_say(tools: dict[str, Any]) -> None:
    assert run(tools["sales_figures"], wanted="revenue and orders of Summit in October")[1] == (
        "- Summit Outfitters, October 2025: revenue 391.00 USD, 1 order."
    )
    run(tools["create_return"], order_id="1006", reason="too large")
    assert run(tools["sales_figures"], wanted="returns, units and best seller of summit")[1] == (
        "- Summit Outfitters, September and October 2025: 14 units, 1 return worth 391.00 USD, "
        "best seller Trail socks (7)."
    )


def test_sales_figures_say_which_measures_there_are_when_none_is_named(tools: dict[str, Any]) -> None:
    lines = run(tools["sales_figures"], wanted="the mood of the customers")[1].splitlines()
    assert len(lines) == 3
    assert "they know revenue, orders, units" in lines[-1]


def test_every_parameter_is_described_and_closed_sets_are_enums(tools: dict[str, Any]) -> None:
    for tool in tools.values():
        schema = tool.tool_spec["inputSchema"]["json"]
        jsonschema.Draft202012Validator.check_schema(schema)
        for name, parameter in schema["properties"].items():
            assert not parameter["description"].startswith("Parameter "), f"{tool.tool_name}.{name}"
    price = tools["set_price"].tool_spec["inputSchema"]["json"]["properties"]
    assert price["store"]["enum"] == ["summit", "harbor"]
    assert (price["price"]["exclusiveMinimum"], price["price"]["maximum"]) == (0, 10_000)
    assert (
        "too small" in tools["create_return"].tool_spec["inputSchema"]["json"]["properties"]["reason"]["enum"]
    )


def test_a_file_that_is_another_database_is_left_alone(
    tools: dict[str, Any], query: Query, shop_file: Path
) -> None:
    shop_file.parent.mkdir()
    query("CREATE TABLE mine (x)")
    status, text = run(tools["search_catalog"])
    assert status == "error"
    assert "holds something other than the shop" in text
    assert query("SELECT name FROM sqlite_master") == [("mine",)]


def test_a_file_that_is_no_database_is_a_sentence(tools: dict[str, Any], shop_file: Path) -> None:
    shop_file.parent.mkdir()
    shop_file.write_text("not a database, whatever its name says" * 50)
    status, text = run(tools["search_catalog"])
    assert status == "error"
    assert "can't be used now: file is not a database" in text


def test_processes_that_start_together_fill_the_shop_once(query: Query) -> None:
    program = (
        "import sys; from pathlib import Path; from workbench.config import ImportSpecs;"
        f"s = ImportSpecs(Path({str(CONFIGS)!r}));"
        "print(s.load('./tools/catalog.py:search_catalog')().count('in stock'))"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in started] == ["12", "12", "12"]
    assert query("SELECT count(*) FROM items") == [(12,)]
