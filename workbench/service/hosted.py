"""What one process serves over HTTP: a config of an engine."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.runs.engine import Engine
from workbench.runs.errors import ConfigUnknown
from workbench.service.problem import Refused
from workbench.service.pulse import Pulse
from workbench.store import Conversation, ConversationExists, Door, Store, new_id

logger = logging.getLogger(__name__)

BY = {"invoke": "invoke API", "agui": "AG-UI client"}
"""Who answers, as the log of decisions names them."""


@dataclass(frozen=True)
class Hosted:
    """One config, served.

    Args:
        engine: the engine of this process.
        file: the config's path, as the engine's shelf names it.
        takes_loosenings: whether a change on disk that loosens the policy is taken at the next message; where
            there is an app, it is confirmed there.
        secret: what seals the state that AG-UI clients keep; by default what the environment or the key file says.
    """

    engine: Engine
    file: str
    takes_loosenings: bool = False
    secret: str = ""
    pulse: Pulse = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pulse", Pulse(self.engine.store.path))

    @property
    def store(self) -> Store:
        """The database."""
        return self.engine.store

    def conversation(self, id: str | None, door: Door) -> Conversation:
        """Return the conversation of this id, beginning it when there is none.

        Raises:
            Refused: it was deleted, belongs to another config, or the config is not valid.
        """
        self.take_changes()
        chosen = new_id() if id is None else id
        found = self.store.conversations.get(chosen)
        if found is None:
            try:
                version = self.engine.current(self.file)
                found = self.store.conversations.create(
                    version.file, id=chosen, door=door, entry=version.entry
                )
            except ConfigUnknown as unknown:
                raise Refused(503, unknown.code, str(unknown)) from None
            except ConversationExists:
                found = self.store.conversations.require(chosen)
        if found.deleted_at is not None:
            raise Refused(409, "deleted", "This conversation was deleted; its id is not used again.")
        if found.config_file != self.file:
            raise Refused(409, "other_config", "This conversation belongs to another config.")
        return found

    def take_changes(self) -> None:
        """Take a loosening on disk, where nobody could confirm it."""
        if not self.takes_loosenings:
            return
        change = self.engine.disk_change(self.file)
        if change is not None and change.kind == "draft":
            for one in change.loosenings:
                logger.warning("config=<%s> | taken from disk: %s", self.file, one.sentence)
            self.engine.shelf.confirm_draft(self.file, by="the file on disk")


Provide = Callable[[], Hosted]
"""Returns what is served, or raises Refused while nothing is."""
