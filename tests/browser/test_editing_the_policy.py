"""The policy edited beside the conversation: checked as one types, applied when one says so, followed at once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat import Chat
from tests.browser.workbench_app import WorkbenchApp

PRICE_RULE = '- {name: set_price, remember: thread, subject: "./subjects.py:store_of", ttl_seconds: 600}'
ONCE = PRICE_RULE.replace("thread", "once")


@pytest.fixture
def chat(page: Page, app: WorkbenchApp, fresh: str) -> Chat:
    """A tab on a conversation with a merchant whose config no other test edits, the panel open."""
    app.engine.store.settings.set("panel_open", True)
    return Chat(page, app).start(fresh)


@pytest.fixture
def fresh(app: WorkbenchApp, request: pytest.FixtureRequest) -> str:
    """The name of a copy of the merchant's config."""
    name = f"merchant_{abs(hash(request.node.name)) % 10**8}"
    text = app.config("merchant").read_text(encoding="utf-8")
    app.config(name).write_text(text, encoding="utf-8")
    return name


@pytest.fixture
def file(app: WorkbenchApp, fresh: str) -> Path:
    """That config's file."""
    return app.config(fresh)


Edit = Callable[[str, str], str]


@pytest.fixture
def edit(chat: Chat, fresh: str) -> Edit:
    """Put a changed copy of the live policy into the editor."""
    return lambda old, new: chat.edit_policy(old, new, config=fresh)


def expect_version(chat: Chat, number: int) -> None:
    """Wait until the panel names the live version."""
    expect(chat.panel.get_by_text(f"v{number} is live")).to_be_visible()


def test_a_mistake_is_said_on_its_line_while_one_types_and_cannot_be_applied(chat: Chat, edit: Edit, file: Path) -> None:
    edit("remember: thread,", "remember: for_ever,")
    expect(chat.panel.get_by_text("1 error: v1 stays live until this validates.")).to_be_visible()
    chat.panel.get_by_role("button", name="Line 26:").click()
    expect(chat.panel.locator("[data-line='26'][data-severity=error]")).to_be_attached()
    expect(chat.button("Apply")).to_be_disabled()
    chat.say("Raise the price of A1 to 70.01")
    expect(chat.wait_for_card()).to_contain_text("70.01")

    assert chat.app.engine.current(str(file)).number == 1
    assert "for_ever" not in file.read_text(encoding="utf-8")
    chat.press("Revert")
    expect(chat.panel.get_by_text("stays live until this validates")).to_have_count(0)
    expect(chat.editor).not_to_contain_text("for_ever")


def test_a_tightening_is_applied_and_the_next_message_follows_it(chat: Chat, edit: Edit, file: Path) -> None:
    text = edit(PRICE_RULE, ONCE)
    expect(chat.panel.get_by_text("your changes are not applied yet")).to_be_visible()
    chat.press("Apply")
    expect_version(chat, 2)
    expect(chat.toasts).to_contain_text("v2 is live. Your next message follows it.")
    assert file.read_text(encoding="utf-8") == text

    chat.say("Raise the price of A1 to 70.02")
    chat.wait_for_card()
    expect(chat.button("Allow for this chat")).to_have_count(0)
    expect(chat.head).to_contain_text("v2")


def test_a_loosening_is_named_and_asks_for_a_yes(chat: Chat, edit: Edit, file: Path) -> None:
    edit("- {name: delete_store, remember: once}", "- {name: delete_store, ask: false}")
    chat.press("Apply")
    expect(chat.panel.get_by_text("This change lets calls run that asked before:")).to_be_visible()
    expect(chat.panel.get_by_text("delete_store", exact=False).last).to_be_visible()
    chat.press("Keep editing")
    assert chat.app.engine.current(str(file)).number == 1

    chat.press("Apply")
    chat.press("Apply, and let them run")
    expect_version(chat, 2)
    assert "delete_store, ask: false" in file.read_text(encoding="utf-8")


def test_ctrl_s_applies_too(chat: Chat, edit: Edit) -> None:
    edit(PRICE_RULE, ONCE)
    expect(chat.button("Apply")).to_be_enabled()
    chat.page.keyboard.press("Control+s")

    expect_version(chat, 2)


def test_a_problem_leads_to_its_line(chat: Chat, edit: Edit) -> None:
    edit("  merchant:\n    model: rehearsal", "  merchant:\n    modle: rehearsal")
    problem = chat.panel.get_by_role("button", name="Line 12:")
    expect(problem).to_contain_text("model")
    chat.panel.get_by_role("textbox").press("Control+End")
    problem.click()

    expect(chat.editor.get_by_text("modle")).to_be_in_viewport()


def test_a_tightening_on_disk_is_live_without_a_word_and_a_loosening_waits(chat: Chat, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(PRICE_RULE, ONCE), encoding="utf-8")
    expect_version(chat, 2)

    file.write_text(text.replace(PRICE_RULE, "- {name: set_price, ask: false}"), encoding="utf-8")
    expect(chat.panel.get_by_text("was changed on disk and now lets calls run that asked before.")).to_be_visible()
    expect(chat.panel.get_by_text("set_price").last).to_be_visible()
    chat.say("Raise the price of A1 to 70.03")
    expect(chat.wait_for_card()).to_contain_text("70.03")
    chat.press("Skip")
    chat.press("Apply the change on disk")
    expect_version(chat, 3)
    chat.say("Raise the price of A1 to 70.04")
    chat.expect_reply("now costs 70.04 USD")


def test_a_loosening_on_disk_can_be_put_back(chat: Chat, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(PRICE_RULE, "- {name: set_price, ask: false}"), encoding="utf-8")
    chat.press("Put v1 back on disk")

    expect(chat.panel.get_by_text("was changed on disk")).to_have_count(0)
    assert file.read_text(encoding="utf-8") == text


def test_an_invalid_file_on_disk_leaves_the_last_good_version_live(chat: Chat, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("agents:", "agnets:"), encoding="utf-8")
    expect(chat.panel.get_by_text("on disk is not valid")).to_contain_text("So v1 stays live.")
    chat.say("Raise the price of A1 to 70.05")
    expect(chat.wait_for_card()).to_contain_text("70.05")

    file.write_text(text, encoding="utf-8")
    expect(chat.panel.get_by_text("on disk is not valid")).to_have_count(0)


def test_two_tabs_that_edit_lose_neither_text(chat: Chat, edit: Edit, fresh: str) -> None:
    other = chat.second_tab()
    mine = edit(PRICE_RULE, ONCE)
    other.edit_policy("# Every single time.", "# Each and every time.", config=fresh)
    expect(other.button("Apply")).to_be_enabled()
    chat.press("Apply")
    expect_version(chat, 2)

    expect(other.panel.get_by_text("v2 was applied by tester while you were editing v1.")).to_be_visible()
    expect(other.button("Apply", exact=True)).to_be_disabled()
    other.press("Keep my text, on top of v2")
    expect(other.panel.get_by_text("while you were editing")).to_have_count(0)
    other.press("Apply", exact=True)
    other.panel.get_by_role("button", name="Apply, and let them run").click()
    expect_version(other, 3)
    stored = chat.app.engine.store.configs.list(str(chat.app.config(fresh)))
    assert mine in [version.text for version in stored]


def test_the_other_text_can_be_looked_at_and_taken(chat: Chat, edit: Edit, fresh: str) -> None:
    other = chat.second_tab()
    edit(PRICE_RULE, ONCE)
    other.edit_policy("# Every single time.", "# Each and every time.", config=fresh)
    chat.press("Apply")
    other.panel.get_by_text("Show v2").click()
    expect(other.panel.get_by_test_id("stCode")).to_contain_text("remember: once, subject")
    other.press("Take v2")

    expect(other.panel.get_by_text("while you were editing")).to_have_count(0)
    expect(other.editor).not_to_contain_text("Each and every time.")


def test_a_tab_without_changes_follows_what_another_applied(chat: Chat, edit: Edit) -> None:
    other = chat.second_tab()
    expect_version(other, 1)
    edit("# A merchant who changes a shop.", "# A merchant who changes two shops.")
    chat.press("Apply")

    expect_version(other, 2)
    expect(other.editor).to_contain_text("two shops")


def test_a_card_says_that_the_policy_changed_and_can_be_asked_again(chat: Chat, edit: Edit) -> None:
    chat.say("Raise the price of A1 to 70.06")
    chat.wait_for_card()
    edit(PRICE_RULE, ONCE)
    chat.press("Apply")

    card = chat.cards.first
    expect(card).to_contain_text("v1: asks (line 26) about prices in Summit Outfitters; you may approve once or for this chat")
    expect(card).to_contain_text("v2: asks (line 26) about prices in Summit Outfitters; you may approve once")
    chat.press("Ask again under v2")
    expect(chat.text("asked again by tester").first).to_be_visible()
    expect(chat.wait_for_card()).not_to_contain_text("Ask again")
    expect(chat.button("Allow for this chat")).to_have_count(0)
    chat.press("Approve once")
    chat.expect_reply("now costs 70.06 USD")
    assert len(chat.app.changes("70.06")) == 1


def test_a_denied_card_stays_denied_when_the_policy_was_opened_meanwhile(chat: Chat, edit: Edit) -> None:
    chat.say("Raise the price of A1 to 70.07")
    chat.wait_for_card()
    edit(PRICE_RULE, "- {name: set_price, ask: false}")
    chat.press("Apply")
    chat.press("Apply, and let them run")
    expect(chat.cards).to_contain_text("v2: would run without asking")
    chat.press("Deny…")
    chat.press("Deny", exact=True)

    chat.expect_reply("Declined")
    assert not chat.app.changes("70.07")


def test_the_line_on_a_card_opens_the_policy_there_also_when_it_is_folded(chat: Chat) -> None:
    chat.say("Raise the price of A1 to 70.08")
    chat.wait_for_card()
    chat.cards.get_by_role("button", name="Line 26").click()
    expect(chat.editor.get_by_text("set_price, remember")).to_be_in_viewport()

    chat.head.get_by_role("button", name="Policy").click()
    expect(chat.panel).to_have_count(0)
    chat.cards.get_by_role("button", name="Line 26").click()
    expect(chat.editor.get_by_text("set_price, remember")).to_be_in_viewport()

    chat.panel.get_by_text("Why", exact=True).click()
    expect(chat.editor).to_have_count(0)
    chat.cards.get_by_role("button", name="Line 26").click()
    expect(chat.editor.get_by_text("set_price, remember")).to_be_in_viewport()


def test_what_is_typed_in_the_policy_survives_another_tab_of_the_panel(chat: Chat, edit: Edit) -> None:
    edit("# Every single time.", "# Each and every time.")
    expect(chat.panel.get_by_text("your changes are not applied yet")).to_be_visible()
    chat.panel.get_by_text("Why", exact=True).click()
    expect(chat.editor).to_have_count(0)
    chat.panel.get_by_role("radio", name="Policy").click()

    expect(chat.panel.get_by_text("your changes are not applied yet")).to_be_visible()
    expect(chat.button("Apply")).to_be_enabled()
