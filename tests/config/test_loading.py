"""Loading what a config names: each folder for itself, always as the files are now, and every failure a sentence."""

import sys
import threading
from pathlib import Path

import pytest

from tests.config.texts import write
from workbench.config import ImportSpecError, ImportSpecs


def loaded_modules() -> set[str]:
    return {name for name in sys.modules if not name.startswith("workbench_config_")}


def test_a_spec_loads_what_it_names(tmp_path: Path) -> None:
    write(tmp_path, {"tools/catalog.py": "def search(): return 'found'\n"})
    specs = ImportSpecs(tmp_path)
    assert specs.load("./tools/catalog.py:search")() == "found"
    assert specs.module("./tools/catalog.py").search() == "found"
    assert specs.module("./tools/catalog.py:search") is specs.module("./tools/catalog.py")


def test_two_folders_with_the_same_files_know_nothing_of_each_other(tmp_path: Path) -> None:
    before = loaded_modules()
    for name in ("one", "two"):
        write(
            tmp_path / name,
            {
                "tools/catalog.py": f"from .names import NAME\nTITLE = '{name} ' + NAME\n",
                "tools/names.py": f"NAME = '{name}'\n",
            },
        )
    one, two = ImportSpecs(tmp_path / "one"), ImportSpecs(tmp_path / "two")
    assert one.load("./tools/catalog.py:TITLE") == "one one"
    assert two.load("./tools/catalog.py:TITLE") == "two two"
    assert one.load("./tools/catalog.py:TITLE") == "one one"
    assert loaded_modules() == before
    assert not any(str(tmp_path) in path for path in sys.path)


def test_files_import_each_other_relatively_across_subfolders(tmp_path: Path) -> None:
    write(tmp_path, {
        "shop.py": "PRICE = 5\n",
        "tools/__init__.py": "CURRENCY = 'EUR'\n",
        "tools/deep/price.py": "from ...shop import PRICE\nfrom .. import CURRENCY\nfrom ..words import OF\ndef text(): return f'{PRICE} {OF} {CURRENCY}'\n",
        "tools/words.py": "OF = 'of'\n",
    })  # fmt: skip
    assert ImportSpecs(tmp_path).load("./tools/deep/price.py:text")() == "5 of EUR"
    assert ImportSpecs(tmp_path).load("./tools/__init__.py:CURRENCY") == "EUR"


def test_an_import_inside_a_function_works_later_too(tmp_path: Path) -> None:
    write(
        tmp_path, {"a.py": "def late():\n    from .b import VALUE\n    return VALUE\n", "b.py": "VALUE = 1\n"}
    )
    late = ImportSpecs(tmp_path).load("./a.py:late")
    write(tmp_path, {"a.py": "def late(): return 'new'\n"})
    assert ImportSpecs(tmp_path).load("./a.py:late")() == "new"
    assert late() == 1


def test_the_same_content_is_loaded_once(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "calls = []\n"})
    first = ImportSpecs(tmp_path).load("./a.py:calls")
    (tmp_path / "a.py").touch()
    assert ImportSpecs(tmp_path).load("./a.py:calls") is first


def test_a_changed_file_is_loaded_anew_even_within_one_tick_of_the_clock(tmp_path: Path) -> None:
    for value in range(10):
        write(tmp_path, {"a.py": f"VALUE = {value}\n"})
        assert ImportSpecs(tmp_path).load("./a.py:VALUE") == value
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_changed_helper_reloads_what_imported_it(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "from .b import VALUE\n", "b.py": "VALUE = 1\n"})
    specs = ImportSpecs(tmp_path)
    assert specs.load("./a.py:VALUE") == 1
    write(tmp_path, {"b.py": "VALUE = 2\n"})
    assert specs.load("./a.py:VALUE") == 2


def test_a_file_put_right_loads_without_disturbing_the_others(tmp_path: Path) -> None:
    write(tmp_path, {"good.py": "calls = []\n", "bad.py": "1 / 0\n"})
    specs = ImportSpecs(tmp_path)
    calls = specs.load("./good.py:calls")
    with pytest.raises(ImportSpecError):
        specs.load("./bad.py:x")
    write(tmp_path, {"bad.py": "x = 1\n"})
    assert specs.load("./bad.py:x") == 1
    assert specs.load("./good.py:calls") is calls


def test_a_deleted_file_is_gone(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n"})
    specs = ImportSpecs(tmp_path)
    specs.load("./a.py:x")
    (tmp_path / "a.py").unlink()
    with pytest.raises(ImportSpecError, match="there is no file './a.py' beside the config"):
        specs.load("./a.py:x")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("\n\nraise ValueError('no\\ndatabase')\n", "bad.py:3: ValueError: no database"),
        ("import sys\nsys.exit('bye')\n", "bad.py:2: SystemExit: bye"),
        ("raise BaseExceptionGroup('all', [KeyError('a')])\n", "bad.py:1: ExceptionGroup: all (1 sub-exception)"),
        ("x = 1\ndef f(:\n", "bad.py:2: SyntaxError: invalid syntax"),
        ("def inner():\n    1 / 0\n\ninner()\n", "bad.py:2: ZeroDivisionError: division by zero"),
        ("import json\njson.loads('{')\n", "bad.py:2: JSONDecodeError: Expecting property name"),
        ("import not_installed_anywhere\n", "bad.py:1: ModuleNotFoundError: No module named 'not_installed_anywhere'"),
        ("import helper\n", "files beside the config import each other relatively, as in `from .helper import …`"),
        ("from .helper import missing\n", "bad.py:1: ImportError: cannot import name 'missing'"),
        ("from .failing import x\n", "failing.py:1: ZeroDivisionError: division by zero"),
        ("from ..outside import x\n", "bad.py:1: ImportError: attempted relative import beyond top-level package"),
        ("from .linked import x\n", "bad.py:1: ImportError: linked.py leads out of the config's folder, through a symlink"),
        ("class Odd(Exception):\n    def __str__(self): raise TypeError\nraise Odd\n", "Odd: (its text can't be shown: TypeError)"),
        ("raise ValueError('x' * 100_000)\n", "xxx…"),
        ("def f(): f()\nf()\n", "RecursionError: maximum recursion depth exceeded"),
        ("x = '\\x00\x00'\n", "Error: source code string cannot contain null bytes"),
    ],
)  # fmt: skip
def test_a_file_that_raises_on_import_is_named_with_its_line(
    tmp_path: Path, source: str, reason: str
) -> None:
    folder = write(tmp_path / "configs", {"bad.py": source, "helper.py": "", "failing.py": "1 / 0\n"})
    write(tmp_path, {"linked.py": "x = 1\n", "outside.py": "x = 1\n"})
    (folder / "linked.py").symlink_to(tmp_path / "linked.py")
    with pytest.raises(ImportSpecError) as caught:
        ImportSpecs(folder).load("./bad.py:x")
    message = str(caught.value)
    assert message.startswith("'./bad.py:x' can't be loaded: ")
    assert reason in message
    assert "\n" not in message and "Traceback" not in message and len(message) < 700


def test_a_person_s_ctrl_c_is_not_a_broken_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "raise KeyboardInterrupt\n"})
    with pytest.raises(KeyboardInterrupt):
        ImportSpecs(tmp_path).load("./a.py:x")


def test_a_name_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "def search(): ...\n"})
    with pytest.raises(ImportSpecError, match="there is no 'serch' in ./a.py; did you mean 'search'"):
        ImportSpecs(tmp_path).load("./a.py:serch")
    with pytest.raises(ImportSpecError, match="does not say what to take from the file"):
        ImportSpecs(tmp_path).load("./a.py")


def test_a_dot_in_a_file_s_name_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.b.py": "x = 1\n", "with-dash.py": "x = 1\n"})
    with pytest.raises(ImportSpecError, match="has a dot inside a name"):
        ImportSpecs(tmp_path).load("./a.b.py:x")
    assert ImportSpecs(tmp_path).load("./with-dash.py:x") == 1


def test_an_import_root_s_code_is_imported_as_usual(tmp_path: Path) -> None:
    import json.decoder

    assert ImportSpecs(tmp_path, roots=("json",)).load("json.decoder:JSONDecoder") is json.decoder.JSONDecoder
    with pytest.raises(ImportSpecError, match="'json' is not among the packages in WORKBENCH_IMPORT_ROOTS"):
        ImportSpecs(tmp_path, roots=()).load("json.decoder:JSONDecoder")


def test_classes_of_a_config_can_look_themselves_up(tmp_path: Path) -> None:
    source = "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import get_type_hints\n@dataclass\nclass Item:\n    parent: Item | None = None\nHINTS = get_type_hints(Item)\n"
    write(tmp_path, {"a.py": source})
    assert "parent" in ImportSpecs(tmp_path).load("./a.py:HINTS")


def test_threads_that_load_together_get_the_same_module(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a.py": "import time\nfrom .b import VALUE\ntime.sleep(0.05)\ncalls = []\n", "b.py": "VALUE = 1\n"},
    )
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(ImportSpecs(tmp_path).load("./a.py:calls")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(one is found[0] for one in found)


def test_old_loadings_do_not_pile_up(tmp_path: Path) -> None:
    for value in range(30):
        write(tmp_path, {"a.py": f"VALUE = {value}\n"})
        module = ImportSpecs(tmp_path).module("./a.py")
    package = module.__name__.partition(".")[0].rpartition("_")[0]
    kept = [name for name in sys.modules if name.startswith(f"{package}_") and "." not in name]
    assert 1 < len(kept) < 10
