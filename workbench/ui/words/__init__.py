"""Every sentence the pieces put on screen, in one place and in one voice.

Plain text in, plain text out: whoever shows a sentence in a place that reads Markdown escapes it there
(:func:`workbench.ui.text.label`).
"""

# One flat vocabulary: whoever needs a sentence writes words.X, wherever X stands.
# ruff: noqa: F403
from workbench.ui.words.asking import *
from workbench.ui.words.cards import *
from workbench.ui.words.forms import *
from workbench.ui.words.lists import *
from workbench.ui.words.times import *
from workbench.ui.words.transcript import *
