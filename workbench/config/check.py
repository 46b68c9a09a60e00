"""Checking config files for the command line: what was found, as text or as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.config.files import config_files
from workbench.config.parse import Check, Parsed, parse_file
from workbench.config.problem import Problem


@dataclass(frozen=True)
class Checked:
    """One file and what became of it."""

    file: Path
    parsed: Parsed

    @property
    def summary(self) -> str:
        """The file in one line."""
        config = self.parsed.config
        if config is None:
            return f"{self.file}: not valid, {_counted(len(self.parsed.errors), 'error')}"
        agents = _counted(len(config.agents), "agent")
        return f"{self.file}: valid, {agents}, entry {config.entry_name!r}"

    def to_dict(self) -> dict[str, Any]:
        """The outcome as JSON-able values."""
        config = self.parsed.config
        return {
            "file": str(self.file),
            "valid": config is not None,
            "entry": config.entry_name if config else None,
            "agents": list(config.agents) if config else [],
            "problems": [problem.to_dict() for problem in self.parsed.problems],
        }


def check_files(paths: Iterable[Path], checks: Sequence[Check] = ()) -> list[Checked]:
    """Check files one by one; a folder stands for the configs in it."""
    return [Checked(path, parsed) for given in paths for path, parsed in _parsed(given, checks)]


def _parsed(given: Path, checks: Sequence[Check]) -> Iterator[tuple[Path, Parsed]]:
    if not given.is_dir():
        yield given, parse_file(given, checks=checks)
        return
    files = config_files(given)
    if not files:
        yield (
            given,
            Parsed(None, (Problem("error", "there are no .yaml files in this folder", str(given), 1, 1),)),
        )
    for path in files:
        yield path, parse_file(path, checks=checks)


def as_text(checked: Sequence[Checked]) -> str:
    """What a person reads: each problem in a line, each file's outcome after its problems."""
    lines: list[str] = []
    for one in checked:
        lines += [f"{problem.severity}: {problem}" for problem in one.parsed.problems]
        lines.append(one.summary)
    return "\n".join(lines)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
