"""A card that asks which data an agent may use: the list, with what choosing each tells the agent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from workbench.policy import Answered
from workbench.runs.views import Card
from workbench.ui import answering, draft, words
from workbench.ui.desk import Desk
from workbench.ui.submit import render_submit
from workbench.ui.text import label, visible

TOOL: Final = "request_datasources"
_MOST_IN_SIGHT: Final = 12
"""More than these and the list is one to search in."""


@dataclass(frozen=True)
class Source:
    """One data source of a card."""

    name: str
    title: str
    about: str
    reads: str


@dataclass(frozen=True)
class Reply:
    """What is chosen so far."""

    picked: tuple[str, ...]
    none_fits: bool
    remark: str

    @property
    def complete(self) -> bool:
        """Whether this is an answer."""
        return bool(self.picked) or self.none_fits


def sources_of(card: Card) -> tuple[Source, ...]:
    """The data sources of a card; none when it asks for something else."""
    listed = card.input.get("sources")
    if card.kind != "question" or card.tool != TOOL or not isinstance(listed, list):
        return ()
    return tuple(_source(one) for one in listed if isinstance(one, Mapping))


def render_datasources(desk: Desk, card: Card, *, by: str, shortcuts: bool) -> None:
    """Draws the list as choices, a word of one's own, Submit and Skip."""
    sources, several = sources_of(card), card.input.get("multiple") is True
    reply = _reply(desk, card)
    st.text(visible(card.input.get("reason") or words.WHICH_DATA))
    if len(sources) > _MOST_IN_SIGHT:
        _search(desk, card, sources, reply, several)
    elif several:
        _many(desk, card, sources, reply)
    else:
        _single(desk, card, sources, reply)
    field = draft.key(card.id, "remark")
    draft.fill(field, reply.remark)
    st.text_input(
        words.REMARK,
        key=field,
        autocomplete="off",
        live="400ms",
        on_change=_remarked,
        args=(desk, card, field),
    )
    missing = "" if reply.complete else words.CHOOSE_FIRST
    render_submit(desk, card, by=by, shortcuts=shortcuts, missing=missing, on_submit=_submit)


def _single(desk: Desk, card: Card, sources: tuple[Source, ...], reply: Reply) -> None:
    field = draft.key(card.id, "source")
    count = len(sources)
    places = {source.name: place for place, source in enumerate(sources)}
    chosen = places.get(reply.picked[0]) if reply.picked else None
    draft.fill(field, count if reply.none_fits else chosen)
    with st.container(key=f"wb-choices-{card.id}-sources"):
        st.radio(
            words.WHICH_DATA,
            range(count + 1),
            index=None,
            format_func=lambda place: words.NONE_FITS if place == count else label(sources[place].title),
            captions=[*(label(_small(source)) for source in sources), words.NONE_FITS_HELP],
            key=field,
            label_visibility="collapsed",
            width="stretch",
            on_change=_picked,
            args=(desk, card, field, sources),
        )


def _many(desk: Desk, card: Card, sources: tuple[Source, ...], reply: Reply) -> None:
    with st.container(key=f"wb-choices-{card.id}-sources", gap="xsmall"):
        st.caption(words.SEVERAL)
        for place, source in enumerate(sources):
            ticked = source.name in reply.picked
            _box(desk, card, f"source-{place}", source.title, _small(source), ticked, source.name)
        _box(desk, card, "source-none", words.NONE_FITS, words.NONE_FITS_HELP, reply.none_fits, None)


def _box(desk: Desk, card: Card, name: str, title: str, small: str, ticked: bool, source: str | None) -> None:
    field = draft.key(card.id, name)
    # Ticking one box can untick another, so the draft and not the widget says what is ticked.
    st.session_state[field] = ticked
    with st.container(key=f"wb-option-{card.id}-{name}", gap=None):
        st.checkbox(
            label(title), key=field, width="stretch", on_change=_ticked, args=(desk, card, field, source)
        )
        st.caption(label(small))


def _search(desk: Desk, card: Card, sources: tuple[Source, ...], reply: Reply, several: bool) -> None:
    field = draft.key(card.id, "sources")
    titles = {source.name: source.title for source in sources}
    known = [name for name in reply.picked if name in titles]
    with st.container(gap="xsmall"):
        if several:
            draft.fill(field, known)
            st.multiselect(
                words.WHICH_DATA,
                list(titles),
                format_func=lambda name: label(titles[name]),
                key=field,
                disabled=reply.none_fits,
                placeholder=words.CHOOSE_DATA,
                on_change=_found,
                args=(desk, card, field),
            )
        else:
            draft.fill(field, known[0] if known else None)
            st.selectbox(
                words.WHICH_DATA,
                list(titles),
                index=None,
                format_func=lambda name: label(titles[name]),
                key=field,
                disabled=reply.none_fits,
                placeholder=words.CHOOSE_DATA,
                on_change=_found,
                args=(desk, card, field),
            )
        for source in sources:
            if source.name in reply.picked:
                st.caption(label(f"{source.title}: {_small(source)}"))
        none = draft.key(card.id, "source-none")
        draft.fill(none, reply.none_fits)
        st.checkbox(
            words.NONE_FITS,
            key=none,
            help=words.NONE_FITS_HELP,
            on_change=_ticked,
            args=(desk, card, none, None),
        )


def _small(source: Source) -> str:
    return " · ".join(part for part in (source.about, words.reads(source.reads)) if part)


def _reply(desk: Desk, card: Card) -> Reply:
    kept = draft.load(desk, card.id).get("data", {})
    known = {source.name for source in sources_of(card)}
    picked = tuple(name for name in kept.get("picked", ()) if name in known)
    return Reply(picked, bool(kept.get("none_fits")), kept.get("remark", ""))


def _keep(desk: Desk, card: Card, **changed: Any) -> None:
    draft.put(desk, card.id, "data", {**draft.load(desk, card.id).get("data", {}), **changed})


def _picked(desk: Desk, card: Card, field: str, sources: tuple[Source, ...]) -> None:
    place = draft.typed(field)
    if place is not None:
        none_fits = place == len(sources)
        _keep(desk, card, picked=[] if none_fits else [sources[place].name], none_fits=none_fits)


def _ticked(desk: Desk, card: Card, field: str, source: str | None) -> None:
    ticked = draft.typed(field)
    if ticked is None:
        return
    if source is None:
        _keep(desk, card, picked=[], none_fits=ticked)
        st.session_state.pop(draft.key(card.id, "sources"), None)
        return
    before = set(_reply(desk, card).picked)
    now = before | {source} if ticked else before - {source}
    _keep(desk, card, picked=[one.name for one in sources_of(card) if one.name in now], none_fits=False)


def _found(desk: Desk, card: Card, field: str) -> None:
    chosen = draft.typed(field)
    picked = chosen if isinstance(chosen, list) else [chosen] if chosen is not None else []
    _keep(desk, card, picked=picked)


def _remarked(desk: Desk, card: Card, field: str) -> None:
    text = draft.typed(field)
    if text is not None:
        _keep(desk, card, remark=text)


def _submit(desk: Desk, card: Card, by: str) -> None:
    reply = _reply(desk, card)
    if not reply.complete:
        answering.say(card.id, words.CHOOSE_FIRST)
        return
    answer = {"chosen": list(reply.picked), "remark": reply.remark.strip() or None}
    answering.give(desk, card, Answered(answer), by)


def _source(given: Mapping[str, Any]) -> Source:
    return Source(
        name=str(given.get("name", "")),
        title=str(given.get("title") or given.get("name", "")),
        about=words.about_data(str(given.get("description") or ""), str(given.get("kind") or "")),
        reads=str(given.get("model_reads", "")),
    )
