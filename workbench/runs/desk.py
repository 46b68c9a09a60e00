"""Config versions made live: parsed once, kept for the next run that names them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from workbench.agents.builder import Blueprint, blueprint
from workbench.agents.mcp import McpPool
from workbench.config import Config, ImportSpecs, parse_config, policy_for
from workbench.config.stamp import Stamp, folder_stamp
from workbench.policy import AgentPolicy
from workbench.runs.pasts import Pasts
from workbench.store import ConfigVersion, Store

_KEPT = 32


@dataclass(frozen=True)
class LiveConfig:
    """A config version, parsed, with the loader of its import specs."""

    version: ConfigVersion
    config: Config
    specs: ImportSpecs
    _plans: dict[str, tuple[Stamp, Blueprint]] = field(default_factory=dict, repr=False, compare=False)

    def blueprint(self, agent: str, *, without_missing: bool = False) -> Blueprint:
        """Load what an agent is made of; see :func:`workbench.agents.builder.blueprint`.

        What was loaded is kept for as long as no file of the config's folder changes.
        """
        stamp = folder_stamp(self.specs.folder)
        kept = self._plans.get(agent)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        plan = blueprint(self.config, agent, self.specs, without_missing=without_missing)
        if stamp is not None and not plan.missing:
            self._plans[agent] = stamp, plan
        return plan

    def policy(self, agent: str) -> AgentPolicy | None:
        """Return an agent's policy, or None when this version has no such agent."""
        return policy_for(self.config, agent, self.specs) if agent in self.config.agents else None


class ConfigDesk:
    """Opens config versions by id. Versions are immutable, so what was parsed stays good."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.mcp = McpPool()
        """The MCP servers of this process, shared by every config version."""
        self.pasts = Pasts(store)
        """What was said in the conversations at work here."""
        self._open: OrderedDict[int, LiveConfig] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, version_id: int) -> LiveConfig:
        """Return a version, parsed.

        Raises:
            ConfigInvalid: it does not validate here (a secret's variable is unset, a file is gone).
        """
        with self._lock:
            live = self._open.get(version_id)
            if live is not None:
                self._open.move_to_end(version_id)
                return live
        live = self._parse(self._store.configs.require(version_id))
        with self._lock:
            self._open[version_id] = live
            while len(self._open) > _KEPT:
                self._open.popitem(last=False)
        return live

    @staticmethod
    def _parse(version: ConfigVersion) -> LiveConfig:
        folder = Path(version.folder)
        parsed = parse_config(
            version.text, file=version.file, folder=folder, variables=version.variables, check_specs=False
        )
        return LiveConfig(version, parsed.raise_if_invalid(), ImportSpecs(folder))
