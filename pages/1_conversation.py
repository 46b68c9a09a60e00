"""The conversation: talk, decide, and see the policy beside it."""

import streamlit as st

from workbench.ui import answering
from workbench.ui.config_panel import render_config
from workbench.ui.conversation import (
    composer,
    render_head,
    render_live,
    render_past,
    render_welcome,
    send,
    split,
)
from workbench.ui.host import engine
from workbench.ui.navigation import (
    conversation_on_page,
    open_panel,
    panel_tab,
    panel_toggle,
    render_sidebar,
    titles_of,
)
from workbench.ui.permissions import render_permissions
from workbench.ui.trouble import render_unknown_conversation
from workbench.ui.why import render_why

desk = engine()
conversation_id, problem = conversation_on_page(desk)
acting_as = render_sidebar(desk)

if conversation_id is None:
    render_unknown_conversation(problem)
    st.stop()

page = desk.conversation(conversation_id)
titles = titles_of(desk, page)
if answering.GOTO in st.session_state:
    open_panel("policy")

panel_open = panel_toggle(desk)
talk, panel = st.columns([5, 4], gap="medium") if panel_open else (st.container(), None)

with talk:
    render_head(desk, page, by=acting_as)
    views = desk.run_views(page.id)
    if views or page.status == "working":
        past, _ = split(views)
        render_past(desk, past, page, titles)
        render_live(desk, page, past, titles, by=acting_as)
    else:
        example = render_welcome(page, desk.examples(page.config_file))
        render_live(desk, page, [], titles, by=acting_as)
        if example is not None:
            send(desk, page.id, example, by=acting_as)

if panel is not None:
    with panel, st.container(key="wb-panel", gap="small"):
        match panel_tab():
            case "why":
                render_why(desk, page.id)
            case "permissions":
                render_permissions(desk, page.config_file, page.id, by=acting_as)
            case _:
                render_config(desk, page.config_file, by=acting_as)

composer(desk, page, by=acting_as)
