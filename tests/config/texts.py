"""Short configs for tests, and what is found in them."""

from collections.abc import Mapping
from pathlib import Path

from workbench.config import Config, Parsed, Problem, parse_config

FILE = "merchant.yaml"
MODELS = "models: {main: {provider: scripted}}\ndefaults: {model: main}\n"


def parsed(text: str, *, env: Mapping[str, str] | None = None, **options: object) -> Parsed:
    """Read a text that names no files."""
    return parse_config(text, file=FILE, env=env or {}, check_specs=False, **options)


def config_of(text: str, **options: object) -> Config:
    """Read a text that must be valid, without even a hint."""
    found = parsed(text, **options)
    assert not found.problems, [str(problem) for problem in found.problems]
    return found.raise_if_invalid()


def problems_of(text: str, **options: object) -> list[str]:
    """Everything that is wrong with a text, places left out."""
    return [
        f"{one.path}: {one.message}" if one.path else one.message for one in parsed(text, **options).problems
    ]


def only_problem(text: str, **options: object) -> Problem:
    """The one thing that is wrong with a text."""
    found = parsed(text, **options).problems
    assert len(found) == 1, [str(problem) for problem in found]
    return found[0]


def pointed(text: str, **options: object) -> Problem:
    """The one thing that is wrong with a text in which « stands right before the culprit, checked to stand there."""
    before, mark, after = text.partition("«")
    assert mark, "the text marks no place"
    problem = only_problem(before + after, **options)
    place = (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
    assert (problem.line, problem.column) == place, str(problem)
    return problem


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder, and return the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
