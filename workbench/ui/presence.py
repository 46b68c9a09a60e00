"""What an open page says while the app is away, and when it is back.

A page that finds the app again is a stranger to it for a moment: the new process has not drawn it yet, so it would
drop a click on what still stands there. Until it has, the cards take none.
"""

from functools import cache
from time import monotonic
from uuid import uuid4

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from workbench.ui import page_words

_PROCESS = uuid4().hex

_JS = """
const SHOWN_MS = 10_000, PATIENCE_MS = 1_000

function begin() {
  const notice = document.createElement("div")
  notice.className = "wb-notice"
  notice.setAttribute("role", "status")
  const app = () => document.querySelector("[data-test-connection-state]")
  let process, words, timer

  const say = (text, after, until) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      // Beside everything else of the app, where its colours hold.
      (app() ?? document.body).append(notice)
      notice.textContent = text
      if (until) timer = setTimeout(() => { notice.textContent = "" }, until)
    }, after)
  }
  const away = () => document.documentElement.hasAttribute("data-wb-away")
  const look = () => {
    if (!app() || app().dataset.testConnectionState === "CONNECTED" || away()) return
    document.documentElement.setAttribute("data-wb-away", "")
    say(words.away, PATIENCE_MS)
  }
  new MutationObserver(look).observe(document.body, {
    subtree: true, attributes: true, attributeFilter: ["data-test-connection-state"],
  })
  return (data) => {
    words = data
    if (away()) {
      document.documentElement.removeAttribute("data-wb-away")
      say("", 0)
    }
    if (process && process !== data.process) say(data.back, 0, SHOWN_MS)
    process = data.process
  }
}

export default function ({ data }) {
  window.workbenchPresence ??= begin()
  window.workbenchPresence(data)
}
"""


def render_presence() -> None:
    """Tell the page that the app is there: below all that takes clicks, in a fragment that runs every few seconds."""
    beat = int(monotonic())
    _component()(
        key="wb-presence",
        # The beat makes each run reach the browser, also when the connection broke and nothing else changed.
        data={"process": _PROCESS, "beat": beat, "away": page_words.AWAY, "back": page_words.BACK_AGAIN},
        height=1,
    )


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("workbench.presence", js=_JS)
