"""The transcript: what was said, what was called, how each call was decided, what it cost."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st

from workbench.runs.views import CallItem, Card, Item, ReasoningItem, RunView, TextItem
from workbench.ui import words
from workbench.ui.call_step import WholeResult, render_call
from workbench.ui.text import label, prose, visible

_NEWEST: Final = 30
"""Runs drawn at first; more on request, so that a long conversation opens as quickly as a short one."""

_SHAPES: Final = (
    "hexagon", "pentagon", "change_history", "square", "diamond", "circle", "crop_portrait", "brightness_empty"
)  # fmt: skip


def avatar(agent: str) -> str:
    """The quiet shape an agent is known by: the same on every page and in every process."""
    return f":material/{_SHAPES[zlib.crc32(agent.encode()) % len(_SHAPES)]}:"


def newest(views: Sequence[RunView], *, conversation_id: str) -> Sequence[RunView]:
    """The part of a transcript to draw. Draws the button that shows more, so call it where that should stand."""
    slot = f"wb-shown-{conversation_id}"
    count = st.session_state.get(slot, _NEWEST)
    hidden = len(views) - count
    if hidden <= 0:
        return views
    st.button(
        words.show_earlier(min(hidden, _NEWEST), hidden),
        key=f"{slot}-more",
        type="tertiary",
        icon=":material/history:",
        on_click=st.session_state.__setitem__,
        args=(slot, count + _NEWEST),
    )
    return views[hidden:]


def render_run(
    view: RunView,
    *,
    titles: dict[str, str] | None = None,
    can_retry: bool = False,
    whole: WholeResult | None = None,
) -> bool:
    """Draws one run: the message that began it, its items in their order, how it ended and what it cost.

    Args:
        view: the run.
        titles: the names people see, by agent; an agent without one is called by its own name.
        can_retry: whether *Try again* is offered, which only the conversation's last run can be.
        whole: gives the whole of a result that is only begun in the view (`Engine.call_result`).

    Returns:
        True when the person asked to try again just now.
    """
    if view.user_text is not None:
        with st.chat_message("user", avatar=":material/person:"):
            st.caption(label(view.by or words.YOU))
            st.text(view.user_text)
    for notice in view.notices:
        st.caption(f":material/info: {label(visible(notice))}")
    for block in _blocks(view.items):
        name = words.path(tuple((titles or {}).get(part, part) for part in block.agent_path))
        with st.chat_message("assistant", avatar=avatar(block.agent_path[-1])):
            if block.seat:
                _delegation(view, block, name, whole)
            else:
                st.caption(label(name))
                for place, item in block.items:
                    _item(view, place, item, whole)
    return _ending(view, can_retry)


def _delegation(view: RunView, block: _Block, name: str, whole: WholeResult | None) -> None:
    """A delegate's work, folded away: its coordinator's story is the transcript. Its open cards stand outside."""
    calls = [item for _, item in block.items if isinstance(item, CallItem)]
    with st.expander(
        f"{label(name)} — {label(words.delegated(calls))}",
        key=f"wb-seat-{view.run_id}-{block.seat}-{block.items[0][0]}",
        type="compact",
        icon=":material/account_tree:",
        expanded=not view.finished,
    ):
        for place, item in block.items:
            _item(view, place, item, whole)


def cards_of(views: Iterable[RunView]) -> list[Card]:
    """The cards of the last run that has any open one, decided ones included, in their order."""
    for view in reversed(list(views)):
        cards = [item.card for item in view.items if isinstance(item, CallItem) and item.card is not None]
        if any(card.status == "open" for card in cards):
            return sorted(cards, key=lambda card: card.position)
    return []


def _item(view: RunView, place: int, item: Item, whole: WholeResult | None) -> None:
    match item:
        case TextItem():
            if item.text:
                st.markdown(prose(item.text), anchors=False)
            if item.cut:
                st.caption(f":material/content_cut: {words.CUT}")
        case ReasoningItem():
            title = words.REASONING_NOW if item.streaming else words.REASONING
            with st.expander(title, type="compact", icon=":material/psychology:"):
                st.text(visible(item.text))
        case CallItem():
            render_call(item, key=f"{view.run_id}-{place}", whole=whole)


def _ending(view: RunView, can_retry: bool) -> bool:
    retry = False
    state = words.run_state(view)
    if view.status == "failed":
        with st.container(border=True, key=f"wb-failed-{view.run_id}"):
            st.markdown(f":material/error: **{label(state)}**")
            if view.error:
                st.text(visible(view.error))
            if can_retry:
                retry = st.button(
                    words.TRY_AGAIN,
                    key=f"wb-retry-{view.run_id}",
                    icon=":material/refresh:",
                    help=words.TRY_AGAIN_HELP,
                )
    elif state:
        icon = "stop_circle" if view.status == "cancelled" else "hourglass_empty"
        st.caption(f":material/{icon}: {label(state)}")
    figures = words.figures(view)
    if view.finished and figures:
        st.caption(label(figures), text_alignment="right")
    return retry


@dataclass(frozen=True)
class _Block:
    """What one agent did in one go, or one delegation altogether."""

    agent_path: tuple[str, ...]
    seat: str
    items: list[tuple[int, Item]]


def _blocks(items: Sequence[Item]) -> list[_Block]:
    """Group items by who speaks. Parallel delegations are told apart, each in one block where it began."""
    blocks: list[_Block] = []
    seats: dict[tuple[str, tuple[str, ...]], _Block] = {}
    for place, item in enumerate(items):
        agent_path = item.agent_path or (item.agent,)
        block = seats.get((item.seat, agent_path)) if item.seat else blocks[-1] if blocks else None
        if block is None or (block.agent_path, block.seat) != (agent_path, item.seat):
            block = _Block(agent_path, item.seat, [])
            blocks.append(block)
            if item.seat:
                seats[item.seat, agent_path] = block
        block.items.append((place, item))
    return blocks
