"""The AG-UI endpoint by plain HTTP, row by row."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.service.agui import ASK, Client, new_id
from tests.service.configs import several, talkative, team
from tests.service.serving import Caller, Service
from workbench.policy.answer import Approved
from workbench.runs.engine import Engine
from workbench.store import Store

Serve = Callable[..., Service]
APPROVED = {"status": "approved"}
SKIPPED = "Skipped: the person sent a message instead of answering"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = Service(tmp_path_factory.mktemp("agui"), talkative()).start()
    yield made
    made.stop()


@pytest.fixture
def client(service: Service) -> Client:
    return Client(service, tools=[ASK])


def test_a_plain_turn_is_streamed_in_order(client: Client) -> None:
    run = client.say("hello")
    text = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]
    assert run.kinds == ["RUN_STARTED", "STATE_SNAPSHOT", *text, "STATE_DELTA", "RUN_FINISHED"]
    assert (run.text, run.outcome) == ("Hello.", {"type": "success"})
    assert {run[0]["threadId"], run[-1]["threadId"]} == {client.thread} and run[0]["runId"] == run[-1][
        "runId"
    ]
    assert list(client.state["kaboo_sessions"]) == ["history"]


def test_only_what_a_run_adds_is_sent(client: Client) -> None:
    client.say("hello")
    assert client.say("look").text == "Done."


def test_an_approval_is_an_interrupt(client: Client) -> None:
    run = client.say("price")
    (interrupt,) = run.interrupts
    call_id = run.of("TOOL_CALL_START")[0]["toolCallId"]
    assert run.results == []
    assert (interrupt["reason"], interrupt["toolCallId"]) == ("kaboo:approval", call_id)
    assert "expiresAt" not in interrupt and "subagentRunId" not in interrupt and interrupt["responseSchema"]
    assert interrupt["metadata"] == {
        "type": "approval",
        "message": interrupt["message"],
        "tool_name": "set_price",
        "tool_input": {"sku": "A1", "price": 12.0, "store": "summit"},
        "tool_use_id": call_id,
        "subject": {"key": "store:summit", "label": "prices in summit"},
        "scopes": ["once"],
    }
    assert client.state["kaboo_sessions"]["approvals"] == [
        {
            "interruptId": interrupt["id"],
            "toolCallId": call_id,
            "tool": "set_price",
            "subject": {"key": "store:summit", "label": "prices in summit"},
            "scopes": ["once"],
            "input": {"sku": "A1", "price": 12.0, "store": "summit"},
        }
    ]


def test_a_deadline_is_in_the_metadata_only(client: Client) -> None:
    (interrupt,) = client.say("late").interrupts
    assert "expiresAt" not in interrupt and interrupt["metadata"]["expiresAt"].endswith("Z")
    time.sleep(1.1)
    run = client.resume((interrupt, APPROVED))
    assert run.results[0].startswith("Expired: ")
    assert ("close_shop", {"shop": "summit", "tidy": True}) not in client.service.ran()


def test_approved_runs_the_call(service: Service, client: Client) -> None:
    (interrupt,) = client.say("price").interrupts
    before = len(service.ran())
    run = client.resume((interrupt, APPROVED))
    assert (run.outcome, run.text, len(service.ran()) - before) == ({"type": "success"}, "Done.", 1)
    (result,) = run.of("TOOL_CALL_RESULT")
    assert result["metadata"]["approval"] == {"decision": "approved", "by": "person", "scope": "once"}
    assert "paused" not in client.state["kaboo_sessions"]


def test_an_edit_runs_in_place_of_what_was_shown(service: Service, client: Client) -> None:
    (interrupt,) = client.say("price").interrupts
    edit = {**interrupt["metadata"]["tool_input"], "price": 9.0}
    client.resume((interrupt, {**APPROVED, "tool_input": edit}))
    assert service.ran()[-1] == ("set_price", {"sku": "A1", "price": 9.0, "store": "summit"})


@pytest.mark.parametrize("edit", [{"sku": "A1", "price": "dear"}, {"sku": "A1"}, "x", []])
def test_an_edit_that_breaks_the_schema_changes_nothing(service: Service, client: Client, edit: Any) -> None:
    (interrupt,) = client.say("price").interrupts
    before = len(service.ran())
    assert client.resume((interrupt, {**APPROVED, "tool_input": edit})).error == "invalid_edit"
    assert client.run().interrupts == [interrupt] and len(service.ran()) == before


@pytest.mark.parametrize(
    ("payload", "reads"),
    [
        ({"status": "cancelled", "reason": "too dear"}, "Declined: too dear"),
        ({"status": "cancelled"}, "Declined"),
        (None, "Skipped"),
        ({"status": "yes"}, "Skipped"),
        ({"approved": True}, "Skipped"),
        ("approved", "Skipped"),
        (True, "Skipped"),
        ([APPROVED], "Skipped"),
        (0, "Skipped"),
    ],
)
def test_anything_but_approved_does_not_run(
    service: Service, client: Client, payload: Any, reads: str
) -> None:
    (interrupt,) = client.say("price").interrupts
    before = len(service.ran())
    run = client.resume((interrupt, payload))
    assert run.results[0].startswith(reads) and run.outcome == {"type": "success"}
    assert len(service.ran()) == before


def test_what_a_resume_leaves_out_is_skipped(service: Service, client: Client) -> None:
    one, _ = client.say("two").interrupts
    before = len(service.ran())
    run = client.resume((one, APPROVED))
    assert sorted(result[:7] for result in run.results) == ["A1 now ", "Skipped"]
    assert len(service.ran()) - before == 1


def test_a_scope_that_was_not_offered_is_once(client: Client) -> None:
    (interrupt,) = client.say("price").interrupts
    run = client.resume((interrupt, {**APPROVED, "scope": "always"}))
    assert run.of("TOOL_CALL_RESULT")[0]["metadata"]["approval"]["scope"] == "once"
    assert client.say("next").interrupts


@pytest.mark.parametrize("how", ["unknown", "twice", "other thread"])
def test_a_set_with_a_bad_id_is_not_applied(service: Service, client: Client, how: str) -> None:
    one, other = client.say("two").interrupts
    before = len(service.ran())
    if how == "unknown":
        run = client.resume((one, APPROVED), ({"id": "nope"}, APPROVED))
    elif how == "twice":
        run = client.resume((one, APPROVED), (one, None))
    else:
        (elsewhere,) = Client(service).say("price").interrupts
        run = client.resume((one, APPROVED), (elsewhere, APPROVED))
    assert run.error == ("twice" if how == "twice" else "unknown_id")
    assert client.run().interrupts == [one, other] and len(service.ran()) == before


def test_the_same_answers_again_have_the_same_outcome(service: Service, client: Client) -> None:
    (interrupt,) = client.say("price").interrupts
    first = client.resume((interrupt, APPROVED))
    before = len(service.ran())
    again = client.resume((interrupt, APPROVED))
    assert (again.outcome, again.results, again.text) == (first.outcome, first.results, first.text)
    assert len(service.ran()) == before
    assert client.resume((interrupt, {"status": "cancelled"})).error == "already_decided"
    assert client.say("hello").text == "Hello."
    assert client.resume((interrupt, APPROVED)).results == first.results


def test_an_old_answer_again_leaves_a_new_pause_alone(client: Client) -> None:
    (first,) = client.say("then").interrupts
    (second,) = client.resume((first, APPROVED)).interrupts
    assert client.resume((first, APPROVED)).interrupts == [second]
    assert client.run().interrupts == [second]


def test_a_client_call_waits_alone_without_an_interrupt(client: Client) -> None:
    run = client.say("ask")
    (call_id,) = run.outcome["pendingToolCallIds"]
    assert run.outcome["type"] == "success" and run.results == []
    assert call_id == run.of("TOOL_CALL_START")[0]["toolCallId"]
    assert client.run().outcome == run.outcome
    client.tool(call_id, "b, I think")
    run = client.run()
    assert (run.results, run.outcome) == (["b, I think"], {"type": "success"})


def test_malformed_arguments_are_the_clients_to_check(serve: Serve) -> None:
    bad = talkative()
    replies = bad["agents"]["merchant"]["model"]["params"]["replies"]
    replies.insert(0, {"match": "bad", "script": [{"tool": "ask_user", "input": {"nonsense": 1}}]})
    service = serve(bad)
    client = Client(service, tools=[ASK])
    (call_id,) = client.say("bad").outcome["pendingToolCallIds"]
    client.tool(call_id, '{"error": "ask properly"}')
    assert client.run().results == ['{"error": "ask properly"}']
    with Store.open(service.database) as store:
        engine = Engine(store, service.folder)
        assert [view.status for view in engine.run_views(client.thread)] == ["paused", "done"]


def test_tools_that_no_agent_names_reach_none(service: Service) -> None:
    other = {**ASK, "name": "other_tool"}
    assert Client(service, tools=[other]).say("ask").results[0].startswith("Unknown tool")
    assert Client(service).say("ask").results[0].startswith("Unknown tool")


def test_answers_by_tool_message_alone_keep_what_is_open(serve: Serve) -> None:
    both = talkative()
    step = {"tools": [{"tool": "ask_user", "input": {"question": "?"}}, {"tool": "close_shop", "input": {}}]}
    both["agents"]["merchant"]["model"]["params"]["replies"].insert(0, {"match": "both", "script": [step]})
    both["agents"]["merchant"]["interrupt"] = {"tools": ["close_shop"]}
    service = serve(both)
    client = Client(service, tools=[ASK])
    run = client.say("both")
    (interrupt,) = run.interrupts
    (call_id,) = [e["toolCallId"] for e in run.of("TOOL_CALL_START") if e["toolCallName"] == "ask_user"]
    client.tool(call_id, "yes")
    run = client.run()
    assert run.interrupts == [interrupt] and run.kinds == [
        "RUN_STARTED",
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "RUN_FINISHED",
    ]
    run = client.resume((interrupt, APPROVED))
    assert run.results == ["yes", "summit is closed"]
    # Left out of a resume that isn't empty, an open client call is skipped too.
    client = Client(service, tools=[ASK])
    (interrupt,) = client.say("both").interrupts
    assert sorted(client.resume((interrupt, APPROVED)).results) == [
        "Skipped: the person chose not to answer",
        "summit is closed",
    ]


def test_a_new_message_skips_what_waits(service: Service, client: Client) -> None:
    client.say("two")
    before = len(service.ran())
    run = client.say("hello")
    assert (run.results, run.text) == ([SKIPPED] * 2, "Hello.")
    assert len(service.ran()) == before


def test_a_new_message_with_skips_is_the_same(client: Client) -> None:
    (call_id,) = client.say("ask").outcome["pendingToolCallIds"]
    client.tool(call_id, SKIPPED)
    run = client.say("hello")
    assert (run.results, run.text) == ([SKIPPED], "Hello.")
    (interrupt,) = client.say("price").interrupts
    client.messages.append({"id": new_id(), "role": "user", "content": "hello again"})
    run = client.resume((interrupt, None))
    assert (run.results, run.text) == ([SKIPPED], "Hello.")


def test_a_new_message_with_answers_is_answered_in_the_same_turn(service: Service, client: Client) -> None:
    one, other = client.say("two").interrupts
    client.messages.append({"id": new_id(), "role": "user", "content": "and hello"})
    run = client.resume((other, APPROVED))
    assert [result[:7] for result in run.results] == ["B2 now ", "Skipped"] or sorted(
        result[:7] for result in run.results
    ) == ["B2 now ", "Skipped"]
    with Store.open(service.database) as store:
        said = [message for message in store.messages.load(client.thread) if message["role"] == "user"]
        assert said[-1]["content"][-1] == {"text": "and hello"}
        assert len({one.turn_id for one in store.runs.of_conversation(client.thread)}) == 1
    assert run.outcome == {"type": "success"}


def test_anything_while_a_run_works_is_busy_and_the_run_can_be_joined(
    service: Service, client: Client
) -> None:
    given = client.input(messages=[{"id": "1", "role": "user", "content": "ship"}])
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: list(client.events(given)))
        service.waits_in("ship-7")
        assert client.say("hello").error == "busy"
        assert client.run().error == "busy"
        joined = pool.submit(lambda: list(client.events(given)))
        time.sleep(0.2)
        service.let("ship-7")
        assert [e["type"] for e in joined.result()] == [e["type"] for e in first.result()]
    later = list(client.events(given))
    assert later[2:-2] == first.result()[2:-2] and later[-1] == first.result()[-1]


def test_a_client_that_leaves_neither_stops_nor_loses_the_run(service: Service, client: Client) -> None:
    (service.folder / "ship-7").unlink(missing_ok=True)
    (service.folder / "ship-7.here").unlink(missing_ok=True)
    given = client.input(messages=[{"id": "1", "role": "user", "content": "ship"}])
    for event in client.events(given):
        if event["type"] == "TOOL_CALL_END":
            break
    service.waits_in("ship-7")
    service.let("ship-7")
    again = list(client.events(given))
    assert again[-1]["outcome"] == {"type": "success"}
    assert [e["content"] for e in again if e["type"] == "TOOL_CALL_RESULT"] == ["order 7 is on its way"]


def test_a_stopped_run_is_cancelled(service: Service, client: Client) -> None:
    client.say("price")
    given = client.input(messages=[])
    with Store.open(service.database) as store:
        engine = Engine(store, service.folder)
        engine.stop(client.thread, by="Ada")
        while engine.conversation(client.thread).status == "working":
            time.sleep(0.02)
        stopped = [e.data for e in store.events.read(client.thread) if e.type == "RUN_FINISHED"][-1]
    assert stopped["outcome"] == {"type": "cancelled"}
    assert list(client.events(given))[-1]["outcome"] == {"type": "success"}


def test_a_failing_model_is_a_run_error(client: Client) -> None:
    run = client.say("fail")
    assert run.error and "Traceback" not in json.dumps(run)
    assert client.say("hello").text == "Hello."


@pytest.mark.parametrize("value", [None, False, 0, "", 4])
def test_any_value_answers_a_tools_own_interrupt(service: Service, client: Client, value: Any) -> None:
    (interrupt,) = client.say("book").interrupts
    assert (interrupt["reason"], interrupt["message"]) == ("workbench:tool", "How many guests?")
    assert interrupt["responseSchema"] == {"type": ["integer", "string", "boolean", "null"]}
    entry = {"interruptId": interrupt["id"], "status": "resolved", "payload": value}
    assert client.run(resume=[entry]).results == [f"booked 1 for {value!r}"]


def test_a_tools_own_approval_carries_its_request(serve: Serve) -> None:
    config = talkative(tools=["./enforced.py"], interrupt={"tool_approvals": True}, auto=True)
    replies = config["agents"]["merchant"]["model"]["params"]["replies"]
    replies.insert(0, {"match": "mutate", "script": [{"tool": "mutate", "input": {"what": "it"}}]})
    client = Client(serve(config))
    (interrupt,) = client.say("mutate").interrupts
    assert (interrupt["reason"], interrupt["message"]) == ("kaboo:approval", "Change it?")
    metadata = interrupt["metadata"]
    assert (metadata["type"], metadata["request"], metadata["scopes"]) == (
        "approval",
        "apr_1",
        ["once", "thread"],
    )
    assert client.state["kaboo_sessions"]["approvals"][0]["request"] == "apr_1"
    assert client.resume((interrupt, APPROVED)).results == ["it is changed"]


def test_a_team_that_waits_takes_answers_and_messages_apart(serve: Serve) -> None:
    client = Client(serve(several("swarm")))
    (interrupt,) = client.say("go").interrupts
    client.messages.append({"id": new_id(), "role": "user", "content": "and hello"})
    assert client.resume((interrupt, APPROVED)).error == "message_with_answers"
    del client.messages[-1]
    assert client.resume((interrupt, APPROVED)).outcome == {"type": "success"}


# -- grants -------------------------------------------------------------------------------------


def test_wider_scopes_are_offered_only_when_the_client_keeps_grants(service: Service) -> None:
    client = Client(service, forwardedProps={"kaboo_grants": []})
    (interrupt,) = client.say("price").interrupts
    assert interrupt["metadata"]["scopes"] == ["once", "thread"]
    run = client.resume((interrupt, {**APPROVED, "scope": "thread"}))
    assert run.of("TOOL_CALL_RESULT")[0]["metadata"]["approval"]["scope"] == "thread"
    with Store.open(service.database) as store:
        assert store.grants.list(conversation_id=client.thread) == []
    assert client.say("next").interrupts
    grant = {"tool": "set_price", "subject": "store:summit", "scope": "thread"}
    client.given["forwardedProps"] = {"kaboo_grants": [grant]}
    run = client.say("next")
    assert run.of("TOOL_CALL_RESULT")[-1]["metadata"]["approval"] == {
        "decision": "approved",
        "by": "permission",
        "scope": "thread",
    }
    assert [one["metadata"]["subject"]["key"] for one in client.say("two").interrupts] == ["store:harbor"]


def test_with_the_state_channel_off_nothing_wider_is_offered(serve: Serve) -> None:
    service = serve({**talkative(), "runtime": {"persist_session_state": False}})
    client = Client(service, forwardedProps={"kaboo_grants": []})
    run = client.say("price")
    assert run.interrupts[0]["metadata"]["scopes"] == ["once"] and run.of("STATE_DELTA") == []
    assert client.resume((run.interrupts[0], APPROVED)).outcome == {"type": "success"}


@pytest.mark.parametrize(
    "grants", ["x", [1], [{"tool": "set_price"}], [{"tool": "t", "subject": "s", "scope": "once"}]]
)
def test_grants_that_are_none_are_refused(service: Service, grants: Any) -> None:
    assert Client(service, forwardedProps={"kaboo_grants": grants}).say("hello").error == "invalid_grants"


def test_an_agui_run_is_judged_by_its_clients_grants_alone(service: Service) -> None:
    client = Client(service)
    client.say("hello")
    with Store.open(service.database) as store:
        store.grants.create(
            config_name=str(service.config.resolve()),
            agent="merchant",
            tool="set_price",
            subject_key="store:summit",
            subject_label="summit",
            scope="thread",
            conversation_id=client.thread,
            by="Ada",
            via="app",
        )
    assert client.say("price").interrupts
    assert Caller(service, client.thread).invoke("price")["used_tools"] == ["set_price"]


def test_on_a_clients_pause_the_app_offers_once_and_answers_it(service: Service) -> None:
    client = Client(service, forwardedProps={"kaboo_grants": []})
    (interrupt,) = client.say("price").interrupts
    with Store.open(service.database) as store:
        engine = Engine(store, service.folder)
        assert engine.card(interrupt["id"]).scopes == ("once",)
        outcome = engine.answer(interrupt["id"], Approved("thread"), by="Ada")
        assert outcome.card.decision is not None and outcome.card.decision.scope == "once"
        while engine.conversation(client.thread).status == "working":
            time.sleep(0.02)
        assert store.grants.list(conversation_id=client.thread) == []
    assert client.resume((interrupt, {"status": "cancelled"})).error == "already_decided"


# -- delegates, context, input ------------------------------------------------------------------


def test_a_delegates_events_carry_its_run(serve: Serve) -> None:
    service = serve(team())
    client = Client(service, tools=[ASK])
    run = client.say("go")
    (began,) = run.of("SUBAGENT_STARTED")
    seat = began["subagentRunId"]
    assert {e.get("subagentRunId") for e in run.of("TEXT_MESSAGE_CONTENT")} == {seat}
    (call_id,) = run.outcome["pendingToolCallIds"]
    (asked,) = [e for e in run.of("TOOL_CALL_START") if e["toolCallId"] == call_id]
    assert asked["subagentRunId"] == seat and run.of("SUBAGENT_FINISHED")[0]["outcome"]["type"] == "suspended"
    client.tool(call_id, "Sure.")
    run = client.run()
    (interrupt,) = run.interrupts
    assert interrupt["subagentRunId"] == seat
    assert interrupt["toolCallId"] in {e["toolCallId"] for e in run.of("TOOL_CALL_START")}
    run = client.resume((interrupt, APPROVED))
    assert run.outcome == {"type": "success"} and service.prices() == [12.0]
    assert {e.get("subagentRunId") for e in run.of("TOOL_CALL_RESULT")} == {seat, None}


def test_context_reaches_agents_and_what_is_for_a_tool_only_those_allowed_it() -> None:
    from types import SimpleNamespace

    from workbench.runs.terms import Terms

    context = (
        {"description": "The page", "value": "prices"},
        {"description": "tool:ask_user how to ask", "value": "kindly"},
        {"description": "tool:other", "value": "hidden"},
    )
    plan: Any = SimpleNamespace(facts={"look_up": None}, client_tools={"ask_user": None})
    told = Terms("agui", context=context).told(plan)
    assert "The page:\nprices" in told and "kindly" in told and "hidden" not in told
    assert Terms("agui").told(plan) == ""


@pytest.mark.parametrize("body", [{}, {"threadId": "t"}, {"threadId": 1, "runId": "r", "messages": []}, []])
def test_a_body_that_is_no_run_input_is_422(service: Service, body: Any) -> None:
    assert httpx.post(f"{service.url}/invocations", json=body).status_code == 422


@pytest.mark.parametrize("id", ["", "x" * 257, "a\nb", "a\u0000"])
def test_ids_that_can_be_none_are_refused(service: Service, id: str) -> None:
    assert Client(service, "t").run(threadId=id).error == "invalid_id"
    assert Client(service, "t").run(runId=id).error == "invalid_id"


def test_a_deleted_thread_is_not_used_again(service: Service, client: Client) -> None:
    client.say("hello")
    with Store.open(service.database) as store:
        Engine(store, service.folder).delete(client.thread, by="Ada")
    assert client.say("hello").error == "deleted"


def test_a_run_that_asks_for_nothing_does_nothing(client: Client) -> None:
    assert client.run().outcome == {"type": "success"}


def test_the_service_describes_itself(service: Service) -> None:
    told = httpx.get(f"{service.url}/invocations/capabilities").json()
    assert told["transport"]["streaming"] and told["humanInTheLoop"]["interrupts"]
    assert httpx.get(f"{service.url}/ping").json() == {"status": "ok"}
