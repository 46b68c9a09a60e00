"""The desk: what a config version is made of is loaded once, and anew as soon as its files are others."""

from pathlib import Path

import pytest
import yaml

from workbench.config import stamp
from workbench.runs.desk import ConfigDesk
from workbench.store import Store

TOOL = '''
import strands

@strands.tool
def greet(name: str) -> str:
    """%s

    Args:
        name: whom.
    """
    return name
'''
CONFIG = {
    "version": "1",
    "agents": {"host": {"model": {"provider": "scripted"}, "tools": ["greet"], "client_tools": ["ask_user"]}},
}


@pytest.fixture
def desk(tmp_path: Path) -> tuple[ConfigDesk, int, Path]:
    configs = tmp_path / "configs"
    (configs / "tools").mkdir(parents=True)
    tool = configs / "tools" / "greet.py"
    tool.write_text(TOOL % "Say hello.")
    store = Store.open(tmp_path / "workbench.db")
    version = store.configs.save(
        "host",
        str(configs / "host.yaml"),
        str(configs),
        yaml.safe_dump(CONFIG),
        {},
        by="Ada",
        based_on=None,
        entry="host",
    )
    return ConfigDesk(store), version.id, tool


def description(desk: ConfigDesk, version: int) -> str:
    return desk.open(version).blueprint("host").tools[0].tool_spec["description"]


def test_a_blueprint_is_kept_while_no_file_changes(
    desk: tuple[ConfigDesk, int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    the_desk, version, tool = desk
    monkeypatch.setattr(stamp, "_SETTLED", -1_000_000_000)
    live = the_desk.open(version)
    assert live.blueprint("host") is live.blueprint("host")
    tool.write_text(TOOL % "Say good-bye.")
    assert description(the_desk, version) == "Say good-bye."


def test_a_tool_changed_just_now_is_never_taken_from_before(desk: tuple[ConfigDesk, int, Path]) -> None:
    the_desk, version, tool = desk
    for word in ("one", "two", "six", "ten"):
        tool.write_text(TOOL % word)
        assert description(the_desk, version) == word
