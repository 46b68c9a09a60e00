"""The team, played by the engine as the page plays it."""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.policy.answer import Answer, Answered, Approved
from workbench.runs.engine import Engine
from workbench.runs.views import CallItem, Card, ConversationPage
from workbench.runs.worker import Worker
from workbench.store import Store

CONFIGS = Path(__file__).parents[2] / "configs"


class Team:
    """One conversation with the team."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.file = str(CONFIGS / "team.yaml")
        self.id = engine.new_conversation(self.file)

    def settled(self) -> ConversationPage:
        """Wait until nothing works."""
        for _ in range(1500):
            page = self.engine.conversation(self.id)
            if page.status != "working":
                return page
            time.sleep(0.02)
        raise AssertionError("the team did not come to an end")


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    monkeypatch.setenv("WORKBENCH_SHOP_DB", str(tmp_path / "shop.db"))
    with Store.open(tmp_path / "workbench.db") as store:
        engine = Engine(store, CONFIGS)
        worker = Worker(store, engine.desk)
        worker.start()
        yield Team(engine)
        worker.stop()


def answer_to(card: Card) -> Answer:
    if card.kind != "question":
        return Approved()
    questions = card.input["questions"]
    return Answered(
        {"answers": [{"question": q["question"], "selected": ["Revenue"], "other": None} for q in questions]}
    )


@pytest.mark.parametrize(
    ("says", "asked"),
    [
        ("Review the autumn", ["ask_user", "set_price"]),
        ("Check the price of A1", ["set_price"]),
        ("Look at both stores at once", ["ask_user", "ask_user"]),
    ],
)
def test_each_suggestion_pauses_where_it_says_and_comes_to_an_end(
    team: Team, says: str, asked: list[str]
) -> None:
    assert says in team.engine.examples(team.file)
    team.engine.send(team.id, says, by="Ada")
    page, met = team.settled(), []
    while page.open_cards:
        met += [card.tool for card in page.open_cards]
        assert all(card.agent_path[0] == "Coordinator" and len(card.agent_path) == 2 for card in page.open_cards)
        for card in page.open_cards:
            team.engine.answer(card.id, answer_to(card), by="Ada")
        page = team.settled()
    assert page.status == "idle", page.last_error
    assert met == asked


def test_the_checkers_correction_really_changes_the_shop(team: Team, tmp_path: Path) -> None:
    team.engine.send(team.id, "Check the price of A1", by="Ada")
    card = team.settled().open_cards[0]
    team.engine.answer(card.id, Approved(), by="Ada")
    team.settled()
    with sqlite3.connect(tmp_path / "shop.db") as shop:
        assert shop.execute("SELECT count(*) FROM changes").fetchone() == (1,)
    calls = [i for view in team.engine.run_views(team.id) for i in view.items if isinstance(i, CallItem)]
    assert [call.state for call in calls if call.tool == "set_price"] == ["finished"]
