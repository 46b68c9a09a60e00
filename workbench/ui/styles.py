"""The little CSS that the theme can't say. Everything hangs on keyed containers."""

import streamlit as st

_CSS = """
/* Arguments: one face, figures of one width, long values wrapped and never cut. */
[class*="st-key-wb-args-"] [data-testid="stText"], [class*="st-key-wb-args-"] [data-testid="stText"] * {
  font-family: "Source Code Pro", monospace; font-size: .875rem; line-height: 1.5;
  font-variant-numeric: tabular-nums; white-space: pre-wrap; overflow-wrap: anywhere;
}
[class*="st-key-wb-args-"] [data-testid="stHorizontalBlock"] > :first-child [data-testid="stText"] * { color: QUIET; }

/* What waits on the person carries the accent, and says so in words too. */
[class*="st-key-wb-open-"] { border-left: 3px solid ACCENT; }
[class*="st-key-wb-open-"] kbd { opacity: 1; font-size: .75rem; }

/* The accent is a ground for white words; as ink on dark it is too faint. */
[data-testid="stMainBlockContainer"] [data-variant="segmented_control"][aria-checked="true"] * { color: LINK; }

/* Options of a question: large targets. */
[class*="st-key-wb-choices-"] [data-testid="stRadio"], [class*="st-key-wb-choices-"] [data-testid="stRadioGroup"],
[class*="st-key-wb-choices-"] [data-testid="stRadioOption"], [class*="st-key-wb-choices-"] [data-testid="stCheckbox"],
[class*="st-key-wb-choices-"] [data-testid="stCheckbox"] > label { width: 100%; }
[class*="st-key-wb-choices-"] [data-testid="stRadioGroup"] { gap: .5rem; }
[class*="st-key-wb-choices-"] [data-testid="stRadioGroup"] > div, [class*="st-key-wb-option-"] {
  border: 1px solid LINE; border-radius: .5rem; padding: .55rem .8rem; width: 100%;
}
[class*="st-key-wb-choices-"] [data-testid="stRadioGroup"] > div:hover, [class*="st-key-wb-option-"]:hover,
[class*="st-key-wb-choices-"] [data-testid="stRadioGroup"] > div:has(input:checked),
[class*="st-key-wb-option-"]:has(input:checked) { border-color: ACCENT; }
[class*="st-key-wb-choices-"] [data-testid="stRadioGroup"] > div:has(input:checked),
[class*="st-key-wb-option-"]:has(input:checked) { background: SURFACE; }

/* The field for files says on its label what it takes; its own line would name another limit. */
[class*="st-key-wb-upload-"] [data-testid="stFileUploaderDropzoneInstructions"] { display: none; }

/* A nested object of a form. */
[class*="st-key-wb-nest-"] { border-left: 2px solid LINE; padding-left: .9rem; }

/* Lists of links read from the left. */
[class*="st-key-wb-list-"] button, [class*="st-key-wb-list-"] button > div {
  justify-content: flex-start; text-align: left; width: 100%;
}
[class*="st-key-wb-list-"] button { min-height: 2rem; padding: .15rem 0; }

/* Read out by screen readers, not shown. */
.wb-polite { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
"""

_COLOURS = {
    "ACCENT": "primaryColor",
    "LINK": "linkColor",
    "LINE": "borderColor",
    "SURFACE": "secondaryBackgroundColor",
    "QUIET": "grayTextColor",
}


def apply_styles() -> None:
    """Puts the style sheet on the page. Called once by every page, before anything else."""
    css = _CSS
    for name, option in _COLOURS.items():
        light, dark = (st.get_option(f"theme.{theme}.{option}") for theme in ("light", "dark"))
        css = css.replace(name, f"light-dark({light or 'inherit'}, {dark or 'inherit'})")
    st.html(f"<style>{css}</style>")
