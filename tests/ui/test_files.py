"""A card that asks for files."""

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.ui import pages, samples
from workbench.agents.files import LARGEST_FILE, MOST_FILES
from workbench.policy import Answered, Skipped
from workbench.runs.views import FileRow
from workbench.ui import words

A = ("a.csv", b"sku,price\n", "text/csv")


def give(page: AppTest, *files: tuple[str, bytes, str]) -> AppTest:
    several = page.file_uploader[0].accept_multiple_files
    return page.file_uploader[0].set_value(list(files) if several else files[0]).run()


def names(page: AppTest) -> list[str]:
    (card,) = pages.desk_of(page).all()
    return [file.name for file in card.files]


def answered(page: AppTest) -> Any:
    answer = pages.only_answer(page)
    assert isinstance(answer, Answered)
    return answer.value


def test_nothing_can_be_submitted_before_there_is_a_file() -> None:
    page = pages.cards(samples.files())
    assert not pages.enabled(page, words.SUBMIT)
    assert words.FILE_FIRST in [caption.value for caption in page.caption]
    assert "Show me the price list you mean." in pages.texts(page)


def test_files_are_taken_as_they_come_and_the_field_is_empty_again() -> None:
    page = pages.cards(samples.files())
    give(page, A, ("b.bin", b"\x00\x01", ""))
    assert names(page) == ["a.csv", "b.bin"]
    assert page.file_uploader[0].value in (None, [])
    assert {"a.csv", "b.bin"} <= set(pages.texts(page))
    assert "text/csv · 10 bytes" in [caption.value for caption in page.caption]
    assert any(words.NOT_TEXT in caption.value for caption in page.caption)
    give(page, ("empty.txt", b"", "text/plain"))
    assert any(words.IS_EMPTY in caption.value for caption in page.caption)
    pages.click(page, words.SUBMIT)
    assert answered(page) == {"files": [{"id": "file0"}, {"id": "file1"}, {"id": "file2"}]}


def test_a_file_can_be_taken_back() -> None:
    page = pages.cards(samples.files(given=samples.GIVEN))
    page.button(key="wb-files-drop-f2").click().run()
    assert names(page) == ["price list, autumn.csv", "empty(U+202E)txt.exe"]


def test_what_was_given_is_there_after_a_refresh_and_in_another_tab() -> None:
    page = give(pages.cards(samples.files()), A)
    other = pages.cards(desk=pages.desk_of(page))
    assert "a.csv" in pages.texts(other) and pages.enabled(other, words.SUBMIT)


def test_a_file_that_is_refused_is_said_on_the_card_and_the_others_stay() -> None:
    page = pages.cards(samples.files())
    give(page, A, ("huge.bin", b"x" * (LARGEST_FILE + 1), ""))
    assert names(page) == ["a.csv"]
    assert [note.value for note in page.info] == ["huge.bin is too large."]
    give(page, ("b.csv", b"b", "text/csv"))
    assert not page.info


def test_one_file_takes_the_place_of_the_last_one() -> None:
    page = pages.cards(samples.files(asked={"multiple": False, "endings": [".csv"]}))
    field = page.file_uploader[0]
    assert not field.accept_multiple_files and field.allowed_type == [".csv"]
    assert field.label == "Add a file ending in .csv (at most 10 MB)"
    give(page, A)
    give(page, ("b.csv", b"b", "text/csv"))
    assert names(page) == ["b.csv"]


def test_once_there_are_enough_there_is_no_field_for_more() -> None:
    many = tuple(FileRow(f"f{at}", f"{at}.txt", "text/plain", 1, True, "0" * 64) for at in range(MOST_FILES))
    page = pages.cards(samples.files(given=many))
    assert not page.file_uploader
    assert words.no_more_files(MOST_FILES) in [caption.value for caption in page.caption]
    assert pages.enabled(page, words.SUBMIT)


def test_skip_answers_nothing() -> None:
    page = pages.cards(samples.files(given=samples.GIVEN))
    assert pages.only_answer(pages.click(page, words.SKIP)) == Skipped()


def test_a_file_s_name_is_never_markup() -> None:
    row = FileRow("f1", "**bold**:red[x].txt", "text/plain", 1, True, "0" * 64)
    page = pages.cards(samples.files(given=(row,)))
    assert "**bold**:red[x].txt" in pages.texts(page)
    assert page.button(key="wb-files-drop-f1").help == "Remove \\*\\*bold\\*\\*\\:red\\[x\\].txt"
