"""MCP tools in a run: real servers, under the gate like any other tool."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.runs.harness import Bench
from workbench.policy.answer import Approved, GaveUp

SERVER = Path(__file__).parents[1] / "agents" / "mcp_servers" / "shop.py"


def config(script: list[dict[str, Any]], *, command: list[str] | None = None) -> dict[str, Any]:
    return {
        "version": "1",
        "mcp_clients": {"shop": {"command": command or [sys.executable, str(SERVER)], "startup_timeout": 20}},
        "agents": {
            "merchant": {
                "model": {
                    "provider": "scripted",
                    "params": {"script": script, "final_text": "{{last_result}}"},
                },
                "mcp": ["shop"],
                "interrupt": {"tools": ["*"], "skip_read_only": True},
            }
        },
    }


def test_what_a_server_declares_read_only_runs_and_the_rest_asks(bench: Callable[..., Bench]) -> None:
    table = bench(
        config(
            [
                {"tool": "get_price", "input": {"item": "A1"}},
                {"tool": "set_price", "input": {"item": "A1", "price": 9}},
            ]
        )
    )
    table.say("go")
    card = table.card()
    assert card.tool == "set_price"
    table.restart()
    table.answer(Approved())
    table.until("idle")
    assert table.said()[-1] == "A1 costs 9"


def test_a_server_that_cannot_start_costs_its_tools_and_not_the_run(bench: Callable[..., Bench]) -> None:
    table = bench(config([{"text": "I am here."}], command=["./no-such-server"]))
    table.say("go")
    table.until("idle")
    notices = [notice for view in table.views() for notice in view.notices]
    assert notices and "shop" in notices[0]


def test_a_server_that_dies_in_a_call_leaves_a_doubt_and_no_second_call(bench: Callable[..., Bench]) -> None:
    table = bench(config([{"tool": "delete_store", "input": {"name": "north", "die": True}}]))
    table.say("go")
    assert table.card().kind == "approval"
    table.answer(Approved())
    table.until("waiting")
    card = table.card()
    assert card.kind == "doubt"
    assert "connection" in card.because_sentence
    table.answer(GaveUp())
    table.until("idle")
    assert (table.folder / "deleted.txt").read_text().split() == ["north"]
