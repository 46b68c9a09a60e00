"""A pause that an earlier release stored loads in this one, shows its cards and finishes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.corpus.make import KINDS, POSITIONS, VERSION, entries
from tests.corpus.reopened import Reopened
from tests.corpus.stored import CONFIG, Stored, every
from tests.runs.test_delegates import assert_all_ended
from tests.tracked import ROOT
from workbench.policy.notes import CANCELLED, SKIPPED_BY_MESSAGE

Open = Callable[[Stored], Reopened]

PAUSES = pytest.mark.parametrize("stored", every(), ids=lambda stored: stored.name)


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Open]:
    """Open a copy of a stored pause; its conversation is checked when the test is over."""
    opened: list[Reopened] = []

    def open_one(stored: Stored) -> Reopened:
        opened.append(Reopened(stored, tmp_path))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


@PAUSES
def test_a_stored_pause_shows_its_cards_and_finishes_as_it_did(reopen: Open, stored: Stored) -> None:
    b = reopen(stored)
    expected = stored.expected
    assert b.page.status == "waiting"
    assert b.shown() == expected["cards"]
    assert b.views()[-1].status == "paused"
    came = b.finish()
    assert came == {key: expected[key] for key in came}
    assert came["ended"] == "idle"
    assert_all_ended(b)


@PAUSES
def test_a_message_to_a_stored_pause_closes_it_and_is_answered(reopen: Open, stored: Stored) -> None:
    b = reopen(stored)
    cards = b.cards()
    # What else it needs from the disk is there, and its own text is the newest.
    assert b.engine.current(b.file).text == (b.folder / "shop.yaml").read_text(encoding="utf-8")
    b.let("ship-A1")
    b.say("please price A1 and B2")
    for card in cards:
        closed = b.engine.card(card.id)
        assert closed.status == "decided"
        if card.kind != "doubt":
            assert closed.note == SKIPPED_BY_MESSAGE
    b.finish()
    assert_all_ended(b)


@PAUSES
def test_a_stored_pause_can_be_stopped_and_the_conversation_goes_on(reopen: Open, stored: Stored) -> None:
    b = reopen(stored)
    cards = b.cards()
    b.engine.stop(b.id, by="Ada")
    assert b.settle() == "idle" and b.ran() == []
    assert all(b.engine.card(card.id).note == CANCELLED for card in cards if card.kind != "doubt")
    assert_all_ended(b)


def test_every_kind_is_stored_at_every_position_for_the_first_release_and_this_one() -> None:
    kept = {(one.folder.parent.name, one.folder.name) for one in every()}
    assert kept >= {(release, f"{kind}-{at}") for release in ("0.1.0", VERSION) for kind, at in entries()}
    assert {one.expected["kind"] for one in every()} >= {*KINDS}
    assert {one.expected["position"] for one in every()} >= set(POSITIONS.values())


def test_the_configs_of_the_stored_pauses_name_no_place_of_this_machine() -> None:
    for stored in every():
        assert str(ROOT) not in (stored.folder / CONFIG).read_text(encoding="utf-8")
