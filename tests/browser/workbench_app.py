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
