"""How a connection to a real MCP server lives: shared, looked at, lost in the middle of a call, made again, closed."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.agents.mcp_talk import (
    SLEEPER,
    Called,
    CallUnderWay,
    call,
    calling,
    config_with,
    eventually,
    kill,
    named,
    runs,
    serving,
    shop,
    starts,
)
from tests.agents.talk import agent
from workbench.agents import mcp, mcp_connection
from workbench.agents.mcp import McpPool
from workbench.agents.outcome import OutcomeUnknown
from workbench.agents.scripted import ScriptedModel

UNKNOWN = "Unknown: this call was started and may have happened. MCP client 'shop' got no answer to it"


@pytest.fixture
def pool() -> Iterator[McpPool]:
    made = McpPool()
    yield made
    made.close()


def deleted(folder: Path) -> list[str]:
    log = folder / "deleted.txt"
    return log.read_text().split() if log.exists() else []


def under_way(pool: McpPool, calls: int = 1) -> bool:
    return sum(connection._calls for connection in pool._connections.values()) == calls


def alive(pool: McpPool) -> bool:
    return any(connection.live() for connection in pool._connections.values())


def is_unknown(called: Called) -> bool:
    """Whether it says to the model, and to who journals it, that the call may have happened."""
    said = called.result["status"] == "error" and called.text.startswith(UNKNOWN)
    return said and isinstance(called.exception, OutcomeUnknown)


def test_a_server_is_started_once_for_many_runs(pool: McpPool, tmp_path: Path) -> None:
    config = config_with(tmp_path, {"shop": {"command": shop()}})
    pids = {call(pool.tools_for(config, "a"), "where").json["pid"] for _ in range(3)}
    assert list(pids) == starts(tmp_path)


def test_runs_that_start_at_once_start_a_server_once(pool: McpPool, tmp_path: Path) -> None:
    config = config_with(tmp_path, {"shop": {"command": shop()}})
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: pool.tools_for(config, "a"), range(4)))
    assert all(len(one.tools) == len(found[0].tools) > 0 for one in found)
    assert len(starts(tmp_path)) == 1


def test_runs_that_wait_for_one_server_hear_together_that_it_fails_and_the_next_tries_again(
    pool: McpPool, tmp_path: Path
) -> None:
    config = config_with(tmp_path, {"shop": {"command": ["python", "-c", SLEEPER], "startup_timeout": 2}})
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda _: pool.tools_for(config, "a"), range(3)))
    assert [len(one.problems) for one in found] == [1, 1, 1]
    assert len(starts(tmp_path)) == 1
    pool.tools_for(config, "a")
    assert len(starts(tmp_path)) == 2
    assert not any(runs(pid) for pid in starts(tmp_path))


def test_a_server_that_is_slow_but_in_time_is_waited_for(pool: McpPool, tmp_path: Path) -> None:
    found = pool.tools_for(config_with(tmp_path, {"shop": {"command": shop("--sleep", "1")}}), "a")
    assert call(found, "get_price", item="tea").text == "tea costs 12"


def test_the_limit_is_on_the_start_and_not_on_what_comes_after(pool: McpPool, tmp_path: Path) -> None:
    pool.tools_for(config_with(tmp_path, {"shop": {"command": shop()}}), "a")
    (connection,) = pool._connections.values()
    _, limit = connection.live()._limit
    assert eventually(lambda: limit.when() is None)


def test_a_server_that_dies_in_a_call_leaves_it_in_doubt_and_the_next_run_connects_again(
    pool: McpPool, tmp_path: Path
) -> None:
    config = config_with(tmp_path, {"shop": {"command": shop()}})
    found = pool.tools_for(config, "a")
    lost = call(found, "delete_store", name="tea-house", die=True)
    assert is_unknown(lost)
    assert "Find out whether it did" in lost.text
    assert deleted(tmp_path) == ["tea-house"]
    again = pool.tools_for(config, "a")
    assert not again.problems
    assert call(again, "get_price", item="tea").text == "tea costs 12"
    assert len(starts(tmp_path)) == 2
    assert deleted(tmp_path) == ["tea-house"]


def test_a_lost_call_of_a_tool_that_may_run_twice_is_no_doubt(pool: McpPool, tmp_path: Path) -> None:
    config = config_with(tmp_path, {"shop": {"command": shop()}})
    lost = call(pool.tools_for(config, "a"), "get_price", item="tea", die=True)
    assert lost.text.startswith("Failed: MCP client 'shop' got no answer")
    assert "declares this tool read-only, so it may be called again" in lost.text
    assert not isinstance(lost.exception, OutcomeUnknown)
    lost = call(pool.tools_for(config, "a"), "set_price", item="tea", price=1, die=True)
    assert "declares this tool idempotent, so it may be called again" in lost.text


def test_calls_beside_the_one_that_killed_the_server_are_in_doubt_too(pool: McpPool, tmp_path: Path) -> None:
    found = pool.tools_for(config_with(tmp_path, {"shop": {"command": shop()}}), "a")
    beside = CallUnderWay(found, "nap", seconds=600)
    eventually(lambda: under_way(pool))
    assert is_unknown(call(found, "delete_store", name="tea-house", die=True))
    assert is_unknown(beside.result())


def test_a_call_to_a_server_that_died_meanwhile_is_sent_to_a_new_one(pool: McpPool, tmp_path: Path) -> None:
    found = pool.tools_for(config_with(tmp_path, {"shop": {"command": shop()}}), "a")
    kill(starts(tmp_path)[0])
    eventually(lambda: not alive(pool))
    assert call(found, "delete_store", name="tea-house").text == "tea-house is gone"
    assert deleted(tmp_path) == ["tea-house"]


def test_a_call_to_a_server_that_cannot_be_had_again_is_not_run_and_says_so(
    pool: McpPool, tmp_path: Path
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    found = pool.tools_for(config_with(tmp_path, {"shop": {"command": shop(), "cwd": "inside"}}), "a")
    kill(starts(inside)[0])
    eventually(lambda: not alive(pool))
    inside.rename(tmp_path / "elsewhere")
    lost = call(found, "delete_store", name="tea-house")
    assert lost.result["status"] == "error" and not isinstance(lost.exception, OutcomeUnknown)
    assert lost.text == f"Not run: MCP client 'shop': the folder it starts in, {inside}, does not exist"


def test_a_server_too_busy_to_list_its_tools_has_those_it_listed_last(
    pool: McpPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_connection, "RELIST_SECONDS", 0.2)
    config = config_with(tmp_path, {"shop": {"command": shop()}})
    found = pool.tools_for(config, "a")
    busy = CallUnderWay(found, "freeze", seconds=2)
    eventually(lambda: under_way(pool))
    assert pool.tools_for(config, "a").facts == found.facts
    assert busy.result().text == "thawed"
    assert len(starts(tmp_path)) == 1


def test_a_server_that_hangs_with_nothing_to_do_is_started_again(
    pool: McpPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_connection, "RELIST_SECONDS", 0.2)
    config = config_with(tmp_path, {"shop": {"command": shop()}})
    found = pool.tools_for(config, "a")

    async def leave_it_frozen() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(calling(found, "freeze", seconds=600), 0.5)

    asyncio.run(leave_it_frozen())
    assert not pool.tools_for(config, "a").problems
    assert [runs(pid) for pid in starts(tmp_path)] == [False, True]


def test_a_call_that_stop_cuts_off_may_have_happened(pool: McpPool, tmp_path: Path) -> None:
    found = pool.tools_for(config_with(tmp_path, {"shop": {"command": shop()}}), "a")
    script = [{"tool": "nap", "input": {"seconds": 600}}]
    talker = agent(ScriptedModel(params={"script": script, "final_text": "Done."}), named(found, "nap"))
    thread = threading.Thread(target=talker, args=("Sleep.",))
    thread.start()
    eventually(lambda: under_way(pool))
    talker.cancel(message="Stopped.")
    thread.join()
    (result,) = [block["toolResult"] for block in talker.messages[2]["content"] if "toolResult" in block]
    assert result["status"] == "error" and result["content"][0]["text"].startswith(UNKNOWN)
    assert call(found, "get_price", item="tea").text == "tea costs 12"
    assert len(starts(tmp_path)) == 1


def test_closing_stops_the_servers_leaves_what_runs_in_doubt_and_starts_none_again(tmp_path: Path) -> None:
    pool = McpPool()
    config = config_with(tmp_path, {"shop": {"command": shop()}})
    found = pool.tools_for(config, "a")
    cut = CallUnderWay(found, "nap", seconds=600)
    eventually(lambda: under_way(pool))
    pool.close()
    assert is_unknown(cut.result())
    assert not runs(starts(tmp_path)[0])
    assert [problem.sentence for problem in pool.tools_for(config, "a").problems] == [
        "MCP client 'shop': the workbench is stopping, so it is not started any more. The agent works without its tools."
    ]
    assert call(found, "get_price", item="tea").text.startswith(
        "Not run: MCP client 'shop': the workbench is stopping"
    )
    assert len(starts(tmp_path)) == 1


def test_a_server_nobody_uses_is_stopped_and_started_when_it_is_needed(
    pool: McpPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp, "IDLE_SECONDS", 0)
    found = pool.tools_for(config_with(tmp_path, {"shop": {"command": shop()}}), "a")
    pool.tools_for(config_with(tmp_path, {"other": {"command": ["no_such_program"]}}), "a")
    eventually(lambda: not runs(starts(tmp_path)[0]))
    assert call(found, "get_price", item="tea").text == "tea costs 12"
    assert len(starts(tmp_path)) == 2


@pytest.mark.parametrize(("transport", "path"), [("streamable-http", "mcp"), ("sse", "sse")])
def test_a_server_is_reached_by_its_address_with_its_headers(
    transport: str, path: str, pool: McpPool, tmp_path: Path
) -> None:
    way = "--sse" if transport == "sse" else "--http"
    with serving(tmp_path, way, "--need", "Bearer sesame") as (address, _):
        client = {
            "url": f"{address}/{path}",
            "transport": transport,
            "headers": {"Authorization": "Bearer sesame"},
        }
        found = pool.tools_for(config_with(tmp_path, {"shop": client}), "a")
        assert not found.problems
        assert call(found, "publish", shelf="teas").json["kaboo_approval"]["request"] == "apr_1"
        pool.close()


@pytest.mark.parametrize(("transport", "path"), [("streamable-http", "mcp"), ("sse", "sse")])
def test_an_http_server_that_dies_in_a_call_leaves_it_in_doubt(
    transport: str, path: str, pool: McpPool, tmp_path: Path
) -> None:
    way = "--sse" if transport == "sse" else "--http"
    with serving(tmp_path, way) as (address, _):
        config = config_with(tmp_path, {"shop": {"url": f"{address}/{path}", "transport": transport}})
        found = pool.tools_for(config, "a")
        assert is_unknown(call(found, "delete_store", name="tea-house", die=True))
    assert deleted(tmp_path) == ["tea-house"]
    assert (
        pool.tools_for(config, "a").problems[0].sentence.startswith("MCP client 'shop': nothing answers at")
    )
    with serving(tmp_path, way, "--port", address.rpartition(":")[2]):
        again = pool.tools_for(config, "a")
        assert call(again, "get_price", item="tea").text == "tea costs 12"
        pool.close()


def test_a_server_that_was_started_anew_between_two_runs_is_connected_again(
    pool: McpPool, tmp_path: Path
) -> None:
    with serving(tmp_path, "--http") as (address, _):
        config = config_with(tmp_path, {"shop": {"url": f"{address}/mcp"}})
        pool.tools_for(config, "a")
    with serving(tmp_path, "--http", "--port", address.rpartition(":")[2]):
        found = pool.tools_for(config, "a")
        assert not found.problems
        assert call(found, "get_price", item="tea").text == "tea costs 12"
        pool.close()


def test_a_call_that_something_between_lost_is_in_doubt(pool: McpPool, tmp_path: Path) -> None:
    with serving(tmp_path, "--http", "--statuses", "502", "503", "408") as (address, _):
        found = pool.tools_for(config_with(tmp_path, {"shop": {"url": f"{address}/mcp"}}), "a")
        lost = [call(found, "delete_store", name="tea-house") for _ in range(3)]
        assert all(map(is_unknown, lost))
        pool.close()


def test_a_call_that_was_turned_away_did_not_run_and_says_so(pool: McpPool, tmp_path: Path) -> None:
    with serving(tmp_path, "--http", "--statuses", "401", "403", "404", "429") as (address, _):
        found = pool.tools_for(config_with(tmp_path, {"shop": {"url": f"{address}/mcp"}}), "a")
        for status in ("401 Unauthorized", "403 Forbidden", "404 Not Found", "429 Too Many Requests"):
            refused = call(found, "delete_store", name="tea-house")
            assert refused.text == f"Not run: {address}/mcp refused the call and answered {status}"
            assert not isinstance(refused.exception, OutcomeUnknown)
        assert call(found, "delete_store", name="tea-house").text == "tea-house is gone"
        pool.close()
