"""Checking files for the command line, configs and what stands beside them: what was found, as text or as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.config.beside import Beside
from workbench.config.client_tool import (
    CLIENT_TOOLS_FOLDER,
    ClientToolFile,
    read_client_tool,
    read_client_tools,
)
from workbench.config.datasource import DataSources, datasources_file, read_datasources_file
from workbench.config.files import DATASOURCES, ENDINGS, config_files, yaml_files
from workbench.config.parse import Check, Parsed, parse_file
from workbench.config.problem import Problem


@dataclass(frozen=True)
class Checked:
    """One file and what became of it."""

    file: Path
    problems: tuple[Problem, ...]
    valid: bool
    holds: str = ""
    """What a valid file holds: `2 agents, entry 'shop'`."""
    details: dict[str, Any] = field(default_factory=dict)
    """The same as JSON-able values."""

    @property
    def summary(self) -> str:
        """The file in one line."""
        if self.valid:
            return f"{self.file}: valid, {self.holds}"
        errors = sum(problem.severity == "error" for problem in self.problems)
        return f"{self.file}: not valid, {_counted(errors, 'error')}"

    def to_dict(self) -> dict[str, Any]:
        """The outcome as JSON-able values."""
        return {
            "file": str(self.file),
            "valid": self.valid,
            **self.details,
            "problems": [problem.to_dict() for problem in self.problems],
        }


def check_files(paths: Iterable[Path], checks: Sequence[Check] = ()) -> list[Checked]:
    """Check files one by one.

    A folder stands for the configs in it, the list of data sources and the client tools that it declares.
    """
    return [checked for given in paths for checked in _checked(given, checks)]


def _checked(given: Path, checks: Sequence[Check]) -> Iterator[Checked]:
    if not given.is_dir():
        yield _file(given, checks)
        return
    beside = datasources_file(given)
    # The folder of the declarations may be named itself, as a shell's completion does.
    home = given if given.resolve().name == CLIENT_TOOLS_FOLDER else given / CLIENT_TOOLS_FOLDER
    tools = yaml_files(home)
    configs = config_files(given) if home != given else []
    if not configs and beside is None and not tools:
        missing = Problem("error", "there are no .yaml files in this folder", str(given), 1, 1)
        yield Checked(given, (missing,), valid=False)
    for path in configs:
        yield _config(path, parse_file(path, checks=checks))
    if beside is not None and home != given:
        yield _datasources(beside, read_datasources_file(beside))
    for path in tools:
        yield _client_tool(path)


def _file(path: Path, checks: Sequence[Check]) -> Checked:
    """Check one file as what its place says it is."""
    if path.suffix in ENDINGS and path.is_file():
        if path.resolve().parent.name == CLIENT_TOOLS_FOLDER:
            return _client_tool(path)
        if path.stem == DATASOURCES:
            return _datasources(path, read_datasources_file(path))
    return _config(path, parse_file(path, checks=checks))


def _config(path: Path, parsed: Parsed) -> Checked:
    config = parsed.config
    agents = list(config.agents) if config else []
    entry = config.entry_name if config else None
    holds = f"{_counted(len(agents), 'agent')}, entry {entry!r}"
    return Checked(path, parsed.problems, config is not None, holds, {"entry": entry, "agents": agents})


def _datasources(path: Path, found: DataSources) -> Checked:
    names = [source.name for source in found.sources]
    holds = _counted(len(names), "data source")
    return Checked(path, found.problems, not found.errors, holds, {"datasources": names})


def _client_tool(path: Path) -> Checked:
    here = path.parent if path.parent.name == CLIENT_TOOLS_FOLDER else path.resolve().parent
    read: Beside[ClientToolFile] = next(
        (one for one in read_client_tools(here.parent).files if one.file.name == path.name),
        read_client_tool(path),
    )
    name = read.value.name if read.value is not None else None
    return Checked(path, read.problems, name is not None, f"client tool {name!r}", {"client_tool": name})


def as_text(checked: Sequence[Checked]) -> str:
    """What a person reads: each problem in a line, each file's outcome after its problems."""
    lines: list[str] = []
    for one in checked:
        lines += [f"{problem.severity}: {problem}" for problem in one.problems]
        lines.append(one.summary)
    return "\n".join(lines)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
