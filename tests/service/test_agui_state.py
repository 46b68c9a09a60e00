"""The state channel: a pause that another process resumes from the client's keeping alone."""

import base64
import json
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.service.agui import ASK, Client, Run
from tests.service.configs import talkative, team
from tests.service.serving import Inside, Service
from workbench.store import Store

Serve = Callable[..., Service]
APPROVED = {"status": "approved"}
SECRET = {"WORKBENCH_SECRET": "shared by all replicas"}


def on(client: Client, service: Service) -> Client:
    """The same client, at another replica."""
    other = Client(service, client.thread, **client.given)
    other.messages, other.state = list(client.messages), json.loads(json.dumps(client.state))
    return other


def test_a_pause_is_resumed_by_a_replica_with_an_empty_database(serve: Serve) -> None:
    here, there = serve(talkative(), **SECRET), serve(talkative(), **SECRET)
    client = Client(here)
    client.say("hello")
    one, other = client.say("two").interrupts
    moved = on(client, there)
    run = moved.resume((one, APPROVED), (other, {"status": "cancelled", "reason": "no"}))
    assert run.outcome == {"type": "success"}
    assert sorted(result[:9] for result in run.results) == ["A1 now co", "Declined:"]
    assert (here.prices(), there.prices()) == ([], [12.0])
    with Store.open(there.database) as store:
        words = [block.get("text") for one in store.messages.load(client.thread) for block in one["content"]]
        assert words[:2] == ["hello", "Hello."]
    # Answered and sent once more, nothing runs a second time where the journal knows the call.
    again = on(client, there).resume((one, APPROVED), (other, {"status": "cancelled", "reason": "no"}))
    assert again.results == run.results and there.prices() == [12.0]
    assert moved.say("hello").text == "Hello."


def test_only_a_resume_restores_and_a_new_message_supersedes(serve: Serve) -> None:
    here, there = serve(talkative(), **SECRET), serve(talkative(), **SECRET)
    client = Client(here)
    (interrupt,) = client.say("price").interrupts
    moved = on(client, there)
    run = moved.say("hello")
    assert run.text == "Hello." and run.results == ["Skipped: the person sent a message instead of answering"]
    assert moved.resume((interrupt, APPROVED)).error == "already_decided"
    assert there.prices() == []


def test_a_delegates_question_and_approval_move_too(serve: Serve) -> None:
    here, there, elsewhere = (serve(team(), **SECRET) for _ in range(3))
    client = Client(here, tools=[ASK])
    (call_id,) = client.say("go").outcome["pendingToolCallIds"]
    moved = on(client, there)
    moved.tool(call_id, "Sure.")
    (interrupt,) = moved.run().interrupts
    run = on(moved, elsewhere).resume((interrupt, APPROVED))
    assert run.outcome == {"type": "success"}
    assert (here.prices(), there.prices(), elsewhere.prices()) == ([], [], [12.0])


def _tampered(client: Client, part: str, how: str, other: Client) -> Any:
    sessions = client.state["kaboo_sessions"]
    form, packed, signature = sessions[part].split(".")
    match how:
        case "forged":
            value = json.loads(zlib.decompress(base64.urlsafe_b64decode(packed)))
            packed = base64.urlsafe_b64encode(zlib.compress(json.dumps({**value, "x": 1}).encode())).decode()
            return f"{form}.{packed}.{signature}"
        case "truncated":
            return f"{form}.{packed[:-8]}.{signature}"
        case "unsigned":
            return f"{form}.{packed}."
        case "another thread's":
            return other.state["kaboo_sessions"][part]
        case "another part's":
            return sessions["paused" if part == "history" else "history"]
        case _:
            return {"not": "a text"}


@pytest.mark.parametrize("known", [True, False])
def test_a_state_that_is_not_ours_is_refused_and_runs_nothing(serve: Serve, known: bool) -> None:
    here = serve(talkative(), **SECRET)
    there = here if known else serve(talkative(), **SECRET)
    client, other = Client(here), Client(here)
    (interrupt,) = client.say("price").interrupts
    other.say("price")
    for part in ("history", "paused"):
        for how in ("forged", "truncated", "unsigned", "another thread's", "another part's", "no text"):
            moved = on(client, there)
            moved.state["kaboo_sessions"][part] = _tampered(client, part, how, other)
            assert moved.resume((interrupt, APPROVED)).error == "state_refused", (part, how)
    moved = on(client, there)
    moved.state["kaboo_sessions"] = "mine"
    assert moved.resume((interrupt, APPROVED)).error == "state_refused"
    assert there.prices() == []
    assert on(client, there).resume((interrupt, APPROVED)).outcome == {"type": "success"}


def test_a_state_of_another_secret_or_entry_is_refused(serve: Serve) -> None:
    here = serve(talkative(), **SECRET)
    client = Client(here)
    (interrupt,) = client.say("price").interrupts
    renamed = talkative()
    renamed["agents"]["trader"] = renamed["agents"].pop("merchant")
    for stranger in (
        serve(talkative()),
        serve(talkative(), WORKBENCH_SECRET="other"),
        serve(renamed, **SECRET),
    ):
        assert on(client, stranger).resume((interrupt, APPROVED)).error == "state_refused"
        assert stranger.prices() == []


def test_without_a_secret_a_key_file_beside_the_database_serves(serve: Serve) -> None:
    service = serve(talkative())
    client = Client(service)
    (interrupt,) = client.say("price").interrupts
    key = service.database.with_name("workbench.db.key")
    assert key.stat().st_mode & 0o777 == 0o600
    service.stop()
    for name in ("workbench.db", "workbench.db-wal", "workbench.db-shm"):
        service.database.with_name(name).unlink(missing_ok=True)
    service.start()
    assert client.resume((interrupt, APPROVED)).outcome == {"type": "success"}


def test_a_resume_without_any_state_is_unknown_where_the_thread_is(serve: Serve) -> None:
    here, there = serve(talkative(), **SECRET), serve(talkative(), **SECRET)
    client = Client(here)
    (interrupt,) = client.say("price").interrupts
    moved = on(client, there)
    moved.state = {}
    assert moved.resume((interrupt, APPROVED)).error == "unknown_id"


def test_under_another_config_the_answer_decides_and_a_call_without_its_tool_is_closed(serve: Serve) -> None:
    here = serve(talkative(), **SECRET)
    exempt = talkative(interrupt={"tools": [{"name": "set_price", "ask": False}]})
    bare = talkative(tools=["./login.py"])
    client = Client(here)
    (interrupt,) = client.say("price").interrupts
    there = serve(exempt, **SECRET)
    assert on(client, there).resume((interrupt, {"status": "cancelled"})).results[0].startswith("Declined")
    assert there.prices() == []
    there = serve(bare, **SECRET)
    run = on(client, there).resume((interrupt, APPROVED))
    assert run.outcome == {"type": "success"} and there.prices() == []
    assert "set_price" in run.results[0]


def test_of_two_replicas_on_one_database_one_runs_the_call(serve: Serve) -> None:
    here = serve(talkative(), **SECRET)
    there = Inside(here.folder.parent, talkative(), **SECRET)
    there.start()
    try:
        for _ in range(3):
            before = len(here.ran())
            client = Client(here)
            (interrupt,) = client.say("price").interrupts
            clients = [client, on(client, there)]

            def answered(one: Client, interrupt: dict[str, Any] = interrupt) -> Run:
                return one.resume((interrupt, APPROVED))

            with ThreadPoolExecutor(2) as pool:
                runs = list(pool.map(answered, clients))
            ends = [run[-1].get("code") or run[-1]["outcome"]["type"] for run in runs]
            assert "success" in ends and set(ends) <= {"success", "busy"}
            assert len(here.ran()) - before == 1
    finally:
        there.stop()


def test_a_thread_that_began_elsewhere_brings_its_words(serve: Serve) -> None:
    service = serve(talkative())
    client = Client(service)
    client.messages = [
        {"id": "1", "role": "user", "content": "remember tents"},
        {"id": "2", "role": "assistant", "content": "I do."},
    ]
    assert client.say("hello").text == "Hello."
    with Store.open(service.database) as store:
        words = [block.get("text") for one in store.messages.load(client.thread) for block in one["content"]]
    assert words == ["remember tents", "I do.", "hello", "Hello."]
