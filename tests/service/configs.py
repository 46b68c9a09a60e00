"""Configs that play their part by what they are told, so that one service does for many conversations."""

from typing import Any

from tests.runs.harness import price

TWO = {"tools": [price("A1", 12.0), price("B2", 20.0, store="harbor")]}
LOGIN = {
    "tool": "log_in",
    "input": {"user": "ada", "password": "hunter2", "more": [{"api_key": "k", "page": 3}]},
}
TOOLS = '''
import strands


@strands.tool
def log_in(user: str, password: str, more: list) -> str:
    """Log in.

    Args:
        user: who.
        password: secret.
        more: whatever.
    """
    from pathlib import Path

    Path(__file__).with_name("password").write_text(password)
    return f"{user} is in"
'''


def talkative(**more: Any) -> dict[str, Any]:
    """An agent that does what its message names."""
    replies = [
        {"match": "once", "script": [price("C3", 5.0)]},
        {"match": "price", "script": [{"before": [{"text": "Let me see."}], **price()}]},
        {"match": "next", "script": [price("A1", 13.0)]},
        {"match": "then", "script": [price(), price("A1", 13.0)]},
        {"match": "two", "script": [TWO]},
        {"match": "ship", "script": [{"tool": "ship", "input": {"order": "7"}}]},
        {"match": "log in", "script": [LOGIN]},
        {"match": "look", "script": [{"tool": "look_up", "input": {"sku": "A1"}}]},
        {
            "match": "ask",
            "script": [{"tool": "ask_user", "input": {"question": "Which?", "options": ["a", "b"]}}],
        },
        {"match": "book", "script": [{"tool": "book", "input": {"room": "1"}}]},
        {"match": "late", "script": [{"tool": "close_shop", "input": {}}]},
        {"match": "fail", "script": [{"error": "the model is out of order"}]},
        {"match": "slow", "script": [{"text": "word " * 40}]},
        {"match": "hello", "script": [{"text": "Hello."}]},
    ]
    streaming = more.pop("streaming", {})
    rules = [
        {"name": "set_price", "remember": "thread", "subject": "./subjects.py:store_of"},
        "log_in",
        {"name": "close_shop", "ttl_seconds": 1},
    ]
    agent = {
        "model": {
            "provider": "scripted",
            "params": {
                "replies": replies,
                "final_text": "Done.",
                **streaming,
            },
        },
        "tools": ["./kit.py", "./login.py"],
        "client_tools": ["ask_user"],
        "interrupt": {"tools": rules},
        **more,
    }
    return {"version": "1", "agents": {"merchant": agent}}


ENFORCED = '''
import strands

asked = []


@strands.tool
def mutate(what: str) -> dict:
    """Change something, once it is allowed.

    Args:
        what: what to change.
    """
    asked.append(what)
    if len(asked) % 2:
        reply = {"request": "apr_1", "subject": {"key": "s", "label": "all of it"}, "scopes": ["thread"]}
        return {"status": "success", "content": [{"json": {"kaboo_approval": {**reply, "message": "Change it?"}}}]}
    return {"status": "success", "content": [{"text": f"{what} is changed"}]}
'''

FILES = {
    "enforced.py": ENFORCED,
    "login.py": TOOLS,
    "subjects.py": """
def store_of(tool, given):
    return {"key": f"store:{given.get('store')}", "label": f"prices in {given.get('store')}"} if tool == "set_price" else tool
""",
}


def team() -> dict[str, Any]:
    """A coordinator whose delegate asks and is gated."""

    def model(*turns: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        return {"provider": "scripted", "params": {"turns": list(turns), "final_text": "Done.", **more}}

    delegate = [{"tool": "analyst", "input": {"input": "set it"}}]
    return {
        "version": "1",
        "agents": {
            "coordinator": {"model": model(delegate, delegate), "tools": []},
            "analyst": {
                "model": model(
                    [
                        {"before": [{"text": "I ask."}], "tool": "ask_user", "input": {"question": "Sure?"}},
                        price(),
                    ]
                ),
                "tools": ["./kit.py"],
                "client_tools": ["ask_user"],
                "interrupt": {"tools": ["set_price"]},
            },
        },
        "orchestrations": {
            "team": {
                "mode": "delegate",
                "entry_name": "coordinator",
                "connections": [{"agent": "analyst", "description": "Sets prices"}],
            }
        },
        "entry": "team",
    }


def several(mode: str) -> dict[str, Any]:
    """A Swarm or a Graph of two, the second of which is gated."""

    def model(*script: dict[str, Any]) -> dict[str, Any]:
        return {"provider": "scripted", "params": {"script": list(script), "final_text": "Done."}}

    first = [{"handoff": "second", "message": "your turn"}] if mode == "swarm" else [{"text": "Begun."}]
    together: dict[str, Any] = {"mode": mode, "entry_name": "first"}
    together |= (
        {"agents": ["first", "second"]} if mode == "swarm" else {"edges": [{"from": "first", "to": "second"}]}
    )
    return {
        "version": "1",
        "agents": {
            "first": {"model": model(*first)},
            "second": {
                "model": model(price()),
                "tools": ["./kit.py"],
                "interrupt": {"tools": ["set_price"]},
            },
        },
        "orchestrations": {"together": together},
        "entry": "together",
    }
