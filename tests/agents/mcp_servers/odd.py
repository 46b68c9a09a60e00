"""An MCP server written by hand over stdio: names no model takes, a result unlike its schema, errors of the protocol.

With `hang` it never says which tools it has.
"""

import asyncio
import sys

from mcp import MCPError
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

ANYTHING = {"type": "object", "properties": {}}
COUNTED = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
TOOLS = [
    Tool(name="files.read", input_schema=ANYTHING),
    Tool(name="x" * 65, input_schema=ANYTHING),
    Tool(name="look-up", input_schema=ANYTHING),
    Tool(name="look_up", input_schema=ANYTHING),
    Tool(name="count", input_schema=ANYTHING, output_schema=COUNTED),
    Tool(name="break", input_schema=ANYTHING),
]


async def list_tools(ctx, params):
    """Give two tools a page."""
    if "hang" in sys.argv:
        await asyncio.Event().wait()
    start = int(params.cursor) if params and params.cursor else 0
    more = str(start + 2) if start + 2 < len(TOOLS) else None
    return ListToolsResult(tools=TOOLS[start : start + 2], next_cursor=more)


async def call_tool(ctx, params):
    """Answer `count` with what it doesn't promise, and everything else with an error."""
    if params.name == "count":
        return CallToolResult(content=[TextContent(text="three")], structured_content={"count": "three"})
    raise MCPError(-32603, "the database is down")


async def main():
    """Serve over stdio."""
    server = Server("odd", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


asyncio.run(main())
