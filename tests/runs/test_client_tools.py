"""Questions of the workbench's client tools, from the call to what the model reads, here and in another process."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from tests.runs.arrangements import team, worker
from tests.runs.harness import Bench, shop
from workbench.agents.files import LARGEST_FILE, MOST_FILES
from workbench.policy import AnswerRefused
from workbench.policy.answer import Answered, Skipped
from workbench.runs.errors import FileRefused
from workbench.runs.views import CallItem, Card

MakeBench = Callable[..., Bench]

SOURCES = """\
datasources:
  orders: {title: Orders, kind: table, model_reads: "shop.db, table orders"}
  returns: {title: Returns, kind: table, model_reads: "shop.db, table returns"}
"""
SLOT = """\
name: pick_slot
title: Delivery slot
description: Let the person choose a slot.
parameters: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
answer:
  type: object
  properties:
    day: {type: string, format: date}
    part: {enum: [morning, afternoon]}
  required: [day, part]
"""
BESIDE = {"datasources.yaml": SOURCES, "client_tools/slot.yaml": SLOT}
TOOLS = ["ask_user", "request_datasources", "request_files", "pick_slot"]

PICK_DATA = {"tool": "request_datasources", "input": {"reason": "To count."}}
GIVE_FILES = {"tool": "request_files", "input": {"reason": "Your notes."}}
PICK_SLOT = {"tool": "pick_slot", "input": {"order_id": "1001"}}
MONDAY = Answered({"day": "2026-03-30", "part": "morning"})


def made(bench: MakeBench, *steps: Any, **more: Any) -> Bench:
    apart = more.pop("apart", False)
    files = {**BESIDE, **more.pop("files", {})}
    return bench(shop(list(steps), client_tools=TOOLS, **more), files=files, apart=apart)


def kept(b: Bench) -> set[str]:
    """The names in the folder of files."""
    folder = b.database.with_name(f"{b.database.name}.files")
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def with_files(card: Card) -> Answered:
    """The answer that gives everything on the card."""
    return Answered({"files": [{"id": file.id} for file in card.files]})


WAYS: list[Any] = [
    pytest.param(
        PICK_DATA,
        Answered({"chosen": ["orders"]}),
        "The person chose this data source:\n- orders (table): Orders\n  Read it here: shop.db, table orders",
        id="data",
    ),
    pytest.param(
        PICK_DATA,
        Answered({"chosen": []}),
        "The person says that none of the data offered fits. It was: Orders, Returns.",
        id="none of the data",
    ),
    pytest.param(PICK_SLOT, MONDAY, '{"day": "2026-03-30", "part": "morning"}', id="declared"),
    pytest.param(PICK_SLOT, Skipped("later"), "Skipped: later", id="skipped"),
    pytest.param(
        {"tool": "ask_user", "input": {"question": "Which?", "options": ["a", "b"]}},
        Answered({"answers": [{"question": "Which?", "selected": ["b"], "other": None}]}),
        "Question: Which?\nThe person's answer: b",
        id="ask_user",
    ),
]


def change(b: Bench, name: str, text: str | None) -> None:
    """Change a file beside the config, or take it away."""
    path = b.folder / name
    if text is None:
        path.unlink()
    else:
        path.write_text(text)


@pytest.mark.parametrize("apart", [False, True], ids=["here", "in another process"])
@pytest.mark.parametrize("fate", ["stays", "changes", "is broken", "is gone"])
@pytest.mark.parametrize(("step", "answer", "read"), WAYS)
def test_a_question_is_answered_by_what_it_asked_whatever_became_of_its_file(
    bench: MakeBench, step: Any, answer: Any, read: str, fate: str, apart: bool
) -> None:
    b = made(bench, step, apart=apart)
    assert b.say() == "waiting"
    before = b.card()
    texts: dict[str, tuple[str | None, str | None]] = {
        "stays": (SOURCES, SLOT),
        "changes": (
            "datasources: {other: {title: Other, model_reads: other}}",
            SLOT.replace("day", "night").replace("order_id", "parcel"),
        ),
        "is broken": ("datasources: [", "name: pick_slot\n"),
        "is gone": (None, None),
    }
    change(b, "datasources.yaml", texts[fate][0])
    change(b, "client_tools/slot.yaml", texts[fate][1])
    if apart:
        b.restart()
    card = b.card()
    assert (card.input, card.tool_title, card.response_schema) == (
        before.input,
        before.tool_title,
        before.response_schema,
    )
    b.answer(answer, by="Bo")
    assert b.page.status == "idle"
    assert b.results() == [read]
    decided = b.engine.card(card.id)
    assert decided.answer_text == ("" if isinstance(answer, Skipped) else read)


def test_a_question_of_a_release_that_kept_only_the_call_is_answered_too(bench: MakeBench) -> None:
    step = {"tool": "ask_user", "input": {"question": "Which?", "options": ["a", "b"]}}
    b = made(bench, step, apart=True)
    b.say()
    with sqlite3.connect(b.database) as database:
        database.execute("UPDATE requests SET metadata = json_remove(metadata, '$.asked', '$.title')")
    database.close()
    b.restart()
    card = b.card()
    assert card.input["questions"][0]["options"][1] == {"label": "b", "description": None}
    b.answer(Answered({"answers": [{"selected": ["b"]}]}))
    assert b.results() == ["Question: Which?\nThe person's answer: b"]


def test_a_card_shows_what_is_asked_and_not_how_the_model_wrote_it(bench: MakeBench) -> None:
    b = made(bench, {"tools": [PICK_DATA, PICK_SLOT, GIVE_FILES]})
    b.say()
    data, slot, files = b.card("request_datasources"), b.card("pick_slot"), b.card("request_files")
    assert [source["title"] for source in data.input["sources"]] == ["Orders", "Returns"]
    assert (slot.tool_title, slot.input) == ("Delivery slot", {"order_id": "1001"})
    assert slot.response_schema is not None and slot.response_schema["required"] == ["day", "part"]
    assert files.input == {"reason": "Your notes.", "multiple": True, "endings": []}
    assert {card.because_sentence for card in (data, slot, files)} == {"merchant asked you."}


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (
            {"tool": "pick_slot", "input": {"order": "1001"}},
            "pick_slot was not shown to the person: `order_id` is required. Correct the arguments and call it again.",
        ),
        (
            {"tool": "request_datasources", "input": {"names": ["ordres"]}},
            "Nothing was shown to the person: no data source has the name 'ordres'; did you mean 'orders'? "
            "Correct it and ask again.",
        ),
        (
            {"tool": "request_files", "input": {"endings": "csv"}},
            "Nothing was shown to the person: `endings` must be a list. Correct it and ask again.",
        ),
    ],
)
def test_a_call_that_breaks_its_schema_goes_back_and_can_be_corrected(
    bench: MakeBench, step: Any, problem: str
) -> None:
    b = made(bench, step, PICK_SLOT)
    assert b.say() == "waiting"
    assert b.results() == [problem]
    assert b.card().tool == "pick_slot"
    b.answer(MONDAY)
    assert b.results() == [problem, '{"day": "2026-03-30", "part": "morning"}']


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ({"day": "Monday", "part": "morning"}, {"day": "must be a date such as 2026-03-14"}),
        ({"day": "2026-03-30"}, {"part": "is required"}),
        ({"day": "2026-03-30", "part": "night"}, {"part": "must be one of morning, afternoon"}),
        (None, {"": "must be an object"}),
    ],
)
def test_an_answer_that_breaks_its_schema_is_refused_beside_its_field(
    bench: MakeBench, value: Any, fields: dict[str, str]
) -> None:
    b = made(bench, PICK_SLOT)
    b.say()
    with pytest.raises(AnswerRefused) as refused:
        b.answer(Answered(value))
    assert refused.value.fields == fields
    assert b.card().status == "open"
    b.answer(MONDAY)
    assert b.page.status == "idle"


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_a_tool_that_takes_any_answer_takes_those_that_look_like_none(bench: MakeBench, value: Any) -> None:
    b = made(
        bench, PICK_SLOT, files={"client_tools/slot.yaml": SLOT.partition("answer:")[0] + "answer: {}\n"}
    )
    b.say()
    assert b.card().response_schema is None
    b.answer(Answered(value))
    assert b.page.status == "idle"
    assert b.engine.store.requests.of_conversation(b.id)[0].answer == {"kind": "answered", "value": value}


def test_an_agent_has_only_the_client_tools_that_it_names(bench: MakeBench) -> None:
    b = bench(shop([PICK_SLOT], client_tools=["ask_user"]), files=BESIDE)
    assert b.say() == "idle"
    assert "Unknown tool: pick_slot" in b.results()[0]


# -- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("apart", [False, True], ids=["here", "in another process"])
def test_the_model_reads_the_files_that_were_given(bench: MakeBench, apart: bool) -> None:
    b = made(bench, GIVE_FILES, apart=apart)
    b.say()
    asked = b.card()
    b.engine.add_file(asked.id, "notes.txt", "Größe: 3\n".encode("utf-16"))
    b.engine.add_file(asked.id, "photo.png", b"\x89PNG\x00")
    b.engine.add_file(asked.id, "empty.csv", b"")
    if apart:
        b.restart()
    card = b.card()
    assert [(file.name, file.type, file.size, file.is_text) for file in card.files] == [
        ("notes.txt", "text/plain", 20, True),
        ("photo.png", "image/png", 5, False),
        ("empty.csv", "text/csv", 0, True),
    ]
    b.answer(with_files(card))
    (read,) = b.results()
    assert "File 1: notes.txt\nType: text/plain\nSize: 20 bytes\nText (UTF-16):\n" in read
    assert "----- begin notes.txt -----\nGröße: 3\n\n----- end notes.txt -----" in read
    assert "File 2: photo.png\nType: image/png\nSize: 5 bytes\nIt is not text" in read
    assert "File 3: empty.csv\nType: text/csv\nSize: 0 bytes\nThe file is empty." in read
    decided = b.engine.card(card.id)
    assert decided.answer_text == (
        "The person gave 3 files: notes.txt (text/plain, 20 bytes); photo.png (image/png, 5 bytes); "
        "empty.csv (text/csv, 0 bytes)"
    )
    assert [file.name for file in decided.files] == ["notes.txt", "photo.png", "empty.csv"]


def test_the_same_answer_again_changes_nothing_and_another_is_refused(bench: MakeBench) -> None:
    b = made(bench, GIVE_FILES)
    b.say()
    b.engine.add_file(b.card().id, "a.txt", b"a")
    card = b.card()
    answer = with_files(card)
    b.answer(answer)
    assert b.engine.answer(card.id, answer, by="Ada").card.status == "decided"
    with pytest.raises(AnswerRefused, match="already answered"):
        b.engine.answer(card.id, Skipped(), by="Bo")
    with pytest.raises(FileRefused, match="answered already; its files can't be changed"):
        b.engine.add_file(card.id, "b.txt", b"b")
    with pytest.raises(FileRefused, match="answered already"):
        b.engine.drop_file(card.id, card.files[0].id)


def test_only_files_that_were_given_to_this_card_can_answer_it(bench: MakeBench) -> None:
    b = made(bench, {"tools": [GIVE_FILES, {"tool": "request_files", "input": {"reason": "More."}}]})
    b.say()
    first, second = b.cards()
    foreign = b.engine.add_file(first.id, "a.txt", b"secret")
    for answer in (foreign.id, foreign.sha256, "../../etc/passwd"):
        with pytest.raises(AnswerRefused) as refused:
            b.engine.answer(second.id, Answered({"files": [{"id": answer}]}), by="Ada")
        assert refused.value.fields == {"files": "has a file that is not there any more."}
    b.engine.drop_file(second.id, foreign.id)
    assert len(b.engine.card(first.id).files) == 1


def test_a_file_that_is_too_large_is_refused_with_its_size(bench: MakeBench) -> None:
    b = made(bench, GIVE_FILES)
    b.say()
    with pytest.raises(FileRefused) as refused:
        b.engine.add_file(b.card().id, "huge.bin", b"x" * (LARGEST_FILE + 200_000))
    assert str(refused.value) == (
        "huge.bin has 10.2 MB; a file may have 10 MB at most. It was not taken. Give a smaller one, or only the part "
        "of it that matters."
    )
    assert b.card().files == () and kept(b) == set()
    assert b.engine.add_file(b.card().id, "just.bin", b"x" * LARGEST_FILE).size == LARGEST_FILE


def test_names_are_made_safe_and_told_apart(bench: MakeBench) -> None:
    b = made(bench, GIVE_FILES)
    b.say()
    card = b.card()
    for number, name in enumerate(["../../notes.txt", "notes.txt", "a\u202etxt.exe"]):
        b.engine.add_file(card.id, name, f"text {number}".encode())
    assert [file.name for file in b.card().files] == ["notes.txt", "notes (2).txt", "a(U+202E)txt.exe"]
    assert kept(b) == {file.sha256 for file in b.card().files}
    with pytest.raises(FileRefused, match=r"other\.txt is there already, as notes\.txt"):
        b.engine.add_file(card.id, "other.txt", b"text 0")


def test_a_card_takes_so_many_files_and_no_more(bench: MakeBench) -> None:
    b = made(bench, GIVE_FILES)
    b.say()
    card = b.card()
    for number in range(MOST_FILES):
        b.engine.add_file(card.id, f"{number}.txt", str(number).encode())
    with pytest.raises(FileRefused, match="10 files are the most for one card. Remove one first."):
        b.engine.add_file(card.id, "more.txt", b"more")
    b.engine.drop_file(card.id, b.card().files[0].id)
    b.engine.add_file(card.id, "more.txt", b"more")
    assert len(b.card().files) == MOST_FILES == len(kept(b))


def test_a_card_for_one_file_keeps_the_last_one_given(bench: MakeBench) -> None:
    b = made(bench, {"tool": "request_files", "input": {"multiple": False, "endings": ["txt"]}})
    b.say()
    card = b.card()
    b.engine.add_file(card.id, "a.txt", b"first")
    b.engine.add_file(card.id, "a.TXT", b"second")
    with pytest.raises(FileRefused, match=r"b\.csv was not taken: this card takes files that end in \.txt\."):
        b.engine.add_file(card.id, "b.csv", b"third")
    assert [file.name for file in b.card().files] == ["a.TXT"]
    assert len(kept(b)) == 1


def test_a_card_of_another_kind_takes_no_files(bench: MakeBench) -> None:
    b = made(bench, PICK_SLOT)
    b.say()
    for request_id in (b.card().id, "no such card"):
        with pytest.raises(FileRefused, match="This card takes no files"):
            b.engine.add_file(request_id, "a.txt", b"a")


@pytest.mark.parametrize("leave", ["skip", "message", "stop", "answer without"])
def test_files_that_were_not_part_of_an_answer_do_not_stay(bench: MakeBench, leave: str) -> None:
    b = made(bench, GIVE_FILES)
    b.say()
    b.engine.add_file(b.card().id, "a.txt", b"a")
    b.engine.add_file(b.card().id, "b.txt", b"b")
    card = b.card()
    match leave:
        case "skip":
            b.answer(Skipped())
        case "message":
            b.say("never mind")
        case "stop":
            b.engine.stop(b.id, by="Ada")
            b.settle()
        case _:
            b.answer(Answered({"files": [{"id": card.files[1].id}]}))
    assert [file.name for file in b.engine.card(card.id).files] == (
        ["b.txt"] if leave == "answer without" else []
    )
    b.engine.cards.uploads.sweep()
    assert kept(b) == ({card.files[1].sha256} if leave == "answer without" else set())


def test_deleting_a_conversation_removes_its_files_unless_another_one_uses_them(bench: MakeBench) -> None:
    b = made(bench, GIVE_FILES)
    b.say()
    b.engine.add_file(b.card().id, "mine.txt", b"mine")
    b.engine.add_file(b.card().id, "shared.txt", b"shared")
    b.answer(with_files(b.card()))
    first = b.id
    b.id = b.engine.new_conversation(b.file)
    b.say()
    theirs = b.engine.add_file(b.card().id, "theirs.txt", b"shared")
    b.engine.delete(first, by="Ada")
    assert kept(b) == {theirs.sha256}
    b.answer(with_files(b.card()))
    assert "shared" in b.results()[0]
    b.engine.delete(b.id, by="Ada")
    assert kept(b) == set()


def test_a_content_that_vanished_from_the_disk_is_said_to_be_gone(bench: MakeBench) -> None:
    b = made(bench, GIVE_FILES)
    b.say()
    b.engine.add_file(b.card().id, "a.txt", b"words")
    for name in kept(b):
        b.database.with_name(f"{b.database.name}.files").joinpath(name).unlink()
    b.answer(with_files(b.card()))
    assert "Size: 5 bytes\nIts content is not there any more" in b.results()[0]


def test_an_answer_given_before_the_person_moved_on_is_still_read(bench: MakeBench) -> None:
    b = made(bench, {"tools": [GIVE_FILES, PICK_SLOT, PICK_DATA]})
    b.say()
    b.engine.add_file(b.card("request_files").id, "a.txt", b"the words in it")
    b.answer(with_files(b.card("request_files")), card=b.card("request_files"))
    b.answer(Answered({"chosen": ["returns"]}), card=b.card("request_datasources"))
    change(b, "datasources.yaml", None)
    change(b, "client_tools/slot.yaml", None)
    b.say("something else")
    read = b.results()
    assert "the words in it" in read[0]
    assert read[1].startswith("Skipped: the person sent a message instead of answering")
    assert "Read it here: shop.db, table returns" in read[2]


def test_a_coordinator_hears_which_files_were_given_and_not_what_is_in_them(bench: MakeBench) -> None:
    clerk = {
        "model": {
            "provider": "scripted",
            "params": {"script": [{"tools": [GIVE_FILES, PICK_DATA, PICK_SLOT]}], "final_text": "Read."},
        },
        "client_tools": TOOLS,
    }
    config = {
        "version": "1",
        "agents": {
            "boss": {
                **worker("boss", {"tool": "clerk", "input": "read"}),
                "model": {"provider": "scripted", "params": {"script": [{"tool": "clerk", "input": "read"}]}},
            },
            "clerk": clerk,
        },
        "orchestrations": {"team": team("boss", "clerk")},
        "entry": "team",
    }
    b = bench(config, files=BESIDE)
    b.say()
    b.engine.add_file(b.card("request_files").id, "a.txt", b"the words in it")
    b.answer(with_files(b.card("request_files")), card=b.card("request_files"))
    b.answer(Answered({"chosen": []}), card=b.card("request_datasources"))
    b.answer(Skipped(), card=b.card("pick_slot"))
    (told,) = b.results()
    assert "- clerk asked the person. The person gave 1 file: a.txt (text/plain, 15 bytes)" in told
    assert "- clerk asked the person. The person says that none of the data offered fits." in told
    assert '- clerk asked: Delivery slot {"order_id": "1001"} The person did not answer.' in told
    assert "the words in it" not in told


def test_the_transcript_shows_the_answer_under_its_call(bench: MakeBench) -> None:
    b = made(bench, PICK_SLOT)
    b.say()
    b.answer(MONDAY, by="Bo")
    (item,) = b.items(CallItem)
    assert (item.state, item.is_question, item.result_text) == (
        "finished",
        True,
        '{"day": "2026-03-30", "part": "morning"}',
    )
    assert item.decision is not None and item.decision.who == "Bo"
