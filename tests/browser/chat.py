"""The conversation page in a person's words."""

from typing import Self

from playwright.sync_api import Locator, Page, expect

from tests.browser.workbench_app import WorkbenchApp

OPENING = 30_000


class Chat:
    """One tab on the app."""

    def __init__(self, page: Page, app: WorkbenchApp) -> None:
        self.page = page
        self.app = app

    # -- going places -----------------------------------------------------------------------

    def open(self, conversation_id: str | None = None) -> Self:
        """Open a conversation, or whatever the app opens by itself, and wait until it can be talked to."""
        self.page.goto(self.app.url if conversation_id is None else self.app.address(conversation_id))
        expect(self.composer).to_be_visible(timeout=OPENING)
        return self

    def start(self, config: str = "merchant", *, title: str = "") -> Self:
        """Open a new conversation."""
        return self.open(self.app.conversation(config, title=title))

    def reload(self) -> None:
        """Refresh the page."""
        self.page.reload()
        expect(self.composer).to_be_visible(timeout=OPENING)

    def second_tab(self) -> "Chat":
        """The same conversation in another tab."""
        tab = Chat(self.page.context.new_page(), self.app)
        return tab.open(self.conversation_id)

    @property
    def conversation_id(self) -> str:
        """The conversation that the address names."""
        return self.page.url.partition("?c=")[2].partition("&")[0]

    # -- what is on the page ----------------------------------------------------------------

    @property
    def main(self) -> Locator:
        """The page without the sidebar."""
        return self.page.get_by_test_id("stMainBlockContainer")

    @property
    def head(self) -> Locator:
        """The title, who answers, and the menu."""
        return self.page.locator(".st-key-wb-head")

    @property
    def sidebar(self) -> Locator:
        """What waits, and the conversations."""
        return self.page.get_by_test_id("stSidebar")

    def listed(self, title: str) -> Locator:
        """A conversation in the sidebar's list, by words of its title."""
        return self.sidebar.locator("[class*='st-key-wb-conversation-']").get_by_role("button", name=title)

    @property
    def composer(self) -> Locator:
        """The message box; while another conversation comes up, the one that stays."""
        return self.page.get_by_test_id("stChatInputTextArea").last

    @property
    def cards(self) -> Locator:
        """The cards that wait, in their order."""
        return self.page.locator("[class*='st-key-wb-open-']")

    @property
    def panel(self) -> Locator:
        """The policy beside the conversation."""
        return self.page.locator(".st-key-wb-panel")

    @property
    def editor(self) -> Locator:
        """The text of the policy."""
        return self.panel.get_by_role("textbox", name="Policy editor")

    @property
    def toasts(self) -> Locator:
        """What was said for a moment."""
        return self.page.get_by_test_id("stToast")

    def button(self, name: str, *, exact: bool = False) -> Locator:
        """A button by what stands on it."""
        return self.page.get_by_role("button", name=name, exact=exact)

    def text(self, words: str) -> Locator:
        """Where these words stand on the page."""
        return self.main.get_by_text(words)

    # -- doing things -----------------------------------------------------------------------

    def say(self, message: str) -> None:
        """Send a message."""
        self.composer.fill(message)
        self.composer.press("Enter")

    def wait_for_card(self, times: int = 1) -> Locator:
        """Wait until so many cards are open, and return the first."""
        expect(self.cards).to_have_count(times)
        return self.cards.first

    def press(self, name: str, *, exact: bool = False) -> None:
        """Click the only button of this name."""
        self.button(name, exact=exact).click()

    def edit_policy(self, old: str, new: str, *, config: str = "merchant") -> str:
        """Put a changed copy of the live policy into the editor, and return it."""
        live = self.app.engine.current(str(self.app.config(config))).text
        assert old in live
        text = live.replace(old, new, 1)
        self.set_policy(text)
        return text

    def set_policy(self, text: str) -> None:
        """Replace what is in the editor, as pasting over it does."""
        self.editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def expect_reply(self, words: str) -> None:
        """Wait until the agent has said this."""
        expect(self.page.get_by_label("Chat message from assistant").get_by_text(words).first).to_be_visible()
