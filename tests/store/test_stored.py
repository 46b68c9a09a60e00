"""Records: JSON is decoded when it is looked at, and a record reads, compares and copies as if it always had been."""

import copy
import pickle
from dataclasses import asdict, replace

import pytest

from tests.store.making import conversation, version
from workbench.store import ConversationDeleted, ConversationNotFound, Store
from workbench.store import stored as module


@pytest.fixture
def run_id(store: Store) -> str:
    given = {"text": "hello", "deep": {"list": [1, None]}}
    return store.runs.queue(
        conversation(store).id, config_version_id=version(store).id, kind="message", input=given
    ).id


def test_json_nobody_looks_at_is_not_decoded(
    store: Store, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[str] = []
    monkeypatch.setattr(module, "decode", lambda text: decoded.append(text) or {"text": "hello"})
    run = store.runs.require(run_id)
    assert (run.status, run.error, decoded) == ("queued", None, [])
    assert run.input["text"] == run.input["text"] == "hello"
    assert len(decoded) == 1


def test_a_record_is_a_value_whether_it_was_looked_at_or_not(store: Store, run_id: str) -> None:
    one, two, seen = (store.runs.require(run_id) for _ in range(3))
    assert seen.input["deep"] == {"list": [1, None]}
    assert one == two == seen == copy.copy(store.runs.require(run_id))
    assert asdict(store.runs.require(run_id))["input"] == seen.input
    assert "'hello'" in repr(store.runs.require(run_id))
    assert replace(store.runs.require(run_id), status="done").input == seen.input
    assert pickle.loads(pickle.dumps(store.runs.require(run_id))) == seen


def test_a_name_that_is_no_field_is_an_error(store: Store, run_id: str) -> None:
    with pytest.raises(AttributeError, match="inptu"):
        store.runs.require(run_id).inptu  # type: ignore[attr-defined]  # noqa: B018


def test_a_conversation_deleted_in_a_transaction_takes_nothing_more_in_it(store: Store) -> None:
    id = conversation(store).id
    with store.transaction():
        store.messages.append(id, [{"role": "user", "content": [{"text": "hello"}]}])
        store.conversations.delete(id)
        with pytest.raises(ConversationDeleted):
            store.messages.append(id, [{"role": "user", "content": [{"text": "again"}]}])


def test_a_conversation_whose_making_was_undone_takes_nothing(store: Store) -> None:
    with store.transaction():
        with pytest.raises(ZeroDivisionError), store.transaction():
            id = conversation(store, id="c").id
            store.messages.append(id, [{"role": "user", "content": [{"text": "hello"}]}])
            _ = 1 / 0
        with pytest.raises(ConversationNotFound):
            store.messages.append("c", [{"role": "user", "content": [{"text": "hello"}]}])
