"""The app: which pages there are."""

from __future__ import annotations

import streamlit as st

from workbench.store import StoreError
from workbench.ui import host
from workbench.ui.layout import ICON, apply_layout
from workbench.ui.styles import apply_styles
from workbench.ui.trouble import render_no_database

st.set_page_config(page_title="Workbench", page_icon=ICON, layout="wide")
apply_styles()
apply_layout()

page = st.navigation(
    [st.Page("../pages/1_conversation.py", title="Conversation", icon=":material/forum:", default=True)],
    position="hidden",
)
try:
    host.host()
    page.run()
except StoreError as error:
    render_no_database(str(error))
