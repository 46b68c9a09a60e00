"""What an open page knows that the app doesn't: that the app is away or back, and how wide the window is.

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
_NARROW = "wb-narrow"

_JS = """
const SHOWN_MS = 10_000, PATIENCE_MS = 1_000
const narrow = matchMedia("(max-width: 900px)")

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

export default function ({ data, setStateValue }) {
  window.workbenchPresence ??= begin()
  window.workbenchPresence(data)
  const tell = () => { if (narrow.matches !== data.narrow) setStateValue("narrow", narrow.matches) }
  narrow.onchange = tell
  tell()
}
"""


def render_presence() -> bool:
    """Tell the page that the app is there: below all that takes clicks, in a fragment that runs every few seconds.

    Returns:
        Whether the window is not what :func:`is_narrow` said, so that the page is to be laid out anew.
    """
    known = is_narrow()
    result = _component()(
        key="wb-presence",
        data={
            "process": _PROCESS,
            # Makes each run reach the browser, also when the connection broke and nothing else changed.
            "beat": int(monotonic()),
            "away": page_words.AWAY,
            "back": page_words.BACK_AGAIN,
            "narrow": known,
        },
        height=1,
        on_narrow_change=_nothing,
    )
    st.session_state[_NARROW] = bool(result.get("narrow", known))
    return is_narrow() != known


def is_narrow() -> bool:
    """Whether the window has no room for two columns, as far as it has told."""
    return bool(st.session_state.get(_NARROW, False))


def _nothing() -> None:
    """Stand in for a callback: Streamlit keeps only the values that have one."""


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("workbench.presence", js=_JS)
