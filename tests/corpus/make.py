"""Store a pause of every kind at every position, for the release that is being made.

    python -m tests.corpus.make

Run it once for each release, when its format is final: the folders of earlier releases stay as they are, and every
later release must load and finish them.
"""

import gzip
import shutil
import socket
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.corpus.reopened import Reopened
from tests.corpus.stored import EXPECTED, HOME, PAUSE, Stored, pack
from tests.runs.arrangements import BY_NAME
from tests.runs.harness import Bench
from workbench.policy.answer import Approved

VERSION: str = tomllib.loads((HOME.parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "version"
]
MESSAGE = "please price A1 and B2"

POSITIONS = {
    "plain": "plain",
    "delegate": "delegate",
    "delegates": "two delegates at once",
    "two-down": "delegate two down",
    "swarm": "swarm member after a handoff",
    "graph": "two graph nodes at once",
    "delegated-graph": "graph in a delegate",
    "all": "all of them",
}
KINDS = ("approval", "question", "tool-interrupt", "tool-approval", "doubt")
LOST_TEAM = ("doubt-of-a-team", "delegated-graph")
"""A delegated graph that a crash tore before its first pause: the doubt is about all of it."""
ENFORCED = Path(__file__).with_name("enforced.py")
ASKERS = ("seller", "buyer")
SHIP: dict[str, dict[str, Any]] = {
    "seller": {"tool": "ship", "input": {"order": "A1"}},
    "buyer": {"tool": "look_up", "input": {"sku": "B2"}},
}


def plainly_scripted(text: dict[str, Any]) -> dict[str, Any]:
    """The same config with the scripted model itself, whose calls nobody counts."""
    for agent in text["agents"].values():
        params = {key: value for key, value in agent["model"]["params"].items() if key != "who"}
        agent["model"] = {"provider": "scripted", "params": params}
    return text


def config_of(kind: str, position: str) -> dict[str, Any]:
    """The config whose agents wait at a position for something of a kind."""
    arrangement = BY_NAME[POSITIONS[position]]
    text = plainly_scripted(arrangement.config("question" if kind == "question" else "approval"))
    if flow := text.get("orchestrations", {}).get("flow"):
        flow["chat_output"] = "seller" if "seller" in str(flow["edges"]) else "peers"
    for name in ASKERS:
        agent = text["agents"].get(name)
        if agent is None or kind in ("approval", "question"):
            continue
        if kind == "tool-approval":
            step = {"tool": "pay", "input": {"sku": {"seller": "A1", "buyer": "B2"}[name]}}
            agent |= {"tools": ["./enforced.py"], "interrupt": {"tools": ["nothing"], "tool_approvals": True}}
        elif kind == "tool-interrupt":
            step = {"tool": "book", "input": {"room": name}}
            agent |= {"tools": ["./kit.py:book"], "interrupt": {"tools": ["nothing"]}}
        else:
            step = SHIP[name]
            asks = ["ship" if kind == "doubt" else "nothing"]
            agent |= {"tools": ["./kit.py:ship", "./kit.py:look_up"], "interrupt": {"tools": asks}}
        agent["model"]["params"]["script"] = [step]
    return text


def wait_at_a_pause(b: Bench, kind: str, position: str) -> None:
    """Talk until the pause that is to be stored."""
    b.send(MESSAGE)
    if kind == "doubt":
        b.until("waiting")
        b.engine.answer(b.card("ship").id, Approved(), by="Ada")
    if kind.startswith("doubt"):
        b.waits_in("ship-A1")
        # A graph's other node has looked something up by then; its result is part of what is stored.
        calls = b.store.journal.of_conversation
        b.wait(lambda: all(c.state == "finished" for c in calls(b.id) if c.tool == "look_up"), "the look-ups")
        b.restart()  # which kills the process inside the tool
    b.until("waiting")
    if position == "delegates" and kind == "approval":
        b.answer(Approved(), next(card for card in b.cards() if card.agent == "seller"))


def entries() -> Iterator[tuple[str, str]]:
    """Every kind at every position."""
    yield from ((kind, position) for kind in KINDS for position in POSITIONS)
    yield LOST_TEAM


def store(kind: str, position: str, target: Path) -> None:
    """Make one pause and store it, with what this release makes of it."""
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as tried:
        files = {ENFORCED.name: ENFORCED.read_text(encoding="utf-8")}
        b = Bench(Path(made), config_of(kind, position), files=files, apart=kind.startswith("doubt"))
        wait_at_a_pause(b, kind, position)
        b.close()
        pack(Path(made), target)
        stored = Stored(target)
        again = Reopened(stored, Path(tried))
        waiting = {"kind": kind, "position": POSITIONS[position], "cards": again.shown()}
        came = again.finish()
        again.close()
    expected = yaml.safe_dump({**waiting, **came}, sort_keys=False, width=110, allow_unicode=True)
    (target / EXPECTED).write_text(expected, encoding="utf-8")
    kept = gzip.decompress((target / PAUSE).read_bytes()) + expected.encode()
    for private in (made, tempfile.gettempdir(), socket.gethostname(), str(Path.home())):
        assert private.encode() not in kept, f"{target.name} names {private}"


def main() -> None:
    """Store every pause of this release."""
    release = HOME / VERSION
    shutil.rmtree(release, ignore_errors=True)
    for kind, position in entries():
        store(kind, position, release / f"{kind}-{position}")
        print(f"{kind} at {POSITIONS[position]}")


if __name__ == "__main__":
    main()
