"""A card shows exactly what is asked, and a click on it says exactly what the button says."""

from datetime import timedelta

import pytest

from tests.ui import pages, samples
from tests.ui.fake_desk import FakeDesk
from workbench.policy import AnswerRefused, Approved, Denied, Skipped
from workbench.runs.errors import EngineRefused
from workbench.store import DatabaseLocked
from workbench.ui import words
from workbench.ui.answering import GOTO


def test_every_argument_is_shown_as_plain_text_and_an_empty_one_as_empty() -> None:
    page = pages.cards(samples.create_return())

    shown = pages.texts(page)
    for text in ("order_id", "10482", "refund", "false", "comment", "null", "sku", "B-17", "quantity"):
        assert text in shown
    assert words.EMPTY_OBJECT in [caption.value for caption in page.caption]


def test_a_long_argument_is_whole_and_its_length_is_named() -> None:
    card = samples.huge(size=300_000)
    page = pages.cards(card)

    assert card.input["note"].rstrip() in pages.texts(page)
    assert "300,000 characters" in [caption.value for caption in page.caption]


def test_an_input_of_many_values_is_whole() -> None:
    card = samples.approval(input={f"field_{at}": f"value_{at}" for at in range(500)}, input_schema=None)

    (tree,) = [text for text in pages.texts(pages.cards(card)) if "field_0" in text]
    assert all(f"field_{at}: value_{at}" in tree for at in range(500))


def test_text_of_a_model_is_never_markup_on_a_card() -> None:
    page = pages.cards(samples.hostile())

    assert samples.DRESSED_UP in pages.texts(page)
    for element in (*page.markdown, *page.caption):
        assert "**Already approved**" not in element.value and ":green-badge[" not in element.value
    allow = next(label for label in pages.buttons(page) if label.startswith("Allow for this chat"))
    assert "summit\\]" in allow and ":material/" not in allow and "\\*\\*all\\*\\*" in allow


def test_hidden_characters_are_visible() -> None:
    assert "A1⟦U+202E⟧5.21⟦U+202C⟧⟦U+200B⟧⟦U+0007⟧" in pages.texts(pages.cards(samples.hostile()))


def test_secrets_are_masked_until_they_are_asked_for() -> None:
    page = pages.cards(samples.secrets())
    assert "sk-live-4242" not in pages.texts(page) and "hunter2" not in pages.texts(page)

    pages.click(page, words.REVEAL)
    assert "sk-live-4242" in pages.texts(page) and "hunter2" in pages.texts(page)

    pages.click(page, words.CONCEAL)
    assert "sk-live-4242" not in pages.texts(page)


def test_approve_once_approves_this_call_once_in_the_persons_name() -> None:
    page = pages.click(pages.cards(samples.approval()), words.APPROVE)

    assert pages.desk_of(page).answers == [("price", Approved(), "tester")]
    assert words.APPROVE not in pages.buttons(page)


@pytest.mark.parametrize(
    ("label", "scope"),
    [("Allow for this chat: every create_return", "thread"), ("Always allow: every create_return", "always")],
)
def test_a_wider_button_says_what_is_stored(label: str, scope: str) -> None:
    page = pages.click(pages.cards(samples.create_return()), label)

    assert pages.only_answer(page) == Approved(scope)  # type: ignore[arg-type]


def test_only_offered_scopes_have_buttons() -> None:
    labels = pages.buttons(pages.cards(samples.approval(scopes=("once",))))

    assert not [label for label in labels if label.startswith(("Allow", "Always"))]


def test_what_a_wider_decision_covers_is_said_in_words() -> None:
    said = [caption.value for caption in pages.cards(samples.approval()).caption]

    assert words.covers("thread", samples.approval()) in said


def test_denying_works_without_a_reason() -> None:
    page = pages.click(pages.cards(samples.approval()), words.DENY)
    assert pages.desk_of(page).answers == []

    pages.click(page, words.DENY_NOW)
    assert pages.only_answer(page) == Denied("")


def test_a_reason_goes_with_the_denial() -> None:
    page = pages.click(pages.cards(samples.approval()), words.DENY)
    page.text_input[0].set_value("Not before Friday.").run()
    pages.click(page, words.DENY_NOW)

    assert pages.only_answer(page) == Denied("Not before Friday.")


def test_a_half_typed_reason_survives_a_refresh() -> None:
    page = pages.click(pages.cards(samples.approval()), words.DENY)
    page.text_input[0].set_value("Not bef").run()

    refreshed = pages.cards(desk=pages.desk_of(page))
    assert refreshed.text_input[0].value == "Not bef"


def test_going_back_from_deny_decides_nothing() -> None:
    page = pages.click(pages.click(pages.cards(samples.approval()), words.DENY), words.BACK)

    assert pages.desk_of(page).answers == [] and words.APPROVE in pages.buttons(page)


def test_skip_skips() -> None:
    assert pages.only_answer(pages.click(pages.cards(samples.approval()), words.SKIP)) == Skipped()


def test_a_lost_race_is_a_calm_sentence_and_nothing_is_answered_twice() -> None:
    page = pages.cards(samples.approval())
    pages.desk_of(page).answer("price", Denied("No."), by="ann")
    pages.click(page, words.APPROVE)

    assert not page.exception
    assert [note.value for note in page.info] == ["This card was already denied by ann. Nothing ran twice."]
    assert len(pages.desk_of(page).answers) == 1
    assert page.toast


def test_a_card_decided_elsewhere_shrinks_to_who_what_and_when() -> None:
    desk = FakeDesk(samples.approval())
    page = pages.cards(desk=desk)
    desk.answer("price", Approved(), by="ann")
    page.run()

    (line,) = page.expander
    assert "approved once by ann at" in line.label and "set_price" in line.label
    assert not pages.buttons(page)


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        ("approved", "approved once by tester"),
        ("denied", "denied by tester"),
        ("skipped", "skipped by tester"),
        ("expired", "expired, answered late by tester"),
        ("superseded", "asked again by tester"),
        ("answered", "answered by tester"),
    ],
)
def test_each_outcome_has_words_of_its_own(decision: str, said: str) -> None:
    (line,) = pages.cards(samples.decided(decision)).expander

    assert said in line.label


def test_an_approval_that_did_not_run_says_so() -> None:
    (line,) = pages.cards(samples.decided(not_run=True)).expander

    assert "did not run: the person moved on" in line.label


def test_several_cards_stand_together_and_are_decided_one_by_one() -> None:
    page = pages.cards(samples.approval(), samples.deletion(), samples.create_return())
    assert "**3 things need you before Merchant can go on**" in [element.value for element in page.markdown]

    pages.click(page, words.APPROVE)
    assert [request_id for request_id, _, _ in pages.desk_of(page).answers] == ["price"]
    assert "**2 things need you before Merchant can go on**" in [element.value for element in page.markdown]
    assert "1 of 3 decided, 2 left. What you decided is kept." in [caption.value for caption in page.caption]


def test_keys_act_on_the_first_open_card_alone_and_never_beyond_once() -> None:
    page = pages.cards(samples.decided(), samples.create_return(), samples.deletion())
    keys = {button.key: button.proto.shortcut for button in page.button if button.proto.shortcut}

    assert keys == {
        "wb-return-approve": "shift+a",
        "wb-return-mode-edit": "shift+e",
        "wb-return-mode-deny": "shift+d",
        "wb-return-skip": "shift+s",
    }


def test_no_button_is_in_a_form_where_enter_would_press_it() -> None:
    page = pages.click(pages.cards(samples.approval(), samples.question(), samples.doubt()), words.DENY)

    assert not [button.label for button in page.button if button.form_id]


def test_after_the_deadline_approving_is_not_offered_and_saying_no_still_is() -> None:
    page = pages.cards(samples.expired())
    assert words.APPROVE not in pages.buttons(page) and words.EDIT not in pages.buttons(page)
    assert "runs nothing any more" in page.warning[0].value

    pages.click(pages.click(page, words.DENY), words.DENY_NOW)
    assert pages.only_answer(page) == Denied("")


def test_an_expired_card_can_be_closed_so_that_the_agent_goes_on() -> None:
    page = pages.click(pages.cards(samples.expired()), words.CLOSE_EXPIRED)

    (line,) = page.expander
    assert "expired" in line.label


def test_the_time_left_is_on_the_card() -> None:
    page = pages.cards(samples.approval(expires_at=samples.now() + timedelta(hours=2, minutes=5)))

    assert any("2 h 4 min left" in element.value for element in page.markdown)


def test_a_policy_that_changed_is_shown_under_both_versions_and_can_be_asked_again() -> None:
    page = pages.cards(samples.changed_config())
    said = [caption.value for caption in page.caption]
    assert "v13: would run without asking" in said
    assert any(
        text.startswith("v12: asks \\(line 14)") or text.startswith("v12: asks (line 14)") for text in said
    )

    pages.click(page, "Ask again under v13")
    assert pages.desk_of(page).asked_again == ["changed"]


def test_the_rule_that_asked_is_named_and_a_click_goes_to_its_line() -> None:
    page = pages.cards(samples.approval())
    assert "Asked because of rule 3, “set_price” (line 14)." in [caption.value for caption in page.caption]

    pages.click(page, "Line 14")
    assert page.session_state[GOTO] == ("merchant.yaml", 14)


def test_an_input_that_changed_after_its_approval_is_shown_beside_the_old_one() -> None:
    page = pages.cards(samples.approval(also_shown={"store": "summit", "sku": "A1", "price": 99}))

    assert {"99", "12.5"} <= set(pages.texts(page))


def test_a_tools_own_approval_shows_its_message() -> None:
    page = pages.cards(samples.approval(kind="tool_approval", message="Summit is outside your usual stores."))

    assert "Summit is outside your usual stores." in pages.texts(page)
    assert pages.only_answer(pages.click(page, words.APPROVE)) == Approved()


def test_who_asks_is_the_whole_agent_path() -> None:
    said = [caption.value for caption in pages.cards(samples.create_return()).caption]

    assert any("coordinator › merchant" in text for text in said)


def test_an_answer_that_is_refused_leaves_the_card_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = FakeDesk(samples.approval())

    def refuse(*_: object, **__: object) -> None:
        raise AnswerRefused(
            "busy", "The database is locked by another program. Nothing was recorded; try again."
        )

    monkeypatch.setattr(desk, "answer", refuse)
    page = pages.click(pages.cards(desk=desk), words.APPROVE)

    assert "Nothing was recorded" in page.info[0].value and words.APPROVE in pages.buttons(page)


@pytest.mark.parametrize(
    "trouble",
    [DatabaseLocked("The database is locked."), EngineRefused("There is no such request any more.")],
)
def test_whatever_the_desk_refuses_is_a_sentence_on_the_card(
    monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    desk = FakeDesk(samples.approval())
    page = pages.cards(desk=desk)

    def refuse(*_: object, **__: object) -> None:
        raise trouble

    monkeypatch.setattr(desk, "answer", refuse)
    pages.click(page, words.APPROVE)

    assert not page.exception and page.info[0].value == str(trouble) and words.APPROVE in pages.buttons(page)


def test_a_draft_that_cannot_be_stored_does_not_disturb_typing(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = FakeDesk(samples.approval())

    def refuse(*_: object, **__: object) -> None:
        raise DatabaseLocked("The database is locked.")

    monkeypatch.setattr(desk, "save_draft", refuse)
    page = pages.click(pages.cards(desk=desk), words.DENY)
    page.text_input[0].set_value("Not now.").run()
    pages.click(page, words.DENY_NOW)

    assert not page.exception and pages.only_answer(page) == Denied("Not now.")
