"""`datasources.yaml`, and what is wrong with one."""

from pathlib import Path

import pytest

from tests.config.texts import write
from workbench.config import DataSource, read_datasources

GOOD = """\
x-note: ignored
datasources:
  orders:
    title: Orders of both stores
    description: One line an order, since September.
    kind: table
    model_reads: shop.db, table orders
  returns: {title: Returns, model_reads: "shop.db, table returns"}
"""


def test_the_data_sources_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    found = read_datasources(write(tmp_path, {"datasources.yaml": GOOD}))
    assert found.problems == ()
    assert found.sources == (
        DataSource(
            "orders",
            "Orders of both stores",
            "One line an order, since September.",
            "table",
            "shop.db, table orders",
        ),
        DataSource("returns", "Returns", "", "", "shop.db, table returns"),
    )


def test_no_file_is_no_mistake(tmp_path: Path) -> None:
    found = read_datasources(tmp_path)
    assert (found.file, found.sources, found.problems) == (None, (), ())


def test_a_change_of_the_file_is_read_at_once(tmp_path: Path) -> None:
    folder = write(tmp_path, {"datasources.yml": GOOD})
    assert len(read_datasources(folder).sources) == 2
    write(folder, {"datasources.yml": "datasources: {a: {title: A, model_reads: a.csv}}"})
    assert [one.name for one in read_datasources(folder).sources] == ["a"]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "the file is empty; it has at least `datasources:`"),
        ("- a", (1, 1), "this must be a mapping (key: value) with at least `datasources:`"),
        ("datasources: {}", (1, 14), "nothing is listed here; it needs at least one entry"),
        ("agents: {}", (1, 1), "unknown key 'agents'; use datasources"),
        (
            "datasources:\n  a: {titel: A, model_reads: x}",
            (2, 7),
            "unknown key 'titel'; did you mean 'title'?",
        ),
        ("datasources:\n  a: {title: A}", (2, 3), "the key 'model_reads' is missing; add it here"),
        (
            "datasources:\n  a: {title: 12, model_reads: x}",
            (2, 14),
            "12 is a number, not a text; put it in quotes",
        ),
        (
            "datasources:\n  a b: {title: A, model_reads: x}",
            (2, 3),
            "'a b' can't be a name; use letters, digits, _ and -, at most 64 of them",
        ),
        (
            "datasources:\n  a: {title: A, model_reads: x}\n  a: {title: B, model_reads: y}",
            (3, 3),
            "the key 'a' is written twice in one mapping, on line 2 and on line 3; keep one of them",
        ),
        (
            "datasources:\n  a: {title: Orders, model_reads: x}\n  b: {title: ' orders ', model_reads: y}",
            (3, 14),
            "'a' has this title too; people choose by titles, so they must differ",
        ),
        ("datasources: [", (2, 1), "this is not valid YAML"),
    ],
)
def test_every_mistake_has_its_line(tmp_path: Path, text: str, place: tuple[int, int], message: str) -> None:
    found = read_datasources(write(tmp_path, {"datasources.yaml": text}))
    assert found.sources == ()
    assert any(
        problem.message.startswith(message)
        and (problem.line, problem.column) == place
        and problem.file == str(tmp_path / "datasources.yaml")
        for problem in found.errors
    ), [str(problem) for problem in found.errors]


@pytest.mark.parametrize(
    "reads",
    [
        "postgres://ann:hunter2@db/shop",
        "host=db password=hunter2",
        "db; Api-Key: abc",
        "https://x.example/?access_token = 1",
    ],
)
def test_a_secret_is_an_error_and_is_not_repeated(tmp_path: Path, reads: str) -> None:
    text = f"datasources: {{a: {{title: A, model_reads: {reads!r}}}}}"
    (problem,) = read_datasources(write(tmp_path, {"datasources.yaml": text})).errors
    assert "people and models would read it" in problem.message
    assert problem.culprit is None and "hunter2" not in str(problem)


def test_words_that_only_speak_of_secrets_are_fine(tmp_path: Path) -> None:
    text = "datasources: {a: {title: A, description: 'Columns: token, secret: none', model_reads: 's3://bucket/x@y'}}"
    assert read_datasources(write(tmp_path, {"datasources.yaml": text})).problems == ()


def test_a_variable_is_a_hint_for_it_is_not_filled_in(tmp_path: Path) -> None:
    text = "datasources: {a: {title: A, model_reads: '${HOME}/x'}}"
    found = read_datasources(write(tmp_path, {"datasources.yaml": text}))
    assert [problem.severity for problem in found.problems] == ["hint"]
    assert found.sources[0].model_reads == "${HOME}/x"


def test_a_file_that_is_no_text_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "datasources.yaml").write_bytes(b"datasources: \xff")
    assert "not UTF-8" in read_datasources(tmp_path).errors[0].message
