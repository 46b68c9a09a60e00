"""Streamlit pieces: cards, transcript, sidebar, editor. They draw view models and call a desk; no more."""
