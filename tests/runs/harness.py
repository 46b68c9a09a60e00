"""A bench to try the engine on: a config with its tools, a real database file, a worker here or in another process.

It speaks through the public face (`Engine` and `Worker`) and reads the rest from the disk: the calls that really ran
from the file that the tools write, what the model read from the stored messages.
"""

import json
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from tests.runs import processes
from tests.runs.log_rules import check_log
from workbench.agents.transcript_rule import TranscriptBroken, check_transcript
from workbench.policy import Answer
from workbench.policy.answer import Approved
from workbench.runs.engine import Engine
from workbench.runs.errors import EngineRefused
from workbench.runs.views import AnswerOutcome, CallItem, Card, ConversationPage, RunView, TextItem
from workbench.runs.worker import Worker
from workbench.store import Store

KIT = Path(__file__).parent / "kit.py"
LONG = 30.0
"""Seconds after which a test gives up waiting; nothing here takes long unless it hangs."""

Call = tuple[str, dict[str, Any]]


class Clock:
    """The real time, moved as far as the test likes."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def move(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)


def shop(
    *turns: list[dict[str, Any]],
    ask: list[Any] | None = None,
    tools: str = "./kit.py",
    streaming: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A config of one agent, "merchant", that plays a script: one list of steps for each message.

    Args:
        ask: the rules of `interrupt.tools`; `set_price` asks unless told otherwise.
        more: further keys of the agent; `interrupt` replaces the whole block, `top` adds keys to the config.
    """
    top = more.pop("top", {})
    rules = ["set_price"] if ask is None else ask
    agent = {"tools": [tools], "client_tools": ["ask_user"], "interrupt": {"tools": rules}, **more}
    params = {"turns": list(turns), **(streaming or {})}
    model = {"provider": "scripted", "params": params}
    return {"version": "1", "agents": {"merchant": {"model": model, **agent}}, **top}


def price(sku: str = "A1", value: float = 12.0, store: str = "summit", **more: Any) -> dict[str, Any]:
    """A step that sets a price."""
    return {"tool": "set_price", "input": {"sku": sku, "price": value, "store": store}, **more}


class Bench:
    """One config, one database, one conversation, and a worker.

    Args:
        folder: an empty folder of the test.
        config: the config, as YAML text or as the value to be written as such.
        files: further files beside the config, by name.
        apart: whether the worker is a process of its own, which can be killed.
        door: the door the conversation comes through.
        busy_seconds: how long the database is waited for when another writer has it.
    """

    def __init__(
        self,
        folder: Path,
        config: str | dict[str, Any],
        *,
        files: Mapping[str, str] | None = None,
        apart: bool = False,
        door: Any = "app",
        busy_seconds: float = 5.0,
    ) -> None:
        (folder / "configs").mkdir()
        self._sit_down(folder, apart=apart, door=door, busy_seconds=busy_seconds)
        shutil.copy(KIT, self.folder / KIT.name)
        for name, text in (files or {}).items():
            self.beside(name, text)
        self.write(config)
        self._open()
        self.id = self.engine.new_conversation(self.file, door=door)
        self.start()

    def _sit_down(
        self, folder: Path, *, apart: bool = False, door: Any = "app", busy_seconds: float = 5.0
    ) -> None:
        self.folder = folder / "configs"
        self.database = folder / "workbench.db"
        self.file = str(self.folder / "shop.yaml")
        self.clock = Clock()
        self.apart = apart
        self.door = door
        self.busy_seconds = busy_seconds
        self.process: processes.Apart | None = None
        self.worker: Worker | None = None

    # -- the process ------------------------------------------------------------------------

    def _open(self) -> None:
        self.store = Store.open(self.database, clock=self.clock, busy_seconds=self.busy_seconds)
        self.engine = Engine(self.store, self.folder)

    def start(self, dies: str = "") -> None:
        """Start a worker; apart, it may be told at which point of a run to die (`processes.CRASHES`)."""
        if self.apart:
            self.process = processes.Apart(self.database, self.folder, dies)
        else:
            self.worker = Worker(self.store, self.engine.desk)
            self.worker.start()

    def stop(self) -> None:
        """End the worker: politely here, by SIGKILL when it is apart."""
        if self.worker is not None:
            self.worker.stop()
        if self.process is not None:
            self.process.kill()
        self.worker = self.process = None

    def restart(self, dies: str = "") -> None:
        """Drop everything that is in memory and begin again with the file."""
        self.stop()
        self.store.close()
        self._open()
        self.start(dies)

    def close(self) -> None:
        """End, and check what holds of every conversation whatever happened in it."""
        self.stop()
        try:
            self.check()
        finally:
            self.store.close()

    def check(self) -> None:
        """The log keeps its rules, no transcript is torn, no call finished twice."""
        for conversation in self.store.conversations.list():
            check_log(self.store, conversation.id)
            # A model may end a turn without a word; strands puts a placeholder there for the provider.
            messages = [
                {**message, "content": message["content"] or [{"text": "[blank text]"}]}
                for message in self.store.messages.load(conversation.id)
            ]
            with suppress(IndexError):
                if messages[-1]["role"] == "assistant" and any(
                    "toolUse" in b for b in messages[-1]["content"]
                ):
                    messages = messages[:-1]  # a pause: its results are still to come
            try:
                check_transcript(messages)
            except TranscriptBroken as broken:
                raise AssertionError(f"{broken}: {messages}") from broken
            for call in self.store.journal.of_conversation(conversation.id):
                ended = [one.why for one in self.store.journal.attempts(call.key)]
                assert ended.count("finished") <= 1, (call, ended)

    # -- talking ----------------------------------------------------------------------------

    def send(self, text: str = "go", by: str = "Ada") -> str:
        """Send a message and come back at once."""
        return self.engine.send(self.id, text, by=by, via=self.door)

    def say(self, text: str = "go", by: str = "Ada") -> str:
        """Send a message and wait until the agent is done, or waits; return how the conversation stands."""
        self.send(text, by)
        return self.settle()

    def answer(
        self, answer: Answer | None = None, card: Card | None = None, by: str = "Ada"
    ) -> AnswerOutcome:
        """Answer a card (the only open one unless told), and wait for what follows of the last of a pause."""
        given = Approved() if answer is None else answer
        outcome = self.engine.answer((card or self.card()).id, given, by=by)
        if outcome.left == 0:
            self.settle()
        return outcome

    def settle(self) -> str:
        """Wait until nothing works; return how the conversation stands."""
        self.wait(lambda: self.page.status != "working", "work to end")
        return self.page.status

    def until(self, status: str) -> None:
        """Wait until the conversation stands like this."""
        self.wait(lambda: self.page.status == status, f"status {status}")

    def wait(self, there: Callable[[], Any], what: str) -> None:
        """Wait until something is so."""
        until = time.monotonic() + LONG
        while not there():
            if time.monotonic() > until:
                raise AssertionError(f"waited in vain for {what}: {self._state()}")
            time.sleep(0.005)

    def waits_in(self, name: str) -> None:
        """Wait until a tool waits for the file `name`."""
        self.wait((self.folder / f"{name}.here").exists, f"a tool that waits for {name}")

    def let(self, name: str) -> None:
        """Make the file that a tool waits for."""
        (self.folder / name).touch()

    def _state(self) -> str:
        with suppress(EngineRefused):
            return f"{self.page}, runs: {self.store.runs.of_conversation(self.id)}"
        return "no conversation"

    # -- looking ----------------------------------------------------------------------------

    @property
    def page(self) -> ConversationPage:
        """The head of the conversation."""
        return self.engine.conversation(self.id)

    def cards(self) -> list[Card]:
        """The open cards."""
        return list(self.page.open_cards)

    def card(self, tool: str | None = None, **tool_input: Any) -> Card:
        """The one open card; the one of this tool, and whose input has these values, when told."""
        found = [
            card
            for card in self.cards()
            if tool in (None, card.tool) and tool_input.items() <= card.input.items()
        ]
        assert len(found) == 1, f"{len(found)} cards: {found}, {self._state()}"
        return found[0]

    def ran(self) -> list[Call]:
        """The calls that really ran, in order."""
        path = self.folder / "ran.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [(tool, given) for tool, given in map(json.loads, lines)]

    def prices(self) -> list[tuple[str, float]]:
        """The prices that were really set."""
        return [(given["sku"], given["price"]) for tool, given in self.ran() if tool == "set_price"]

    def heard(self) -> list[dict[str, Any]]:
        """What the model is told from now on: the whole stored conversation."""
        return self.store.messages.load(self.id)

    def results(self) -> list[str]:
        """What the model read as the results of its calls, in their order."""
        return [
            "\n".join(str(part.get("text", part)) for part in block["toolResult"]["content"])
            for message in self.heard()
            for block in message["content"]
            if "toolResult" in block
        ]

    def said(self) -> list[str]:
        """What the agent said, as the model's messages have it."""
        return [
            block["text"]
            for message in self.heard()
            if message["role"] == "assistant"
            for block in message["content"]
            if "text" in block
        ]

    def views(self) -> list[RunView]:
        """The transcript."""
        return self.engine.run_views(self.id)

    def items(self, kind: type[Any] = CallItem) -> list[Any]:
        """The transcript's calls, or its other items of a kind."""
        return [item for view in self.views() for item in view.items if isinstance(item, kind)]

    def texts(self) -> list[str]:
        """What the transcript shows that the agent said."""
        return [item.text for item in self.items(TextItem)]

    def events(self, type_: str | None = None) -> list[dict[str, Any]]:
        """The log's events, of one type when told."""
        return [e.data for e in self.store.events.read(self.id) if type_ in (None, e.data["type"])]

    def statuses(self) -> list[str]:
        """How each run stands, in order."""
        return [run.status for run in self.store.runs.of_conversation(self.id)]

    # -- the config -------------------------------------------------------------------------

    def write(self, config: str | dict[str, Any]) -> str:
        """Change the config file, as another editor would; return its text."""
        text = config if isinstance(config, str) else yaml.safe_dump(config, sort_keys=False, width=120)
        Path(self.file).write_text(text, encoding="utf-8")
        return text

    def apply(self, config: str | dict[str, Any], confirmed: bool = True) -> int:
        """Apply a config as the editor does; return its version's number."""
        text = config if isinstance(config, str) else yaml.safe_dump(config, sort_keys=False, width=120)
        return self.engine.apply(self.file, text, based_on=None, by="Ada", confirmed=confirmed).number

    def beside(self, name: str, text: str) -> None:
        """Write a file beside the config."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
