"""Pictures of every state of the page, to look at: `python -m tests.browser.states [NAME...]`.

Each state is reached as a person would, then taken in both themes, wide and narrow, on one sheet below
`build/states`. Nothing here is a test; what a state must be is said by the tests beside this file.
"""

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests import chromium
from tests.browser.app_server import ROOT
from tests.browser.chat import Chat
from tests.browser.conftest import QUIET_BROWSER
from tests.browser.workbench_app import WorkbenchApp
from workbench.policy import Approved

SHEETS = ROOT / "build" / "states"
SIZES = ((1280, 900), (800, 900))
THEMES = ("light", "dark")
PRICE_RULE = '- {name: set_price, remember: thread, subject: "./subjects.py:store_of", ttl_seconds: 600}'

State = Callable[[Chat], None]
STATES: dict[str, State] = {}


def state(reach: State) -> State:
    """Enter a function under its own name."""
    STATES[reach.__name__] = reach
    return reach


def ask(chat: Chat, message: str = "Raise the price of A1 to 12", config: str = "merchant", cards: int = 1) -> None:
    """Say something that makes cards."""
    chat.start(config).say(message)
    chat.wait_for_card(cards)


@state
def first_start(chat: Chat) -> None:
    chat.open()
    expect(chat.text("Try one of these")).to_be_visible()
    expect(chat.editor).to_be_visible()


@state
def nothing_found(chat: Chat) -> None:
    chat.start("trouble")
    chat.sidebar.get_by_role("searchbox").fill("no such conversation")
    expect(chat.sidebar.get_by_text("No conversation matches.")).to_be_visible()
    chat.panel.get_by_text("Remembered").click()
    expect(chat.panel.get_by_text("Nothing is allowed ahead.")).to_be_visible()


@state
def streaming(chat: Chat) -> None:
    chat.start("trouble").say("slowly")
    chat.expect_reply("One step after another, and every step is said aloud")


@state
def approval(chat: Chat) -> None:
    ask(chat)


@state
def question(chat: Chat) -> None:
    ask(chat, "Which store did better?", "analyst")


@state
def form_of_three(chat: Chat) -> None:
    ask(chat, "Write a sales report", "analyst")
    chat.cards.get_by_text("Both stores", exact=True).click()
    chat.cards.get_by_text("Other…", exact=True).last.click()
    chat.page.get_by_label("Your own answer").fill("and the weather")
    expect(chat.cards).to_contain_text("1 question needs an answer.")


@state
def several(chat: Chat) -> None:
    ask(chat, "Raise A1 to 12 and B2 to 9", cards=2)


@state
def partly_answered(chat: Chat) -> None:
    several(chat)
    chat.cards.nth(0).get_by_role("button", name="Approve once").click()
    expect(chat.text("1 of 2 decided, 1 left.")).to_be_visible()


@state
def editing(chat: Chat) -> None:
    ask(chat)
    chat.press("Edit…")
    chat.page.get_by_role("textbox", name="price").fill("9.75")
    expect(chat.cards.get_by_text("What you changed")).to_be_visible()


@state
def editing_wrongly(chat: Chat) -> None:
    ask(chat)
    chat.press("Edit…")
    chat.page.get_by_role("textbox", name="price").fill("-3")
    expect(chat.cards.get_by_text("price must be", exact=False)).to_be_visible()


@state
def denying(chat: Chat) -> None:
    ask(chat)
    chat.press("Deny…")
    expect(chat.page.get_by_label("Reason (optional)")).to_be_visible()


@state
def decided(chat: Chat) -> None:
    ask(chat)
    chat.press("Approve once")
    chat.expect_reply("now costs 12.00 USD")
    chat.text("set_price — ran").click()
    expect(chat.text("Approved once by tester at")).to_be_visible()


@state
def decided_elsewhere(chat: Chat) -> None:
    ask(chat, "Raise A1 to 12 and B2 to 9", cards=2)
    chat.page.evaluate("window.holdPolls = true")
    request = chat.app.engine.store.requests.of_conversation(chat.conversation_id, open_only=True)[0]
    chat.app.engine.answer(request.id, Approved(), by="Ada")
    chat.cards.first.get_by_role("button", name="Skip").click()
    chat.page.evaluate("window.holdPolls = false")
    expect(chat.toasts.first).to_be_visible()


@state
def expired(chat: Chat) -> None:
    config = chat.app.config("hasty")
    config.write_text(chat.app.config("merchant").read_text().replace("ttl_seconds: 600", "ttl_seconds: 1"))
    chat.start("hasty").say("Raise the price of A1 to 12")
    expect(chat.button("Close as expired")).to_be_visible()


@state
def policy_changed(chat: Chat) -> None:
    config = chat.app.config("changed")
    config.write_text(chat.app.config("merchant").read_text())
    ask(chat, config="changed")
    chat.edit_policy(PRICE_RULE, PRICE_RULE.replace("thread", "once"), config="changed")
    chat.press("Apply")
    expect(chat.button("Ask again under v2")).to_be_visible()


@state
def invalid_policy(chat: Chat) -> None:
    chat.start()
    chat.edit_policy("remember: thread,", "remember: for_ever,")
    chat.panel.get_by_role("button", name="Line 26:").click()
    expect(chat.panel.locator("[data-line='26'][data-severity=error]")).to_be_attached()


@state
def invalid_several(chat: Chat) -> None:
    chat.start()
    text = chat.app.config("merchant").read_text()
    chat.set_policy(
        text.replace("remember: thread,", "remember: for_ever,").replace("tools: [search", "toolz: [search")
        .replace("skip_read_only: true", 'skip_read_only: "true"').replace("provider: scripted", "provider: scriptd")
    )
    expect(chat.panel.get_by_text("errors: v1 stays live")).to_be_visible()


@state
def loosening(chat: Chat) -> None:
    chat.start()
    chat.edit_policy(PRICE_RULE, "- {name: set_price, ask: false}")
    chat.press("Apply")
    expect(chat.button("Apply, and let them run")).to_be_visible()


@state
def changed_on_disk(chat: Chat) -> None:
    config = chat.app.config("disk")
    text = chat.app.config("merchant").read_text()
    config.write_text(text)
    chat.start("disk")
    config.write_text(text.replace(PRICE_RULE, "- {name: set_price, ask: false}"))
    expect(chat.button("Apply the change on disk")).to_be_visible()


@state
def invalid_on_disk(chat: Chat) -> None:
    config = chat.app.config("broken")
    text = chat.app.config("merchant").read_text()
    config.write_text(text)
    chat.start("broken")
    config.write_text(text.replace("agents:", "agnets:"))
    expect(chat.panel.get_by_text("on disk is not valid")).to_be_visible()
    config.unlink()


@state
def two_editors(chat: Chat) -> None:
    config = chat.app.config("shared")
    config.write_text(chat.app.config("merchant").read_text())
    chat.start("shared")
    live = chat.app.engine.current(str(config))
    chat.edit_policy("# Every single time.", "# Each and every time.", config="shared")
    expect(chat.button("Apply")).to_be_enabled()
    tighter = live.text.replace(PRICE_RULE, PRICE_RULE.replace("thread", "once"))
    chat.app.engine.apply(str(config), tighter, based_on=live.number, by="Ada")
    chat.panel.get_by_text("Show v2").click()
    expect(chat.panel.get_by_test_id("stCode")).to_be_visible()


@state
def key_missing(chat: Chat) -> None:
    chat.app.config("keyless").write_text(
        'version: "1"\nagents:\n  far: {model: {provider: openai, model_id: some}, auto: true}\n'
    )
    chat.start("keyless").say("Hello?")
    expect(chat.button("Try again")).to_be_visible()


@state
def model_failed(chat: Chat) -> None:
    chat.start("trouble").say("break off")
    expect(chat.button("Try again")).to_be_visible()


@state
def tool_failed(chat: Chat) -> None:
    chat.start("trouble").say("raise")
    chat.expect_reply("That did not work")
    chat.text("break_down — failed").click()
    expect(chat.text("the till is jammed").last).to_be_visible()


@state
def stopped(chat: Chat) -> None:
    chat.start("trouble").say("slowly")
    chat.expect_reply("One step after another")
    chat.press("Stop")
    expect(chat.text("Stopped here.")).to_be_visible()


@state
def not_sent(chat: Chat) -> None:
    chat.start("trouble").say("work")
    expect(chat.text("take_time — running")).to_be_visible()
    chat.say("Hurry up")
    expect(chat.button("Send again")).to_be_enabled()


@state
def moved_on(chat: Chat) -> None:
    several(chat)
    chat.cards.nth(0).get_by_role("button", name="Approve once").click()
    expect(chat.text("1 of 2 decided, 1 left.")).to_be_visible()
    chat.say("Show order 1003")
    chat.expect_reply("Order 1003 of Carmen Ortiz")


@state
def remembered(chat: Chat) -> None:
    ask(chat)
    chat.press("Allow for this chat")
    chat.expect_reply("now costs 12.00 USD")
    chat.say("Raise the price of A2 to 120")
    chat.expect_reply("now costs 120.00 USD")
    chat.panel.get_by_text("Remembered").click()
    expect(chat.panel.get_by_text("set_price · prices in Summit Outfitters")).to_be_visible()


@state
def why(chat: Chat) -> None:
    ask(chat)
    chat.panel.get_by_text("Why", exact=True).click()
    expect(chat.panel.get_by_text("set_price — asked")).to_be_visible()


@state
def team(chat: Chat) -> None:
    chat.start("team")
    chat.page.locator(".st-key-wb-examples").get_by_role("button").first.click()
    chat.wait_for_card()


@state
def folded(chat: Chat) -> None:
    ask(chat)
    chat.head.get_by_role("button", name="Policy").click()
    expect(chat.panel).to_have_count(0)


@state
def renaming(chat: Chat) -> None:
    chat.app.engine.store.settings.set("panel_open", True)
    chat.start(title="Prices of the autumn")
    chat.press("More")
    chat.page.get_by_text("Rename", exact=True).click()
    expect(chat.page.get_by_role("dialog")).to_be_visible()


@state
def deleting(chat: Chat) -> None:
    chat.start(title="Prices of the autumn")
    chat.press("More")
    chat.page.get_by_text("Delete", exact=True).click()
    expect(chat.page.get_by_role("dialog")).to_be_visible()


@state
def unknown_conversation(chat: Chat) -> None:
    chat.page.goto(chat.app.address("0" * 32))
    expect(chat.text("This conversation isn't here")).to_be_visible()


@state
def five_hundred_messages(chat: Chat) -> None:
    chat.open(chat.app.long_conversation(250))
    expect(chat.text("Message 250")).to_be_visible()


@state
def long_argument(chat: Chat) -> None:
    ask(chat, "long" + " The quick brown fox." * 9_000, "guarded")


@state
def right_to_left(chat: Chat) -> None:
    chat.start("trouble").say("right to left: שלום, המחיר הוא 12 דולר.")
    chat.expect_reply("שלום")
    chat.start("guarded").say("שלום, המחיר הוא 12 דולר.")
    chat.wait_for_card()


@state
def database_locked(chat: Chat) -> None:
    ask(chat)
    with chat.app.locked():
        chat.press("Approve once")
        expect(chat.cards).to_contain_text("is locked by another program")


@state
def doubt(chat: Chat) -> None:
    chat.start("trouble").say("work")
    expect(chat.text("take_time — running")).to_be_visible()
    chat.app.server.restart()
    chat.wait_for_card()


@state
def away(chat: Chat) -> None:
    ask(chat)
    chat.app.server.kill()
    expect(chat.page.get_by_text("The app is away.")).to_be_visible()


@state
def back(chat: Chat) -> None:
    if not chat.page.url.startswith("http"):
        chat.app.server.restart()
        ask(chat)
        chat.app.server.kill()
    chat.app.server.start()
    expect(chat.page.get_by_text("The app was restarted.")).to_be_visible()


@state
def no_database(chat: Chat) -> None:
    chat.app.server.stop()
    if "engine" in chat.app.__dict__:
        chat.app.engine.store.close()
        del chat.app.__dict__["engine"]
    for file in chat.app.data.iterdir():
        file.unlink()
    chat.app.db.write_text("Dear diary, " * 1000)
    chat.app.server.start()
    chat.page.goto(chat.app.url)
    expect(chat.page.get_by_text("can't use its database")).to_be_visible()


HOLD_POLLS = """
const every = window.setInterval;
window.setInterval = (tick, ...rest) => every(() => window.holdPolls || tick(), ...rest);
"""


def picture(page: Page, theme: str, size: tuple[int, int]) -> Image.Image:
    """The page as it stands, in a theme and a size."""
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(700)
    return Image.open(io.BytesIO(page.screenshot()))


def sheet(pictures: list[Image.Image]) -> Image.Image:
    """Four pictures on one sheet: wide and narrow in a row, a row a theme."""
    width = sum(size[0] for size in SIZES) + 20
    height = 2 * SIZES[0][1] + 20
    whole = Image.new("RGB", (width, height), "#888")
    for at, image in enumerate(pictures):
        whole.paste(image, ((at % 2) * (SIZES[0][0] + 20), (at // 2) * (SIZES[0][1] + 20)))
    return whole


def take(browser: Browser, app: WorkbenchApp, name: str) -> None:
    """Reach one state and put its sheet into the folder."""
    context = browser.new_context(viewport={"width": SIZES[0][0], "height": SIZES[0][1]})
    context.add_init_script(HOLD_POLLS)
    page = context.new_page()
    try:
        STATES[name](Chat(page, app))
        pictures = [picture(page, theme, size) for theme in THEMES for size in SIZES]
        sheet(pictures).save(SHEETS / f"{name}.png")
        pictures[0].save(SHEETS / f"{name}-1280.png")
        print(name, flush=True)
    except Exception as error:
        page.screenshot(path=SHEETS / f"{name}-failed.png")
        print(f"{name}: {error}", flush=True)
    finally:
        context.close()


def main() -> None:
    """Take the states that are named, or all."""
    SHEETS.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=30_000)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = WorkbenchApp(Path(folder))
        app.server.start()
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(QUIET_BROWSER))
        for name in sys.argv[1:] or STATES:
            take(browser, app, name)
        browser.close()
        app.close()


if __name__ == "__main__":
    main()
