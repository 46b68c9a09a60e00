"""A card that asks which data may be used."""

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.ui import pages, samples
from tests.ui.test_question import tick
from workbench.policy import Answered, Skipped
from workbench.ui import words

MANY = [{**samples.SOURCES[0], "name": f"s{at}", "title": f"Shop {at}"} for at in range(30)]


def chosen(page: AppTest) -> Any:
    answer = pages.only_answer(page)
    assert isinstance(answer, Answered)
    return answer.value


def ticked(page: AppTest) -> list[str]:
    return [box.label for box in page.checkbox if box.value]


def test_the_list_says_what_each_is_and_what_the_agent_reads_of_it() -> None:
    page = pages.cards(samples.data())
    assert page.radio[0].options == [
        "Orders of both stores",
        "Returns",
        "Notes of the staff",
        words.NONE_FITS,
    ]
    assert list(page.radio[0].proto.captions) == [
        "One line an order, since September. · table · The agent reads: shop.db, table orders",
        "What came back, and why. · table · The agent reads: shop.db, table returns",
        "folder · The agent reads: notes/",
        words.NONE_FITS_HELP,
    ]
    assert "To see what sells, I need to know where to look." in pages.texts(page)
    assert page.radio[0].value is None and not pages.enabled(page, words.SUBMIT)
    assert not any("request_datasources" in said for said in pages.said(page))


def test_one_is_chosen_by_its_name() -> None:
    page = pages.cards(samples.data())
    page.radio[0].set_value(1).run()
    page.text_input[0].set_value(" since May ").run()
    pages.click(page, words.SUBMIT)
    assert chosen(page) == {"chosen": ["returns"], "remark": "since May"}


def test_none_of_these_is_an_answer() -> None:
    page = pages.cards(samples.data())
    page.radio[0].set_value(3).run()
    pages.click(page, words.SUBMIT)
    assert chosen(page) == {"chosen": [], "remark": None}


def test_a_remark_alone_is_no_answer() -> None:
    page = pages.cards(samples.data())
    page.text_input[0].set_value("something").run()
    assert not pages.enabled(page, words.SUBMIT)
    assert words.CHOOSE_FIRST in [caption.value for caption in page.caption]


def test_several_are_chosen_in_the_order_of_the_list() -> None:
    page = pages.cards(samples.data(asked={"multiple": True}))
    tick(tick(page, "Notes of the staff"), "Orders of both stores")
    pages.click(page, words.SUBMIT)
    assert chosen(page)["chosen"] == ["orders", "notes"]


def test_none_of_these_and_one_of_these_exclude_each_other() -> None:
    page = pages.cards(samples.data(asked={"multiple": True}))
    tick(tick(page, "Returns"), words.NONE_FITS)
    assert ticked(page) == [words.NONE_FITS]
    tick(page, "Returns")
    assert ticked(page) == ["Returns"]
    page.checkbox[1].uncheck().run()
    assert ticked(page) == [] and not pages.enabled(page, words.SUBMIT)


def test_a_long_list_is_one_to_search_in() -> None:
    page = pages.cards(samples.data(asked={"sources": MANY}))
    assert not page.radio
    page.selectbox[0].set_value("s17").run()
    assert any(caption.value.startswith("Shop 17: One line an order") for caption in page.caption)
    pages.click(page, words.SUBMIT)
    assert chosen(page)["chosen"] == ["s17"]


def test_several_of_a_long_list() -> None:
    page = pages.cards(samples.data(asked={"sources": MANY, "multiple": True}))
    page.multiselect[0].set_value(["s3", "s21"]).run()
    tick(page, words.NONE_FITS)
    assert page.multiselect[0].value == [] and page.multiselect[0].disabled
    page.checkbox[0].uncheck().run()
    page.multiselect[0].set_value(["s21"]).run()
    pages.click(page, words.SUBMIT)
    assert chosen(page)["chosen"] == ["s21"]


def test_what_is_chosen_survives_a_refresh() -> None:
    page = pages.cards(samples.data(asked={"multiple": True}))
    tick(page, "Returns")
    page.text_input[0].set_value("half a w").run()
    refreshed = pages.cards(desk=pages.desk_of(page))
    assert ticked(refreshed) == ["Returns"] and refreshed.text_input[0].value == "half a w"


def test_skip_answers_nothing() -> None:
    assert pages.only_answer(pages.click(pages.cards(samples.data()), words.SKIP)) == Skipped()


def test_without_a_reason_the_card_asks_by_itself() -> None:
    assert words.WHICH_DATA in pages.texts(pages.cards(samples.data(asked={"reason": None})))


def test_text_of_a_file_is_never_markup() -> None:
    dressed = {**samples.SOURCES[0], "title": "**T**", "description": ":red[d]", "model_reads": "[a](b)"}
    page = pages.cards(samples.data(asked={"sources": [dressed], "reason": samples.DRESSED_UP}))
    assert page.radio[0].options[0] == "\\*\\*T\\*\\*"
    assert page.radio[0].proto.captions[0].startswith("\\:red\\[d\\]")
    assert samples.DRESSED_UP in pages.texts(page)
