"""Config files on disk, and prompts beside them."""

import os
import stat
from pathlib import Path

import pytest

from tests.config.texts import MODELS, write
from workbench.config import PromptUnreadable, config_files, parse_config, parse_file, write_atomically


def test_the_configs_of_a_folder_are_its_yaml_files(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            **{"b.yaml": "", "a.yml": "", ".hidden.yaml": "", "notes.txt": "", "client_tools/pick.yaml": ""},
            **{"datasources.yaml": "", "datasources.yml": ""},
        },
    )
    (tmp_path / "folder.yaml").mkdir()
    assert [path.name for path in config_files(tmp_path)] == ["a.yml", "b.yaml"]
    assert config_files(tmp_path / "none") == []


def test_a_file_is_replaced_whole_and_nothing_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    write_atomically(path, "first: ü\r\n")
    write_atomically(path, "second\n")
    assert path.read_bytes() == b"second\n"
    assert os.listdir(tmp_path) == ["a.yaml"]


def test_line_ends_and_letters_are_written_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    write_atomically(path, "ü\r\n")
    assert path.read_bytes() == "ü\r\n".encode()


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_gets_the_permissions_any_new_file_gets(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.yaml", "new")
    (tmp_path / "b.yaml").write_text("new")
    assert (tmp_path / "a.yaml").stat().st_mode == (tmp_path / "b.yaml").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real.yaml"
    real.write_text("old")
    link = tmp_path / "link.yaml"
    link.symlink_to(real)
    write_atomically(link, "new")
    assert link.is_symlink() and real.read_text() == "new"


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.yaml"]
    with pytest.raises(OSError):
        write_atomically(tmp_path / "none" / "a.yaml", "x")


def test_a_config_reads_its_prompt_from_the_file_beside_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "c.yaml": f"agents: {{a: {{system_prompt_file: ./p.md}}}}\n{MODELS}",
            "p.md": "\ufeffCosts ${NOT} $$5.\n",
        },
    )
    config = parse_file(tmp_path / "c.yaml").raise_if_invalid()
    assert config.system_prompt_of("a") == "Costs ${NOT} $$5.\n"
    (tmp_path / "p.md").unlink()
    with pytest.raises(PromptUnreadable, match="there is no file './p.md' beside the config"):
        config.system_prompt_of("a")


def test_a_prompt_may_be_long_but_not_without_end(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("x" * 2_000_000)
    text = f"agents: {{a: {{system_prompt_file: ./p.md}}}}\n{MODELS}"
    (problem,) = parse_config(text, file=tmp_path / "c.yaml").problems
    assert problem.message == "'./p.md' is 2,000,000 bytes long; 1,048,576 are the limit"
