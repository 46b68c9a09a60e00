"""Small things the app remembers."""

from typing import Any

import pytest

from workbench.store import Store


@pytest.mark.parametrize("value", [None, False, 0, "", ["anna", "bert"], {"folded": True}])
def test_any_value_is_remembered_as_what_it_is(store: Store, value: Any) -> None:
    store.settings.set("it", "before")
    store.settings.set("it", value)
    kept = store.settings.get("it", "default")
    assert kept == value and type(kept) is type(value)


def test_what_was_never_set_is_the_default(store: Store) -> None:
    assert store.settings.get("it") is None
    assert store.settings.get("it", ["tester"]) == ["tester"]
