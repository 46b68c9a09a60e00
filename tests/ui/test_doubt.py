"""A doubt says what is not known, and what follows from each choice."""

from tests.ui import pages, samples
from workbench.policy import GaveUp, Happened, RunAgain
from workbench.ui import words


def test_what_is_not_known_is_said_plainly_and_the_call_is_shown() -> None:
    shown = pages.texts(pages.cards(samples.doubt()))

    assert words.doubt(samples.doubt()) in shown and "12.5" in shown


def test_each_choice_has_its_consequence_beside_it() -> None:
    said = [caption.value for caption in pages.cards(samples.doubt()).caption]

    for choice in ("happened", "run_again", "gave_up"):
        assert words.doubt_choice(choice, samples.doubt())[1] in said  # type: ignore[arg-type]


def test_it_happened_takes_the_result_in_the_persons_words() -> None:
    page = pages.click(pages.cards(samples.doubt()), "It happened…")
    page.text_area[0].set_value("A1 costs 12.50.").run()
    refreshed = pages.cards(desk=pages.desk_of(page))
    assert refreshed.text_area[0].value == "A1 costs 12.50."

    pages.click(refreshed, words.IT_HAPPENED)
    assert pages.only_answer(refreshed) == Happened("A1 costs 12.50.")


def test_running_again_and_giving_up_are_one_click_each() -> None:
    assert pages.only_answer(pages.click(pages.cards(samples.doubt()), "Run it again")) == RunAgain()
    assert pages.only_answer(pages.click(pages.cards(samples.doubt()), "Give up")) == GaveUp()


def test_no_choice_is_the_highlighted_one() -> None:
    page = pages.cards(samples.doubt())

    assert not [button.label for button in page.button if button.proto.type == "primary"]
