"""A tool's own request for approval, read off its result."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
import strands
from hypothesis import given
from hypothesis import strategies as st

from workbench.agents.approval_reply import (
    LONGEST_ID,
    LONGEST_LABEL,
    LONGEST_MESSAGE,
    LONGEST_TEXT,
    ApprovalReply,
    after_approval,
    read_reply,
)
from workbench.agents.results import well_formed
from workbench.policy import SCOPES, Subject

TOOL = "run_mutation"
BODY = {
    "request": "apr_7Qm2",
    "subject": {"key": "store:summit/catalog", "label": "catalog changes in Summit Outfitters"},
    "scopes": ["once", "thread"],
    "message": "Update the price of 3 variants",
}
READ = ApprovalReply(
    request="apr_7Qm2",
    subject=Subject("store:summit/catalog", "catalog changes in Summit Outfitters"),
    scopes=("once", "thread"),
    message="Update the price of 3 variants",
)

Shape = Callable[[Any], dict[str, Any]]


def result(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"toolUseId": "t1", "status": "success", "content": list(content), **more}


SHAPES: dict[str, Shape] = {
    "structured content": lambda reply: result({"text": "…"}, structuredContent=reply, isError=False),
    "structured content, and the same as text": lambda reply: result(
        {"text": json.dumps(reply, indent=2)}, structuredContent=reply
    ),
    "a string that a server wrapped": lambda reply: result(
        {"text": json.dumps(reply)}, structuredContent={"result": json.dumps(reply)}
    ),
    "an object that a server wrapped": lambda reply: result(structuredContent={"result": reply}),
    "a json block": lambda reply: result({"json": reply}),
    "a json block after a text": lambda reply: result({"text": "Needs approval"}, {"json": reply}),
    "JSON text": lambda reply: result({"text": json.dumps(reply, ensure_ascii=False)}),
    "JSON text with space around": lambda reply: result({"text": f"\n {json.dumps(reply)}\n"}),
    "JSON text beside an image": lambda reply: result({"image": {}}, {"text": json.dumps(reply)}),
    "a wrapped string as JSON text": lambda reply: result(
        {"text": json.dumps({"result": json.dumps(reply)})}
    ),
    "a wrapped string in a json block": lambda reply: result({"json": {"result": json.dumps(reply)}}),
}
shapes = st.sampled_from(sorted(SHAPES)).map(SHAPES.__getitem__)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
ids = st.text(min_size=1, max_size=LONGEST_ID).filter(str.strip)


def reply(**body: Any) -> ApprovalReply | None:
    return read_reply(result({"json": {"kaboo_approval": {"request": "apr_1", **body}}}), TOOL)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_reply_is_read_in_every_shape(shape: str) -> None:
    assert read_reply(SHAPES[shape]({"kaboo_approval": BODY}), TOOL) == READ


@given(shapes, ids, st.lists(st.sampled_from(SCOPES)))
def test_every_id_is_read_exactly_as_it_is_in_every_shape(
    shape: Shape, request: str, scopes: list[str]
) -> None:
    found = read_reply(shape({"kaboo_approval": {"request": request, "scopes": scopes}}), TOOL)
    assert found is not None
    assert found.request == request
    assert found.scopes == tuple(scope for scope in SCOPES if scope == "once" or scope in scopes)


@given(shapes)
def test_reading_a_well_formed_result_changes_nothing(shape: Shape) -> None:
    raw = shape({"kaboo_approval": BODY})
    assert read_reply(well_formed(raw, "t1"), TOOL) == read_reply(raw, TOOL) == READ


@given(shapes)
def test_an_error_result_never_holds_a_reply(shape: Shape) -> None:
    made = shape({"kaboo_approval": BODY})
    assert read_reply({**made, "status": "error"}, TOOL) is None
    assert read_reply({**made, "isError": True}, TOOL) is None


@pytest.mark.parametrize("returned", [{"kaboo_approval": BODY}, json.dumps({"kaboo_approval": BODY})])
def test_what_a_strands_tool_returns_plainly_is_read(returned: Any) -> None:
    @strands.tool
    def run_mutation() -> Any:
        """Change something."""
        return returned

    async def last() -> Any:
        return [
            event async for event in run_mutation.stream({"toolUseId": "t1", "name": TOOL, "input": {}}, {})
        ][-1]

    assert read_reply(asyncio.run(last()).tool_result, TOOL) == READ


def test_only_the_request_is_needed_and_the_subject_is_the_tool_then() -> None:
    assert reply() == ApprovalReply("apr_1", Subject(TOOL, TOOL), ("once",))


@given(
    st.lists(json_values | st.sampled_from(SCOPES), max_size=6) | json_values,
)
def test_once_is_always_offered_and_an_unknown_scope_never(scopes: Any) -> None:
    found = reply(scopes=scopes)
    assert found is not None
    assert found.scopes[0] == "once"
    assert set(found.scopes) <= set(SCOPES)
    listed = scopes if isinstance(scopes, list) else []
    assert all(scope in listed for scope in found.scopes[1:])


@pytest.mark.parametrize(
    "subject",
    [
        5,
        True,
        [],
        {},
        {"label": "prices"},
        {"key": ""},
        {"key": " "},
        {"key": 5},
        {"key": "k" * (LONGEST_ID + 1)},
    ]
    + [{"key": "store:summit", "label": 5}],
)
def test_a_broken_subject_is_the_whole_tool_for_once_at_most(subject: Any) -> None:
    found = reply(subject=subject, scopes=["always"])
    assert found is not None
    assert (found.subject, found.scopes) == (Subject(TOOL, TOOL), ("once",))
    assert found.warnings


def test_a_subject_without_a_label_is_called_by_its_key() -> None:
    for subject in ("store:summit", {"key": "store:summit"}, {"key": "store:summit", "label": "  "}):
        found = reply(subject=subject)
        assert found is not None
        assert (found.subject, found.warnings) == (Subject("store:summit", "store:summit"), ())


@given(st.datetimes(min_value=datetime(1900, 1, 1)), st.integers(-14, 14))
def test_a_deadline_is_the_same_moment_in_utc(moment: datetime, hours: int) -> None:
    given_time = moment.replace(tzinfo=timezone(timedelta(hours=hours)))
    found = reply(expiresAt=given_time.isoformat())
    assert found is not None and found.expires_at is not None
    assert (found.expires_at, found.expires_at.tzinfo) == (given_time, UTC)


def test_a_deadline_without_a_zone_is_in_utc() -> None:
    for text in ("2026-03-14T12:00:00", "2026-03-14T12:00:00Z"):
        found = reply(expiresAt=text)
        assert found is not None
        assert found.expires_at == datetime(2026, 3, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "deadline", ["soon", "", 1773489600, True, [], "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"]
)
def test_a_deadline_that_cannot_be_read_is_none_and_is_said(deadline: Any) -> None:
    found = reply(expiresAt=deadline)
    assert found is not None
    assert found.expires_at is None
    assert found.warnings


@pytest.mark.parametrize("message", [None, 5, ["Update"], {"text": "Update"}])
def test_a_message_that_is_no_text_is_left_out(message: Any) -> None:
    found = reply(message=message)
    assert found is not None
    assert found.message == ""


def test_long_labels_and_messages_are_cut() -> None:
    found = reply(subject={"key": "k", "label": "l" * 10_000}, message="m" * 90_000)
    assert found is not None
    assert len(found.subject.label) == LONGEST_LABEL
    assert len(found.message) == LONGEST_MESSAGE


@pytest.mark.parametrize(
    "request_id", [None, "", "  ", 5, True, ["apr_1"], {"id": "apr_1"}, "a" * (LONGEST_ID + 1), "a\ud800"]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_without_a_usable_request_it_is_no_reply(shape: str, request_id: Any) -> None:
    assert read_reply(SHAPES[shape]({"kaboo_approval": {**BODY, "request": request_id}}), TOOL) is None
    assert read_reply(SHAPES[shape]({"kaboo_approval": {"subject": BODY["subject"]}}), TOOL) is None


@pytest.mark.parametrize(
    "value",
    [
        None,
        "apr_1",
        [BODY],
        json.dumps(BODY),
        {"kaboo_approval": {"kaboo_approval": BODY}},
    ],
)
def test_what_is_no_object_with_a_request_is_no_reply(value: Any) -> None:
    assert read_reply(result({"json": {"kaboo_approval": value}}), TOOL) is None


@pytest.mark.parametrize(
    "nested",
    [
        {"result": {"result": {"kaboo_approval": BODY}}},
        {"result": json.dumps({"result": json.dumps({"kaboo_approval": BODY})})},
        {"result": json.dumps(json.dumps({"kaboo_approval": BODY}))},
        {"result": {"kaboo_approval": BODY}, "count": 1},
        {"result": [{"kaboo_approval": BODY}]},
        {"data": {"kaboo_approval": BODY}},
        [{"kaboo_approval": BODY}],
        json.dumps(json.dumps({"kaboo_approval": BODY})),
    ],
)
def test_a_reply_deeper_inside_is_no_reply(nested: Any) -> None:
    assert read_reply(result(structuredContent=nested), TOOL) is None
    assert read_reply(result({"json": nested}), TOOL) is None
    assert read_reply(result({"text": json.dumps(nested)}), TOOL) is None


def test_a_text_among_several_is_no_reply() -> None:
    quoted = {"text": json.dumps({"kaboo_approval": BODY})}
    assert read_reply(result({"text": "The first page found:"}, quoted), TOOL) is None
    assert read_reply(result(quoted, quoted), TOOL) is None


def test_a_reply_inside_other_text_is_no_reply() -> None:
    text = json.dumps({"kaboo_approval": BODY})
    for around in (f"It said: {text}", f"{text} and more", f"```json\n{text}\n```"):
        assert read_reply(result({"text": around}), TOOL) is None


def test_huge_and_bottomless_texts_are_no_reply() -> None:
    padded = json.dumps({"kaboo_approval": BODY, "padding": "x" * LONGEST_TEXT})
    assert read_reply(result({"text": padded}), TOOL) is None
    assert read_reply(result({"text": '{"a":' * 20_000}), TOOL) is None
    assert read_reply(result({"text": '{"a":' + "9" * 50_000 + "}"}), TOOL) is None


@given(
    st.dictionaries(
        st.sampled_from(["status", "content", "structuredContent", "isError", "toolUseId"]),
        json_values
        | st.lists(
            st.dictionaries(st.sampled_from(["text", "json", "image"]), json_values, max_size=2), max_size=3
        ),
    )
)
def test_no_result_of_any_kind_makes_reading_fail(anything: dict[str, Any]) -> None:
    assert read_reply(anything, TOOL) is None


@given(
    shapes,
    st.dictionaries(
        st.sampled_from(["request", "subject", "scopes", "message", "expiresAt", "more"]), json_values | ids
    ),
)
def test_a_reply_made_of_anything_is_none_or_whole(shape: Shape, body: dict[str, Any]) -> None:
    found = read_reply(shape({"kaboo_approval": body}), TOOL)
    if found is not None:
        assert found.request == body["request"]
        assert found.subject.key.strip() and found.subject.label.strip()
        assert found.scopes[0] == "once"
        assert found.expires_at is None or found.expires_at.tzinfo is UTC


@given(shapes)
def test_a_tool_that_asks_again_after_the_approval_still_needs_it(shape: Shape) -> None:
    assert after_approval(shape({"kaboo_approval": BODY}), TOOL) == {
        "toolUseId": "t1",
        "status": "error",
        "content": [{"text": "Still needs approval"}],
    }


@given(st.text(), st.sampled_from(["success", "error"]))
def test_any_other_result_after_the_approval_is_read_as_it_is(text: str, status: str) -> None:
    made = {**result({"text": text}), "status": status}
    assert after_approval(made, TOOL) is made
