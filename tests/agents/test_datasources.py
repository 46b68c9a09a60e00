"""`request_datasources`: what may be asked, what answers it, what the model reads of it."""

from pathlib import Path
from typing import Any

import pytest

from workbench.agents.client_tools import (
    BadAnswer,
    BadArguments,
    answer_schema,
    answer_text,
    catalogue,
    check_answer,
    check_arguments,
)
from workbench.policy import field_errors

LIST = """\
datasources:
  orders: {title: Orders, description: Since September., kind: table, model_reads: "shop.db, table orders"}
  returns: {title: Returns, kind: table, model_reads: "shop.db, table returns"}
  notes: {title: Notes of the staff, kind: folder, model_reads: notes/}
"""
NAME = "request_datasources"


def ask(folder: Path, text: str = LIST, **given: Any) -> dict[str, Any]:
    (folder / "datasources.yaml").write_text(text)
    return check_arguments(catalogue(folder)[NAME], given)


def offered(asked: dict[str, Any]) -> list[str]:
    return [source["name"] for source in asked["sources"]]


def test_without_a_word_every_data_source_is_offered_and_one_may_be_chosen(tmp_path: Path) -> None:
    asked = ask(tmp_path)
    assert (asked["reason"], asked["multiple"], offered(asked)) == (
        None,
        False,
        ["orders", "returns", "notes"],
    )
    assert asked["sources"][0] == {
        "name": "orders",
        "title": "Orders",
        "description": "Since September.",
        "kind": "table",
        "model_reads": "shop.db, table orders",
    }


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"names": ["notes", "orders"]}, ["orders", "notes"]),
        ({"kinds": ["table"]}, ["orders", "returns"]),
        ({"kinds": ["table"], "names": ["returns", "notes"]}, ["returns"]),
        ({"kinds": [], "names": None}, ["orders", "returns", "notes"]),
    ],
)
def test_names_and_kinds_narrow_the_list(tmp_path: Path, given: dict[str, Any], names: list[str]) -> None:
    assert offered(ask(tmp_path, **given)) == names


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"names": ["ordres"]}, "no data source has the name 'ordres'; did you mean 'orders'?"),
        ({"names": ["xyz"]}, "no data source has the name 'xyz'; use orders, returns or notes"),
        ({"kinds": ["graph"]}, "no data source has the kind 'graph'; use table or folder"),
        (
            {"kinds": ["folder"], "names": ["orders"]},
            "no data source has both one of these names and one of these kinds",
        ),
        ({"names": "orders"}, "`names` must be a list"),
        ({"multiple": "yes"}, "`multiple` must be true or false"),
        ({"reasons": "x"}, "unknown key `reasons`; did you mean 'reason'?"),
        ({"reason": "x" * 2001}, "`reason` must have 2000 characters or fewer"),
    ],
)
def test_arguments_that_make_no_card_go_back_with_what_is_wrong(
    tmp_path: Path, given: dict[str, Any], problem: str
) -> None:
    with pytest.raises(BadArguments) as caught:
        ask(tmp_path, **given)
    stop = "" if problem.endswith("?") else "."
    assert str(caught.value) == f"Nothing was shown to the person: {problem}{stop} Correct it and ask again."


@pytest.mark.parametrize(
    ("text", "why"),
    [(None, "there is no list of them"), ("datasources: {a: {}}", "the list of them has mistakes")],
)
def test_where_there_is_nothing_to_choose_the_model_is_told_to_go_on(
    tmp_path: Path, text: str | None, why: str
) -> None:
    if text is not None:
        (tmp_path / "datasources.yaml").write_text(text)
    with pytest.raises(BadArguments, match=f"No data sources can be offered here: {why}. Go on without"):
        check_arguments(catalogue(tmp_path)[NAME], {})


def test_what_was_chosen_is_named_with_where_it_is(tmp_path: Path) -> None:
    asked = ask(tmp_path, multiple=True)
    value = check_answer(NAME, asked, {"chosen": ["notes", "orders", "notes"], "remark": "  Use both. "})
    assert value == {"chosen": ["orders", "notes"], "remark": "Use both."}
    assert answer_text(NAME, asked, value) == (
        "The person chose 2 data sources:\n"
        "- orders (table): Orders\n  Since September.\n  Read it here: shop.db, table orders\n"
        "- notes (folder): Notes of the staff\n  Read it here: notes/\n"
        "In their own words: Use both."
    )


def test_that_none_fits_is_an_answer_of_its_own(tmp_path: Path) -> None:
    asked = ask(tmp_path, kinds=["table"])
    value = check_answer(NAME, asked, {"chosen": [], "remark": "I need 2024"})
    assert answer_text(NAME, asked, value) == (
        "The person says that none of the data offered fits. It was: Orders, Returns.\n"
        "In their own words: I need 2024"
    )


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (None, {}),
        ({"chosen": "orders"}, {}),
        ({"chosen": ["notes"]}, {"chosen": "has no data source 'notes'."}),
        ({"chosen": ["orders", "returns"]}, {"chosen": "takes one data source only."}),
        ({"chosen": [], "remark": 3}, {"remark": "must be text, not a number"}),
        ({"chosen": [], "remark": "x" * 2001}, {"remark": "has 2,001 characters; use at most 2,000"}),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_at_its_field(
    tmp_path: Path, value: Any, fields: dict[str, str]
) -> None:
    asked = ask(tmp_path, kinds=["table"])
    with pytest.raises(BadAnswer) as caught:
        check_answer(NAME, asked, value)
    assert caught.value.fields == fields


def test_the_schema_of_an_answer_takes_what_the_check_takes(tmp_path: Path) -> None:
    asked = ask(tmp_path, kinds=["table"])
    schema = answer_schema(catalogue(tmp_path)[NAME], asked)
    assert schema is not None
    for good in ([], ["orders"]):
        assert not field_errors(check_answer(NAME, asked, {"chosen": good}), schema)
    for bad in (["orders", "returns"], ["notes"]):
        assert field_errors({"chosen": bad}, schema)


def test_an_answer_needs_the_file_no_more(tmp_path: Path) -> None:
    asked = ask(tmp_path)
    (tmp_path / "datasources.yaml").unlink()
    value = check_answer(NAME, asked, {"chosen": ["orders"]})
    assert "Read it here: shop.db, table orders" in answer_text(NAME, asked, value)
