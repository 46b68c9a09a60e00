"""What the engine refuses, each with a sentence for the person."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.policy.difference import Loosening


class EngineRefused(Exception):
    """The base of what the engine refuses; nothing changed.

    Attributes:
        code: a stable word for programs.
    """

    code = "refused"


class ConversationUnknown(EngineRefused):
    """There is no such conversation, or it was deleted."""

    code = "not_found"


class Busy(EngineRefused):
    """A run is working in this conversation."""

    code = "busy"


class MessageRefused(EngineRefused):
    """The message is empty or too long."""

    code = "message_refused"


class FileRefused(EngineRefused):
    """A file is too large, of the wrong kind or too many, or the card takes none."""

    code = "file_refused"


class NothingToDo(EngineRefused):
    """There is nothing to stop, or nothing to try again."""

    code = "nothing_to_do"


class ConfigUnknown(EngineRefused):
    """There is no valid config under this name."""

    code = "config_unknown"


class LooseningUnconfirmed(EngineRefused):
    """The new text lets calls run that asked before; it must be confirmed by name."""

    code = "loosening"

    def __init__(self, loosenings: Sequence[Loosening]) -> None:
        super().__init__(
            "This change lets calls run that asked before: " + "; ".join(one.sentence for one in loosenings)
        )
        self.loosenings = tuple(loosenings)


class TeamFailed(Exception):
    """A Swarm or Graph ended without a reply; the message says why."""


TORN = "team_torn"
"""The code of a run that a torn team failed with."""


class TeamTorn(Exception):
    """A team was stopped in the middle of its work by a crash, and can't be put back; the message says so."""


class Unanswerable(Exception):
    """The run paused for something that no card can ask; it would wait for ever."""

    def __init__(self) -> None:
        super().__init__(
            "A hook or a plugin of this config paused the run where nobody can be asked. "
            "Ask in BeforeToolCallEvent, or in the tool itself."
        )
