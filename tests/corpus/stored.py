"""Stored pauses: a database in the middle of a pause, with the config and the tools it needs, kept with the tests.

A database names its configs by where they are. In a stored one `PLACE` stands for that folder, and unpacking puts
the real one there.
"""

import gzip
import json
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from workbench.policy import Answer
from workbench.policy.answer import Answered, Approved, Happened
from workbench.runs.views import Card

HOME = Path(__file__).parent
PLACE = "/corpus"
"""Stands for the folder in a stored database."""
HOLDER = "corpus|1|1|1"
"""Stands for the process that paused."""
DATABASE = "workbench.db"
CONFIGS = "configs"
PAUSE = "pause.db.gz"
EXPECTED = "expected.yaml"
CONFIG = "shop.yaml"
TOOLS = ("kit.py", "enforced.py")
"""The tools of every config of a release, as they were then."""


@dataclass(frozen=True)
class Stored:
    """One stored pause: the folder it is kept in."""

    folder: Path

    @property
    def name(self) -> str:
        """The release that stored it, and what it is."""
        return f"{self.folder.parent.name} {self.folder.name}"

    @property
    def expected(self) -> dict[str, Any]:
        """What waits in it, and what comes of it when all is answered as `answer_to` does."""
        told: dict[str, Any] = yaml.safe_load((self.folder / EXPECTED).read_text(encoding="utf-8"))
        return told

    def unpack(self, folder: Path) -> None:
        """Put the database and its configs into an empty folder."""
        (folder / CONFIGS).mkdir()
        shutil.copy(self.folder / CONFIG, folder / CONFIGS)
        for tools in TOOLS:
            shutil.copy(self.folder.parent / tools, folder / CONFIGS)
        path = folder / DATABASE
        path.write_bytes(gzip.decompress((self.folder / PAUSE).read_bytes()))
        _move(path, PLACE, str(folder))


def every() -> list[Stored]:
    """Every stored pause of every release."""
    return [Stored(path.parent) for path in sorted(HOME.glob(f"*/*/{PAUSE}"))]


def pack(folder: Path, target: Path) -> None:
    """Store the database and the configs of a folder that nobody works in any more."""
    whole = folder / "whole.db"
    with sqlite3.connect(folder / DATABASE) as connection:
        connection.execute("VACUUM INTO ?", (str(whole),))
    connection.close()
    _move(whole, str(folder), PLACE)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    (target / PAUSE).write_bytes(gzip.compress(whole.read_bytes(), mtime=0))
    shutil.copy(folder / CONFIGS / CONFIG, target)
    for tools in TOOLS:
        shutil.copy(folder / CONFIGS / tools, target.parent)


def answer_to(card: Card) -> Answer:
    """How each kind of card of the corpus is answered."""
    match card.kind:
        case "question":
            (question,) = card.input["questions"]
            label = question["options"][0]["label"]
            return Answered(
                {"answers": [{"question": question["question"], "selected": [label], "other": None}]}
            )
        case "tool_interrupt":
            return Answered(3)
        case "doubt":
            return Happened("it left")
        case _:
            return Approved()


def shown(card: Card) -> str:
    """What of a card must be the same in every release."""
    return f"{card.kind}: {' › '.join(card.agent_path)} › {called(card.tool, card.input)}"


def called(tool: str, given: dict[str, Any]) -> str:
    """A call in one line."""
    return f"{tool} {json.dumps(given, sort_keys=True)}"


def _move(database: Path, old: str, new: str) -> None:
    """Put one folder in the place of another, wherever the database names it."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("BEGIN")
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:  # some keep rows from being changed, which a move has to
        connection.execute(f'DROP TRIGGER "{name}"')
    for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        for column in connection.execute(f'PRAGMA table_info("{table}")').fetchall():
            if column[2] == "TEXT":
                connection.execute(
                    f'UPDATE "{table}" SET "{column[1]}" = replace("{column[1]}", ?, ?) WHERE instr("{column[1]}", ?)',
                    (old, new, old),
                )
    connection.execute("UPDATE leases SET holder = ?", (HOLDER,))
    for _, sql in triggers:
        connection.execute(sql)
    connection.execute("COMMIT")
    connection.close()
