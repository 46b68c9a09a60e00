"""The rules of the house that no linter holds."""

import ast
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.tracked import ROOT, named, tracked

LONGEST_MODULE = 400
LONGEST_PAGE = 150
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = ("requirements.lock", "requirements-dev.lock")
# Written apart, so that this file doesn't name them either.
REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("debian", "org"),
    )
]
REGISTRY = re.compile("|".join(map(re.escape, REGISTRY_HOSTS)) + r"|(?:index-url|find-links)[ =]+(?:https?|file):")
SOMEBODYS_FOLDER = re.compile(r"(?<![\w.~/$}-])/(?:work|root|home/\w+|Users/\w+)/\w")


def texts() -> list[tuple[str, str]]:
    """Return name and text of every tracked text file."""
    found = []
    for path in tracked():
        data = path.read_bytes()
        if b"\0" not in data:
            found.append((named(path), data.decode()))
    return found


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines())


def test_no_module_is_two_rooms() -> None:
    modules = [*tracked("workbench/*.py"), *tracked("configs/*.py")]
    too_long = {named(path): lines_of(path) for path in modules if lines_of(path) > LONGEST_MODULE}
    assert modules and not too_long


def test_a_page_arranges_and_does_not_do() -> None:
    too_long = {named(path): lines_of(path) for path in tracked("pages/*.py") if lines_of(path) > LONGEST_PAGE}
    assert not too_long


def test_pages_know_only_the_ui() -> None:
    strangers = {
        f"{named(path)}:{node.lineno} imports {module}"
        for path in tracked("pages/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for module in imported(node)
        if module.split(".")[0] == "workbench" and module != "workbench.ui" and not module.startswith("workbench.ui.")
    }
    assert not strangers


def imported(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(module), names=names):
            # `from workbench import runs` names a package as well.
            return [f"{module}.{alias.name}" for alias in names] if module == "workbench" else [module]
        case _:
            return []


def test_no_file_names_a_registry() -> None:
    found = {
        f"{name}:{number}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if REGISTRY.search(line)
    }
    assert not found


def test_no_file_names_a_folder_of_one_machine() -> None:
    found = {
        f"{name}:{number}: {place[0]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if (place := SOMEBODYS_FOLDER.search(line))
    }
    assert not found


def pins(lock: str) -> dict[str, list[str]]:
    """Return the versions each package is pinned to: several where they depend on the Python."""
    found: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==([^ ;]+)", (ROOT / lock).read_text(), re.MULTILINE):
        found.setdefault(name, []).append(version)
    return found


def required(extra: str = "") -> set[str]:
    project = PYPROJECT["project"]
    listed = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return {normal(re.match(r"[\w.-]+", entry)[0]) for entry in listed}


def normal(distribution: str) -> str:
    """Return a distribution's name the way the locks spell it."""
    return re.sub(r"[._]", "-", distribution).lower()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_its_hashes(lock: str) -> None:
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / lock).read_text().partition("\n")[2])[1:]
    assert entries and all("--hash=sha256:" in entry for entry in entries)


def test_the_locks_hold_what_pyproject_asks_for() -> None:
    assert required() <= set(pins("requirements.lock"))
    assert required() | required("dev") <= set(pins("requirements-dev.lock"))


def test_the_app_and_its_tests_run_on_the_same_versions() -> None:
    run, dev = pins("requirements.lock"), pins("requirements-dev.lock")
    assert run == {name: dev.get(name) for name in run}
    assert "pytest" not in run


def test_this_release_is_in_the_changelog() -> None:
    version = PYPROJECT["project"]["version"]
    entry = re.search(rf"^## {re.escape(version)}\b.*?(?=^## |\Z)", (ROOT / "CHANGELOG.md").read_text(), re.M | re.S)
    assert entry and "\n- " in entry[0]


def test_what_the_code_imports_is_a_dependency_of_its_own() -> None:
    providers = packages_distributions()
    imports = {
        (module.split(".")[0], named(path))
        for path in [*tracked("workbench/*.py"), *tracked("configs/*.py"), *tracked("pages/*.py")]
        for node in ast.walk(ast.parse(path.read_text()))
        for module in imported(node)
    }
    borrowed = {
        f"{path} imports {package}"
        for package, path in imports
        if package != "workbench" and package in providers and required().isdisjoint({normal(name) for name in providers[package]})
    }
    assert not borrowed
