"""The analyst's cards besides questions, played by the engine as the page plays them."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.samples.play import CONFIGS
from workbench.policy.answer import Answered
from workbench.runs.engine import Engine
from workbench.runs.views import Card, TextItem
from workbench.runs.worker import Worker
from workbench.store import Store


class Analyst:
    """One conversation with the analyst."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.id = engine.new_conversation(str(CONFIGS / "analyst.yaml"))

    def say(self, text: str) -> Card:
        """Say something, and return the card that waits then."""
        self.engine.send(self.id, text, by="Ada")
        self.settle()
        (card,) = self.engine.conversation(self.id).open_cards
        return card

    def answer(self, card: Card, value: object) -> str:
        """Answer it, and return what the analyst says last."""
        self.engine.answer(card.id, Answered(value), by="Ada")
        self.settle()
        page = self.engine.conversation(self.id)
        assert page.status == "idle", page.last_error
        items = self.engine.run_views(self.id)[-1].items
        return [item.text for item in items if isinstance(item, TextItem)][-1]

    def settle(self) -> None:
        """Wait until nothing works."""
        until = time.monotonic() + 30
        while self.engine.conversation(self.id).status == "working":
            assert time.monotonic() < until, "the analyst did not come to an end"
            time.sleep(0.02)


@pytest.fixture
def analyst(tmp_path: Path) -> Iterator[Analyst]:
    with Store.open(tmp_path / "workbench.db") as store:
        engine = Engine(store, CONFIGS)
        worker = Worker(store, engine.desk)
        worker.start()
        yield Analyst(engine)
        worker.stop()


def test_use_my_own_data(analyst: Analyst) -> None:
    card = analyst.say("Use my own data")
    assert [source["title"] for source in card.input["sources"]] == [
        "Orders of Summit Outfitters",
        "Orders of Harbor Books",
        "Returns of both stores",
    ]
    said = analyst.answer(card, {"chosen": ["summit"]})
    assert "Read it here: shop.db, orders of the store summit" in said
    assert "- Summit Outfitters, September and October 2025: 4 orders." in said


def test_read_my_file(analyst: Analyst) -> None:
    card = analyst.say("Read my file")
    analyst.engine.add_file(card.id, "notes.txt", b"Tents sell well.")
    given = analyst.engine.card(card.id).files
    said = analyst.answer(card, {"files": [{"id": file.id} for file in given]})
    assert "File 1: notes.txt" in said and "Tents sell well." in said


def test_book_a_delivery(analyst: Analyst) -> None:
    card = analyst.say("Book a delivery")
    assert (card.tool_title, card.input) == ("Delivery slot", {"what": "Book a delivery"})
    assert analyst.answer(card, {"day": "2026-03-30", "part": "evening"}).startswith("Noted: ")
