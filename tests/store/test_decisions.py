"""The decisions log: appended, never changed, and its own copy of everything."""

import pytest

from tests.store import making
from workbench.store import DatabaseRefused, Store


def test_a_decision_is_logged_with_its_own_copy_of_what_was_shown(store: Store) -> None:
    used = making.version(store)
    run = making.queued(store, making.conversation(store, "Prices").id)
    request = making.approve(store, making.asked(store, run), by="anna", scope="thread")
    (logged,) = store.decisions.list()
    assert logged.request_id == request.id
    assert (logged.conversation_title, logged.config_name, logged.config_number) == (
        "Prices",
        "shop",
        used.number,
    )
    for name in (
        "conversation_id run_id turn_id call_key config_version_id kind agent agent_path tool tool_call_id input"
        " message description verdict subject_key subject_label scopes expires_at decision scope reason answer"
        " executed_input edited note by via decided_at"
    ).split():
        assert getattr(logged, name) == getattr(request, name), name
    assert logged.asked_at == request.created_at
    assert logged.not_run is None


@pytest.mark.parametrize("table", ["decisions", "decision_remarks"])
def test_the_log_can_only_be_appended_to(store: Store, table: str) -> None:
    request = making.approve(store, making.asked(store, making.queued(store)))
    store.requests.mark_not_run([request.id], "The person moved on")
    before = store.decisions.list()
    for attempt in (
        f"UPDATE {table} SET request_id = 'other'",
        f"UPDATE {table} SET id = id + 1",
        f"DELETE FROM {table}",
        f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
    ):
        with pytest.raises(DatabaseRefused, match="decisions are append-only"):
            store._db.run(attempt)
    assert store.decisions.list() == before


def test_a_request_is_decided_once_in_the_log(store: Store) -> None:
    making.approve(store, making.asked(store, making.queued(store)))
    with pytest.raises(DatabaseRefused, match="UNIQUE"):
        store._db.run(
            "INSERT INTO decisions SELECT id + 1, request_id, conversation_id, conversation_title, run_id, turn_id,"
            " call_key, config_name, config_number, config_version_id, kind, agent, agent_path, tool, tool_call_id,"
            " input, message, description, verdict, subject_key, subject_label, scopes, asked_at, expires_at, decision,"
            ' scope, reason, answer, executed_input, edited, note, "by", via, decided_at FROM decisions'
        )


def test_decisions_outlive_their_conversation(store: Store) -> None:
    run = making.queued(store, making.conversation(store, "Prices").id)
    making.deny(store, making.asked(store, run), reason="too cheap")
    before = store.decisions.list()
    store.conversations.delete(run.conversation_id)
    assert store.decisions.list(run.conversation_id) == before
    assert (before[0].conversation_title, before[0].input, before[0].reason) == (
        "Prices",
        {"sku": "A1", "price": 12},
        "too cheap",
    )


def test_a_later_change_of_title_does_not_reach_the_log(store: Store) -> None:
    run = making.queued(store, making.conversation(store, "Prices").id)
    making.deny(store, making.asked(store, run))
    store.conversations.rename(run.conversation_id, "Renamed")
    assert store.decisions.list()[0].conversation_title == "Prices"


def test_decisions_are_read_in_order_from_either_end(store: Store) -> None:
    run, elsewhere = making.queued(store), making.queued(store)
    for key in "abc":
        making.deny(store, making.asked(store, run, call_key=key), reason=key)
    making.deny(store, making.asked(store, elsewhere), reason="elsewhere")
    every = store.decisions.list()
    assert [each.reason for each in every] == ["a", "b", "c", "elsewhere"]
    assert [each.reason for each in store.decisions.list(newest_first=True, limit=2)] == ["elsewhere", "c"]
    assert [each.reason for each in store.decisions.list(after=every[1].id)] == ["c", "elsewhere"]
    assert [each.reason for each in store.decisions.list(elsewhere.conversation_id)] == ["elsewhere"]
    assert store.decisions.of_request("nope") is None


def test_a_decision_about_a_config_version_the_store_never_saw_is_logged_all_the_same(store: Store) -> None:
    making.deny(store, making.asked(store, making.queued(store), config_version_id=999))
    assert store.decisions.list()[0].config_name is None
