"""The whole app, as `workbench run` serves it: sample configs, database and shop of its own."""

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path

from tests.browser.app_server import ROOT, AppServer
from workbench.agents.ports import Place
from workbench.runs import agui
from workbench.runs.engine import Engine
from workbench.store import Store

SAMPLES = ROOT / "configs"
EXTRAS = Path(__file__).parent / "configs"
# Root may write what nobody may; a server that can't shows what people see who are not root.
OBEYING_PERMISSIONS = (
    ("setpriv", "--inh-caps=-dac_override", "--bounding-set=-dac_override") if os.geteuid() == 0 else ()
)
_NO_CACHES = shutil.ignore_patterns("__pycache__")


class WorkbenchApp:
    """A server of the app and what it works on; the files stay the same across `server.kill` and `server.restart`."""

    def __init__(self, folder: Path) -> None:
        """Copy the samples, and the configs that only these tests need, below `folder`. Nothing runs yet."""
        self.configs = folder / "configs"
        self.data = folder / "data"
        self.data.mkdir()
        self.db = self.data / "workbench.db"
        self.shop = folder / "shop.db"
        shutil.copytree(SAMPLES, self.configs, ignore=_NO_CACHES)
        shutil.copytree(EXTRAS, self.configs, ignore=_NO_CACHES, dirs_exist_ok=True)
        command = (
            *OBEYING_PERMISSIONS,
            *(sys.executable, "-m", "workbench.cli", "run", str(self.configs), "--no-browser"),
            *("--db", str(self.db), "--port", "{port}"),
        )
        self.server = AppServer(command, log=folder / "log.txt", env={"WORKBENCH_SHOP_DB": str(self.shop)})

    @property
    def url(self) -> str:
        """Where the app answers."""
        return self.server.url

    @cached_property
    def engine(self) -> Engine:
        """The same database from this process: the tests set a scene with it and look at what was stored."""
        return Engine(Store.open(self.db), self.configs)

    def close(self) -> None:
        """Stop the server and let go of the database."""
        self.server.stop()
        if "engine" in self.__dict__:
            self.engine.store.close()

    def conversation(self, config: str = "merchant", *, title: str = "") -> str:
        """Begin a conversation and return its id."""
        return self.engine.new_conversation(str(self.config(config)), title=title)

    def long_conversation(self, turns: int) -> str:
        """Put a conversation of so many turns into the database, as if they had been talked, and return its id."""
        conversation_id = self.conversation("trouble", title=f"{turns} turns")
        store = self.engine.store
        version = self.engine.current(str(self.config("trouble")))
        place = Place(conversation_id, ("trouble",))
        for number in range(1, turns + 1):
            text = f"Message {number}"
            with store.transaction():
                run = store.runs.queue(
                    conversation_id, config_version_id=version.id, kind="message", input={"text": text, "by": "tester"}
                )
                started = agui.run_started(
                    conversation_id, run.id, text=text, turn_id=run.turn_id, metadata={"by": "tester", "turnId": run.turn_id}
                )
                said = [
                    agui.text_start(place, f"{run.id}-said"),
                    agui.text_delta(place, f"{run.id}-said", f"Answer **{number}**, with a few words around it."),
                    agui.text_end(place, f"{run.id}-said"),
                ]
                store.events.append(conversation_id, run.id, [started, *said, agui.run_finished(conversation_id, run.id)])
                store.runs.set_status(run.id, "working")
                store.runs.set_status(run.id, "done")
        return conversation_id

    def config(self, name: str) -> Path:
        """The file of a config."""
        return self.configs / f"{name}.yaml"

    def address(self, conversation_id: str) -> str:
        """The address of a conversation."""
        return f"{self.url}/?c={conversation_id}"

    def changes(self, about: str = "") -> list[str]:
        """What the sample tools really did to the shop, one line an effect."""
        if not self.shop.exists():
            return []
        with closing(sqlite3.connect(self.shop)) as shop:
            rows = shop.execute("SELECT what FROM changes ORDER BY id").fetchall()
        return [what for (what,) in rows if about in what]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the database's write lock, as another program would."""
        with closing(sqlite3.connect(self.db, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")
