"""Question cards: each client tool's call in the form that suits it."""

from workbench.runs.views import Card
from workbench.ui.datasources import render_datasources, sources_of
from workbench.ui.declared import render_declared
from workbench.ui.desk import Desk
from workbench.ui.files import asks_for_files, render_files
from workbench.ui.question import questions_of, render_question


def has_own_words(card: Card) -> bool:
    """Whether a question's card says by itself what it is about, so that no tool needs to be named."""
    return card.kind == "question" and bool(questions_of(card) or sources_of(card) or asks_for_files(card))


def render_asking(desk: Desk, card: Card, *, by: str, shortcuts: bool) -> None:
    """Draws what a question asks, and what takes its answer."""
    if questions_of(card):
        render_question(desk, card, by=by, shortcuts=shortcuts)
    elif sources_of(card):
        render_datasources(desk, card, by=by, shortcuts=shortcuts)
    elif asks_for_files(card):
        render_files(desk, card, by=by, shortcuts=shortcuts)
    else:
        render_declared(desk, card, by=by, shortcuts=shortcuts)
