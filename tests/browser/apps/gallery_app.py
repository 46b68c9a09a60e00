"""Every state of the pieces on a page of its own, to look at and to test: `?show=several`.

A desk lives as long as the process, so that a refresh or a second tab finds what was decided and half-typed;
`&desk=NAME` gives a test one of its own.
"""

import json
from collections.abc import Callable

import streamlit as st

from tests.ui import samples
from tests.ui.fake_desk import FakeDesk
from workbench.policy import Answer, Approved, answer_to_dict
from workbench.runs.views import Card
from workbench.ui.answering import GOTO
from workbench.ui.card import render_cards
from workbench.ui.sidebar import (
    conversation_menu,
    render_acting_as,
    render_conversations,
    render_new,
    render_waiting,
)
from workbench.ui.styles import apply_styles
from workbench.ui.transcript import newest, render_run

CARDS: dict[str, Callable[[], list[Card]]] = {
    "approval": lambda: [samples.approval()],
    "nested": lambda: [samples.create_return()],
    "several": lambda: [
        samples.approval(position=(1, 3)),
        samples.deletion(position=(2, 3)),
        samples.create_return(position=(3, 3)),
    ],
    "question": lambda: [samples.question()],
    "questions": lambda: [samples.question(questions=samples.SEVERAL_QUESTIONS)],
    "data": lambda: [samples.data()],
    "data_several": lambda: [samples.data(asked={"multiple": True, "reason": None})],
    "data_many": lambda: [
        samples.data(
            asked={
                "multiple": True,
                "sources": [
                    {**samples.SOURCES[0], "name": f"s{at}", "title": f"Sales of shop {at}"}
                    for at in range(40)
                ],
            }
        )
    ],
    "files": lambda: [samples.files()],
    "files_given": lambda: [samples.files(given=samples.GIVEN)],
    "file_one": lambda: [
        samples.files(asked={"multiple": False, "endings": [".csv", ".txt"], "reason": None})
    ],
    "declared": lambda: [samples.slot()],
    "interrupt": lambda: [samples.interrupt()],
    "free": lambda: [samples.interrupt(response_schema=None)],
    "tool_approval": lambda: [
        samples.approval(
            kind="tool_approval", message="Summit is outside your usual stores.", because_sentence=""
        )
    ],
    "doubt": lambda: [samples.doubt()],
    "expired": lambda: [samples.expired()],
    "changed": lambda: [samples.changed_config()],
    "secrets": lambda: [samples.secrets()],
    "hostile": lambda: [samples.hostile()],
    "huge": lambda: [samples.huge()],
    "decided": lambda: [
        samples.decided(),
        samples.decided(
            "approved", "edited", edited=True, executed_input={"store": "summit", "sku": "A1", "price": 9}
        ),
        samples.decided("denied", "denied", reason="Not before Friday.", note="Declined: Not before Friday."),
        samples.decided("skipped", "skipped", note="Skipped: the person did not decide."),
        samples.decided("approved", "unrun", not_run=True, scope="thread"),
        samples.answered_card(),
    ],
}


def said(answer: Answer) -> str:
    """An answer as a test reads it."""
    match answer:
        case Approved(scope=scope, tool_input=None):
            return f"approved {scope}"
        case Approved(scope=scope, tool_input=edited):
            return f"approved {scope} as {json.dumps(edited)}"
        case _:
            return json.dumps(answer_to_dict(answer))


st.set_page_config(page_title="Gallery", layout="wide")
apply_styles()
show = st.query_params.get("show", "approval")


@st.cache_resource
def desk_of(show: str, name: str) -> FakeDesk:
    """The desk of a state."""
    return FakeDesk(*CARDS[show]()) if show in CARDS else FakeDesk()


desk = desk_of(show, st.query_params.get("desk", ""))

with st.sidebar:
    render_new([("merchant.yaml", "Merchant"), ("analyst.yaml", "Analyst")])
    render_waiting(samples.waiting(), current="c0")
    rows = samples.conversations()
    render_conversations(
        lambda typed: [row for row in rows if typed.lower() in row.title.lower()], current="c0"
    )
    by = render_acting_as(["tester", "ann"])
conversation_menu("Raise the price of A1", key="c0", on_rename=lambda title: None, on_delete=lambda: None)


@st.fragment(run_every=1)
def live() -> None:
    """Draw the cards, again and again."""
    render_cards(desk, desk.all(), by=by)
    with st.container(key="answers"):
        for request_id, answer, name in desk.answers:
            st.text(f"{request_id}: {said(answer)} by {name}")


if show == "transcript":
    views = samples.runs()
    for view in newest(views, conversation_id="c0"):
        render_run(
            view,
            titles={"merchant": "Merchant"},
            can_retry=view.number == 2,
            whole=lambda key: "result line\n" * 20_000,
        )
elif show == "long":
    many = [samples.run(at, samples.text(f"Answer {at}."), samples.call(f"k{at}")) for at in range(1, 501)]
    for view in newest(many, conversation_id="c0"):
        render_run(view)
else:
    live()
if GOTO in st.session_state:
    st.caption(f"goto {st.session_state[GOTO]}")
st.container(key="drawn").empty()
