"""Configs on disk and their versions: what is live, what is a draft, what is broken."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench.agents.builder import CannotBuild, blueprint
from workbench.agents.mcp import McpPool
from workbench.agents.models import script_problems
from workbench.agents.tools import ToolLoadError
from workbench.config import (
    Config,
    ConfigInvalid,
    ImportSpecs,
    Parsed,
    Problem,
    config_files,
    parse_config,
    policy_for,
    write_atomically,
)
from workbench.policy import ToolFacts
from workbench.policy.difference import Loosening, loosenings
from workbench.runs.errors import ConfigUnknown, LooseningUnconfirmed
from workbench.store import ConfigVersion, StaleBase, Store

logger = logging.getLogger(__name__)

ON_DISK = "the file on disk"


@dataclass(frozen=True)
class ConfigRow:
    """A config file in a list.

    Attributes:
        file: its absolute path.
        number: its newest version; 0 when no text of it ever validated.
        entry: the agent or orchestration that a conversation talks to.
    """

    file: str
    name: str
    number: int
    entry: str
    valid_on_disk: bool


@dataclass(frozen=True)
class DiskChange:
    """What another editor did to a config file.

    Attributes:
        kind: ``invalid`` (the last good version stays live) or ``draft`` (it loosens the policy and waits to
            be confirmed). A change that is neither is applied at once and leaves nothing here.
    """

    kind: Literal["invalid", "draft"]
    text: str
    sentence: str
    problems: tuple[Problem, ...] = ()
    loosenings: tuple[Loosening, ...] = ()


class Shelf:
    """The config files of one folder, and their versions in the store."""

    def __init__(self, store: Store, folder: Path, mcp: McpPool) -> None:
        self._store = store
        self._mcp = mcp
        self.folder = folder
        self._seen: dict[str, tuple[int, int]] = {}
        self._changes: dict[str, DiskChange] = {}

    def rows(self) -> list[ConfigRow]:
        """List the config files, picking up what changed on disk."""
        rows = []
        for path in config_files(self.folder):
            change = self.sync(path)
            newest = self._store.configs.newest(str(path))
            rows.append(
                ConfigRow(
                    file=str(path),
                    name=path.stem,
                    number=newest.number if newest else 0,
                    entry=newest.entry if newest else "",
                    valid_on_disk=change is None or change.kind != "invalid",
                )
            )
        return rows

    def current(self, file: str) -> ConfigVersion:
        """Return the newest version of a config, after picking up what changed on disk.

        Raises:
            ConfigUnknown: no text of this file ever validated; the message says what is wrong with it.
        """
        change = self.sync(Path(file))
        newest = self._store.configs.newest(file)
        if newest is None:
            raise ConfigUnknown(
                change.sentence if change else f"There is no config file {Path(file).name!r} here."
            )
        return newest

    def check(self, file: str, text: str) -> Parsed:
        """Validate a text as if it stood in the file."""
        return parse_config(text, file=file, folder=Path(file).parent, checks=[script_problems])

    def apply(
        self, file: str, text: str, *, based_on: int | None, by: str, confirmed: bool = False
    ) -> ConfigVersion:
        """Make a text the newest version and write it to the file.

        What another editor left in the file and was never taken is kept as the file's draft.

        Raises:
            ConfigInvalid: it does not validate; the version that is live stays live.
            StaleBase: somebody applied another version meanwhile; nothing is overwritten.
            LooseningUnconfirmed: it lets calls run that asked before, and ``confirmed`` is False.
        """
        path = Path(file)
        left = self.sync(path)
        parsed = self.check(file, text)
        config = parsed.raise_if_invalid()
        newest = self._store.configs.newest(file)
        if newest is not None and based_on not in (None, newest.number) and newest.text != text:
            raise StaleBase(newest, based_on)
        if not confirmed and newest is not None:
            loose = self.loosenings_of(newest, config)
            if loose:
                raise LooseningUnconfirmed(loose)
        if left is not None and left.text not in ("", text):
            # What another editor left there was never taken, and the file is about to be overwritten.
            self._store.configs.save_draft(file, left.text, ON_DISK, left.sentence)
        version = self._save(path, parsed, config, text, by=by, based_on=based_on)
        write_atomically(path, text)
        self._remember_disk(path, text)
        self._changes.pop(file, None)
        return version

    def sync(self, path: Path) -> DiskChange | None:
        """Pick up a change made in another editor; return what keeps it from being live, if anything does."""
        file = str(path)
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            if self._seen.get(file) == stamp:
                return self._changes.get(file)
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            self._seen.pop(file, None)
            return DiskChange(
                "invalid", "", f"{path.name} is not on disk any more. The last version stays live."
            )
        except (OSError, UnicodeDecodeError) as error:
            return DiskChange(
                "invalid", "", f"{path.name} can't be read: {error}. The last version stays live."
            )
        self._seen[file] = stamp
        change = self._take(path, text)
        if change is None:
            self._changes.pop(file, None)
        else:
            self._changes[file] = change
        return change

    def _take(self, path: Path, text: str) -> DiskChange | None:
        file = str(path)
        newest = self._store.configs.newest(file)
        if newest is not None and newest.text == text:
            self._remember_disk(path, text)
            return None
        if newest is not None and self._disk_seen(file) == _sha(text):
            # Nobody touched the file: a version was applied and the app stopped before it was written.
            write_atomically(path, newest.text)
            self._remember_disk(path, newest.text)
            return None
        parsed = self.check(file, text)
        if parsed.config is None:
            first = next((str(one) for one in parsed.errors), "it does not validate")
            live = f"v{newest.number} stays live" if newest else "there is no earlier version to go on with"
            return DiskChange(
                "invalid", text, f"{path.name} on disk is not valid: {first}. So {live}.", parsed.problems
            )
        if newest is not None:
            loose = self.loosenings_of(newest, parsed.config)
            if loose:
                sentence = f"{path.name} was changed on disk and now lets calls run that asked before."
                return DiskChange("draft", text, sentence, loosenings=tuple(loose))
        base = newest.number if newest is not None else None
        try:
            version = self._save(path, parsed, parsed.config, text, by=ON_DISK, based_on=base)
        except StaleBase:
            self._seen.pop(file, None)  # another process was faster; what it did is looked at next time
            return None
        self._remember_disk(path, text)
        logger.info("config=<%s>, version=<%d> | taken from disk", path.name, version.number)
        return None

    def confirm_draft(self, file: str, *, by: str) -> ConfigVersion:
        """Make a draft from disk live, loosenings and all."""
        change = self.sync(Path(file))
        if change is None or change.kind != "draft":
            return self.current(file)
        return self.apply(file, change.text, based_on=None, by=by, confirmed=True)

    def discard_draft(self, file: str) -> None:
        """Write the live version over the draft on disk."""
        newest = self.current(file)
        write_atomically(Path(file), newest.text)
        self._remember_disk(Path(file), newest.text)
        self._changes.pop(file, None)

    def loosenings_of(self, newest: ConfigVersion, config: Config) -> list[Loosening]:
        """Say what a new config would let run that the newest version asks about."""
        folder = Path(newest.folder)
        try:
            before = _policy_of(newest)
        except ConfigInvalid as error:
            return [_untold(newest, error)]
        specs = ImportSpecs(folder)
        tools = {
            name: {**self._facts(before, name, specs), **self._facts(config, name, specs)}
            for name in config.agents
        }
        return loosenings(
            {name: policy_for(before, name, specs) for name in before.agents},
            {name: policy_for(config, name, specs) for name in config.agents},
            tools,
        )

    def _save(
        self, path: Path, parsed: Parsed, config: Config, text: str, *, by: str, based_on: int | None
    ) -> ConfigVersion:
        return self._store.configs.save(
            name=path.stem,
            file=str(path),
            folder=str(path.parent),
            text=text,
            variables=parsed.variables,
            by=by,
            based_on=based_on,
            entry=config.entry_name,
        )

    def _facts(self, config: Config, agent: str, specs: ImportSpecs) -> Mapping[str, ToolFacts]:
        """What is known of an agent's tools; a tool whose code doesn't load can't be judged, and can't run."""
        known = self._mcp.known_facts(config, agent) if agent in config.agents else {}
        try:
            return {**known, **blueprint(config, agent, specs).facts}
        except (CannotBuild, ToolLoadError):
            return known

    def _remember_disk(self, path: Path, text: str) -> None:
        stat = path.stat()
        self._seen[str(path)] = (stat.st_mtime_ns, stat.st_size)
        self._store.settings.set(f"disk:{path}", _sha(text))

    def _disk_seen(self, file: str) -> str | None:
        seen = self._store.settings.get(f"disk:{file}")
        return str(seen) if seen is not None else None


class _AnyVariable(dict[str, str]):
    """An environment in which every variable is set: a policy can be read without its config's secrets."""

    def get(self, name: str, default: Any = None) -> Any:
        return os.environ.get(name, "unset here")


def _policy_of(version: ConfigVersion) -> Config:
    """Parse a version for the sake of its policy alone; the config it returns must not be run."""
    return parse_config(
        version.text,
        file=version.file,
        folder=Path(version.folder),
        env=_AnyVariable(),
        variables=version.variables,
        check_specs=False,
    ).raise_if_invalid()


def _untold(newest: ConfigVersion, error: ConfigInvalid) -> Loosening:
    """Say that nobody can tell what a change loosens; that must be confirmed, too."""
    sentence = f"What this change loosens can't be told, because v{newest.number} does not load here: {error}"
    return Loosening(agent=newest.entry, tool=None, before=None, after=None, sentence=sentence)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
