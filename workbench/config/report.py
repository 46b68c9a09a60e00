"""Where the problems of one config are gathered while it is read."""

from typing import Final

from workbench.config.node import Place
from workbench.config.problem import KeyPath, Problem, Severity, written

MOST_ERRORS: Final = 200
"""More than these help nobody; the last one then says that there are more."""

MOST_HINTS: Final = 50
"""Hints have a room of their own, so that they never keep an error from being noted."""


class Report:
    """Collects problems, each once, and hands them back in the order of the text."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._found: dict[tuple[Severity, Place, str], Problem] = {}
        self._spoilt: set[KeyPath] = set()
        self._counts: dict[Severity, int] = {"error": 0, "hint": 0}
        self._more = 0

    def add(
        self,
        message: str,
        place: Place,
        path: KeyPath = (),
        *,
        culprit: str | None = None,
        suggestion: str | None = None,
        severity: Severity = "error",
    ) -> None:
        """Note a problem. One of an anchor that is used several times is noted for its first use."""
        key = (severity, place, message)
        if key in self._found:
            return
        if severity == "error" and self.full:
            self.count_one_more()
            return
        if severity == "hint" and self._counts["hint"] >= MOST_HINTS:
            return
        self._counts[severity] += 1
        self._found[key] = Problem(
            severity, message, self._file, place.line, place.column, written(path), culprit, suggestion
        )

    def count_one_more(self) -> None:
        """Count an error that there is no room for."""
        self._more += 1

    def spoil(self, path: KeyPath) -> None:
        """Note that the value at a path is not the one meant, so that nobody complains of it again."""
        self._spoilt.add(path)

    def is_spoilt(self, path: KeyPath) -> bool:
        """Whether the value at a path, or one around it, is already known to be wrong."""
        return bool(self._spoilt) and any(path[:end] in self._spoilt for end in range(len(path) + 1))

    @property
    def full(self) -> bool:
        """Whether further errors would only be counted."""
        return self._counts["error"] >= MOST_ERRORS

    @property
    def has_errors(self) -> bool:
        """Whether anything noted makes the config unusable."""
        return self._counts["error"] > 0

    def problems(self) -> tuple[Problem, ...]:
        """All problems, from the top of the text to its end."""
        ordered = sorted(self._found.values(), key=lambda problem: (problem.line, problem.column))
        if self._more:
            last = ordered[-1]
            message = f"there are {self._more} more problems; put these right first"
            ordered.append(Problem("error", message, self._file, last.line, last.column))
        return tuple(ordered)
