"""Cards: what waits on a person, one by one and together, and what became of it."""

from collections.abc import Sequence

import streamlit as st

from workbench.runs.views import Card
from workbench.ui import answering, draft, words
from workbench.ui.approval import differences, is_editing, render_actions, render_difference
from workbench.ui.arguments import render_arguments
from workbench.ui.asking import has_own_words, render_asking
from workbench.ui.clock import now, when
from workbench.ui.desk import Desk
from workbench.ui.doubt import render_doubt
from workbench.ui.interrupt import render_interrupt
from workbench.ui.text import label, visible


def render_cards(desk: Desk, cards: Sequence[Card], *, by: str) -> None:
    """Draws the cards of one pause together, the decided ones in their place as one line each.

    Args:
        desk: where answers go.
        cards: the requests of one pause in their order, decided ones included. They keep their places, so
            that no button of one card ever comes to stand where another's was.
        by: the name that answers carry.
    """
    answering.show_toasts()
    waiting = [card for card in cards if card.status == "open"]
    heading = words.needs_you(
        len(waiting), words.goes_on(tuple(dict.fromkeys(card.agent_title for card in waiting)))
    )
    if waiting and len(cards) > 1:
        with st.container(gap=None):
            st.markdown(f"**{label(heading)}**")
            st.caption(label(words.progress(len(waiting), len(cards))))
    for card in cards:
        render_card(desk, card, by=by, shortcuts=card in waiting[:1])
    if waiting:
        answering.polite(heading)


def render_card(desk: Desk, card: Card, *, by: str, shortcuts: bool = False) -> None:
    """Draws one card: open, in full; decided, as a line that opens again."""
    with st.container(key=f"wb-card-{card.id}"):
        if card.status == "decided":
            render_decided(card)
            answering.render_note(card.id)
            return
        with st.container(border=True, key=f"wb-open-{card.id}"):
            with st.container(gap="xsmall"):
                _heading(card)
                if card.kind == "doubt":
                    st.text(words.doubt(card))
                if card.kind != "question":
                    _call(desk, card)
            if card.kind in ("approval", "tool_approval"):
                with st.container(gap="xsmall"):
                    _reach(card)
                    _why(card)
                _changes(desk, card, by)
            if card.notice:
                st.warning(label(visible(card.notice)), icon=":material/info:")
            answering.render_note(card.id)
            if card.held is not None:
                st.info(label(words.held(card.held)), icon=":material/hourglass_top:")
                return
            with st.container(gap="xsmall"):
                match card.kind:
                    case "approval" | "tool_approval":
                        render_actions(desk, card, by=by, shortcuts=shortcuts)
                    case "question":
                        render_asking(desk, card, by=by, shortcuts=shortcuts)
                    case "tool_interrupt":
                        render_interrupt(desk, card, by=by, shortcuts=shortcuts)
                    case "doubt":
                        render_doubt(desk, card, by=by)


def render_decided(card: Card) -> None:
    """Draws what became of a card: one line with who, what and when, that opens again."""
    line = card.decision
    if line is None:
        return
    what = words.decided(line, edited=card.edited, not_run=card.not_run, at=when(line.at))
    tool = "" if card.kind == "question" else f" **{label(card.tool)}**"
    with st.expander(
        f"{label(card.agent_title)}{tool} — {label(what)}",
        key=draft.key(card.id, "decided"),
        icon=words.ICONS[line.decision],
        type="compact",
        on_change="rerun",
    ) as opened:
        if opened.open:
            _details(card)


def _details(card: Card) -> None:
    if card.answer_text:
        st.text(visible(card.answer_text))
    if card.decision is not None and card.decision.reason:
        st.text(words.reason(visible(card.decision.reason)))
    if card.edited and card.executed_input is not None:
        st.caption(words.EDITED)
        render_difference(differences(card.input, card.executed_input), key=f"{card.id}-decided")
    if card.kind != "question" or not card.answer_text:
        render_arguments(card.input, key=f"{card.id}-decided")
    if card.note:
        st.caption(words.AGENT_READS)
        st.text(visible(card.note))
    if card.because_sentence:
        st.caption(label(card.because_sentence))


def _heading(card: Card) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(
            f"**{label(card.agent_title)}** {words.asks(card.kind)}{_named(card)}",
            width="content",
        )
        with st.container(horizontal=True, gap="small", vertical_alignment="center", width="content"):
            st.caption(label(words.asked(when(card.created_at))), width="content")
            if card.expires_at is not None and card.kind in ("approval", "tool_approval"):
                left = words.time_left(card.expires_at, now())
                st.markdown(f":material/timer: {label(left)}", width="content")
    small = [words.path(card.agent_path)] if len(card.agent_path) > 1 else []
    if card.tool_title and card.tool_title != card.tool and not has_own_words(card):
        small.append(card.tool)
    if small:
        st.caption(label(" · ".join(small)))


def _named(card: Card) -> str:
    if has_own_words(card):
        return ""
    return f"{':' if card.kind == 'question' else ''} **{label(card.tool_title or card.tool)}**"


def _call(desk: Desk, card: Card) -> None:
    if card.message:
        st.text(visible(card.message))
    if card.description and card.description != card.message:
        st.text(visible(card.description))
    if card.also_shown is not None:
        st.warning(label(words.ASKED_BEFORE), icon=":material/warning:")
        st.caption(words.BEFORE)
        render_arguments(card.also_shown, key=f"{card.id}-before")
        st.caption(words.NOW)
    if not is_editing(desk, card):
        render_arguments(card.input, key=card.id)


def _reach(card: Card) -> None:
    if card.expired:
        return
    for scope in card.scopes:
        if scope != "once":
            st.caption(label(words.covers(scope, card)))


def _why(card: Card) -> None:
    if card.because_sentence:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(label(card.because_sentence), width="content")
            if card.rule_line is not None and st.button(
                words.show_line(card.rule_line),
                key=draft.key(card.id, "rule"),
                type="tertiary",
                icon=":material/arrow_outward:",
                help=words.SHOW_RULE_HELP,
            ):
                st.session_state[answering.GOTO] = (card.config_file, card.rule_line)
                st.rerun()


def _changes(desk: Desk, card: Card, by: str) -> None:
    """What a person should know before they press a button: warnings, a newer policy, a deadline that passed."""
    for warning in card.verdict.warnings if card.verdict else ():
        st.warning(label(warning), icon=":material/warning:")
    if card.expired:
        st.warning(label(words.expired(when(card.expires_at))), icon=":material/timer_off:")
    change = card.config_changed
    if change is None:
        return
    with st.container(border=True, key=draft.key(card.id, "changed"), gap="xsmall"):
        st.markdown(f":material/published_with_changes: {label(change.sentence)}")
        with st.container(gap=None):
            st.caption(label(words.verdict_under(card.config_number, card.verdict)))
            st.caption(label(words.verdict_under(change.newest_number, change.verdict_now)))
        st.button(
            words.ask_again(change.newest_number),
            key=draft.key(card.id, "again"),
            help=label(words.ASK_AGAIN_HELP),
            on_click=answering.ask_again,
            args=(desk, card, by),
        )
