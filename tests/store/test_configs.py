"""Config versions: numbered per file, never changed, never applied from a stale base."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from tests.store import making
from tests.store.making import SetClock
from workbench.store import NotFound, StaleBase, Store


def test_versions_are_numbered_from_one_in_each_file(store: Store) -> None:
    first = making.version(store, "a")
    second = making.version(store, "b", based_on=1)
    other = making.version(store, "a", file="other.yaml")
    assert [each.number for each in (first, second, other)] == [1, 2, 1]
    assert (second.based_on, second.sha256) == (1, sha256(b"b").hexdigest())
    assert store.configs.newest("shop.yaml") == second
    assert store.configs.list("shop.yaml") == [second, first]
    assert store.configs.list() == [other, second, first]
    assert store.configs.get(first.id) == first == store.configs.require(first.id)


def test_what_was_never_saved_is_none(store: Store) -> None:
    assert store.configs.newest("nope.yaml") is None
    assert store.configs.get(7) is None
    with pytest.raises(NotFound):
        store.configs.require(7)


def test_the_same_text_again_is_the_version_there_is(store: Store) -> None:
    first = making.version(store, "a")
    assert making.version(store, "a", by="another") == first
    assert making.version(store, "a", based_on=0) == first, (
        "nothing can be lost, so a stale base does no harm"
    )


@pytest.mark.parametrize(
    "changed", [{"variables": {"REGION": "us"}}, {"folder": "/moved"}, {"entry": "other"}]
)
def test_the_same_text_that_means_something_else_is_another_version(
    store: Store, changed: dict[str, str]
) -> None:
    first = making.version(store, "a")
    assert making.version(store, "a", **changed).number == 2
    assert store.configs.require(first.id) == first


def test_a_text_edited_from_an_older_version_is_refused(store: Store) -> None:
    making.version(store, "a")
    newest = making.version(store, "b", based_on=1, by="anna")
    with pytest.raises(
        StaleBase, match="edited from version 1 of shop.yaml, but anna saved version 2"
    ) as refused:
        making.version(store, "c", based_on=1)
    assert refused.value.newest == newest == store.configs.newest("shop.yaml")


def test_going_back_to_an_older_text_is_a_new_version(store: Store) -> None:
    for text in "aba":
        newest = making.version(store, text)
    assert newest.number == 3


def test_of_two_people_applying_at_once_one_is_told(store: Store) -> None:
    making.version(store, "a")

    def apply(name: str) -> str:
        try:
            return making.version(store, f"text of {name}", based_on=1, by=name).by
        except StaleBase as error:
            return f"told of {error.newest.by}"

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(apply, ["anna", "bert", "cleo", "dora"]))
    winner = next(name for name in said if not name.startswith("told"))
    assert sorted(said) == sorted([winner] + [f"told of {winner}"] * 3)


def test_a_draft_is_kept_until_it_is_dropped_or_applied(store: Store, clock: SetClock) -> None:
    assert store.configs.draft("shop.yaml") is None
    store.configs.save_draft("shop.yaml", "a", "anna", "It loosens set_price.")
    clock.move(1)
    draft = store.configs.save_draft("shop.yaml", "b", "bert", "It loosens delete_store.")
    assert store.configs.draft("shop.yaml") == draft
    assert (draft.text, draft.by, draft.created_at) == ("b", "bert", "2026-03-01T12:00:01.000000Z")
    making.version(store, "something else")
    assert store.configs.draft("shop.yaml") == draft
    making.version(store, "b")
    assert store.configs.draft("shop.yaml") is None
    store.configs.save_draft("shop.yaml", "c", "anna", "")
    store.configs.drop_draft("shop.yaml")
    store.configs.drop_draft("shop.yaml")
    assert store.configs.draft("shop.yaml") is None


def test_a_draft_of_a_refused_text_stays(store: Store) -> None:
    making.version(store, "a")
    making.version(store, "b")
    store.configs.save_draft("shop.yaml", "c", "anna", "")
    with pytest.raises(StaleBase):
        making.version(store, "c", based_on=1)
    assert store.configs.draft("shop.yaml") is not None
