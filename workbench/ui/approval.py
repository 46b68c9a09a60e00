"""What a person can do with a call that waits for approval: approve, allow more, edit, deny, skip."""

from collections.abc import Mapping
from typing import Any, Literal

import streamlit as st

from workbench.policy import ABSENT, Approved, Denied, Scope, Skipped, changes, digest, is_secret_key
from workbench.runs.views import Card, EditPreview
from workbench.ui import answering, draft, words
from workbench.ui.arguments import render_value
from workbench.ui.desk import Desk
from workbench.ui.edit_form import Form
from workbench.ui.text import label, value_text, visible

Mode = Literal["", "edit", "deny"]


def render_actions(desk: Desk, card: Card, *, by: str, shortcuts: bool) -> None:
    """Draws the actions of an approval card.

    Args:
        desk: takes the answer.
        card: an open card of kind `approval` or `tool_approval`.
        by: whose name the answer carries.
        shortcuts: whether this is the one card that keys act on.
    """
    match _mode(desk, card):
        case "edit":
            _edit(desk, card, by)
        case "deny":
            _deny(desk, card, by)
        case "":
            _choices(desk, card, by, shortcuts)


def _choices(desk: Desk, card: Card, by: str, shortcuts: bool) -> None:
    wider = [] if card.expired else _wider(card)
    first = st.container(horizontal=True, gap="xsmall", key=draft.key(card.id, "actions"))
    # With wider choices the buttons don't fit one line; then what does not approve has a line of its own.
    second = st.container(horizontal=True, gap="xsmall", key=draft.key(card.id, "other")) if wider else first
    with first:
        if card.expired:
            _answer_button(desk, card, by, words.CLOSE_EXPIRED, Approved(), "close", primary=True)
        else:
            _answer_button(
                desk,
                card,
                by,
                words.APPROVE,
                Approved(),
                "approve",
                primary=True,
                help=words.APPROVE_HELP,
                shortcut="Shift+A" if shortcuts else None,
            )
            for scope in wider:
                _answer_button(
                    desk,
                    card,
                    by,
                    words.allow(scope, card),
                    _limited(desk, card, scope),
                    f"approve-{scope}",
                    help=words.covers(scope, card),
                )
    if wider and card.kind == "approval":
        _lasts(desk, card)
    with second:
        if not card.expired:
            _mode_button(desk, card, words.EDIT, "edit", words.EDIT_HELP, "Shift+E" if shortcuts else None)
        _mode_button(desk, card, words.DENY, "deny", words.DENY_HELP, "Shift+D" if shortcuts else None)
        _answer_button(
            desk,
            card,
            by,
            words.SKIP,
            Skipped(),
            "skip",
            help=words.SKIP_HELP,
            shortcut="Shift+S" if shortcuts else None,
        )


def _lasts(desk: Desk, card: Card) -> None:
    """How long a wider choice lasts, for those who want it shorter than its name says."""
    field = draft.key(card.id, "lasts")
    draft.fill(field, draft.load(desk, card.id).get("lasts", words.UNLIMITED))
    st.selectbox(
        words.LASTS,
        list(words.LIMITS),
        key=field,
        width=260,
        on_change=_keep_lasts,
        args=(desk, card),
        help=words.LASTS_HELP,
    )


def _keep_lasts(desk: Desk, card: Card) -> None:
    draft.put(desk, card.id, "lasts", st.session_state.get(draft.key(card.id, "lasts"), words.UNLIMITED))


def _limited(desk: Desk, card: Card, scope: Scope) -> Approved:
    uses, seconds = words.LIMITS.get(draft.load(desk, card.id).get("lasts", ""), (None, None))
    return Approved(scope, uses=uses, lifetime_seconds=seconds)


def _deny(desk: Desk, card: Card, by: str) -> None:
    field = draft.key(card.id, "reason")
    draft.fill(field, draft.load(desk, card.id).get("reason", ""))
    st.text_input(
        words.REASON,
        key=field,
        placeholder=words.REASON_PLACEHOLDER,
        max_chars=1000,
        autocomplete="off",
        live="400ms",
        on_change=_keep_reason,
        args=(desk, card),
    )
    with st.container(horizontal=True):
        st.button(
            words.DENY_NOW,
            key=draft.key(card.id, "deny-now"),
            type="primary",
            on_click=_deny_now,
            args=(desk, card, by),
        )
        _back(desk, card)


def _edit(desk: Desk, card: Card, by: str) -> None:
    form = Form(desk, card.id, "edit", card.input_schema or {}, initial=card.input)
    state = form.state()
    preview = None if state.problems else _preview(desk, card, state.value)
    form.render(state, {} if preview is None else preview.errors)
    changed = preview is not None and not preview.errors and bool(preview.changed)
    if preview is not None and not preview.errors:
        _difference(card, preview)
    # What stands on screen now is what a click below confirms; see _approve_edited.
    st.session_state[draft.key(card.id, "seen")] = digest(state.value) if changed else None
    with st.container(horizontal=True):
        scopes: list[Scope] = ["once"]
        if preview is not None and not preview.subject_changed:
            scopes += _wider(card)
        for scope in scopes:
            st.button(
                words.APPROVE_EDITED if scope == "once" else label(words.allow(scope, card)),
                key=draft.key(card.id, f"approve-edited-{scope}"),
                type="primary" if scope == "once" else "secondary",
                help=label(words.APPROVE_EDITED_HELP if scope == "once" else words.covers(scope, card)),
                disabled=not changed,
                on_click=_approve_edited,
                args=(desk, card, by, scope),
            )
    with st.container(horizontal=True, gap="xsmall"):
        st.button(words.RESET, key=draft.key(card.id, "reset"), on_click=form.reset)
        _back(desk, card)


def _difference(card: Card, preview: EditPreview) -> None:
    if not preview.changed:
        st.caption(words.UNCHANGED)
        return
    with st.container(border=True, key=draft.key(card.id, "difference")):
        st.caption(words.DIFFERENCE)
        render_difference(preview.changed, key=f"{card.id}-preview")
        if preview.subject_changed:
            st.warning(label(preview.sentence), icon=":material/warning:")
        elif preview.sentence:
            st.caption(label(preview.sentence))


def render_difference(changed: tuple[tuple[str, Any, Any], ...], *, key: str) -> None:
    """Draws what was changed: each place with the value asked for and the value it became."""
    for at, (path, before, after) in enumerate(changed):
        secret = any(is_secret_key(step) for step in path.split("."))
        with st.container(key=f"wb-args-diff-{key}-{at}", gap=None):
            st.text(visible(path))
            for sign, value in (("−", before), ("+", after)):
                with st.container(horizontal=True, gap="small"):
                    st.text(sign, width=16)
                    with st.container():
                        render_value(_side(value, secret), key=f"{key}-{at}{sign}")


def _side(value: Any, secret: bool) -> str:
    if secret:
        return "••••••"
    return words.NOT_THERE if value is ABSENT else value_text(value)


def is_editing(desk: Desk, card: Card) -> bool:
    """Whether a card's values are fields just now."""
    return card.kind in ("approval", "tool_approval") and _mode(desk, card) == "edit"


def differences(shown: Mapping[str, Any], executed: Mapping[str, Any]) -> tuple[tuple[str, Any, Any], ...]:
    """What an edit changed of a call that is decided."""
    return tuple((change.path, change.before, change.after) for change in changes(shown, executed))


def _preview(desk: Desk, card: Card, value: dict[str, Any]) -> EditPreview:
    slot, mark = draft.key(card.id, "preview"), digest(value)
    kept = st.session_state.get(slot)
    if kept is None or kept[0] != mark:
        try:
            kept = st.session_state[slot] = (mark, desk.preview_edit(card.id, value))
        except answering.REFUSALS as refused:
            # Said in the form, and asked again at the next drawing.
            return EditPreview({"": str(refused)}, (), card.subject, False, "")
    preview: EditPreview = kept[1]
    return preview


def _wider(card: Card) -> list[Scope]:
    return [scope for scope in card.scopes if scope != "once"]


def _mode(desk: Desk, card: Card) -> Mode:
    mode = draft.load(desk, card.id).get("mode", "")
    return "deny" if card.expired and mode == "edit" else mode


def _answer_button(
    desk: Desk,
    card: Card,
    by: str,
    text: str,
    answer: Approved | Skipped,
    name: str,
    *,
    primary: bool = False,
    help: str | None = None,
    shortcut: str | None = None,
) -> None:
    st.button(
        label(text),
        key=draft.key(card.id, name),
        type="primary" if primary else "secondary",
        help=label(words.with_key(help, shortcut)) if help else None,
        shortcut=shortcut,
        wrap=True,
        on_click=answering.give,
        args=(desk, card, answer, by),
    )


def _mode_button(desk: Desk, card: Card, text: str, mode: Mode, help: str, shortcut: str | None) -> None:
    st.button(
        text,
        key=draft.key(card.id, f"mode-{mode}"),
        help=words.with_key(help, shortcut),
        shortcut=shortcut,
        on_click=draft.put,
        args=(desk, card.id, "mode", mode),
    )


def _back(desk: Desk, card: Card) -> None:
    st.button(
        words.BACK,
        key=draft.key(card.id, "back"),
        type="tertiary",
        on_click=draft.put,
        args=(desk, card.id, "mode", ""),
    )


def _keep_reason(desk: Desk, card: Card) -> None:
    reason = draft.typed(draft.key(card.id, "reason"))
    if reason is not None:
        draft.put(desk, card.id, "reason", reason)


def _deny_now(desk: Desk, card: Card, by: str) -> None:
    reason = draft.typed(draft.key(card.id, "reason")) or ""
    answering.give(desk, card, Denied(reason.strip()), by)


def _approve_edited(desk: Desk, card: Card, by: str, scope: Scope) -> None:
    state = Form(desk, card.id, "edit", card.input_schema or {}, initial=card.input).state()
    if state.problems or st.session_state.get(draft.key(card.id, "seen")) != digest(state.value):
        answering.say(card.id, words.LOOK_FIRST)
        return
    answering.give(desk, card, Approved(scope, state.value), by)
