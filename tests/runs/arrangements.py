"""Arrangements of agents: each puts one or two asking agents at a position, and says who should hear what of them.

An asking agent makes two calls in one message: one that needs nobody (`look_up`), and one that asks, either for an
approval (`set_price`) or with a question (`ask_user`). "seller" asks about article A1, "buyer" about B2; a
coordinator's task for a delegate names the articles that the delegate will ask about.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Ask = Literal["approval", "question"]
Step = dict[str, Any]
ConfigText = dict[str, Any]

PRICE = 12.0


@dataclass(frozen=True)
class Asker:
    """An agent that asks."""

    path: tuple[str, ...]
    sku: str


@dataclass(frozen=True)
class Arrangement:
    """One position.

    Attributes:
        askers: who asks, in the order of their coordinator's calls.
        asked: how often each model is asked, from the message to the last answer.
    """

    name: str
    config: Callable[[Ask], ConfigText]
    askers: tuple[Asker, ...]
    asked: dict[str, int]


def question(sku: str) -> str:
    """The question of an asking agent."""
    return f"In which shop is {sku} sold?"


def price(sku: str) -> Step:
    """A call that asks for an approval."""
    return {"tool": "set_price", "input": {"sku": sku, "price": PRICE}}


def ask_user(sku: str) -> Step:
    """A question."""
    return {"tool": "ask_user", "input": {"question": question(sku), "options": ["north", "south"]}}


def asking(ask: Ask, sku: str) -> Step:
    """What an asking agent does: a call that needs nobody, and one that asks."""
    asks = price(sku) if ask == "approval" else ask_user(sku)
    return {"tools": [{"tool": "look_up", "input": {"sku": sku}}, asks]}


def model(who: str, **params: Any) -> dict[str, Any]:
    """A scripted model that counts how often it is asked."""
    return {"provider": "./counting.py:Counting", "params": {"who": who, **params}}


def asker(who: str, ask: Ask, sku: str) -> dict[str, Any]:
    """An agent that asks about one article, whatever it is told."""
    script = model(who, script=[asking(ask, sku)], final_text=f"{who} is done. {{{{last_result}}}}")
    return _seller(script)


def asker_of_both(who: str, ask: Ask) -> dict[str, Any]:
    """An agent that asks about the article that it is told of."""
    replies = [{"match": sku, "script": [asking(ask, sku)]} for sku in ("A1", "B2")]
    return _seller(model(who, replies=replies, final_text=f"{who} is done. {{{{last_result}}}}"))


def _seller(script: dict[str, Any]) -> dict[str, Any]:
    return {
        "model": script,
        "tools": ["./kit.py:look_up", "./kit.py:set_price"],
        "client_tools": ["ask_user"],
        "interrupt": {"tools": ["set_price"]},
    }


def worker(who: str, *steps: Step) -> dict[str, Any]:
    """An agent that asks nobody: it does its steps and ends."""
    return {
        "model": model(who, script=list(steps), final_text=f"{who} is done. {{{{last_result}}}}"),
        "auto": True,
    }


def talker(who: str) -> dict[str, Any]:
    """An agent that only says something."""
    return {"model": model(who, final_text=f"{who} is done."), "auto": True}


def delegating(*calls: tuple[str, str]) -> Step:
    """Calls to delegates, all in one message: who, and what for."""
    return {"tools": [{"tool": who, "input": task} for who, task in calls]}


def team(entry: str, *delegates: str) -> dict[str, Any]:
    """A coordinator with its delegates."""
    connections = [{"agent": name, "description": f"does what {name} does"} for name in delegates]
    return {"mode": "delegate", "entry_name": entry, "connections": connections}


def swarm(*agents: str) -> dict[str, Any]:
    """Peers; the first starts."""
    return {"mode": "swarm", "agents": list(agents), "entry_name": agents[0]}


def graph(entry: str, *edges: tuple[str, str]) -> dict[str, Any]:
    """Nodes in an order."""
    return {
        "mode": "graph",
        "entry_name": entry,
        "edges": [{"from": first, "to": then} for first, then in edges],
    }


def config(entry: str, agents: dict[str, Any], **orchestrations: Any) -> ConfigText:
    """A whole config."""
    more = {"orchestrations": orchestrations} if orchestrations else {}
    return {"version": "1", "agents": agents, **more, "entry": entry}


def plain(ask: Ask) -> ConfigText:
    return config("seller", {"seller": asker("seller", ask, "A1")})


def delegate(ask: Ask) -> ConfigText:
    agents = {
        "boss": worker("boss", delegating(("seller", "price A1"))),
        "seller": asker("seller", ask, "A1"),
    }
    return config("team", agents, team=team("boss", "seller"))


def delegate_two_down(ask: Ask) -> ConfigText:
    agents = {
        "boss": worker("boss", delegating(("floor", "price A1"))),
        "lead": worker("lead", delegating(("seller", "price A1"))),
        "seller": asker("seller", ask, "A1"),
    }
    return config("team", agents, team=team("boss", "floor"), floor=team("lead", "seller"))


def two_delegates_at_once(ask: Ask) -> ConfigText:
    agents = {
        "boss": worker("boss", delegating(("seller", "price A1"), ("buyer", "price B2"))),
        "seller": asker("seller", ask, "A1"),
        "buyer": asker("buyer", ask, "B2"),
    }
    return config("team", agents, team=team("boss", "seller", "buyer"))


def one_delegate_twice(ask: Ask) -> ConfigText:
    agents = {
        "boss": worker("boss", delegating(("seller", "price A1"), ("seller", "price B2"))),
        "seller": asker_of_both("seller", ask),
    }
    return config("team", agents, team=team("boss", "seller"))


def one_name_in_two_teams(ask: Ask) -> ConfigText:
    agents = {
        "boss": worker("boss", delegating(("north", "price A1"), ("south", "price B2"))),
        "first": worker("first", delegating(("seller", "price A1"))),
        "second": worker("second", delegating(("seller", "price B2"))),
        "seller": asker_of_both("seller", ask),
    }
    teams = {"north": team("first", "seller"), "south": team("second", "seller")}
    return config("team", agents, team=team("boss", "north", "south"), **teams)


def swarm_member(ask: Ask) -> ConfigText:
    agents = {
        "greeter": worker("greeter", {"handoff": "seller", "message": "please price A1"}),
        "seller": asker("seller", ask, "A1"),
    }
    return config("peers", agents, peers=swarm("greeter", "seller"))


def graph_node(ask: Ask) -> ConfigText:
    agents = {
        "opener": talker("opener"),
        "seller": asker("seller", ask, "A1"),
        "closer": talker("closer"),
    }
    return config("flow", agents, flow=graph("opener", ("opener", "seller"), ("seller", "closer")))


def two_graph_nodes_at_once(ask: Ask) -> ConfigText:
    agents = {
        "opener": talker("opener"),
        "seller": asker("seller", ask, "A1"),
        "buyer": asker("buyer", ask, "B2"),
    }
    return config("flow", agents, flow=graph("opener", ("opener", "seller"), ("opener", "buyer")))


def delegate_in_graph(ask: Ask) -> ConfigText:
    agents = {
        "opener": talker("opener"),
        "boss": worker("boss", delegating(("seller", "price A1"))),
        "seller": asker("seller", ask, "A1"),
    }
    return config("flow", agents, flow=graph("opener", ("opener", "team")), team=team("boss", "seller"))


def delegate_in_swarm(ask: Ask) -> ConfigText:
    agents = {
        "greeter": worker("greeter", {"handoff": "team", "message": "please price A1"}),
        "boss": worker("boss", delegating(("seller", "price A1"))),
        "seller": asker("seller", ask, "A1"),
    }
    return config("peers", agents, peers=swarm("greeter", "team"), team=team("boss", "seller"))


def swarm_in_graph(ask: Ask) -> ConfigText:
    agents = {
        "opener": talker("opener"),
        "greeter": worker("greeter", {"handoff": "seller", "message": "please price A1"}),
        "seller": asker("seller", ask, "A1"),
        "closer": talker("closer"),
    }
    flow = graph("opener", ("opener", "peers"), ("peers", "closer"))
    return config("flow", agents, flow=flow, peers=swarm("greeter", "seller"))


def graph_in_delegate(ask: Ask) -> ConfigText:
    agents = {
        "boss": worker("boss", delegating(("flow", "price A1 and B2"))),
        "opener": talker("opener"),
        "seller": asker("seller", ask, "A1"),
        "buyer": asker("buyer", ask, "B2"),
    }
    flow = graph("opener", ("opener", "seller"), ("opener", "buyer"))
    return config("team", agents, team=team("boss", "flow"), flow=flow)


def swarm_in_delegate(ask: Ask) -> ConfigText:
    agents = {
        "boss": worker("boss", delegating(("peers", "price A1"))),
        "greeter": worker("greeter", {"handoff": "seller", "message": "please price A1"}),
        "seller": asker("seller", ask, "A1"),
    }
    return config("team", agents, team=team("boss", "peers"), peers=swarm("greeter", "seller"))


def everything(ask: Ask) -> ConfigText:
    """A delegate with a graph, in which a swarm's member has a delegate: five levels."""
    agents = {
        "boss": worker("boss", delegating(("flow", "price A1"))),
        "opener": talker("opener"),
        "greeter": worker("greeter", {"handoff": "floor", "message": "please price A1"}),
        "lead": worker("lead", delegating(("seller", "price A1"))),
        "seller": asker("seller", ask, "A1"),
    }
    return config(
        "team",
        agents,
        team=team("boss", "flow"),
        flow=graph("opener", ("opener", "peers")),
        peers=swarm("greeter", "floor"),
        floor=team("lead", "seller"),
    )


def _one(*path: str) -> tuple[Asker, ...]:
    return (Asker(path, "A1"),)


def _two(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[Asker, ...]:
    return Asker(first, "A1"), Asker(second, "B2")


_TWO = {"seller": 2, "buyer": 2}

ALL: tuple[Arrangement, ...] = (
    Arrangement("plain", plain, _one("seller"), {"seller": 2}),
    Arrangement("delegate", delegate, _one("boss", "seller"), {"boss": 2, "seller": 2}),
    Arrangement(
        "delegate two down",
        delegate_two_down,
        _one("boss", "lead", "seller"),
        {"boss": 2, "lead": 2, "seller": 2},
    ),
    Arrangement(
        "two delegates at once",
        two_delegates_at_once,
        _two(("boss", "seller"), ("boss", "buyer")),
        {"boss": 2, **_TWO},
    ),
    Arrangement(
        "one delegate twice",
        one_delegate_twice,
        _two(("boss", "seller"), ("boss", "seller")),
        {"boss": 2, "seller": 4},
    ),
    Arrangement(
        "one name in two teams",
        one_name_in_two_teams,
        _two(("boss", "first", "seller"), ("boss", "second", "seller")),
        {"boss": 2, "first": 2, "second": 2, "seller": 4},
    ),
    Arrangement(
        "swarm member after a handoff", swarm_member, _one("peers", "seller"), {"greeter": 2, "seller": 2}
    ),
    Arrangement("graph node", graph_node, _one("flow", "seller"), {"opener": 1, "seller": 2, "closer": 1}),
    Arrangement(
        "two graph nodes at once",
        two_graph_nodes_at_once,
        _two(("flow", "seller"), ("flow", "buyer")),
        {"opener": 1, **_TWO},
    ),
    Arrangement(
        "delegate in a graph",
        delegate_in_graph,
        _one("flow", "boss", "seller"),
        {"opener": 1, "boss": 2, "seller": 2},
    ),
    Arrangement(
        "delegate in a swarm",
        delegate_in_swarm,
        _one("peers", "boss", "seller"),
        {"greeter": 2, "boss": 2, "seller": 2},
    ),
    Arrangement(
        "swarm in a graph",
        swarm_in_graph,
        _one("flow", "peers", "seller"),
        {"opener": 1, "greeter": 2, "seller": 2, "closer": 1},
    ),
    Arrangement(
        "graph in a delegate",
        graph_in_delegate,
        _two(("boss", "flow", "seller"), ("boss", "flow", "buyer")),
        {"boss": 2, "opener": 1, **_TWO},
    ),
    Arrangement(
        "swarm in a delegate",
        swarm_in_delegate,
        _one("boss", "peers", "seller"),
        {"boss": 2, "greeter": 2, "seller": 2},
    ),
    Arrangement(
        "all of them",
        everything,
        _one("boss", "flow", "peers", "lead", "seller"),
        {"boss": 2, "opener": 1, "greeter": 2, "lead": 2, "seller": 2},
    ),
)
BY_NAME = {arrangement.name: arrangement for arrangement in ALL}
