"""What the checks between the parts of a config look at: its plain values, whatever their shape."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workbench.config.node import Place
from workbench.config.problem import KeyPath, Severity
from workbench.config.reading import Origin
from workbench.config.report import Report


@dataclass(frozen=True)
class Context:
    """A config's plain values and where they stand.

    The checks work on these, not on the validated model, so that a mistake in one agent doesn't hide those in others.
    What has the wrong shape is passed over: the schema has complained of it.
    """

    data: dict[str, Any]
    origins: dict[KeyPath, Origin]
    report: Report

    def section(self, *path: str | int) -> dict[str, Any]:
        """The mapping at a path; an empty one where there is none."""
        found = self.at(*path)
        return found if isinstance(found, dict) else {}

    def listed(self, *path: str | int) -> list[Any]:
        """The list at a path; an empty one where there is none."""
        found = self.at(*path)
        return found if isinstance(found, list) else []

    def text(self, *path: str | int) -> str | None:
        """The text at a path that can be judged: None where there is none, or where it couldn't be filled in."""
        found = self.at(*path)
        return found if isinstance(found, str) and found.strip() and not self.report.is_spoilt(path) else None

    def at(self, *path: str | int) -> Any:
        """The value at a path; None where there is none."""
        data: Any = self.data
        for part in path:
            match data, part:
                case dict(), str():
                    data = data.get(part)
                case list(), int() if 0 <= part < len(data):
                    data = data[part]
                case _:
                    return None
        return data

    def texts(self, *pattern: str) -> Iterator[tuple[KeyPath, str]]:
        """Every text whose path fits a pattern, in which `*` stands for any key or list position."""
        paths: list[KeyPath] = [()]
        for part in pattern:
            paths = [(*path, step) for path in paths for step in self._steps(path, part)]
        for path in paths:
            if (text := self.text(*path)) is not None:
                yield path, text

    def _steps(self, path: KeyPath, part: str) -> list[str | int]:
        found = self.at(*path)
        match found:
            case dict():
                return list(found) if part == "*" else [part] if part in found else []
            case list():
                return list(range(len(found))) if part == "*" else []
            case _:
                return []

    def place(self, path: KeyPath, *, key: bool = False) -> Place:
        """Where a value stands, or its key; where it isn't written, what it would belong to."""
        for end in range(len(path), -1, -1):
            origin = self.origins.get(path[:end])
            if origin is not None:
                return (origin.key or origin.value) if key or end < len(path) else origin.value
        return Place(1, 1)

    def add(
        self,
        message: str,
        path: KeyPath,
        *,
        key: bool = False,
        culprit: str | None = None,
        suggestion: str | None = None,
        severity: Severity = "error",
    ) -> None:
        """Note a problem with the value at a path, or with its key."""
        self.report.add(
            message,
            self.place(path, key=key),
            path,
            culprit=culprit,
            suggestion=suggestion,
            severity=severity,
        )
