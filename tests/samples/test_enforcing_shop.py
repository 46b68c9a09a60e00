"""The sample whose tool asks by itself: what its service makes of calls, answers, edits and permissions."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import strands
from strands.hooks import AfterToolCallEvent

from tests.samples.conftest import Query
from tests.samples.play import CONFIGS, load, model_of, tools_of
from workbench.agents.approval_reply import ApprovalReply, after_approval, read_reply
from workbench.config import ImportSpecs, annotation_facts, policy_for
from workbench.policy import Call, decide
from workbench.runs.on_decision import refusal

SPECS = ImportSpecs(CONFIGS)
RAISE = {"store": "summit", "change": "set_price", "skus": ["A1"], "value": 12}
OTHER = {"store": "summit", "change": "change_price", "skus": ["A2", "A3"], "value": -10}
HARBOR = {**RAISE, "store": "harbor"}


def told(
    asked: ApprovalReply, call: dict[str, Any], decision: str = "approved", **more: Any
) -> dict[str, Any]:
    """One decision, as the engine tells the sample of it."""
    return {
        "request_id": "r1",
        "request": asked.request,
        "conversation_id": "c1",
        "agent": "shopkeeper",
        "tool": "run_mutation",
        "tool_input": call,
        "edited_input": None,
        "decision": decision,
        "scope": "once" if decision == "approved" else None,
        "reason": "",
        "by": "ann",
        **more,
    }


def tell(*decisions: dict[str, Any]) -> str | None:
    return refusal(SPECS.load("./shop_service.py:decide"), decisions)  # type: ignore[arg-type]


def run(
    call: dict[str, Any], *, person: str = "ann", conversation: str = "c1", call_id: str = "t1"
) -> dict[str, Any]:
    """Call the tool as an agent does, in somebody's conversation."""
    tool = tools_of(load("enforcing_shop.yaml"), "shopkeeper")["run_mutation"]
    asker = {"person": person, "conversation_id": conversation, "agent": "shopkeeper"}

    async def last() -> Any:
        use = {"toolUseId": call_id, "name": "run_mutation", "input": call}
        return [event async for event in tool.stream(use, {"agent": None, "workbench": asker})][-1]

    return dict(asyncio.run(last()).tool_result)


def ask(call: dict[str, Any], **more: Any) -> ApprovalReply:
    reply = read_reply(run(call, **more), "run_mutation")
    assert reply is not None
    return reply


def text(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


def prices(query: Query, store: str = "summit") -> dict[str, int]:
    return dict(query("SELECT sku, price_cents FROM items WHERE store = ?", store))  # type: ignore[arg-type]


def play(message: str, answer: Callable[[ApprovalReply, dict[str, Any]], dict[str, Any]]) -> list[str]:
    """Say a message; each reply of the tool gets its answer, and its call is made once more if that says so."""
    config = load("enforcing_shop.yaml")
    agent = strands.Agent(
        model=model_of(config, "shopkeeper"),
        tools=list(tools_of(config, "shopkeeper").values()),
        callback_handler=None,
    )
    results: list[str] = []
    approved: set[str] = set()

    def pause(event: AfterToolCallEvent) -> None:
        call, call_id = dict(event.tool_use["input"]), event.tool_use["toolUseId"]
        reply = read_reply(event.result, event.tool_use["name"])
        if call_id in approved:
            event.result = after_approval(dict(event.result), event.tool_use["name"])  # type: ignore[assignment]
        elif reply is not None:
            decision = answer(reply, call)
            assert tell(decision) is None
            if decision["decision"] == "approved":
                approved.add(call_id)
                event.retry = True
                return
            event.result["content"] = [{"text": "Declined: no"}]
        results.append(event.result["content"][0]["text"])

    agent.add_hook(pause, AfterToolCallEvent)
    asker = {"person": "ann", "conversation_id": "c1", "agent": "shopkeeper"}
    final = agent(message, invocation_state={"workbench": asker})
    return [*results, str(final).strip()]


def test_looking_runs_and_the_tools_own_service_asks_and_not_the_agent() -> None:
    config = load("enforcing_shop.yaml")
    policy = policy_for(config, "shopkeeper", SPECS)
    assert policy.tool_approvals
    for tool, outcome in (("search_catalog", "run"), ("run_mutation", "run"), ("send_newsletter", "ask")):
        assert decide(Call(tool, {}), policy, (), annotation_facts(config, tool)).outcome == outcome


def test_a_change_is_asked_for_in_the_services_own_words_and_nothing_runs(query: Query) -> None:
    reply = ask({"store": "summit", "change": "change_price", "skus": ["A1", "a2", "A3"], "value": 10})
    assert reply.message == (
        "Raise the price of 3 items by 10 percent: Trail socks (A1), Rain jacket (A2), Wool hat (A3)"
    )
    assert (reply.subject.key, reply.subject.label) == ("store:summit/prices", "prices in Summit Outfitters")
    assert (reply.scopes, reply.warnings) == (("once", "thread", "always"), ())
    assert query("SELECT count(*) FROM changes") == [(0,)]


@pytest.mark.parametrize(
    ("call", "sentence", "scopes"),
    [
        (RAISE, "Set the price of 1 item to 12.00 USD: Trail socks (A1)", ("once", "thread", "always")),
        (
            {**OTHER, "value": -2.5},
            "Lower the price of 2 items by 2.5 percent: Rain jacket (A2), Wool hat (A3)",
            ("once", "thread", "always"),
        ),
        (
            {"store": "harbor", "change": "set_stock", "skus": ["B3"], "value": 0},
            "Set the stock of 1 item to 0: Pocket notebook (B3)",
            ("once", "thread"),
        ),
        (
            {"store": "harbor", "change": "remove", "skus": ["B3"]},
            "Remove 1 item for good: Pocket notebook (B3)",
            ("once",),
        ),
    ],
)
def test_how_far_an_approval_may_reach_depends_on_the_change(
    call: dict[str, Any], sentence: str, scopes: tuple[str, ...]
) -> None:
    reply = ask(call)
    assert (reply.message, reply.scopes) == (sentence, scopes)


def test_an_approved_change_is_made_once(query: Query) -> None:
    assert tell(told(ask(RAISE), RAISE)) is None
    assert text(run(RAISE)) == "Summit Outfitters: Trail socks (A1) costs 12.00 USD, it was 10.50 USD."
    assert read_reply(run(RAISE), "run_mutation") is not None
    assert query("SELECT count(*) FROM changes") == [(1,)]


@pytest.mark.parametrize("decision", ["denied", "skipped", "expired"])
def test_anything_but_an_approval_changes_nothing(query: Query, decision: str) -> None:
    assert tell(told(ask(RAISE), RAISE, decision)) is None
    assert read_reply(run(RAISE), "run_mutation") is not None
    assert query("SELECT count(*) FROM changes") == [(0,)]


def test_each_kind_of_change_does_what_it_says(query: Query) -> None:
    for number, (call, said) in enumerate(
        [
            (
                OTHER,
                "Summit Outfitters: Rain jacket (A2) costs 107.10 USD, it was 119.00 USD; "
                "Wool hat (A3) costs 21.60 USD, it was 24.00 USD.",
            ),
            (
                {"store": "harbor", "change": "set_stock", "skus": ["b3"], "value": 7},
                "Harbor Books: Pocket notebook (B3) has 7 in stock, it had 120.",
            ),
            (
                {"store": "harbor", "change": "remove", "skus": ["B3"]},
                "Harbor Books: Pocket notebook (B3) is removed.",
            ),
        ]
    ):
        call_id = f"t{number}"
        assert tell(told(ask(call, call_id=call_id), call)) is None
        assert text(run(call, call_id=call_id)) == said
    assert query("SELECT count(*) FROM items WHERE sku = 'B3'") == [(1,)]
    assert (prices(query)["A2"], prices(query)["A3"]) == (10710, 2160)


def test_allowing_prices_for_the_chat_covers_one_store_in_one_conversation_of_one_person() -> None:
    assert tell(told(ask(RAISE), RAISE, scope="thread")) is None
    run(RAISE)
    assert text(run(OTHER, call_id="t2")).startswith("Summit Outfitters: Rain jacket (A2) costs")
    for elsewhere in (
        {"call": HARBOR},
        {"call": OTHER, "conversation": "c2"},
        {"call": OTHER, "person": "bo"},
        {"call": {**OTHER, "change": "set_stock", "value": 5}},
    ):
        assert read_reply(run(**{"call_id": "t3", **elsewhere}), "run_mutation") is not None


def test_an_edit_runs_when_it_is_about_the_same_and_is_refused_when_not(query: Query) -> None:
    asked = ask(RAISE)
    assert tell(told(asked, RAISE, edited_input=HARBOR)) == (
        "The edited call is about prices in Harbor Books, and this request about prices in Summit Outfitters; "
        "ask for the other one by itself."
    )
    assert "no item 'B9'; the nearest is 'B1'" in str(
        tell(told(asked, RAISE, edited_input={**RAISE, "skus": ["B9"]}))
    )
    edited = {**RAISE, "value": 11}
    assert tell(told(asked, RAISE, edited_input=edited)) is None
    assert read_reply(run(RAISE), "run_mutation") is not None
    assert text(run(edited)).endswith("costs 11.00 USD, it was 10.50 USD.")
    assert prices(query)["A1"] == 1100


def test_only_who_asked_can_approve_and_the_whole_set_waits_for_it() -> None:
    first, second = ask(RAISE), ask(OTHER, call_id="t2")
    why = tell(told(first, RAISE), told(second, OTHER, by="bo"))
    assert why == "This was asked for ann, and nobody else can decide it."
    assert read_reply(run(RAISE), "run_mutation") is not None
    # Answered again by ann, every decision is sent again.
    assert tell(told(first, RAISE), told(second, OTHER)) is None
    assert tell(told(first, RAISE), told(second, OTHER)) is None
    assert read_reply(run(RAISE), "run_mutation") is None


def test_decisions_about_other_cards_are_none_of_the_services() -> None:
    asked = ask(RAISE)
    question = told(asked, {}, "answered", request=None)
    forged = told(asked, RAISE, request="apr_forged", scope="always")
    assert tell(question, forged) is None
    assert read_reply(run(RAISE), "run_mutation") is not None


@pytest.mark.parametrize("person", ["guest", "Visitor ", ""])
def test_who_may_only_look_or_is_nobody_is_not_even_asked(query: Query, person: str) -> None:
    ask(RAISE)
    result = run(RAISE, person=person)
    assert result["status"] == "error"
    assert read_reply(result, "run_mutation") is None
    assert query("SELECT count(*) FROM changes") == [(0,)]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (
            {"skus": ["B9"]},
            "Summit Outfitters has no item 'B9'; the nearest is 'B1' (Ridge tent, 2 persons).",
        ),
        ({"skus": ["A1", "a1 "]}, "An item is named twice."),
        ({"value": None}, "set_price needs a value."),
        ({"value": 0}, "A price is more than 0"),
        ({"value": 1e300}, "A price is more than 0"),
        ({"value": 1.005}, "more than two decimals"),
        ({"change": "change_price", "value": -95}, "-90 to 100 percent"),
        ({"change": "set_stock", "value": 2.5}, "a whole number"),
        ({"change": "remove"}, "takes no value"),
    ],
)
def test_a_change_that_makes_no_sense_is_an_error_and_no_card(wrong: dict[str, Any], why: str) -> None:
    result = run({**RAISE, **wrong})
    assert result["status"] == "error"
    assert why in text(result)


def test_a_change_that_stopped_making_sense_while_it_waited_changes_nothing(query: Query) -> None:
    removal = {"store": "summit", "change": "remove", "skus": ["A1"]}
    asked = ask(RAISE)
    assert tell(told(ask(removal, call_id="t2"), removal)) is None
    run(removal, call_id="t2")
    assert "can't be judged any more: Summit Outfitters has no item 'A1'" in str(tell(told(asked, RAISE)))
    assert tell(told(asked, RAISE, "denied")) is None
    assert text(run(RAISE)).startswith("Error: Summit Outfitters has no item 'A1'")


def test_the_key_is_made_once_and_for_its_owner_only(shop_file: Path) -> None:
    program = (
        "from pathlib import Path; from workbench.config import ImportSpecs;"
        f"print(ImportSpecs(Path({str(CONFIGS)!r}), ()).load('./shop_service.py:_key')().hex())"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    keys = {process.communicate()[0].strip() for process in started}
    path = shop_file.with_name("approvals.key")
    assert keys == {path.read_bytes().hex()}
    assert path.stat().st_mode & 0o077 == 0
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_the_sale_asks_once_for_each_store_when_the_first_card_is_allowed_for_the_chat(query: Query) -> None:
    seen: list[str] = []

    def allow(reply: ApprovalReply, call: dict[str, Any]) -> dict[str, Any]:
        seen.append(reply.subject.label)
        return told(reply, call, scope="thread")

    *results, final = play("Autumn sale in both stores", allow)
    assert seen == ["prices in Summit Outfitters", "prices in Harbor Books"]
    assert [result.partition(":")[0] for result in results] == [
        "Summit Outfitters",
        "Summit Outfitters",
        "Harbor Books",
    ]
    assert all(result in final for result in results)
    assert query("SELECT count(*) FROM changes") == [(3,)]


def test_a_declined_sale_changes_nothing_and_says_so(query: Query) -> None:
    *results, final = play("Autumn sale in both stores", lambda reply, call: told(reply, call, "denied"))
    assert results == ["Declined: no"] * 3
    assert final.count("Declined: no") == 3
    assert query("SELECT count(*) FROM changes") == [(0,)]


def test_a_decision_that_never_reached_the_service_still_needs_approval_and_does_not_loop(
    query: Query,
) -> None:
    results = play("Set the price of A1 to 12", lambda reply, call: told(reply, call, request="apr_lost"))
    assert results == ["Still needs approval", "Still needs approval"]
    assert query("SELECT count(*) FROM changes") == [(0,)]


@pytest.mark.parametrize(
    ("message", "done"),
    [
        ("Raise A1, A2 and A3 by 10 percent", "Summit Outfitters: Trail socks (A1) costs 11.55 USD"),
        ("Set the stock of B2 to 40", "Summit Outfitters: Enamel mug (B2) has 40 in stock"),
        (
            "Set the price of A1 in harbor to 35",
            "Harbor Books: Sea charts of the north coast (A1) costs 35.00 USD",
        ),
        ("Set the price of A1 to 12", "Summit Outfitters: Trail socks (A1) costs 12.00 USD"),
        ("Remove B3 from harbor", "Harbor Books: Pocket notebook (B3) is removed"),
        ("Remove B2", "Summit Outfitters: Enamel mug (B2) is removed"),
    ],
)
def test_what_can_be_said_is_asked_for_and_done(message: str, done: str) -> None:
    assert play(message, told)[-1].startswith(done)


def test_the_tools_parameters_are_described() -> None:
    schema = tools_of(load("enforcing_shop.yaml"), "shopkeeper")["run_mutation"].tool_spec["inputSchema"][
        "json"
    ]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]) == {"store", "change", "skus", "value"}
    assert not any(one["description"].startswith("Parameter ") for one in schema["properties"].values())
