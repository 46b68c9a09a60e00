"""Half-typed answers."""

from pathlib import Path

from workbench.store import Store


def test_what_was_typed_is_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "workbench.db"
    with Store.open(path) as store:
        assert store.drafts.get("r1") is None
        store.drafts.set("r1", {"reason": "too"})
        store.drafts.set("r1", {"reason": "too ch", "selected": []})
        store.drafts.set("r2", {})
    with Store.open(path) as store:
        assert store.drafts.get("r1") == {"reason": "too ch", "selected": []}
        assert store.drafts.get("r2") == {}


def test_a_draft_can_be_dropped(store: Store) -> None:
    store.drafts.set("r1", {"reason": "too"})
    store.drafts.drop("r1")
    store.drafts.drop("r1")
    assert store.drafts.get("r1") is None
