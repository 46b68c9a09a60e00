"""Starting, opening, and being left open.

- *Cold start*: from starting the `workbench run` process on the samples, without a database, until a message can be
  typed in a browser that was there already.
- *Opening*: from going to a conversation's address until its last message is on the page.
- *Idle tabs*: the processor time of the server process while 20 tabs of a real browser show a conversation each and
  nobody does anything; each tab asks every two seconds.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, sleep

from playwright.sync_api import Browser

from tests.bench.in_browser import (
    NO_BROWSER,
    PATIENCE_MS,
    Served,
    app_server,
    browser,
    new_home,
    seconds_of_cpu,
    serve,
    wait_until_usable,
)
from tests.bench.long_conversation import KINDS, MODEL, turn
from tests.bench.measuring import Shop, Times
from tests.bench.row import Row
from tests.browser.app_server import ROOT

STARTS = 5
OPENINGS = 8
TABS = 20
IDLE_SECONDS = 20.0
MESSAGES = 1000
FEW = 10
LAST = "And this was the last thing said here."


def cold_start(chrome: Browser) -> tuple[float, float, float | None]:
    """Return the seconds until the server answers, until its page can be used, and of processor time by then."""
    with new_home() as home:
        page = chrome.new_page()
        server = app_server(ROOT / "configs", home)
        begun = perf_counter()
        server.start()
        try:
            answers = perf_counter() - begun
            page.goto(server.url)
            wait_until_usable(page)
            usable = perf_counter() - begun
            worked = seconds_of_cpu(server.pid)
        finally:
            page.close()
            server.stop()
    return answers, usable, worked


async def grow(place: Shop, messages: int) -> str:
    """Hold a conversation of so many messages and return its id."""
    conversation_id = place.conversation()
    texts = list(KINDS.values())
    turns = 0
    while place.store.messages.last_seq(conversation_id) < messages - 2:
        await turn(place, conversation_id, texts[turns % 2])
        turns += 1
    await turn(place, conversation_id, LAST)
    return conversation_id


def opening(place: Served, chrome: Browser, conversation_id: str) -> float:
    """Return the seconds until a conversation's last message is on the page."""
    page = chrome.new_page()
    begun = perf_counter()
    page.goto(place.address(conversation_id))
    page.get_by_text(LAST).first.wait_for(timeout=PATIENCE_MS)
    taken = perf_counter() - begun
    page.close()
    return taken


@contextmanager
def tabs(place: Served, chrome: Browser, ids: list[str]) -> Iterator[None]:
    """Keep a tab open on each conversation."""
    context = chrome.new_context()
    for conversation_id in ids:
        page = context.new_page()
        page.goto(place.address(conversation_id))
        page.get_by_text(LAST).first.wait_for(timeout=PATIENCE_MS)
    try:
        yield
    finally:
        context.close()


def idle_share(place: Served) -> float | None:
    """Return the part of one core that the server uses while nothing happens."""
    sleep(3)
    before, begun = seconds_of_cpu(place.server.pid), perf_counter()
    sleep(IDLE_SECONDS)
    after = seconds_of_cpu(place.server.pid)
    return None if before is None or after is None else (after - before) / (perf_counter() - begun)


def run() -> list[Row]:
    """Measure."""
    ids: dict[int, list[str]] = {}

    def talk(place: Shop) -> None:
        ids[MESSAGES] = [asyncio.run(grow(place, MESSAGES))]
        ids[FEW] = [asyncio.run(grow(place, FEW)) for _ in range(TABS)]

    with browser() as chrome:
        if chrome is None:
            return [Row("cold start, opening, idle tabs", "—", note=NO_BROWSER)]
        starts = [cold_start(chrome) for _ in range(STARTS)]
    # The conversations are held before the browser starts: its driver has an event loop of its own here.
    with serve(MODEL, before=talk) as place, browser() as chrome:
        assert chrome is not None
        opening(place, chrome, ids[FEW][0])  # the first page of a server loads what all others share
        few = Times(tuple(opening(place, chrome, ids[FEW][0]) for _ in range(OPENINGS)))
        many = Times(tuple(opening(place, chrome, ids[MESSAGES][0]) for _ in range(OPENINGS)))
        alone = idle_share(place)
        with tabs(place, chrome, ids[FEW]):
            short = idle_share(place)
        with tabs(place, chrome, ids[MESSAGES] * TABS):
            long = idle_share(place)
    answers = Times(tuple(one[0] for one in starts))
    usable = Times(tuple(one[1] for one in starts))
    known = tuple(one[2] for one in starts if one[2] is not None)
    worked = Times(known) if known else None
    return [
        Row(
            "cold start to a usable page",
            f"{usable.middle:.2f} s",
            note=f"median of {STARTS}, fastest {usable.least:.2f} s; the server answers after {answers.middle:.2f} s"
            + (f"; {worked.middle:.2f} s of processor time of the server" if worked else ""),
        ),
        Row(
            "opening a conversation of 1,000 messages",
            f"{many.middle:.2f} s",
            note=f"median of {OPENINGS}, fastest {many.least:.2f} s; one of {FEW} messages takes {few.middle:.2f} s",
        ),
        Row(
            f"server CPU of {TABS} idle tabs",
            share(short),
            note=f"of one core, over {IDLE_SECONDS:.0f} s, conversations of {FEW} messages; "
            f"{share(long)} when all show one of 1,000 messages; {share(alone)} without any tab",
        ),
    ]


def share(part: float | None) -> str:
    """Return a part of a core in words."""
    return "not known here" if part is None else f"{part * 100:.1f} %"
