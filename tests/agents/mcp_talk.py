"""Helpers to give an agent MCP servers in a test, and to call their tools."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strands.types._events import ToolResultEvent
from strands.types.tools import AgentTool

from workbench.agents.mcp import McpTools
from workbench.config import Config, parse_config

SERVERS = Path(__file__).parent / "mcp_servers"
SHOP = SERVERS / "shop.py"
ODD = SERVERS / "odd.py"
SLEEPER = "import os, time; open('starts.txt', 'a').write(f'{os.getpid()}\\n'); time.sleep(600)"
"""A program that starts and never says anything."""
PATIENCE = 30


def shop(*arguments: str) -> list[str]:
    """The command that starts the shop."""
    return ["python", str(SHOP), *arguments]


def config_with(folder: Path, clients: dict[str, Any], *, agent: str = "", rest: str = "") -> Config:
    """A config whose one agent, `a`, has these MCP clients."""
    text = f"""
        models: {{main: {{provider: scripted}}}}
        defaults: {{model: main}}
        agents: {{a: {{mcp: {json.dumps(list(clients))}{agent}}}}}
        mcp_clients: {json.dumps(clients)}
        {rest}
    """
    return parse_config(text, file="shop.yaml", folder=folder, env={}).raise_if_invalid()


@dataclass
class Called:
    """What came of a call."""

    result: dict[str, Any]
    exception: Exception | None

    @property
    def text(self) -> str:
        return "\n".join(block["text"] for block in self.result["content"])

    @property
    def json(self) -> Any:
        return self.result["structuredContent"]


def named(tools: McpTools, name: str) -> AgentTool:
    """The tool of that name."""
    (found,) = [tool for tool in tools.tools if tool.tool_name == name]
    return found


async def calling(tools: McpTools, name: str, /, **arguments: Any) -> Called:
    """Call a tool as strands does, on this loop."""
    use: Any = {"toolUseId": "t1", "name": name, "input": arguments}
    events = [event async for event in named(tools, name).stream(use, {})]
    assert isinstance(events[-1], ToolResultEvent)
    return Called(dict(events[-1].tool_result), events[-1].exception)


def call(tools: McpTools, name: str, /, **arguments: Any) -> Called:
    """Call a tool as strands does."""
    return asyncio.run(calling(tools, name, **arguments))


class CallUnderWay:
    """A call that goes on in a thread while the test does something else."""

    def __init__(self, tools: McpTools, name: str, /, **arguments: Any) -> None:
        self._came: list[Called] = []
        self._thread = threading.Thread(target=lambda: self._came.append(call(tools, name, **arguments)))
        self._thread.start()

    def result(self) -> Called:
        self._thread.join()
        return self._came[0]


def eventually(holds: Callable[[], Any]) -> Any:
    """Wait until something holds, and return it."""
    end = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)
    return found


def starts(folder: Path) -> list[int]:
    """The process ids of every shop that was started in a folder."""
    log = folder / "starts.txt"
    return [int(line) for line in log.read_text().split()] if log.exists() else []


def runs(pid: int) -> bool:
    """Whether a process is alive, and not only waiting to be buried."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def kill(pid: int) -> None:
    """Kill a process as the system does."""
    os.kill(pid, signal.SIGKILL)


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A shop on a port of its own; yields its address without the path, and the process."""
    command = [sys.executable, str(SHOP), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{json.loads(process.stdout.readline())['port']}", process
        finally:
            process.kill()
