"""How the page is laid out: what Streamlit's own layout can't say, in a few lines of CSS on keyed containers."""

import streamlit as st

ICON = (
    '<svg viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/>'
    '<path d="M12 10v12M20 10v12" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>'
)
"""What stands in the browser's tab: a pause. Drawn here, because Streamlit fetches its own icons from elsewhere."""

_CSS = """
/* The transcript is the page: no wide margins around it. */
[data-testid="stMainBlockContainer"] { padding: 4.25rem 2rem 1rem; max-width: 110rem; }
[data-testid="stBottomBlockContainer"] { padding: .5rem 2rem 1.25rem; max-width: 110rem; }
[data-testid="stSidebarHeader"] { height: 2.5rem; padding-bottom: 0; margin-bottom: 0; }
[data-testid="stSidebarUserContent"] { padding-top: 0; }
[data-testid="stSidebar"] hr { margin: .25rem 0; }

/* The policy stays in sight while the transcript scrolls. */
[data-testid="stColumn"]:has(.st-key-wb-panel) { align-self: stretch; }
[data-testid="stColumn"]:has(.st-key-wb-panel) > [data-testid="stVerticalBlock"] { height: 100%; }
[data-testid="stLayoutWrapper"]:has(> .st-key-wb-panel) { position: sticky; top: 4.25rem; }

/* What is written from the right reads from the right, line by line, whoever wrote it. */
[data-testid="stMainBlockContainer"] :is([data-testid="stText"] span, p, li, td, th, h4, input, textarea),
[data-testid="stChatInputTextArea"] { unicode-bidi: plaintext; }
[data-testid="stMainBlockContainer"] [data-testid="stText"] span,
[data-testid="stChatMessage"] :is(p, li) { text-align: start; }
[data-testid="stChatMessage"] [data-testid="stElementContainer"]:has(> [data-testid="stText"]) { width: 100%; }
[data-testid="stChatMessage"] [data-testid="stText"] span { display: block; }

/* A very long message scrolls in its place: what waits below it is not pushed out of sight. */
[data-testid="stChatMessage"] [data-testid="stText"] { max-height: 24rem; overflow: auto; }

/* While the app is away, and until it has drawn this page again, a card takes no click: it would be lost. */
[data-wb-away] [class*="st-key-wb-open-"] { pointer-events: none; opacity: .6; }
.wb-notice {
  position: fixed; z-index: 1000; top: .75rem; left: 50%; transform: translateX(-50%); max-width: 90vw;
  padding: .5rem 1rem; border-radius: .5rem; font-size: .875rem;
  color: light-dark(#fff, #15171b); background: light-dark(#2a2f37, #e6e8eb); box-shadow: 0 2px 12px #0003;
}
.wb-notice:empty { display: none; }

/* So do the title, and Stop. */
[data-testid="stLayoutWrapper"]:has(> .st-key-wb-head) {
  position: sticky; top: 3.75rem; z-index: 10; padding: .5rem 0; background: GROUND;
}

/* Beside the transcript there is no room for it on a narrow window: it goes underneath. */
@media (max-width: 900px) {
  [data-testid="stHorizontalBlock"]:has(.st-key-wb-panel) { flex-direction: column; }
  [data-testid="stHorizontalBlock"]:has(.st-key-wb-panel) > [data-testid="stColumn"] { width: 100%; flex: 1 1 100%; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-wb-panel) { position: static; }
  [data-testid="stMainBlockContainer"], [data-testid="stBottomBlockContainer"] {
    padding-left: 1rem; padding-right: 1rem;
  }
}
"""


def apply_layout() -> None:
    """Put the layout on the page. Called once by the app, before anything else."""
    light, dark = (st.get_option(f"theme.{theme}.backgroundColor") for theme in ("light", "dark"))
    ground = f"light-dark({light or 'Canvas'}, {dark or 'Canvas'})"
    st.html(f"<style>{_CSS.replace('GROUND', ground)}</style>")
