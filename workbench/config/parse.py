"""YAML text -> Config, or everything that is wrong with it."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from workbench.config import arrangement, code, references
from workbench.config.context import Context
from workbench.config.document import compose
from workbench.config.field import ANCHOR_PREFIX
from workbench.config.interpolation import Definition, Variables
from workbench.config.node import Mapping as MappingNode
from workbench.config.node import Node, Place, Scalar, Sequence, target_of
from workbench.config.problem import ConfigInvalid, KeyPath, Problem
from workbench.config.reading import Reading
from workbench.config.report import Report
from workbench.config.schema import Config, path_key
from workbench.config.text import NotText, decode, prepare
from workbench.config.wording import explain

Check: TypeAlias = Callable[[Config], Iterable[tuple[KeyPath, str]]]
"""A check from another part of the workbench: for each mistake, its key path and a sentence about it."""


@dataclass(frozen=True)
class Parsed:
    """What became of a text."""

    config: Config | None
    """The config; None where there are errors."""
    problems: tuple[Problem, ...] = ()
    """Everything found, errors and hints, from the top of the text to its end."""
    variables: dict[str, str] = field(default_factory=dict)
    """What variables were found to be outside the text, secrets aside. Handed to `parse_config` again, they make the
    same config in another process, whatever its environment says."""

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that make the text unusable."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    def raise_if_invalid(self) -> Config:
        """The config. Raises ConfigInvalid, with all problems, where there are errors."""
        if self.config is None:
            raise ConfigInvalid(self.errors)
        return self.config


def parse_config(
    text: str,
    *,
    file: str | Path,
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    check_specs: bool = True,
    checks: Iterable[Check] = (),
) -> Parsed:
    """Read a config and find everything that is wrong with it. Never raises for what the text says, and runs no code.

    Args:
        text: the YAML.
        file: the file it comes from, or would be written to; problems name it.
        folder: the folder that import specs and prompts start from; by default the file's.
        env: the environment that variables come from; by default the process's.
        variables: the variables of a stored config version; they win over the environment, which secrets still
            come from.
        check_specs: whether to look for the files, functions and prompts that the config names.
        checks: further checks, made when the config is valid otherwise.
    """
    home = Path(file).parent if folder is None else folder
    report = Report(str(file))
    ready = prepare(text, report)
    if ready is None:
        return Parsed(None, report.problems())
    root = compose(ready, report)
    if root is None:
        if not report.has_errors:
            report.add("the file is empty; a config has at least `agents:`", Place(1, 1))
        return Parsed(None, report.problems())
    mapping = target_of(root)
    if not isinstance(mapping, MappingNode):
        report.add(_no_mapping(root), root.place)
        return Parsed(None, report.problems())
    names = _variables(mapping, report, os.environ if env is None else env, variables)
    reading = Reading(report, names)
    data: dict[str, Any] = reading.read(mapping)
    config = _validate(data, reading)
    context = Context(data, reading.origins, report)
    references.check(context)
    arrangement.check(context)
    if check_specs:
        code.check(context, home)
    if config is not None:
        places = {
            path_key(".".join(map(str, path))): (made.value.line, made.value.column)
            for path, made in reading.origins.items()
        }
        config = config.located(str(file), home, places, _extras(mapping))
        if not report.has_errors:
            for check in checks:
                for path, sentence in check(config):
                    context.add(sentence, path)
    return Parsed(None if report.has_errors else config, report.problems(), names.outside)


def parse_file(
    path: Path,
    *,
    env: Mapping[str, str] | None = None,
    check_specs: bool = True,
    checks: Iterable[Check] = (),
) -> Parsed:
    """Read a config from its file. A file that can't be read, or is no UTF-8 text, is a problem like any other."""
    try:
        text = decode(path.read_bytes())
    except NotText as error:
        return _unreadable(path, str(error), error.place)
    except IsADirectoryError:
        return _unreadable(path, "this is a folder; name a config file in it", Place(1, 1))
    except FileNotFoundError:
        return _unreadable(path, "there is no such file", Place(1, 1))
    except OSError as error:
        return _unreadable(path, f"the file can't be read: {error.strerror}", Place(1, 1))
    return parse_config(text, file=path, env=env, check_specs=check_specs, checks=checks)


def _unreadable(path: Path, sentence: str, place: Place) -> Parsed:
    return Parsed(None, (Problem("error", sentence, str(path), place.line, place.column),))


def _no_mapping(root: Node) -> str:
    match target_of(root):
        case MappingNode():
            raise AssertionError("a mapping is what a config is")
        case Sequence():
            what = "a list"
        case Scalar(text=text):
            what = "empty" if text in ("", "~", "null") else "a single text"
    return f"the config is {what}; it must be a mapping (key: value) with at least `agents:`"


def _variables(
    root: MappingNode, report: Report, environment: Mapping[str, str], stored: Mapping[str, str] | None
) -> Variables:
    """The variables of a config, its `vars` read as they are written."""
    quiet = Reading(Report(""))
    section = next((value for key, value in root.entries if key.text == "vars"), None)
    found = quiet.read(section, ("vars",)) if section is not None else {}
    definitions: dict[str, Definition] = {}
    for name, value in found.items() if isinstance(found, dict) else ():
        if not isinstance(value, dict | list):
            origin = quiet.origins["vars", name]
            definitions[name] = Definition(value, origin.plain, origin.value)
    return Variables(definitions, environment, stored, report)


def _extras(root: MappingNode) -> dict[str, Any]:
    """What stands under the top-level `x-` keys, as written; mistakes in it are nobody's."""
    quiet = Reading(Report(""))
    return {
        key.text: quiet.read(value, (key.text,), free=True)
        for key, value in root.entries
        if key.text.startswith(ANCHOR_PREFIX)
    }


def _validate(data: dict[str, Any], reading: Reading) -> Config | None:
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        explain(error, Config, data, reading.origins, reading.report)
        return None
