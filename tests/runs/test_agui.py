"""Every event of the log is what AG-UI's own type of it would write."""

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from ag_ui.core import Event, Interrupt
from pydantic import TypeAdapter

from workbench.agents.ports import Place
from workbench.runs import agui

TYPES: TypeAdapter[Any] = TypeAdapter(Event)
ENTRY = Place("c1", ("merchant",))
SEAT = Place("c1", ("team", "analyst"), "s1")
BELOW = Place("c1", ("team", "analyst", "checker"), "s2", ("s1",))
SPENT = {"input_tokens": 3, "output_tokens": 4}
ASKED = Interrupt(
    id="r1", reason="kaboo:approval", tool_call_id="t1", message="May I?", metadata={"type": "approval"}
)


def events() -> Iterator[agui.Event]:
    for text in ("hello", "", None):
        yield agui.run_started("c1", "r1", text=text, turn_id="r0", metadata={"agent": "merchant", "by": ""})
    for usage in (None, SPENT):
        yield agui.run_finished("c1", "r1", usage=usage)
        yield agui.run_finished("c1", "r1", pending=["t1", "t2"], usage=usage)
        yield agui.run_finished("c1", "r1", interrupts=[ASKED], usage=usage)
        yield agui.run_finished("c1", "r1", cancelled=True, usage=usage)
        yield agui.run_error("model_failed", "It failed.", usage=usage)
    for place in (ENTRY, SEAT, BELOW):
        yield agui.text_start(place, "m1")
        yield agui.text_delta(place, "m1", "a piece")
        yield agui.text_end(place, "m1")
        yield agui.text_end(place, "m1", cut=True)
        yield agui.reasoning_start(place, "m1")
        yield agui.reasoning_delta(place, "m1", "a piece")
        yield agui.reasoning_end(place, "m1")
        yield agui.call_start(place, "t1", "set_price")
        yield agui.call_args(place, "t1", '{"sku":')
        yield agui.call_end(place, "t1")
        yield agui.step_started(place, "first")
        yield agui.step_finished(place, "first")
        yield agui.call_result(place.seat, "m1", "t1", "12", {"status": "success", "executedInput": None})
        yield agui.call_result(place.seat, "m1", "t1", "", {})
    for parent, place in ((ENTRY, SEAT), (SEAT, BELOW)):
        for description in ("Knows sales.", ""):
            yield agui.subagent_started(place, "analyst", description, parent=parent, tool_call_id="t1")
        for waiting in (None, [], ["r1"]):
            yield agui.subagent_finished(place, waiting=waiting)
        yield agui.subagent_error(place, "It failed.")
    yield agui.custom(agui.CALL, {"key": "k", "verdict": {"line": None}})


@pytest.mark.parametrize("event", list(events()), ids=lambda event: event["type"])
def test_an_event_is_what_its_type_would_write(event: agui.Event) -> None:
    typed = TYPES.validate_python(event)
    assert typed.model_extra in (None, {})
    assert typed.model_dump(mode="json", by_alias=True) == event


def test_no_kind_of_event_is_left_out_here() -> None:
    made = {
        name for name, value in vars(agui).items() if inspect.isfunction(value) and not name.startswith("_")
    }
    source = inspect.getsource(events)
    assert {name for name in made if f"agui.{name}(" not in source} == set()
