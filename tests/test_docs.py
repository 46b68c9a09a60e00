"""What the documents claim, as far as a machine can check it."""

import re
from pathlib import Path

import pytest

from tests import cli_help, config_keys
from tests.tracked import ROOT, named, tracked
from workbench.cli import main
from workbench.config import parse_config

GUIDES = ("README.md", "CONTRIBUTING.md", "docs/config.md", "docs/decisions.md")


def guide(name: str) -> str:
    return (ROOT / name).read_text()


def code_in(text: str) -> str:
    """Return what is set as code: fenced blocks and words in backticks."""
    return "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL))


@pytest.mark.parametrize("name", GUIDES)
def test_every_make_command_in_a_guide_is_a_target(name: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", guide("Makefile"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)", code_in(guide(name)))) <= targets


@pytest.mark.parametrize("name", GUIDES)
def test_every_workbench_command_in_a_guide_exists(name: str) -> None:
    used = set(re.findall(r"(?:^|[`/])workbench ([a-z]+)", code_in(guide(name)), re.MULTILINE))
    assert used <= set(cli_help.commands())


def test_the_page_of_commands_is_what_help_says() -> None:
    assert cli_help.same_words(cli_help.PAGE.read_text()) == cli_help.same_words(cli_help.page()), "run `make docs`"


def test_every_key_of_the_config_is_on_its_page() -> None:
    text = guide("docs/config.md")
    assert set(re.findall(r"<!-- keys: (\w+) -->", text)) == set(config_keys.definitions())
    assert config_keys.page(text) == text, "run `make docs`"


def whole_configs() -> list[tuple[str, str]]:
    """Return the YAML blocks of the guides that are configs from the first line to the last."""
    blocks = [(name, block) for name in GUIDES for block in re.findall(r"```yaml\n(.*?)```", guide(name), re.DOTALL)]
    return [(name, block) for name, block in blocks if "\nagents:" in block]


@pytest.mark.parametrize(("name", "text"), whole_configs())
def test_every_config_in_a_guide_is_valid(name: str, text: str, tmp_path: Path) -> None:
    assert not parse_config(text, file=f"{name}.yaml", folder=tmp_path, env={}, check_specs=False).problems


def test_every_file_beside_a_config_is_valid_in_a_guide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", guide("docs/config.md"), re.DOTALL)
    sources = [block for block in blocks if block.startswith("datasources:")]
    tools = [block for block in blocks if block.startswith("name:")]
    (tmp_path / "client_tools").mkdir()
    (tmp_path / "datasources.yaml").write_text(sources[0])
    (tmp_path / "client_tools" / "tool.yaml").write_text(tools[0])
    assert main(["check", str(tmp_path)]) == 0, capsys.readouterr().out


def test_every_sample_config_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    samples = [str(path) for path in sorted((ROOT / "configs").glob("*.yaml"))]
    assert samples and main(["check", *samples]) == 0, capsys.readouterr().out


def test_every_link_in_a_document_leads_somewhere() -> None:
    dead = {
        f"{named(page)} -> {target}"
        for page in tracked("*.md")
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
        if not target.startswith(("http://", "https://")) and not (page.parent / target).exists()
    }
    assert not dead


def test_every_variable_the_code_reads_is_in_the_readme_and_none_besides() -> None:
    code = [*tracked("workbench/*.py"), *tracked("configs/*.py")]
    read = {name for path in code for name in variables_in(path)}
    told = set(re.findall(r"\bWORKBENCH_[A-Z_]+\b", guide("README.md")))
    assert read == told


def variables_in(path: Path) -> set[str]:
    """Return the WORKBENCH_ variables that stand as strings in the code, not those its docstrings mention."""
    return set(re.findall(r"""["'](WORKBENCH_[A-Z_]+)["']""", path.read_text()))
