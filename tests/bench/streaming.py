"""From a model's token to its text in the browser, streaming at 50 tokens a second.

The model runs in a real server's worker and says the time. A real browser shows the conversation; a MutationObserver
sees each token come into the page, and the frame after that is when it can be seen. Both read the same machine's clock,
in milliseconds.
"""

import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.bench.in_browser import NO_BROWSER, PATIENCE_MS, Served, browser, serve, wait_until_usable
from tests.bench.measuring import Times
from tests.bench.row import Row
from tests.bench.ticking import PER_SECOND, TOKENS

ROUNDS = 2
MODEL = {"provider": "./ticking.py:Ticking"}
TICKING = Path(__file__).with_name("ticking.py")

WATCH = """
() => {
  const seen = window.benchSeen = new Map()
  let waiting = false
  const look = () => {
    waiting = false
    const now = Date.now()
    for (const [, number, at] of document.body.textContent.matchAll(/n(\\d+)t(\\d{13}) /g))
      if (!seen.has(number)) seen.set(number, now - Number(at))
  }
  new MutationObserver(() => {
    if (!waiting) { waiting = true; requestAnimationFrame(look) }
  }).observe(document.body, {subtree: true, childList: true, characterData: true})
}
"""


def watch(place: Served, chrome: Browser) -> list[float]:
    """Ask on an open page, and let the model speak; return the milliseconds of each token."""
    conversation_id = place.shop.conversation()
    page = chrome.new_page()
    page.goto(place.address(conversation_id))
    wait_until_usable(page)
    page.evaluate(WATCH)
    composer = page.get_by_test_id("stChatInputTextArea")
    composer.fill("What time is it?")
    composer.press("Enter")
    page.wait_for_function(f"() => window.benchSeen.size >= {TOKENS - 1}", timeout=PATIENCE_MS)
    taken: list[Any] = page.evaluate("() => [...window.benchSeen.values()]")
    page.close()
    return [float(one) for one in taken]


def run() -> list[Row]:
    """Measure."""

    def beside(configs: Path) -> None:
        shutil.copy(TICKING, configs / TICKING.name)

    with browser() as chrome:
        if chrome is None:
            return [Row("model token to text in the browser", "—", note=NO_BROWSER)]
        with serve(MODEL, beside=beside) as place:
            times = Times(tuple(one for _ in range(ROUNDS) for one in watch(place, chrome)))
    return [
        Row(
            what="model token to text in the browser",
            measured=f"p50 {times.middle:.0f} ms, p95 {times.below(0.95):.0f} ms",
            note=f"{len(times.seconds)} tokens at {PER_SECOND} a second, one tab; fastest {times.least:.0f} ms, "
            f"slowest {max(times.seconds):.0f} ms",
        )
    ]
