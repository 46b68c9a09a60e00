"""The transcript says what was called, how it was decided, what it cost and where it stopped."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui import pages, samples
from workbench.runs.views import DecisionLine, ReasoningItem, RunView
from workbench.ui import words
from workbench.ui.transcript import avatar, cards_of


def transcript(*views: RunView, can_retry: bool = False) -> AppTest:
    """A page with these runs."""
    page = AppTest.from_function(_transcript)
    page.session_state["views"] = views
    page.session_state["can_retry"] = can_retry
    return page.run()


def _transcript() -> None:
    import streamlit as st

    from workbench.ui.transcript import newest, render_run

    for view in newest(st.session_state["views"], conversation_id="c1"):
        if render_run(view, titles={"merchant": "Merchant"}, can_retry=st.session_state["can_retry"]):
            st.session_state["retried"] = view.run_id


def opened(page: AppTest, key: str) -> AppTest:
    """Open the step of a call."""
    page.session_state[f"wb-call-{key}"] = True
    return page.run()


def headline(**changed: Any) -> str:
    """What the closed step of a call says."""
    (step,) = transcript(samples.run(1, samples.call(**changed))).expander
    return step.label


def test_what_the_person_wrote_is_shown_as_they_wrote_it() -> None:
    page = transcript(samples.run(1, user_text="**Raise** <b>A1</b>"))

    assert "**Raise** <b>A1</b>" in pages.texts(page)


def test_an_agents_prose_is_markdown_that_loads_nothing() -> None:
    page = transcript(samples.run(1, samples.text("**Done** ![x](https://example.com/x.png)")))

    (prose,) = [element.value for element in page.markdown if "Done" in element.value]
    assert "**Done**" in prose and "![" not in prose


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "search_catalog** — ran · 0.1 s"),
        ({"state": "running", "seconds": None}, "running"),
        ({"state": "waiting", "seconds": None}, "waits for you"),
        ({"state": "failed"}, "failed"),
        (
            {"state": "closed", "decision": DecisionLine("denied", "person", "ann"), "seconds": None},
            "did not run · denied by ann",
        ),
        ({"decision": DecisionLine("approved", "person", "tester", "once")}, "ran · approved once by tester"),
        (
            {"decision": DecisionLine("approved", "permission", "tester", "thread")},
            "ran · allowed by a remembered permission",
        ),
        (
            {"edited": True, "decision": DecisionLine("approved", "person", "ann", "once")},
            "ran · edited · approved once by ann",
        ),
        (
            {"tool": "ask_user", "is_question": True, "decision": DecisionLine("skipped", "person", "ann")},
            "skipped by ann",
        ),
    ],
)
def test_a_step_says_in_one_line_what_became_of_its_call(changed: dict[str, Any], said: str) -> None:
    assert said in headline(**changed)


def test_a_step_names_the_rule_and_line_that_decided() -> None:
    page = transcript(samples.run(1, samples.call()))

    assert "Ran because search_catalog is annotated read-only (line 22)." in [
        one.value for one in page.caption
    ]


def test_a_closed_step_draws_nothing_of_its_inside() -> None:
    page = transcript(samples.run(1, samples.call(result_text="x" * 50_000)))

    assert not [text for text in pages.texts(page) if "xxx" in text]


def test_an_open_step_shows_input_and_result() -> None:
    shown = pages.texts(opened(transcript(samples.run(1, samples.call())), "run1-0"))

    assert "query" in shown and any("Trail tent" in text for text in shown)


def test_an_edited_call_shows_what_was_changed() -> None:
    call = samples.call(
        tool="set_price",
        input={"price": 12.5},
        executed_input={"price": 12},
        edited=True,
        decision=DecisionLine("approved", "person", "ann", "once"),
    )
    page = opened(transcript(samples.run(1, call)), "run1-0")

    assert words.EDITED in [one.value for one in page.caption]
    shown = pages.texts(page)
    assert shown[shown.index("−") + 1] == "12.5" and shown[shown.index("+") + 1] == "12"


def test_of_a_huge_result_the_first_part_is_shown_with_the_size_of_the_whole() -> None:
    text = "result line\n" * 20_000
    page = opened(transcript(samples.run(1, samples.call(result_text=text, result_size=len(text)))), "run1-0")

    assert words.result_part(20_000, 240_000) in [one.value for one in page.caption]
    assert max(len(shown) for shown in pages.texts(page)) <= 20_000
    assert page.get("download_button")


def test_an_answered_question_shows_what_the_person_answered() -> None:
    call = samples.call(
        tool="ask_user",
        is_question=True,
        decision=DecisionLine("answered", "person", "tester"),
        card=samples.answered_card(),
        because_sentence="",
    )
    page = transcript(samples.run(1, call))

    assert any("Which period? Last month" in one.value for one in page.caption)


def test_a_reason_is_part_of_how_a_call_was_decided() -> None:
    call = samples.call(
        state="closed", decision=DecisionLine("denied", "person", "ann", None, "Not before Friday.")
    )

    assert any("Not before Friday." in one.value for one in transcript(samples.run(1, call)).caption)


def test_reasoning_is_folded_and_plain() -> None:
    page = transcript(samples.run(1, ReasoningItem("merchant", ("merchant",), "**think**")))

    assert page.expander[0].label == words.REASONING and not page.expander[0].proto.expanded
    assert "**think**" in pages.texts(page)


def test_cut_text_is_marked() -> None:
    page = transcript(
        samples.run(1, samples.text("The carrier is", cut=True), status="failed", error="It broke.")
    )

    assert any(words.CUT in one.value for one in page.caption)


def test_a_failed_run_says_why_and_can_be_tried_again() -> None:
    failed = samples.run(1, status="failed", error="The model did not answer: connection reset.")
    page = transcript(failed, can_retry=True)
    assert "The model did not answer: connection reset." in pages.texts(page)

    pages.click(page, words.TRY_AGAIN)
    assert page.session_state["retried"] == "run1"


def test_only_the_run_that_can_be_tried_again_offers_it() -> None:
    assert words.TRY_AGAIN not in pages.buttons(
        transcript(samples.run(1, status="failed", error="It broke."))
    )


def test_a_stopped_run_says_so() -> None:
    page = transcript(samples.run(1, samples.text("I was"), status="cancelled"))

    assert any("Stopped here" in one.value for one in page.caption)


def test_a_run_says_what_it_cost() -> None:
    page = transcript(samples.run(1, samples.text("Done.")))

    assert "2.4 s · 1,240 tokens in, 86 out · v12" in [one.value for one in page.caption]


def test_agents_are_told_apart_by_name_and_by_a_shape_that_stays() -> None:
    first = samples.text("Ask the analyst.")
    second = samples.TextItem("analyst", ("coordinator", "analyst"), "Twelve.")
    page = transcript(samples.run(1, first, second))

    assert [one.avatar for one in page.chat_message if one.name != "user"] == [
        avatar("merchant"),
        avatar("analyst"),
    ]
    assert "coordinator › analyst" in [one.value for one in page.caption]


def test_a_long_conversation_draws_its_newest_runs_and_more_on_request() -> None:
    page = transcript(*[samples.run(at, samples.text(f"Answer {at}.")) for at in range(1, 501)])
    answers = [one.value for one in page.markdown if one.value.startswith("Answer")]
    assert len(answers) == 30 and answers[-1] == "Answer 500."

    pages.click(page, "Show 30 of 470 earlier")
    assert len([one.value for one in page.markdown if one.value.startswith("Answer")]) == 60


def test_the_cards_of_a_pause_are_all_of_its_cards_in_their_order() -> None:
    done = samples.decided(id="first", position=(1, 2))
    open_card = samples.approval(id="second", position=(2, 2))
    paused = samples.run(2, samples.call("b", card=open_card), samples.call("a", card=done), status="paused")

    assert [card.id for card in cards_of([samples.run(1), paused])] == ["first", "second"]
    assert cards_of([samples.run(1, samples.call("a", card=done))]) == []


def test_the_download_is_the_whole_result_though_the_view_holds_its_beginning() -> None:
    page = AppTest.from_function(_one_step)
    page.session_state["wb-call-step"] = True
    page.run()

    assert page.session_state["asked"] == []
    assert words.result_part(20_000, 5_000_000) in [one.value for one in page.caption]
    (download,) = page.get("download_button")
    assert download.proto.deferred_file_id


def _one_step() -> None:
    import streamlit as st

    from tests.ui import samples
    from workbench.ui.call_step import render_call

    asked = st.session_state.setdefault("asked", [])
    item = samples.call(result_text="x" * 100_000, result_size=5_000_000)
    render_call(item, key="step", whole=lambda key: asked.append(key))
