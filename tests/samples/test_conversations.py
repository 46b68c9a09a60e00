"""The samples, played by typing what their pages suggest."""

import re
from typing import Any

import pytest

from tests.samples.conftest import Query
from tests.samples.play import CONFIGS, Turn, load, model_of, play
from workbench.agents.client_tools import catalogue, check_arguments
from workbench.config import config_files, read_client_tools, read_datasources

SAMPLES = {
    "merchant.yaml": ["merchant"],
    "analyst.yaml": ["analyst"],
    "returns_and_catalogue.yaml": ["returns_agent", "catalog_agent"],
    "enforcing_shop.yaml": ["shopkeeper"],
}
TEAMS = {"team.yaml"}
"""Played by the engine, in `test_team.py`: a single agent can't."""
AGENTS = [(name, agent) for name, agents in SAMPLES.items() for agent in agents]


def examples(name: str) -> list[str]:
    text = (CONFIGS / name).read_text(encoding="utf-8")
    block = re.search(r"^x-examples:\n((?:  - .+\n)+)", text, re.MULTILINE)
    assert block, f"{name} suggests nothing to say"
    return [line.removeprefix("  - ") for line in block.group(1).splitlines()]


def asked(turn: Turn) -> list[str]:
    return [verdict.outcome for verdict in turn.verdicts]


def answer(question: str, *selected: str, other: str | None = None) -> dict[str, Any]:
    return {"question": question, "selected": list(selected), "other": other}


def test_every_config_in_the_folder_is_a_sample_that_is_tested_here() -> None:
    assert {path.name for path in config_files(CONFIGS)} == set(SAMPLES) | TEAMS


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_loads_without_problems_and_suggests_three_things_to_say(name: str) -> None:
    config = load(name)
    assert config.entry_name == SAMPLES[name][0]
    assert len(examples(name)) == 3


@pytest.mark.parametrize(("name", "agent"), AGENTS)
def test_every_reply_is_reached_by_its_own_example(name: str, agent: str) -> None:
    replies = model_of(load(name), agent).script.replies
    assert replies
    for reply in replies:
        assert reply.match is not None and reply.example is not None
        first = next(r for r in replies if r.match is not None and r.match.search(reply.example))
        assert first is reply, f"{reply.example!r} is answered by {first.example!r}"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_suggestion_is_understood(name: str) -> None:
    replies = model_of(load(name), SAMPLES[name][0]).script.replies or ()
    for suggestion in examples(name):
        assert any(reply.match and reply.match.search(suggestion) for reply in replies), suggestion


@pytest.mark.parametrize(("name", "agent"), AGENTS)
def test_a_huge_message_is_matched_without_delay(name: str, agent: str) -> None:
    """Patterns look a bounded way ahead; one that didn't would take minutes here."""
    replies = model_of(load(name), agent).script.replies or ()
    for filler in ("A1 ", "A1 to 1, ", "order ", "return 1003 ", "close ", "x"):
        message = filler * (200_000 // len(filler))
        for reply in replies:
            if reply.match is not None:
                reply.match.search(message)


def test_raising_a_price_looks_first_then_asks_and_changes_the_shop(query: Query) -> None:
    (turn,) = play(load("merchant.yaml"), "merchant", "Raise the price of A1 to 12")
    assert turn.calls == [
        ("search_catalog", {"words": "A1", "store": "summit"}),
        ("set_price", {"store": "summit", "sku": "A1", "price": 12}),
    ]
    assert asked(turn) == ["run", "ask"]
    assert turn.said[0] == "I'll look A1 up first."
    assert turn.said[-1].endswith(
        "Trail socks (A1) in Summit Outfitters now costs 12.00 USD; it was 10.50 USD."
    )
    assert query("SELECT price_cents FROM items WHERE store = 'summit' AND sku = 'A1'") == [(1200,)]


def test_a_declined_price_stays_and_the_reply_says_why(query: Query) -> None:
    (turn,) = play(load("merchant.yaml"), "merchant", "Raise A1 to 12", note="Declined: too much")
    assert turn.said[-1] == "About A1 in Summit Outfitters: Declined: too much"
    assert query("SELECT price_cents FROM items WHERE store = 'summit' AND sku = 'A1'") == [(1050,)]


def test_two_prices_are_two_calls_of_one_turn(query: Query) -> None:
    (turn,) = play(load("merchant.yaml"), "merchant", "Raise A1 to 12 and B2 to 9.25")
    assert turn.calls == [
        ("set_price", {"store": "summit", "sku": "A1", "price": 12}),
        ("set_price", {"store": "summit", "sku": "B2", "price": 9.25}),
    ]
    assert asked(turn) == ["ask", "ask"]
    assert "now costs 12.00 USD" in turn.said[-1] and "now costs 9.25 USD" in turn.said[-1]
    assert query("SELECT count(*) FROM changes") == [(2,)]


def test_the_other_store_is_named(query: Query) -> None:
    play(load("merchant.yaml"), "merchant", "Lower A1 in Harbor to 30.5")
    assert query("SELECT store, price_cents FROM items WHERE sku = 'A1' ORDER BY store") == [
        ("harbor", 3050),
        ("summit", 1050),
    ]


@pytest.mark.parametrize("said", ["Raise A1 to 1,200", "Raise A1 a little", "Good morning"])
def test_what_is_not_understood_changes_nothing_and_says_what_is(said: str) -> None:
    (turn,) = play(load("merchant.yaml"), "merchant", said)
    assert turn.calls == []
    assert "“Raise the price of A1 to 12”" in turn.said[-1]


def test_one_conversation_goes_through_every_tool_of_the_merchant(query: Query) -> None:
    turns = play(
        load("merchant.yaml"),
        "merchant",
        "What do you sell?",
        "Find tents",
        "Show order 1003",
        "Return order 1003, it is too small",
        "Return order 1008",
        "Close the summit store",
        "close harbor",
    )
    assert [asked(turn) for turn in turns] == [
        ["run"],
        ["run"],
        ["run"],
        ["run", "ask"],
        ["run", "ask"],
        ["ask"],
        ["ask"],
    ]
    assert turns[0].said[-1].count("in stock") == 12
    assert turns[1].said[-1].count("in stock") == 2
    assert "Carmen Ortiz" in turns[2].said[-1]
    assert query("SELECT order_id, reason, note FROM returns") == [
        ("1003", "too small", "Return order 1003, it is too small"),
        ("1008", "changed my mind", "Return order 1008"),
    ]
    assert query("SELECT count(*) FROM stores") == [(0,)]


def test_the_analyst_answers_a_single_choice_with_numbers() -> None:
    (turn,) = play(
        load("analyst.yaml"),
        "analyst",
        "Which store did better?",
        answers=[[answer("What should I measure them by?", "Orders")]],
    )
    assert [name for name, _ in turn.calls] == ["ask_user", "sales_figures"]
    assert turn.verdicts[0].because == "read_only"
    assert turn.said[-1].splitlines()[2:] == [
        "- Summit Outfitters, September and October 2025: 4 orders.",
        "- Harbor Books, September and October 2025: 4 orders.",
    ]


def test_the_analyst_compares_by_several_choices() -> None:
    asked_for = answer("What should I put side by side?", "Units", "Best seller")
    (turn,) = play(load("analyst.yaml"), "analyst", "Compare the stores", answers=[[asked_for]])
    assert "units, best seller" in turn.said[-1]


def test_the_analyst_asks_three_questions_on_one_card() -> None:
    (turn,) = play(
        load("analyst.yaml"),
        "analyst",
        "Write a sales report",
        answers=[
            [
                answer("Which store is it about?", "Harbor Books"),
                answer("Which part of the autumn?", "October"),
                answer("What belongs in it?", "Revenue", other="how many units"),
            ]
        ],
    )
    assert turn.said[-1] == "The report.\n\n- Harbor Books, October 2025: revenue 114.90 USD, 6 units."


def test_the_analyst_takes_an_answer_in_ones_own_words() -> None:
    own = answer("What would you like to know about the two stores?", other="the average in Harbor, please")
    (turn,) = play(load("analyst.yaml"), "analyst", "I have a question", answers=[[own]])
    assert "Harbor Books, September and October 2025: average order " in turn.said[-1]
    assert "Summit" not in turn.said[-1]


def test_the_analyst_looks_where_it_is_pointed_to() -> None:
    (turn,) = play(
        load("analyst.yaml"),
        "analyst",
        "Use my own data",
        answers=[{"chosen": ["harbor"], "remark": "revenue"}],
    )
    assert "- harbor (orders): Orders of Harbor Books" in turn.said[-1]
    assert "- Harbor Books, September and October 2025: revenue " in turn.said[-1]
    assert "Summit" not in turn.said[-1]


def test_the_analyst_books_what_was_asked_for_in_the_slot_that_was_picked() -> None:
    slot = {"day": "2026-03-30", "part": "morning"}
    (turn,) = play(load("analyst.yaml"), "analyst", "Book a delivery of two tents", answers=[slot])
    assert turn.calls == [("pick_slot", {"what": "Book a delivery of two tents"})]
    assert turn.said[-1] == 'Noted: {"day": "2026-03-30", "part": "morning"}'


def test_the_data_sources_and_client_tools_of_the_samples_have_no_mistakes() -> None:
    assert read_datasources(CONFIGS).problems == () and len(read_datasources(CONFIGS).sources) == 3
    assert read_client_tools(CONFIGS).problems == () and set(read_client_tools(CONFIGS).tools) == {
        "pick_slot"
    }


def test_the_analyst_does_not_ask_when_the_question_is_clear() -> None:
    (turn,) = play(load("analyst.yaml"), "analyst", "What was the revenue of Summit in October?")
    assert [name for name, _ in turn.calls] == ["sales_figures"]
    assert "revenue 391.00 USD" in turn.said[-1]


def test_every_question_of_the_analyst_can_be_drawn() -> None:
    replies = model_of(load("analyst.yaml"), "analyst").script.replies or ()
    questions = [
        check_arguments(catalogue()["ask_user"], call.input)["questions"]
        for reply in replies
        for move in reply.moves
        for call in move.calls
        if call.tool == "ask_user"
    ]
    assert [len(asked) for asked in questions] == [1, 1, 3, 1]


def test_the_returns_agent_asks_before_every_tool_for_this_chat_at_most(query: Query) -> None:
    looked, returned, sent_on = play(
        load("returns_and_catalogue.yaml"),
        "returns_agent",
        "Show order 1006",
        "Return order 1003, it is too small",
        "Find tents",
    )
    for turn in (looked, returned):
        assert [(verdict.outcome, verdict.because) for verdict in turn.verdicts] == [("ask", "auto")]
        assert turn.verdicts[0].scopes == ("once", "thread")
    assert query("SELECT order_id FROM returns") == [("1003",)]
    assert sent_on.calls == []


def test_the_catalogue_agent_never_asks() -> None:
    found, everything = play(
        load("returns_and_catalogue.yaml"), "catalog_agent", "Find tents", "What do you sell?"
    )
    assert found.verdicts[0].because == everything.verdicts[0].because == "auto"
    assert asked(found) == asked(everything) == ["run"]
    assert found.said[-1].count("in stock") == 2
