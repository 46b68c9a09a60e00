"""The invoke API, line by line, through a socket."""

import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.service.configs import talkative
from tests.service.serving import Caller, Service
from workbench.runs.engine import Engine
from workbench.store import Store

Serve = Callable[..., Service]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = Service(tmp_path_factory.mktemp("invoke"), talkative()).start()
    yield made
    made.stop()


@pytest.fixture
def caller(service: Service) -> Caller:
    return Caller(service, f"session-{uuid.uuid4().hex}")


@pytest.fixture
def stranger(service: Service) -> Caller:
    return Caller(service)


def test_the_service_says_that_it_runs(stranger: Caller) -> None:
    assert stranger.get("/health").json() == {"status": "ok"}


def test_a_plain_message_is_answered(stranger: Caller) -> None:
    told = stranger.invoke("hello")
    assert {**told, "run_id": ""} == {
        "run_id": "",
        "status": "completed",
        "answer": "Hello.",
        "pending_approval": None,
        "pending_approvals": [],
        "visited": ["merchant"],
        "used_tools": [],
    }
    assert len(told["run_id"]) >= 32
    assert stranger.run(told["run_id"]) == told


def test_a_gated_call_waits_and_runs_once_it_is_allowed(service: Service, caller: Caller) -> None:
    told = caller.invoke("price")
    assert (told["status"], told["answer"], told["used_tools"]) == ("pending_approval", "", [])
    pending = told["pending_approval"]
    assert pending == {
        "approval_id": pending["approval_id"],
        "run_id": told["run_id"],
        "agent_id": "merchant",
        "tool_name": "set_price",
        "description": "Set a price.",
        "arguments": {"sku": "A1", "price": 12.0, "store": "summit"},
        "decisions": ["allow once", "allow for this session", "deny"],
        "expires_at": None,
        "expired": False,
    }
    assert told["pending_approvals"] == [pending]
    assert caller.run(told["run_id"]) == told
    before = len(service.ran())
    after = caller.decide(pending, "allow once")
    assert (after["run_id"], after["status"], after["answer"]) == (told["run_id"], "completed", "Done.")
    assert after["used_tools"] == ["set_price"]
    assert service.ran()[before:] == [("set_price", {"sku": "A1", "price": 12.0, "store": "summit"})]


def test_a_run_keeps_its_id_through_every_pause(caller: Caller) -> None:
    first = caller.invoke("then")
    second = caller.decide(first["pending_approval"], "allow once")
    assert (second["run_id"], second["status"]) == (first["run_id"], "pending_approval")
    assert second["pending_approval"]["arguments"]["price"] == 13.0
    assert second["pending_approval"]["approval_id"] != first["pending_approval"]["approval_id"]
    assert caller.decide(second["pending_approval"], "deny")["status"] == "completed"


@pytest.mark.parametrize("said", ["Allow once", " ALLOW\t ONCE ", "allow_once"])
def test_case_and_spacing_of_a_decision_are_forgiven(caller: Caller, said: str) -> None:
    assert caller.decide(caller.invoke("price")["pending_approval"], said)["used_tools"] == ["set_price"]


@pytest.mark.parametrize("said", ["yes", "", "allow", "approve once", "allow_always", "deny!"])
def test_anything_else_is_no_decision_and_runs_nothing(service: Service, caller: Caller, said: str) -> None:
    told, before = caller.invoke("price"), len(service.ran())
    assert caller.decision(told["pending_approval"], said).status_code == 400
    assert caller.run(told["run_id"]) == told and len(service.ran()) == before


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"{}", b'{"decision": 1}', b'{"decision": null}', b"\xff", b'{"decision": NaN}'],
)
def test_a_body_that_holds_no_decision_is_422(service: Service, caller: Caller, body: bytes) -> None:
    pending = caller.invoke("price")["pending_approval"]
    path = f"/runs/{pending['run_id']}/approvals/{pending['approval_id']}/decision"
    answer = httpx.post(f"{service.url}{path}", content=body)
    assert answer.status_code == 422 and answer.json()["error"]["id"] == answer.headers["x-request-id"]
    assert caller.run(pending["run_id"])["status"] == "pending_approval"


@pytest.mark.parametrize("body", ["no", [], {}, {"message": 3}, {"message": None}, {"text": "go"}])
def test_a_body_that_holds_no_message_is_422(stranger: Caller, body: Any) -> None:
    assert stranger.post("/invoke", body).status_code == 422
    assert stranger.post("/stream", body).status_code == 422


def test_an_empty_message_is_400(stranger: Caller) -> None:
    assert stranger.post("/invoke", {"message": " \n"}).status_code == 400


def test_unknown_runs_and_approvals_are_404(caller: Caller) -> None:
    one, other = caller.invoke("price"), Caller(caller.service, "other-session").invoke("price")
    assert caller.get("/runs/nope").status_code == 404
    assert caller.post("/runs/nope/cancel").status_code == 404
    mixed = {**one["pending_approval"], "approval_id": other["pending_approval"]["approval_id"]}
    assert caller.decision(mixed, "deny").status_code == 404
    assert caller.decision({**mixed, "approval_id": "nope"}, "deny").status_code == 404
    assert caller.decision({**mixed, "run_id": "nope"}, "deny").status_code == 404


def test_codes_are_judged_in_their_order(caller: Caller) -> None:
    pending = caller.invoke("price")["pending_approval"]
    caller.decide(pending, "deny")
    wrong = {"X-Session-Id": "somebody else's"}
    gone = {**pending, "approval_id": "nope"}
    assert caller.decision(gone, "what", headers=wrong).status_code == 400
    assert caller.decision(gone, "allow once", headers=wrong).status_code == 404
    assert caller.decision(pending, "allow once", headers=wrong).status_code == 403
    assert caller.decision(pending, "allow once").status_code == 409


def test_a_run_of_a_session_is_read_with_its_session_only(caller: Caller) -> None:
    told = caller.invoke("price")
    path = f"/runs/{told['run_id']}"
    assert caller.get(path, headers={}).status_code == 403
    assert caller.get(path, headers={"X-Session-Id": "wrong"}).status_code == 403
    assert "summit" not in caller.get(path, headers={}).text
    wrong = {"X-Session-Id": "wrong"}
    assert caller.decision(told["pending_approval"], "deny", headers=wrong).status_code == 403
    assert caller.post(f"{path}/cancel", headers=wrong).status_code == 403
    assert caller.run(told["run_id"])["status"] == "pending_approval"
    assert caller.decision(told["pending_approval"], "allow once", headers={}).status_code == 200


def test_a_run_without_a_session_is_read_with_its_id(stranger: Caller) -> None:
    told = stranger.invoke("price")
    assert stranger.run(told["run_id"]) == told
    assert stranger.get(f"/runs/{told['run_id']}", headers={"X-Session-Id": "x"}).status_code == 403


def test_the_same_decision_again_changes_nothing_and_another_one_is_409(
    service: Service, caller: Caller
) -> None:
    pending = caller.invoke("price")["pending_approval"]
    done = caller.decide(pending, "allow once")
    before = len(service.ran())
    assert caller.decide(pending, "ALLOW ONCE") == done
    for other in ("deny", "allow for this session"):
        answer = caller.decision(pending, other)
        assert answer.status_code == 409 and "approved" in answer.json()["error"]["message"]
    assert len(service.ran()) == before


def test_of_two_decisions_at_once_one_wins(service: Service, caller: Caller) -> None:
    for _ in range(3):
        pending, before = caller.invoke("price")["pending_approval"], len(service.ran())
        said = ["allow once", "deny"] * 3
        with ThreadPoolExecutor(len(said)) as pool:
            answers = list(pool.map(lambda one, given=pending: caller.decision(given, one), said))
        won = {one for one, answer in zip(said, answers, strict=True) if answer.status_code == 200}
        lost = {one for one, answer in zip(said, answers, strict=True) if answer.status_code == 409}
        assert len(won) == 1 and lost == set(said) - won
        assert len(service.ran()) - before == (won == {"allow once"})


def test_allowed_for_the_session_covers_later_calls_on_the_same_subject(
    service: Service, caller: Caller
) -> None:
    caller.decide(caller.invoke("price")["pending_approval"], "allow for this session")
    assert caller.invoke("next")["used_tools"] == ["set_price"]
    told = caller.invoke("two")
    assert [one["arguments"]["store"] for one in told["pending_approvals"]] == ["harbor"]
    assert Caller(service, f"{uuid.uuid4()}").invoke("next")["status"] == "pending_approval"


def test_an_open_card_still_asks_although_its_like_was_allowed(service: Service, caller: Caller) -> None:
    told = caller.invoke("price")
    with Store.open(service.database) as store:
        request = store.requests.require(told["pending_approval"]["approval_id"])
        store.grants.create(
            config_name=str(service.config.resolve()),
            agent="merchant",
            tool="set_price",
            subject_key=request.subject_key,
            subject_label=request.subject_label,
            scope="thread",
            conversation_id=request.conversation_id,
            by="Ada",
            via="app",
        )
    before = len(service.ran())
    assert caller.run(told["run_id"]) == told
    assert caller.decide(told["pending_approval"], "deny")["used_tools"] == []
    assert len(service.ran()) == before and "Declined" in service.heard(caller.headers["X-Session-Id"])[-1]


@pytest.mark.parametrize(("session", "message"), [(None, "price"), ("s", "log in")])
def test_what_is_not_offered_is_400_and_still_waits(
    service: Service, session: str | None, message: str
) -> None:
    caller = Caller(service, f"{session}-{uuid.uuid4()}" if session else None)
    told = caller.invoke(message)
    assert told["pending_approval"]["decisions"] == ["allow once", "deny"]
    answer = caller.decision(told["pending_approval"], "allow for this session")
    assert answer.status_code == 400 and "still waits" in answer.json()["error"]["message"]
    assert caller.run(told["run_id"]) == told


def test_secrets_are_masked_and_the_tool_gets_the_real_ones(service: Service, caller: Caller) -> None:
    told = caller.invoke("log in")
    assert told["pending_approval"]["arguments"] == {
        "user": "ada",
        "password": "••••••",
        "more": [{"api_key": "••••••", "page": 3}],
    }
    caller.decide(told["pending_approval"], "allow once")
    assert (service.folder / "password").read_text() == "hunter2"
    assert "hunter2" not in service.output()


def test_a_run_that_pauses_in_two_places_asks_for_each(service: Service, caller: Caller) -> None:
    told, before = caller.invoke("two"), len(service.ran())
    one, other = told["pending_approvals"]
    assert told["pending_approval"] == one
    still = caller.decide(other, "allow once")
    assert (still["status"], still["pending_approvals"], len(service.ran())) == (
        "pending_approval",
        [one],
        before,
    )
    assert caller.decide(one, "deny")["status"] == "completed"
    assert service.ran()[before:] == [("set_price", {"sku": "B2", "price": 20.0, "store": "harbor"})]


def test_a_new_message_skips_what_waited(service: Service, caller: Caller) -> None:
    first, before = caller.invoke("price"), len(service.ran())
    assert caller.invoke("hello")["answer"] == "Hello."
    told = caller.run(first["run_id"])
    assert (told["status"], told["answer"], told["pending_approvals"]) == ("completed", "", [])
    answer = caller.decision(first["pending_approval"], "allow once")
    assert answer.status_code == 409 and "skipped" in answer.json()["error"]["message"]
    assert len(service.ran()) == before
    assert service.heard(caller.headers["X-Session-Id"]) == [
        "Skipped: the person sent a message instead of answering"
    ]


def test_without_a_session_every_call_is_its_own_conversation(stranger: Caller) -> None:
    first = stranger.invoke("price")
    assert stranger.invoke("hello")["run_id"] != first["run_id"]
    assert stranger.run(first["run_id"])["status"] == "pending_approval"


def test_a_session_id_is_used_exactly_as_sent(service: Service) -> None:
    base = uuid.uuid4().hex
    told = Caller(service, f"{base} a").invoke("price")
    for near in (f"{base} A", f"{base}  a", f"{base} a" + "b" * 100, base):
        assert (
            Caller(service, None).get(f"/runs/{told['run_id']}", headers={"X-Session-Id": near}).status_code
            == 403
        )
    long = "x" * 256
    assert Caller(service, long).invoke("hello")["status"] == "completed"
    path = f"/runs/{told['run_id']}"
    for bad in (f"{long}x".encode(), "caf\x85".encode(), b"caf\xe9"):
        headers = [(b"X-Session-Id", bad)]
        assert httpx.get(f"{service.url}{path}", headers=headers).status_code == 400
        posted = httpx.post(f"{service.url}/invoke", headers=headers, json={"message": "hello"})
        assert posted.status_code == 400
    twice = [("X-Session-Id", "a"), ("X-Session-Id", "b")]
    assert httpx.get(f"{service.url}{path}", headers=twice).status_code == 400


def test_past_its_deadline_any_decision_goes_on_without_the_call(service: Service, caller: Caller) -> None:
    for said, reads in (("allow once", "Expired: "), ("deny", "Declined")):
        told, before = caller.invoke("late"), len(service.ran())
        assert told["pending_approval"]["expired"] is False
        time.sleep(1.1)
        assert caller.run(told["run_id"])["pending_approval"]["expired"] is True
        assert caller.decide(told["pending_approval"], said)["status"] == "completed"
        assert len(service.ran()) == before
        assert service.heard(caller.headers["X-Session-Id"])[-1].startswith(reads)


def test_a_message_while_the_run_works_is_busy_and_cancel_stops_it(service: Service, caller: Caller) -> None:
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(caller.invoke, "ship")
        service.waits_in("ship-7")
        answer = caller.post("/invoke", {"message": "hello"})
        assert answer.status_code == 409 and answer.json()["error"]["code"] == "busy"
        with Store.open(service.database) as store:
            active = store.runs.active(caller.headers["X-Session-Id"])
        assert active is not None and caller.run(active.turn_id)["status"] == "running"
        stopping = ThreadPoolExecutor(1).submit(caller.post, f"/runs/{active.turn_id}/cancel")
        time.sleep(0.2)
        service.let("ship-7")
        assert working.result()["status"] == "cancelled"
        assert stopping.result().json()["status"] == "cancelled"


def test_a_pause_can_be_cancelled_and_the_session_goes_on(caller: Caller) -> None:
    told = caller.invoke("price")
    stopped = caller.post(f"/runs/{told['run_id']}/cancel").json()
    assert (stopped["status"], stopped["pending_approvals"]) == ("cancelled", [])
    assert caller.post(f"/runs/{told['run_id']}/cancel").json() == stopped
    assert caller.decision(told["pending_approval"], "allow once").status_code == 409
    assert caller.invoke("hello")["answer"] == "Hello."


def test_no_client_tools_are_offered_here(service: Service, caller: Caller) -> None:
    told = caller.invoke("ask")
    assert (told["status"], told["pending_approvals"]) == ("completed", [])
    assert "Unknown tool" in service.heard(caller.headers["X-Session-Id"])[0]


def test_what_only_the_app_can_answer_is_pending_input(caller: Caller) -> None:
    told = caller.invoke("book")
    assert (told["status"], told["pending_approval"], told["answer"]) == ("pending_input", None, "")


def test_a_failing_model_is_a_failed_run_with_an_id_and_no_trace(caller: Caller) -> None:
    told = caller.invoke("fail")
    assert told["status"] == "failed" and told["error"]["id"] and "Traceback" not in str(told)
    (line,) = list(caller.lines("fail"))
    assert line["type"] == "error" and line["id"] and line["message"]


def test_a_stream_is_flat_lines(caller: Caller) -> None:
    *said, last = caller.lines("price")
    assert {line["type"] for line in said} == {"answer_delta"}
    assert "".join(line["delta"] for line in said) == "Let me see."
    assert (last["type"], last["tool_name"]) == ("pending_approval", "set_price")
    caller.decide(last, "deny")
    *said, last = caller.lines("hello")
    assert "".join(line["delta"] for line in said) == "Hello." == last["answer"]
    assert (last["type"], last["status"]) == ("final", "completed")


def test_a_pause_over_http_is_in_the_app_and_can_be_answered_there(service: Service, caller: Caller) -> None:
    from workbench.policy.answer import Approved

    told = caller.invoke("price")
    with Store.open(service.database) as store:
        engine = Engine(store, service.folder)
        (row,) = [one for one in engine.waiting() if one.conversation_id == caller.headers["X-Session-Id"]]
        engine.answer(row.request_id, Approved(), by="Ada")
    for _ in range(500):
        if caller.run(told["run_id"])["status"] == "completed":
            break
        time.sleep(0.02)
    assert caller.run(told["run_id"])["used_tools"] == ["set_price"]
    assert "Ada" in caller.decision(told["pending_approval"], "deny").json()["error"]["message"]


def test_a_pause_in_the_app_can_be_decided_over_http(service: Service) -> None:
    with Store.open(service.database) as store:
        engine = Engine(store, service.folder)
        conversation = engine.new_conversation(str(service.config.resolve()))
        run_id = engine.send(conversation, "price", by="Ada")
        caller = Caller(service, conversation)
        for _ in range(500):
            if caller.run(run_id)["status"] == "pending_approval":
                break
            time.sleep(0.02)
        pending = caller.run(run_id)["pending_approval"]
        assert caller.get(f"/runs/{run_id}", headers={}).status_code == 403
        assert caller.decide(pending, "allow for this session")["used_tools"] == ["set_price"]
        assert engine.card(pending["approval_id"]).decision.via == "invoke"  # type: ignore[union-attr]


def test_a_deleted_session_is_not_used_again(service: Service, caller: Caller) -> None:
    told = caller.invoke("price")
    with Store.open(service.database) as store:
        Engine(store, service.folder).delete(caller.headers["X-Session-Id"], by="Ada")
    answer = caller.post("/invoke", {"message": "hello"})
    assert answer.status_code == 409 and answer.json()["error"]["code"] == "deleted"
    assert caller.get(f"/runs/{told['run_id']}").status_code == 404


def test_many_conversations_at_once_all_finish(service: Service) -> None:
    with ThreadPoolExecutor(30) as pool:
        answers = list(pool.map(lambda one: Caller(service, f"many-{one}").invoke("look"), range(30)))
    assert {answer["status"] for answer in answers} == {"completed"}
    assert len({answer["run_id"] for answer in answers}) == 30


def test_a_caller_that_leaves_neither_stops_nor_loses_the_run(service: Service, caller: Caller) -> None:
    (service.folder / "ship-7").unlink(missing_ok=True)
    (service.folder / "ship-7.here").unlink(missing_ok=True)
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{service.url}/invoke", json={"message": "ship"}, headers=caller.headers, timeout=1)
    service.waits_in("ship-7")
    with Store.open(service.database) as store:
        run = store.runs.latest(caller.headers["X-Session-Id"])
    assert run is not None
    service.let("ship-7")
    for _ in range(500):
        if caller.run(run.turn_id)["status"] != "running":
            break
        time.sleep(0.02)
    assert (caller.run(run.turn_id)["status"], caller.run(run.turn_id)["used_tools"]) == (
        "completed",
        ["ship"],
    )


@pytest.mark.parametrize("kept", ["memory", "sqlite"])
def test_what_was_allowed_for_a_session_is_kept_as_long_as_told(serve: Serve, kept: str) -> None:
    import signal

    service = serve(talkative(), "--session-approvals", kept, apart=True)
    for how in (signal.SIGINT, signal.SIGKILL):
        caller = Caller(service, f"kept-{how}")
        caller.decide(caller.invoke("price")["pending_approval"], "allow for this session")
        assert caller.invoke("next")["status"] == "completed"
        service.restart(how)
        assert caller.invoke("next")["status"] == ("completed" if kept == "sqlite" else "pending_approval")


def test_a_loosening_on_disk_is_taken_at_the_next_message_and_logged(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    service = serve(talkative())
    caller = Caller(service)
    assert caller.invoke("price")["status"] == "pending_approval"
    service.write(talkative(interrupt={"tools": [{"name": "set_price", "ask": False}]}))
    assert caller.invoke("price")["used_tools"] == ["set_price"]
    assert "taken from disk" in caplog.text
