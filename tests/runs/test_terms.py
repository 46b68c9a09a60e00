"""What the door of a run brings along: which scopes it offers, which tools, how long its permissions last."""

from collections.abc import Callable

from tests.runs.harness import Bench, price, shop
from workbench.policy.answer import Approved
from workbench.runs.process import is_alive, process_name
from workbench.runs.terms import Terms

MakeBench = Callable[..., Bench]
ASKING = {
    "ask": [{"name": "set_price", "remember": "thread"}],
}


def _say(bench: Bench, terms: Terms) -> None:
    bench.engine.send(bench.id, "go", by="Ada", via=terms.door, terms=terms)
    bench.settle()


def test_a_door_that_does_not_remember_is_offered_one_call_only(bench: MakeBench) -> None:
    one = bench(shop([price()], [price()], **ASKING))
    _say(one, Terms("invoke", remembers=False))
    assert one.card().scopes == ("once",)
    _say(one, Terms("invoke", remembers=True))
    assert one.card().scopes == ("once", "thread")


def test_a_door_where_nobody_is_asked_offers_no_client_tools(bench: MakeBench) -> None:
    ask = {"tool": "ask_user", "input": {"question": "Which?", "options": ["a", "b"]}}
    one = bench(shop([ask], [ask]))
    _say(one, Terms("invoke", remembers=False, asks_person=False))
    assert one.cards() == []
    _say(one, Terms("app"))
    assert one.card().kind == "question"


def test_a_resume_keeps_the_terms_of_its_turn(bench: MakeBench) -> None:
    one = bench(shop([price(), price(value=13.0)], **ASKING))
    _say(one, Terms("invoke", remembers=False))
    one.answer()
    assert one.card().scopes == ("once",)


def test_a_permission_that_ends_with_its_process_lets_nothing_run_after_it(bench: MakeBench) -> None:
    one = bench(shop([price()], [price(value=13.0)], [price(value=14.0)], **ASKING))
    _say(one, Terms("invoke", remembers=True))
    one.engine.answer(one.card().id, Approved("thread"), by="Ada", via="invoke")
    one.settle()
    (grant,) = one.store.grants.list()
    assert grant.holder is not None and is_alive(grant.holder)
    one.say()
    assert one.prices() == [("A1", 12.0), ("A1", 13.0)]
    # As a process leaves it behind that is no more.
    gone = process_name().split("|")
    one.store.grants.revoke(grant.id, "the test")
    one.store.grants.create(
        config_name=grant.config_name,
        agent=grant.agent,
        tool=grant.tool,
        subject_key=grant.subject_key,
        subject_label=grant.subject_label,
        scope="thread",
        conversation_id=one.id,
        by="Ada",
        via="invoke",
        holder="|".join([gone[0], gone[1], "0", gone[3]]),
    )
    one.say()
    assert one.card().tool == "set_price"
    assert one.store.grants.list(live_only=True) == []


def test_a_process_is_known_by_its_name() -> None:
    host, pid, started, own = process_name().split("|")
    assert is_alive(f"{host}|{pid}|{started}|{own}")
    assert not is_alive(f"elsewhere|{pid}|{started}|{own}")
    assert not is_alive(f"{host}|{pid}|{started}1|{own}")
    assert not is_alive("") and not is_alive(f"{host}|{pid}||{own}")
