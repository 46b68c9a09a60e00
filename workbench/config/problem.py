"""What is wrong with a config, where, and what would be right."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Final, Literal, TypeAlias

Severity: TypeAlias = Literal["error", "hint"]
"""`error`: the config can't be used. `hint`: it can, and this is probably not what was meant."""

KeyPath: TypeAlias = tuple[str | int, ...]
"""The way from the top of a config to a value: keys and list positions."""


@dataclass(frozen=True)
class Problem:
    """One thing to put right in a config."""

    severity: Severity
    message: str
    """A sentence that names the culprit and says what would be right."""
    file: str
    line: int
    """Counted from 1."""
    column: int
    """Counted from 1, in characters."""
    path: str = ""
    """The key it is about, as in `agents.merchant.interrupt.tools[2].remember`; empty for the text itself."""
    culprit: str | None = None
    """The offending key or value, as written."""
    suggestion: str | None = None
    """The nearest valid name, where there is one."""

    def __str__(self) -> str:
        """The whole sentence with its place: `agents.a.auto: 'no' is … (merchant.yaml:14:19)`."""
        about = f"{self.path}: " if self.path else ""
        return f"{about}{self.message} ({self.file}:{self.line}:{self.column})"

    def to_dict(self) -> dict[str, Any]:
        """The problem as JSON-able values."""
        return asdict(self)


class ConfigInvalid(Exception):
    """A config that has errors; `problems` holds all of them, and the message has one a line."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def written(path: KeyPath) -> str:
    """A key path as people write it: `agents.merchant.interrupt.tools[2].remember`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def shown(value: object) -> str:
    """A value for a sentence: its `repr`, cut where it grows long."""
    match value:
        case Mapping():
            return "a mapping" if value else "an empty mapping"
        case str():
            return repr(value) if len(value) <= 80 else f"{value[:60]!r}… ({len(value)} characters)"
        case list() | tuple():
            return "a list" if value else "an empty list"
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case _:
            text = repr(value)
            return text if len(text) <= 40 else f"{text[:40]}…"


_MOST_COMPARED: Final = 500
_LONGEST_COMPARED: Final = 100


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was most likely meant, if one is near enough; upper and lower case count as near."""
    by_lower = {candidate.lower(): candidate for candidate in islice(names, _MOST_COMPARED)}
    if len(name) > _LONGEST_COMPARED:
        return None
    found = difflib.get_close_matches(name.lower(), list(by_lower), n=1)
    return by_lower[found[0]] if found else None


def choices(names: Iterable[str], *, limit: int = 12) -> str:
    """Names as a choice in a sentence: `once, thread or always`."""
    listed = list(names)
    if len(listed) > limit:
        return f"{', '.join(listed[:limit])} or one of {len(listed) - limit} more"
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} or {listed[-1]}"


def did_you_mean(suggestion: str | None, names: Iterable[str], *, nothing: str) -> str:
    """The half of a sentence that says what would be right: the nearest name, else all of them."""
    if suggestion is not None:
        return f"did you mean {suggestion!r}?"
    listed = list(names)
    return f"use {choices(listed)}" if listed else nothing
