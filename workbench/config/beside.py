"""YAML files beside the configs: text -> a validated value, every mistake with its file and line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import ValidationError

from workbench.config.context import Context
from workbench.config.document import compose
from workbench.config.field import ANCHOR_PREFIX, ConfigModel
from workbench.config.node import Mapping as MappingNode
from workbench.config.node import Place, target_of
from workbench.config.problem import KeyPath, Problem, written
from workbench.config.reading import Origin, Reading
from workbench.config.report import Report
from workbench.config.text import NotText, decode, prepare
from workbench.config.wording import explain

Model = TypeVar("Model", bound=ConfigModel)

Judge: TypeAlias = Callable[[Model, Context], None]
"""Notes what a model can't say of itself. It is a function of a module, for what it found is remembered."""


@dataclass(frozen=True)
class Beside(Generic[Model]):
    """A file and what became of it."""

    file: Path
    value: Model | None
    """What it says; None where there are errors."""
    problems: tuple[Problem, ...] = ()
    origins: Mapping[KeyPath, Origin] | None = None

    def problem(self, message: str, path: KeyPath, *, culprit: str | None = None) -> Problem:
        """An error with the value at a path, found by comparing files."""
        found = Context({}, dict(self.origins or {}), Report("")).place(path)
        return Problem("error", message, str(self.file), found.line, found.column, written(path), culprit)


def read_beside(
    path: Path, model: type[Model], *, needs: str, judge: Judge[Model] | None = None
) -> Beside[Model]:
    """Read a file. Never raises for what the file holds, and runs no code.

    Args:
        path: the file.
        model: what it must hold.
        needs: what it has at least, for a sentence about an empty one: `` `name:` and `answer:` ``.
        judge: further checks of a file that fits the model.
    """
    try:
        text = decode(path.read_bytes())
    except NotText as error:
        return _unreadable(path, str(error), error.place)
    except OSError as error:
        return _unreadable(path, f"the file can't be read: {error.strerror}", Place(1, 1))
    read: Beside[Model] = _read(str(path), text, model, needs, judge)
    return read


@lru_cache(maxsize=128)
def _read(file: str, text: str, model: Any, needs: str, judge: Any) -> Any:
    report = Report(file)
    value, origins = _value(text, report, model, needs, judge)
    return Beside(Path(file), None if report.has_errors else value, report.problems(), origins)


def _value(
    text: str, report: Report, model: type[Model], needs: str, judge: Judge[Model] | None
) -> tuple[Model | None, dict[KeyPath, Origin]]:
    ready = prepare(text, report)
    root = compose(ready, report) if ready is not None else None
    if root is None:
        if not report.has_errors:
            report.add(f"the file is empty; it has at least {needs}", Place(1, 1))
        return None, {}
    mapping = target_of(root)
    if not isinstance(mapping, MappingNode):
        report.add(f"this must be a mapping (key: value) with at least {needs}", root.place)
        return None, {}
    reading = Reading(report)
    # A JSON Schema may have keys that start with x-, so only those of the file itself are ignored.
    whole = reading.read(mapping, free=True)
    data = {key: value for key, value in whole.items() if not key.startswith(ANCHOR_PREFIX)}
    try:
        value = model.model_validate(data)
    except ValidationError as error:
        explain(error, model, data, reading.origins, report)
        return None, reading.origins
    if judge is not None:
        judge(value, Context(data, reading.origins, report))
    return value, reading.origins


def _unreadable(path: Path, sentence: str, place: Place) -> Beside[Model]:
    return Beside(path, None, (Problem("error", sentence, str(path), place.line, place.column),))
