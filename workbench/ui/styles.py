"""The little CSS that the theme can't say. Everything hangs on keyed containers."""

import streamlit as st

_CSS = """
/* Arguments: one face, figures of one width, long values wrapped and never cut. */
[class*="st-key-wb-args-"] [data-testid="stText"],
[class*="st-key-wb-args-"] [data-testid="stText"] * {
  font-family: var(--st-code-font); font-size: .875rem; line-height: 1.5;
  font-variant-numeric: tabular-nums; white-space: pre-wrap; overflow-wrap: anywhere;
}
[class*="st-key-wb-args-"] [class*="st-key-wb-name-"] [data-testid="stText"] { color: var(--st-gray-text-color); }
[class*="st-key-wb-args-"] [data-testid="stCaptionContainer"] p { font-size: .8rem; }

/* What waits on the person carries the accent, and says so in words too. */
[class*="st-key-wb-open-"] { border-left: 3px solid var(--st-primary-color); }

/* Options of a question: large targets. */
[class*="st-key-wb-choices-"] [data-testid="stRadio"] [role="radiogroup"] { gap: .5rem; width: 100%; }
[class*="st-key-wb-choices-"] [data-testid="stRadio"] [role="radiogroup"] > label,
[class*="st-key-wb-choices-"] [data-testid="stCheckbox"] > label {
  border: 1px solid var(--st-border-color); border-radius: .5rem; padding: .55rem .8rem; width: 100%; margin: 0;
}
[class*="st-key-wb-choices-"] [data-testid="stRadio"] [role="radiogroup"] > label:hover,
[class*="st-key-wb-choices-"] [data-testid="stCheckbox"] > label:hover { border-color: var(--st-primary-color); }
[class*="st-key-wb-choices-"] [data-testid="stRadio"] [role="radiogroup"] > label:has(input:checked),
[class*="st-key-wb-choices-"] [data-testid="stCheckbox"] > label:has(input:checked) {
  border-color: var(--st-primary-color); background: var(--st-secondary-background-color);
}

/* A nested object of a form. */
[class*="st-key-wb-nest-"] { border-left: 2px solid var(--st-border-color); padding-left: .9rem; }

/* Read out by screen readers, not shown. */
.wb-polite { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
"""


def apply_styles() -> None:
    """Puts the style sheet on the page. Called once by every page, before anything else."""
    st.html(f"<style>{_CSS}</style>")
