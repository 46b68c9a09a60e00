"""Config files: changed in the app, changed in another editor, changed by two at once."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.runs.harness import Bench, price, shop
from workbench.config import ConfigInvalid
from workbench.runs.engine import Engine
from workbench.runs.errors import ConfigUnknown, LooseningUnconfirmed
from workbench.store import StaleBase, Store

MakeBench = Callable[..., Bench]

STEP = [price()]
STRICT = shop(STEP, ask=["set_price"])
STRICTER = shop(STEP, ask=["*"])
LOOSER = shop(STEP, ask=["nothing"])
BROKEN = "agents: ["


def text_of(config: dict[str, Any]) -> str:
    return yaml.safe_dump(config, sort_keys=False, width=120)


def on_disk(b: Bench) -> str:
    return Path(b.file).read_text(encoding="utf-8")


def number(b: Bench) -> int:
    return b.engine.current(b.file).number


def test_applying_makes_a_version_and_writes_the_file(bench: MakeBench) -> None:
    b = bench(STRICT)
    version = b.engine.apply(b.file, text_of(STRICTER), based_on=1, by="Ada")
    assert (version.number, version.by, on_disk(b)) == (2, "Ada", text_of(STRICTER))
    assert b.engine.disk_change(b.file) is None and number(b) == 2
    assert b.engine.apply(b.file, text_of(STRICTER), based_on=2, by="Bo").number == 2, "nothing changed"


def test_a_text_that_does_not_validate_is_not_applied_and_names_its_lines(bench: MakeBench) -> None:
    b = bench(STRICT)
    before = on_disk(b)
    with pytest.raises(ConfigInvalid) as invalid:
        b.engine.apply(b.file, before.replace("interrupt:", "interupt:"), based_on=1, by="Ada")
    (problem,) = invalid.value.problems
    assert problem.line > 1 and problem.suggestion == "interrupt"
    assert (on_disk(b), number(b)) == (before, 1)


def test_applying_from_a_stale_base_is_refused_and_overwrites_nothing(bench: MakeBench) -> None:
    b = bench(STRICT)
    b.engine.apply(b.file, text_of(STRICTER), based_on=1, by="Ada")
    mine = text_of(shop(STEP, ask=["set_*"]))
    with pytest.raises(StaleBase) as stale:
        b.engine.apply(b.file, mine, based_on=1, by="Bo")
    assert stale.value.newest.text == text_of(STRICTER), "theirs is at hand"
    assert on_disk(b) == text_of(STRICTER) and number(b) == 2


def test_applying_what_loosens_must_be_confirmed_by_name(bench: MakeBench) -> None:
    b = bench(STRICT)
    with pytest.raises(LooseningUnconfirmed) as loosening:
        b.engine.apply(b.file, text_of(LOOSER), based_on=1, by="Ada")
    assert any("set_price" in one.sentence for one in loosening.value.loosenings)
    assert number(b) == 1 and b.say() == "waiting"
    assert b.engine.apply(b.file, text_of(LOOSER), based_on=1, by="Ada", confirmed=True).number == 2


def test_a_change_on_disk_that_tightens_is_live_at_once(bench: MakeBench) -> None:
    look = {"tool": "look_up", "input": {"sku": "X"}}
    b = bench(shop([look], ask=["set_price"]))
    b.write(shop([look], ask=["set_price", "look_up"]))
    assert b.engine.disk_change(b.file) is None
    version = b.engine.current(b.file)
    assert (version.number, version.by) == (2, "the file on disk")
    assert b.say() == "waiting"


def test_a_change_on_disk_that_loosens_becomes_a_draft_until_somebody_confirms_it(bench: MakeBench) -> None:
    b = bench(STRICT)
    b.write(LOOSER)
    change = b.engine.disk_change(b.file)
    assert change is not None and change.kind == "draft" and change.text == text_of(LOOSER)
    assert any("set_price" in one.sentence for one in change.loosenings)
    assert number(b) == 1 and b.say() == "waiting", "what is live is what was confirmed"
    b.restart()
    assert b.engine.disk_change(b.file) is not None, "a draft is still one after a restart"
    assert b.engine.shelf.confirm_draft(b.file, by="Bo").number == 2
    assert b.engine.disk_change(b.file) is None and on_disk(b) == text_of(LOOSER)


def test_a_draft_on_disk_can_be_discarded(bench: MakeBench) -> None:
    b = bench(STRICT)
    b.write(LOOSER)
    assert b.engine.disk_change(b.file) is not None
    b.engine.shelf.discard_draft(b.file)
    assert on_disk(b) == text_of(STRICT) and b.engine.disk_change(b.file) is None and number(b) == 1


def test_a_broken_change_on_disk_is_kept_out_and_said_with_its_line(bench: MakeBench) -> None:
    b = bench(STRICT)
    Path(b.file).write_text(BROKEN, encoding="utf-8")
    change = b.engine.disk_change(b.file)
    assert change is not None and change.kind == "invalid"
    assert "v1 stays live" in change.sentence and change.problems and change.problems[0].line
    assert number(b) == 1 and b.say() == "waiting"
    assert [row.valid_on_disk for row in b.engine.config_files()] == [False]
    b.write(STRICTER)
    assert b.engine.disk_change(b.file) is None and number(b) == 2


@pytest.mark.parametrize("other", [LOOSER, BROKEN], ids=["a draft", "a broken text"])
def test_applying_over_what_another_editor_left_on_disk_keeps_that_text(bench: MakeBench, other: Any) -> None:
    b = bench(STRICT)
    theirs = b.write(other)
    b.engine.apply(b.file, text_of(STRICTER), based_on=1, by="Ada")
    assert on_disk(b) == text_of(STRICTER)
    kept = b.store.configs.draft(b.file)
    assert kept is not None and kept.text == theirs and "the file on disk" in kept.by


def test_applying_over_a_valid_change_on_disk_that_nobody_saw_yet_is_stale(bench: MakeBench) -> None:
    b = bench(STRICT)
    theirs = b.write(STRICTER)
    with pytest.raises(StaleBase):
        b.engine.apply(b.file, text_of(shop(STEP, ask=["set_*"])), based_on=1, by="Ada")
    assert on_disk(b) == theirs and number(b) == 2


def test_a_file_that_is_deleted_leaves_its_last_version_live(bench: MakeBench) -> None:
    b = bench(STRICT)
    Path(b.file).unlink()
    change = b.engine.disk_change(b.file)
    assert change is not None and "not on disk any more" in change.sentence
    assert b.say() == "waiting"
    b.restart()
    b.answer()
    assert b.prices() == [("A1", 12)]


def test_a_file_that_is_no_text_is_said_so(bench: MakeBench) -> None:
    b = bench(STRICT)
    Path(b.file).write_bytes(b"\xff\xfe\x00\x80")
    change = b.engine.disk_change(b.file)
    assert change is not None and change.kind == "invalid" and "can't be read" in change.sentence
    assert b.say() == "waiting"


def test_a_version_that_was_applied_and_not_written_is_written_at_the_next_start(bench: MakeBench) -> None:
    b = bench(STRICT)
    old = on_disk(b)
    b.engine.apply(b.file, text_of(STRICTER), based_on=1, by="Ada")
    Path(b.file).write_text(old, encoding="utf-8")
    b.store.settings.set(f"disk:{b.file}", sha256(old.encode()).hexdigest())
    b.restart()
    assert b.engine.disk_change(b.file) is None
    assert on_disk(b) == text_of(STRICTER) and number(b) == 2


def test_two_engines_see_one_history(bench: MakeBench) -> None:
    b = bench(STRICT)
    with Store.open(b.database) as store:
        other = Engine(store, b.folder)
        other.apply(b.file, text_of(STRICTER), based_on=1, by="Bo")
        assert number(b) == 2 and b.engine.disk_change(b.file) is None
        with pytest.raises(StaleBase):
            b.engine.apply(b.file, text_of(LOOSER), based_on=1, by="Ada", confirmed=True)
        b.engine.apply(b.file, text_of(STRICT), based_on=2, by="Ada", confirmed=True)
        assert other.current(b.file).number == 3


def test_a_loosening_is_noticed_although_the_live_version_lacks_its_secret_here(
    bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_SECRET", "s3cret")
    b = bench(shop(STEP, ask=["set_price"], system_prompt="The key is ${SHOP_SECRET}."))
    monkeypatch.delenv("SHOP_SECRET")
    b.restart()
    with pytest.raises(LooseningUnconfirmed) as loosening:
        b.engine.apply(b.file, text_of(LOOSER), based_on=1, by="Ada")
    assert any(one.tool == "set_price" for one in loosening.value.loosenings)
    b.write(LOOSER)
    change = b.engine.disk_change(b.file)
    assert change is not None and change.kind == "draft"


def test_a_loosening_that_nobody_can_tell_must_be_confirmed_too(
    bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_SECONDS", "60")
    strict = text_of(shop(STEP, ask=[{"name": "set_price", "ttl_seconds": "SECONDS"}]))
    b = bench(strict.replace("SECONDS", "${SECRET_SECONDS}"))
    assert b.engine.current(b.file).number == 1
    monkeypatch.delenv("SECRET_SECONDS")
    b.restart()
    with pytest.raises(LooseningUnconfirmed) as loosening:
        b.engine.apply(b.file, text_of(STRICT), based_on=1, by="Ada")
    assert "can't be told" in loosening.value.loosenings[0].sentence


def test_a_config_nobody_has_is_named(bench: MakeBench) -> None:
    b = bench(STRICT)
    with pytest.raises(ConfigUnknown) as unknown:
        b.engine.current(str(b.folder / "nowhere.yaml"))
    assert "nowhere.yaml" in str(unknown.value)


def test_a_config_whose_subject_widens_is_a_loosening(bench: MakeBench) -> None:
    subjects = "def store_of(tool, tool_input):\n    return tool_input['store']\n"
    narrow = shop(STEP, ask=[{"name": "set_price", "remember": "always", "subject": "./s.py:store_of"}])
    b = bench(narrow, files={"s.py": subjects})
    wide = text_of(shop(STEP, ask=[{"name": "set_price", "remember": "always"}]))
    with pytest.raises(LooseningUnconfirmed) as loosening:
        b.engine.apply(b.file, wide, based_on=1, by="Ada")
    assert "whole tool" in loosening.value.loosenings[0].sentence
