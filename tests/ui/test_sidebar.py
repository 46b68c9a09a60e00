"""The sidebar finds conversations, says what waits, and never deletes by accident."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui import pages, samples
from workbench.ui import words


def sidebar() -> AppTest:
    """A page with the pieces of the sidebar; what they return is in its session."""
    return AppTest.from_function(_sidebar).run()


def _sidebar() -> None:
    import streamlit as st

    from tests.ui import samples
    from workbench.ui.sidebar import (
        conversation_menu,
        render_acting_as,
        render_conversations,
        render_new,
        render_waiting,
    )

    rows = samples.conversations()
    picked = {
        "new": render_new([("merchant.yaml", "Merchant")]),
        "waiting": render_waiting(samples.waiting(), current=None),
        "conversation": render_conversations(
            lambda typed: [row for row in rows if typed.lower() in row.title.lower()], current="c0"
        ),
        "by": render_acting_as(["ann"]),
    }
    st.session_state["picked"] = picked
    conversation_menu(
        "Close **summit**",
        key="c0",
        on_rename=lambda title: st.session_state.__setitem__("renamed", title),
        on_delete=lambda: st.session_state.__setitem__("deleted", True),
    )


def choose(page: AppTest, option: str) -> AppTest:
    """Choose from the conversation's menu."""
    return next(one for one in page.get("menu_button") if one.key == "wb-menu-c0").set_value(option).run()


def test_what_waits_is_counted_and_named_by_conversation() -> None:
    page = sidebar()

    assert "Waiting (3)" in [one.value for one in page.caption]
    assert "Close summit — delete_store" in pages.buttons(page)
    assert "Monthly report — 2 things" in pages.buttons(page)


def test_a_click_on_what_waits_chooses_its_conversation() -> None:
    assert pages.click(sidebar(), "Monthly report — 2 things").session_state["picked"]["waiting"] == "c7"


def test_conversations_stand_under_their_days_with_what_they_do_in_words() -> None:
    page = sidebar()
    captions = [one.value for one in page.caption]

    assert captions.index("Today") < captions.index("Yesterday") < captions.index("This week")
    assert "Close summit (1 waiting)" in pages.buttons(page) and "Monthly report (working)" in pages.buttons(
        page
    )


def test_a_click_on_a_conversation_chooses_it() -> None:
    assert pages.click(sidebar(), "Anything new?").session_state["picked"]["conversation"] == "c4"


def test_a_search_keeps_what_matches() -> None:
    page = sidebar()
    page.text_input[0].set_value("return").run()
    labels = pages.buttons(page)
    assert "A return that is damaged" in labels and "Anything new?" not in labels

    page.text_input[0].set_value("nowhere").run()
    assert words.NO_MATCH in [one.value for one in page.caption]


def test_new_names_the_config_to_start_with() -> None:
    assert pages.click(sidebar(), words.NEW).session_state["picked"]["new"] == "merchant.yaml"


def test_there_is_always_a_name_to_answer_under() -> None:
    page = sidebar()
    assert page.session_state["picked"]["by"] == "ann"

    page.selectbox[0].set_value(words.DEFAULT_NAME).run()
    assert page.session_state["picked"]["by"] == words.DEFAULT_NAME


def test_deleting_asks_first_and_says_what_stays() -> None:
    page = choose(sidebar(), words.DELETE)
    assert any("decisions made in it stay" in text for text in pages.texts(page))
    assert "deleted" not in page.session_state

    pages.click(page, words.DELETE)
    assert page.session_state["deleted"]


def test_keeping_it_deletes_nothing() -> None:
    page = pages.click(choose(sidebar(), words.DELETE), words.KEEP)

    assert "deleted" not in page.session_state and words.KEEP not in pages.buttons(page)


def test_renaming_takes_the_new_title() -> None:
    page = choose(sidebar(), words.RENAME)
    field = next(one for one in page.text_input if one.label == words.TITLE)
    assert field.value == "Close **summit**"

    field.set_value("Summit closes")
    pages.click(page, words.SAVE)
    assert page.session_state["renamed"] == "Summit closes"


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        (0, "12:30"),
        (-10, "02:30"),
        (-24, "yesterday 12:30"),
        (-24 * 40, "19 Jan 12:30"),
        (-24 * 400, "24 Jan 2025 12:30"),
    ],
)
def test_moments_are_said_as_people_say_them(hours: int, said: str) -> None:
    now = datetime(2026, 2, 28, 11, 30, tzinfo=UTC)

    assert words.when(now + timedelta(hours=hours), now, timezone(timedelta(hours=1))) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (272, "4:32 left"),
        (59, "0:59 left"),
        (0, "Time is up"),
        (-5, "Time is up"),
        (3600 * 5 + 60, "5 h 1 min left"),
        (86_400 * 2, "2 days left"),
    ],
)
def test_the_time_left_is_said_as_closely_as_it_matters(seconds: int, said: str) -> None:
    now = datetime(2026, 2, 28, tzinfo=UTC)

    assert words.time_left(now + timedelta(seconds=seconds), now) == said


def test_the_samples_are_listed_newest_first() -> None:
    dates = [row.updated_at for row in samples.conversations()]

    assert dates == sorted(dates, reverse=True)
