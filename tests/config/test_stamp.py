"""A folder's stamp: the same while nothing changes, another after any change, and none while it can't be sure."""

import os
from pathlib import Path

import pytest

from tests.config.texts import write
from workbench.config import stamp
from workbench.config.stamp import folder_stamp


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust files that were written just now."""
    monkeypatch.setattr(stamp, "_SETTLED", -1_000_000_000)


def folder(path: Path) -> Path:
    return write(path, {"shop.yaml": "version: '1'\n", "tools/a.py": "x = 1\n", "tools/deep/b.py": "y = 1\n"})


@pytest.mark.usefixtures("settled")
def test_a_folder_that_stays_as_it_is_keeps_its_stamp(tmp_path: Path) -> None:
    folder(tmp_path)
    assert folder_stamp(tmp_path) == folder_stamp(tmp_path) is not None


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(
    "change",
    [
        lambda at: (at / "tools/a.py").write_text("x = 22\n"),
        lambda at: (at / "tools/deep/b.py").write_text("y = 2\n"),
        lambda at: (at / "tools/new.py").write_text(""),
        lambda at: (at / "tools/a.py").unlink(),
        lambda at: (at / "tools/a.py").rename(at / "tools/c.py"),
        lambda at: (at / "shop.yaml").write_text("version: '1'\nx: 1\n"),
    ],
)
def test_any_change_of_a_source_gives_another_stamp(tmp_path: Path, change: object) -> None:
    folder(tmp_path)
    before = folder_stamp(tmp_path)
    change(tmp_path)  # type: ignore[operator]
    assert folder_stamp(tmp_path) != before


@pytest.mark.usefixtures("settled")
def test_a_file_put_back_with_its_old_time_and_size_is_noticed(tmp_path: Path) -> None:
    folder(tmp_path)
    file = tmp_path / "tools/a.py"
    times = file.stat()
    before = folder_stamp(tmp_path)
    other = tmp_path / "other"
    other.write_text("x = 2\n")
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.rename(file)
    assert folder_stamp(tmp_path) != before


@pytest.mark.usefixtures("settled")
def test_what_no_config_is_made_of_changes_nothing(tmp_path: Path) -> None:
    folder(tmp_path)
    before = folder_stamp(tmp_path)
    write(tmp_path, {"workbench.db": "", ".git/x.py": "", "tools/__pycache__/a.py": ""})
    assert folder_stamp(tmp_path) == before


def test_a_file_written_just_now_is_not_vouched_for(tmp_path: Path) -> None:
    folder(tmp_path)
    assert folder_stamp(tmp_path) is None


@pytest.mark.usefixtures("settled")
def test_a_folder_too_large_or_gone_is_not_vouched_for(tmp_path: Path) -> None:
    assert folder_stamp(tmp_path / "gone") is None
    write(tmp_path, {f"f{number}.py": "" for number in range(401)})
    assert folder_stamp(tmp_path) is None
    deep = tmp_path / "deep"
    write(deep, {"/".join("abcdefgh") + "/x.py": ""})
    assert folder_stamp(deep) is None
