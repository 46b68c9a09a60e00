"""Cards in a real browser: clicks, keys, two tabs, refreshes, both themes and narrow windows."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.app_server import AppServer
from tests.browser.conftest import Serve
from tests.browser.contrast import faint_words

APP = Path(__file__).parent / "apps" / "gallery_app.py"
STATES = (
    "approval nested several question questions data data_several data_many files_given declared interrupt free "
    "tool_approval doubt expired changed secrets hostile decided transcript"
).split()

Show = Callable[..., Page]
_desks = count(1)


@pytest.fixture(scope="module")
def gallery(serve_module: Serve) -> AppServer:
    """One server for every state."""
    return serve_module(APP)


@pytest.fixture
def address(gallery: AppServer) -> Callable[[str], str]:
    """The address of a state with a desk that no other test has."""
    desk = next(_desks)
    return lambda state: f"{gallery.url}/?show={state}&desk={desk}"


@pytest.fixture
def show(page: Page, address: Callable[[str], str]) -> Show:
    """Open a state and wait until it is drawn."""

    def open_it(state: str) -> Page:
        page.goto(address(state))
        wait_until_drawn(page)
        return page

    return open_it


def wait_until_drawn(page: Page) -> None:
    """Wait for the last piece of the page's script."""
    expect(page.locator(".st-key-drawn")).to_be_attached(timeout=30_000)


def answers(page: Page) -> Locator:
    """What the desk was told, one line an answer."""
    return page.locator(".st-key-answers").get_by_test_id("stText")


def press(page: Page, name: str, *, at: int = 0) -> None:
    """Click a button, and let the page settle."""
    page.get_by_role("button", name=name).nth(at).click()


def test_a_double_click_on_approve_answers_once(show: Show) -> None:
    page = show("several")
    page.get_by_role("button", name="Approve once").first.dblclick()

    expect(answers(page)).to_have_text(["price: approved once by tester"])
    # Long enough for a second answer, of this card or of the one that follows it, to have come.
    page.wait_for_timeout(2_500)
    expect(answers(page)).to_have_count(1)


def test_enter_and_space_after_an_approval_approve_nothing_more(show: Show) -> None:
    page = show("several")
    press(page, "Approve once")
    expect(answers(page)).to_have_count(1)
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    page.wait_for_timeout(2_500)

    expect(answers(page)).to_have_count(1)


def test_nothing_is_focused_that_enter_would_approve(show: Show) -> None:
    page = show("approval")
    page.keyboard.press("Enter")
    page.wait_for_timeout(2_500)

    expect(answers(page)).to_have_count(0)


def test_a_key_approves_the_first_open_card_alone(show: Show) -> None:
    page = show("several")
    expect(page.get_by_role("button", name="Approve once")).to_have_count(3)
    # The key is bound a moment after the button is drawn.
    page.wait_for_timeout(1_500)
    page.keyboard.press("Shift+A")
    expect(answers(page)).to_have_text(["price: approved once by tester"])
    page.wait_for_timeout(1_500)
    expect(answers(page)).to_have_count(1)


def test_keys_do_nothing_while_a_reason_is_typed(show: Show) -> None:
    page = show("several")
    press(page, "Deny…")
    page.get_by_label("Reason (optional)").press_sequentially("ASDE no", delay=40)
    page.wait_for_timeout(1_500)

    expect(answers(page)).to_have_count(0)
    expect(page.get_by_label("Reason (optional)")).to_have_value("ASDE no")


def test_both_tabs_decide_at_once_and_the_second_is_told_calmly(
    show: Show, address: Callable[[str], str]
) -> None:
    page = show("approval")
    other = page.context.new_page()
    other.goto(address("approval"))
    wait_until_drawn(other)
    approve, deny = page.get_by_role("button", name="Approve once"), other.get_by_role("button", name="Skip")
    approve.click(no_wait_after=True)
    deny.click(no_wait_after=True)

    for tab in (page, other):
        expect(tab.get_by_text("Merchant set_price —")).to_be_visible()
    expect(answers(page)).to_have_count(1)


def test_a_decision_of_another_tab_shows_without_a_refresh(show: Show, address: Callable[[str], str]) -> None:
    page = show("approval")
    other = page.context.new_page()
    other.goto(address("approval"))
    press(other, "Approve once")

    expect(page.get_by_text("Merchant set_price — approved once by tester")).to_be_visible()
    expect(page.get_by_role("button", name="Approve once")).to_have_count(0)


def test_ones_own_words_survive_polls_and_a_refresh(show: Show) -> None:
    page = show("question")
    page.get_by_text("Other…").click()
    field = page.get_by_label("Your own answer")
    field.press_sequentially("Easter week, and the", delay=60)
    expect(field).to_be_focused()
    expect(field).to_have_value("Easter week, and the")
    page.wait_for_timeout(1_500)
    page.reload()

    expect(page.get_by_label("Your own answer")).to_have_value("Easter week, and the")
    press(page, "Submit")
    expect(answers(page)).to_contain_text(["Easter week, and the"])


def test_what_is_typed_is_compared_while_it_is_typed(show: Show) -> None:
    page = show("approval")
    press(page, "Edit…")
    expect(page.get_by_role("button", name="Approve the edited call once")).to_be_disabled()
    price, store = page.get_by_role("textbox", name="price"), page.get_by_role("textbox", name="store")
    price.fill("")
    price.press_sequentially("9.75", delay=50)
    expect(page.get_by_text("What you changed")).to_be_visible()
    expect(price).to_be_focused()
    store.fill("lagoon")
    expect(page.get_by_text("This is now about prices in lagoon")).to_be_visible()
    press(page, "Approve the edited call once")

    expect(answers(page)).to_have_text(
        ['price: approved once as {"store": "lagoon", "sku": "A1", "price": 9.75} by tester']
    )


def test_a_click_right_after_the_last_key_confirms_nothing_unseen(show: Show) -> None:
    page = show("approval")
    press(page, "Edit…")
    price = page.get_by_role("textbox", name="price")
    price.fill("9")
    approve = page.get_by_role("button", name="Approve the edited call once")
    expect(approve).to_be_enabled()
    price.press_sequentially("999")
    approve.click()

    expect(page.get_by_text("9999")).to_be_visible()
    if answers(page).count():
        pytest.fail("a value was approved that its difference had not shown")


def test_the_time_left_counts_down_by_itself(show: Show) -> None:
    page = show("approval")
    left = page.get_by_text("left", exact=False).first
    before = left.inner_text()

    expect(left).not_to_have_text(before)


def test_a_long_argument_is_whole_and_scrolls_in_its_row(show: Show) -> None:
    page = show("huge")
    box = page.locator("[class*=st-key-wb-args-]").get_by_text("The quick brown fox")

    assert len(box.inner_text()) >= 299_900
    expect(page.get_by_text("300,000 characters")).to_be_visible()
    expect(page.get_by_role("button", name="Approve once")).to_be_in_viewport()


def test_a_decided_card_opens_again(show: Show) -> None:
    page = show("decided")
    page.get_by_text("denied by tester").click()

    expect(page.get_by_text("Reason: Not before Friday.")).to_be_visible()


def test_a_step_opens_and_its_whole_result_can_be_had(show: Show) -> None:
    page = show("transcript")
    page.get_by_text("search_catalog").first.click()

    expect(page.get_by_text("Trail tent")).to_be_visible()
    page.get_by_text("export").click()
    expect(page.get_by_text("Result: the first 20,000 of 240,000 characters")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the whole result").click()
    assert len(download.value.path().read_text()) == 240_000


def test_model_text_loads_nothing_and_imitates_nothing(show: Show) -> None:
    page = show("transcript")
    expect(page.get_by_text("green-badge[approved]")).to_be_visible()

    assert page.get_by_test_id("stMainBlockContainer").locator("img").count() == 0


def test_deleting_asks_first_in_the_browser_too(show: Show) -> None:
    page = show("approval")
    press(page, "More")
    page.get_by_text("Delete", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("The decisions made in it stay in the log.")
    page.get_by_role("dialog").get_by_role("button", name="Keep it").click()

    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_word_stands_out_and_nothing_is_pushed_out_of_a_narrow_window(
    browser: Browser, address: Callable[[str], str], theme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(color_scheme=theme)
    page = context.new_page()
    faint, wide = {}, {}
    for state in STATES:
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(address(state))
        wait_until_drawn(page)
        faint[state] = faint_words(page)
        for width in (800, 480):
            page.set_viewport_size({"width": width, "height": 900})
            main = page.get_by_test_id("stMainBlockContainer")
            wide[state, width] = main.evaluate("e => e.scrollWidth - e.clientWidth")
    context.close()

    assert not any(faint.values()), {state: words for state, words in faint.items() if words}
    assert not any(wide.values()), {where: pixels for where, pixels in wide.items() if pixels}
