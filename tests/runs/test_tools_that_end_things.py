"""A tool may try to end the program, or its own task: the run tells the model, and everybody else works on."""

from collections.abc import Callable

import pytest

from tests.runs.harness import Bench, shop

TOOLS = """
import asyncio
from strands import tool

@tool
def leaving() -> str:
    \"\"\"End the program.\"\"\"
    raise SystemExit(3)

@tool
async def leaving_too() -> str:
    \"\"\"End the program, without a thread.\"\"\"
    raise SystemExit(3)

@tool
def interrupting() -> str:
    \"\"\"Press Ctrl+C.\"\"\"
    raise KeyboardInterrupt

@tool
async def cancelling() -> str:
    \"\"\"Cancel itself.\"\"\"
    raise asyncio.CancelledError
"""


@pytest.mark.parametrize("name", ["leaving", "leaving_too", "interrupting", "cancelling"])
def test_it_becomes_an_error_that_the_model_reads_and_the_conversation_goes_on(
    bench: Callable[..., Bench], name: str
) -> None:
    config = shop([{"tool": name, "input": {}}], [{"text": "Still here."}], tools="./ending.py", auto=True, interrupt={})
    table = bench(config, files={"ending.py": TOOLS})
    table.say("go")
    table.until("idle")
    assert any(text.startswith("Error: the tool") for text in table.results())
    other = table.engine.new_conversation(table.file)
    table.engine.send(other, "hello", by="Ben")
    table.wait(lambda: table.engine.conversation(other).status == "idle", "the other conversation")
    table.say("and now?")
    assert table.said()[-1] == "Still here."
