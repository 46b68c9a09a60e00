"""A card of a client tool that a folder declares: what it asks, what the agent gave along, a form for the answer."""

import streamlit as st

from workbench.runs.views import Card
from workbench.ui.arguments import render_arguments
from workbench.ui.desk import Desk
from workbench.ui.interrupt import render_interrupt
from workbench.ui.text import visible


def render_declared(desk: Desk, card: Card, *, by: str, shortcuts: bool) -> None:
    """Draws the tool's own words, the values of the call where it has any, and the form."""
    with st.container(gap="xsmall"):
        if card.message:
            st.text(visible(card.message))
        if card.description and card.description != card.message:
            st.text(visible(card.description))
        if card.input:
            render_arguments(card.input, key=card.id)
    render_interrupt(desk, card, by=by, shortcuts=shortcuts)
