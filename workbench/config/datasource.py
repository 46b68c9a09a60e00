"""`datasources.yaml`: the data that a person may point an agent to (`request_datasources`)."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from workbench.config.beside import read_beside
from workbench.config.context import Context
from workbench.config.field import ConfigModel, Name, Text
from workbench.config.files import DATASOURCES, ENDINGS
from workbench.config.problem import Problem

_PASSWORD_IN_ADDRESS: Final = re.compile(r"://[^/\s:@]*:[^/\s@]+@")
_SECRET_IN_TEXT: Final = re.compile(
    r"(?<![a-z])(password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key)\s*[=:]\s*\S", re.IGNORECASE
)


class DataSourceConfig(ConfigModel):
    """One data source. Everything here is read by people and models, so no secret stands in it."""

    title: Text
    """What the card calls it."""
    description: Text | None = None
    """What is in it, for the person who chooses."""
    kind: Name | None = None
    """A word for what it is, such as `table` or `folder`; an agent may ask for data sources of some kinds only."""
    model_reads: Text
    """What the agent reads when this is chosen: a path, a table, the label of a connection."""


class DataSourcesFile(ConfigModel):
    """The data sources that this folder's agents may be pointed to."""

    datasources: Annotated[dict[Name, DataSourceConfig], Field(min_length=1)]
    """The data sources, by name."""


@dataclass(frozen=True)
class DataSource:
    """One data source, with its name."""

    name: str
    title: str
    description: str
    kind: str
    model_reads: str


@dataclass(frozen=True)
class DataSources:
    """What a folder's file says."""

    file: Path | None
    """None where there is no such file."""
    sources: tuple[DataSource, ...] = ()
    """The data sources in the order of the file; none where it has errors."""
    problems: tuple[Problem, ...] = ()

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that make the file unusable."""
        return tuple(problem for problem in self.problems if problem.severity == "error")


def datasources_file(folder: Path) -> Path | None:
    """The file of a folder, if it has one."""
    return next((path for ending in ENDINGS if (path := folder / f"{DATASOURCES}{ending}").is_file()), None)


def read_datasources(folder: Path) -> DataSources:
    """Read the data sources beside a folder's configs."""
    path = datasources_file(folder)
    return DataSources(None) if path is None else read_datasources_file(path)


def read_datasources_file(path: Path) -> DataSources:
    """Read a file of data sources."""
    read = read_beside(path, DataSourcesFile, needs="`datasources:`", judge=_judge)
    listed = read.value.datasources if read.value is not None else {}
    sources = tuple(
        DataSource(name, one.title, one.description or "", one.kind or "", one.model_reads)
        for name, one in listed.items()
    )
    return DataSources(path, sources, read.problems)


def _judge(file: DataSourcesFile, context: Context) -> None:
    titles: dict[str, str] = {}
    for name, source in file.datasources.items():
        path = (DATASOURCES, name)
        twin = titles.setdefault(" ".join(source.title.split()).casefold(), name)
        if twin != name:
            context.add(
                f"{twin!r} has this title too; people choose by titles, so they must differ",
                (*path, "title"),
                culprit=source.title,
            )
        for key in ("title", "description", "model_reads"):
            text = getattr(source, key) or ""
            if _PASSWORD_IN_ADDRESS.search(text) or (key == "model_reads" and _SECRET_IN_TEXT.search(text)):
                context.add(
                    "this holds a password or a key, and people and models would read it; name the connection "
                    "and keep the secret where the tool that uses it finds it",
                    (*path, key),
                )
            elif "${" in text:
                context.add(
                    "variables are not filled in here; the agent reads this as it is written",
                    (*path, key),
                    severity="hint",
                )
