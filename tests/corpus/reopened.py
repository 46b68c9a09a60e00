"""A bench on a stored pause."""

from pathlib import Path
from typing import Any

from tests.corpus.stored import Stored, answer_to, called, shown
from tests.runs.harness import Bench
from workbench.runs.views import CallItem


class Reopened(Bench):
    """The stored conversation, in a copy, with a worker.

    Args:
        stored: which.
        folder: an empty folder for the copy.
    """

    def __init__(self, stored: Stored, folder: Path) -> None:
        stored.unpack(folder)
        self._sit_down(folder)
        self._open()
        (conversation,) = self.store.conversations.list()
        self.id = conversation.id
        self.start()

    def shown(self) -> list[str]:
        """What of the open cards must be the same in every release."""
        return sorted(shown(card) for card in self.cards())

    def finish(self) -> dict[str, Any]:
        """Answer whatever waits until nothing does; return what came of it."""
        self.let("allowed")  # what an approval tells the service of a tool that enforces its own
        while self.settle() == "waiting":
            for card in self.cards():
                self.answer(answer_to(card), card)
        calls = [item for item in self.items() if isinstance(item, CallItem)]
        return {
            "ended": self.page.status,
            "ran": sorted(called(tool, given) for tool, given in self.ran()),
            "calls": sorted(f"{' › '.join(item.agent_path)} › {item.tool}: {item.state}" for item in calls),
            "said": self.said(),
        }
