"""The texts that a model reads."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given

from tests.policy import drawn
from workbench.policy import SKIPPED_BY_MESSAGE, UNKNOWN_CALL, digest, edit_note, notes


def test_a_denial_carries_its_reason() -> None:
    assert notes.declined(" wrong store ") == "Declined: wrong store"
    assert notes.declined() == "Declined: the person did not approve this call and gave no reason"


def test_a_skip_says_so() -> None:
    assert notes.skipped() == "Skipped: the person chose not to answer"
    assert notes.skipped("later") == "Skipped: later"
    assert notes.skipped(SKIPPED_BY_MESSAGE) == SKIPPED_BY_MESSAGE


def test_the_note_of_a_message_sent_instead_is_the_agreed_text() -> None:
    assert SKIPPED_BY_MESSAGE == "Skipped: the person sent a message instead of answering"


def test_an_expired_approval_names_its_deadline_in_utc() -> None:
    deadline = datetime(2026, 3, 14, 16, 30, tzinfo=timezone(timedelta(hours=2)))
    assert notes.expired(deadline) == (
        "Expired: the approval came after its deadline (2026-03-14 14:30:00 UTC), so the call did not run"
    )
    assert notes.expired(datetime(2026, 3, 14, tzinfo=UTC)).startswith("Expired: ")


def test_nobody_calls_an_unknown_outcome_skipped() -> None:
    assert UNKNOWN_CALL == "Unknown: this call was started and may have happened"


def test_a_call_that_happened_has_the_result_that_the_person_knows() -> None:
    assert notes.happened("price is 12").endswith("it did happen, with this result: price is 12")
    assert notes.happened(" ").endswith("it did happen, and that its result is not known")


def test_an_edit_is_told_in_plain_words_with_what_ran() -> None:
    note = edit_note(
        {"sku": "A1", "price": 10, "lines": [{"n": 1}], "old": "x"},
        {"sku": "A1", "price": 12, "lines": [{"n": 2}], "why": None},
    )
    assert note.splitlines() == [
        "The person changed the arguments of this call before approving it, so it did not run as you wrote it:",
        "- price: 12 instead of 10",
        "- lines.0.n: 2 instead of 1",
        '- old: removed, it was "x"',
        "- why: added, null",
        'This ran: {"sku": "A1", "price": 12, "lines": [{"n": 2}], "why": null}',
        "The result is that of the changed call. Report what ran, and do not repeat your original call.",
    ]


def test_an_edit_of_a_secret_is_told_without_the_secret() -> None:
    note = edit_note(
        {"user": "ann", "password": "guess"}, {"user": "ann", "password": "hunter2", "api_key": "k-1"}
    )
    assert "hunter2" not in note
    assert "k-1" not in note
    assert "- password: changed; its value is not shown" in note
    assert "- api_key: added" in note


def test_a_long_original_is_shortened_and_a_long_edit_is_told_whole() -> None:
    note = edit_note({"text": "a" * 9_000, "to": "x"}, {"text": "b" * 9_000, "to": "x"})
    assert "b" * 9_000 in note
    assert "a" * 300 not in note
    assert "(9002 characters)" in note
    assert "All other arguments ran as you wrote them." in note


@given(drawn.inputs, drawn.inputs)
def test_an_edit_note_exists_exactly_for_an_edit(before: dict[str, object], after: dict[str, object]) -> None:
    assert (edit_note(before, after) == "") == (digest(before) == digest(after))
