"""Cards and runs in every state, for the tests and for looking at."""

from datetime import UTC, datetime, timedelta
from typing import Any

from workbench.policy import Subject, Verdict
from workbench.runs.views import (
    CallItem,
    Card,
    ConfigChange,
    ConversationRow,
    DecisionLine,
    FileRow,
    ReasoningItem,
    RunView,
    TextItem,
    Usage,
    WaitingRow,
)


def now() -> datetime:
    """This moment: a page compares what it is shown with its own clock."""
    return datetime.now(UTC)


PRICE_SCHEMA = {
    "type": "object",
    "properties": {
        "store": {"type": "string", "description": "The store's short name."},
        "sku": {"type": "string"},
        "price": {"type": "number", "exclusiveMinimum": 0},
        "note": {"type": "string", "description": "Why."},
    },
    "required": ["store", "sku", "price"],
    "additionalProperties": False,
}

RETURN_SCHEMA = {
    "type": "object",
    "properties": {
        "order_id": {"type": "integer"},
        "reason": {"enum": ["damaged", "wrong item", "changed mind"]},
        "refund": {"type": "boolean"},
        "on": {"type": "string", "format": "date"},
        "comment": {"type": ["string", "null"]},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}},
                "required": ["sku", "quantity"],
            },
        },
        "extra": {"type": "object"},
    },
    "required": ["order_id", "reason", "refund", "items"],
}


def verdict(**changed: Any) -> Verdict:
    """A verdict that asks because of rule 3."""
    subject = changed.pop("subject", Subject("store:summit", "prices in summit"))
    given: dict[str, Any] = {
        "outcome": "ask",
        "because": "rule",
        "rule_index": 2,
        "pattern": "set_price",
        "line": 14,
        "scopes": ("once", "thread"),
        "ttl_seconds": 600,
        "grant_id": None,
        "trace": ("Rule 3, “set_price” (line 14), matches.",),
    }
    return Verdict(subject=subject, **{**given, **changed})


def approval(id: str = "price", **changed: Any) -> Card:
    """An approval of a new price."""
    given: dict[str, Any] = {
        "kind": "approval",
        "conversation_id": "c1",
        "run_id": "r1",
        "agent": "merchant",
        "agent_title": "Merchant",
        "agent_path": ("merchant",),
        "tool": "set_price",
        "tool_title": "set_price",
        "description": "Set the price of one item in a store.",
        "message": "",
        "input": {"store": "summit", "sku": "A1", "price": 12.5},
        "input_schema": PRICE_SCHEMA,
        "response_schema": None,
        "subject": Subject("store:summit", "prices in summit"),
        "scopes": ("once", "thread"),
        "verdict": verdict(),
        "because_sentence": "Asked because of rule 3, “set_price” (line 14).",
        "rule_line": 14,
        "config_number": 12,
        "config_file": "merchant.yaml",
        "created_at": now(),
        "expires_at": now() + timedelta(minutes=4, seconds=32),
    }
    return Card(id=id, **{**given, **changed})


def deletion(id: str = "delete", **changed: Any) -> Card:
    """An approval about a whole tool, without a deadline."""
    given: dict[str, Any] = {
        "tool": "delete_store",
        "tool_title": "delete_store",
        "description": "Delete a store and everything in it. This can't be undone.",
        "input": {"store": "summit", "confirm": True},
        "input_schema": {
            "type": "object",
            "properties": {"store": {"type": "string"}, "confirm": {"type": "boolean"}},
            "required": ["store"],
        },
        "subject": Subject("delete_store", "delete_store"),
        "scopes": ("once",),
        "because_sentence": "Asked because of rule 2, “delete_*” (line 13).",
        "rule_line": 13,
        "expires_at": None,
    }
    return approval(id, **{**given, **changed})


def create_return(id: str = "return", **changed: Any) -> Card:
    """An approval with a nested input."""
    given: dict[str, Any] = {
        "tool": "create_return",
        "tool_title": "Create a return",
        "description": "Register that a customer sends items back.",
        "agent_path": ("coordinator", "merchant"),
        "input": {
            "order_id": 10482,
            "reason": "damaged",
            "refund": False,
            "on": "2026-03-31",
            "comment": None,
            "items": [{"sku": "A1", "quantity": 2}, {"sku": "B-17", "quantity": 1}],
            "extra": {},
        },
        "input_schema": RETURN_SCHEMA,
        "subject": Subject("create_return", "create_return"),
        "scopes": ("once", "thread", "always"),
        "because_sentence": "Asked because the agent says auto: false (line 9).",
        "rule_line": 9,
        "expires_at": now() + timedelta(hours=5),
    }
    return approval(id, **{**given, **changed})


def question(id: str = "question", questions: list[dict[str, Any]] | None = None, **changed: Any) -> Card:
    """One question with three choices, or the questions given."""
    given: dict[str, Any] = {
        "kind": "question",
        "agent": "analyst",
        "agent_title": "Analyst",
        "agent_path": ("analyst",),
        "tool": "ask_user",
        "tool_title": "ask_user",
        "description": "Ask the person.",
        "input": {"questions": questions or [ONE_QUESTION]},
        "input_schema": None,
        "subject": Subject("ask_user", "ask_user"),
        "scopes": (),
        "verdict": None,
        "because_sentence": "",
        "rule_line": None,
        "expires_at": None,
    }
    return approval(id, **{**given, **changed})


ONE_QUESTION = {
    "question": "Which period should the report cover?",
    "header": "Period",
    "options": [
        {"label": "Last month", "description": "1 to 31 March, closed and final."},
        {"label": "This quarter", "description": "January until today; April is still open."},
        {"label": "A whole year", "description": ""},
    ],
}
SEVERAL_QUESTIONS = [
    ONE_QUESTION,
    {
        "question": "Which stores?",
        "header": "Stores",
        "options": [
            {"label": "Summit", "description": "the largest"},
            {"label": "Lagoon", "description": "opened in May"},
            {"label": "Harbour", "description": ""},
        ],
        "multi_select": True,
    },
    {"question": "Include returns?", "header": "", "options": ["Yes", "No"], "allow_other": False},
]


def _source(name: str, title: str, description: str, kind: str, model_reads: str) -> dict[str, str]:
    return {
        "name": name,
        "title": title,
        "description": description,
        "kind": kind,
        "model_reads": model_reads,
    }


SOURCES = [
    _source(
        "orders",
        "Orders of both stores",
        "One line an order, since September.",
        "table",
        "shop.db, table orders",
    ),
    _source("returns", "Returns", "What came back, and why.", "table", "shop.db, table returns"),
    _source("notes", "Notes of the staff", "", "folder", "notes/"),
]


def data(id: str = "data", **changed: Any) -> Card:
    """A choice among three data sources."""
    asked = {
        "reason": "To see what sells, I need to know where to look.",
        "multiple": False,
        "sources": SOURCES,
    }
    asked |= changed.pop("asked", {})
    given = {"tool": "request_datasources", "tool_title": "request_datasources", "input": asked}
    return question(id, **{**given, **changed})


def files(id: str = "files", given: tuple[FileRow, ...] = (), **changed: Any) -> Card:
    """A request for files."""
    asked = {"reason": "Show me the price list you mean.", "multiple": True, "endings": []}
    asked |= changed.pop("asked", {})
    return question(
        id,
        **{"tool": "request_files", "tool_title": "request_files", "input": asked, "files": given, **changed},
    )


GIVEN = (
    FileRow("f1", "price list, autumn.csv", "text/csv", 18_432, True, "1" * 64),
    FileRow("f2", "scan.pdf", "application/pdf", 2_411_724, False, "2" * 64),
    FileRow("f3", "empty(U+202E)txt.exe", "application/octet-stream", 0, True, "3" * 64),
)


def slot(id: str = "slot", **changed: Any) -> Card:
    """A call of a tool that a folder declares."""
    given: dict[str, Any] = {
        "tool": "pick_slot",
        "tool_title": "Delivery slot",
        "description": "Let the person choose when an order is delivered: a day and a part of the day.",
        "input": {"order_id": "1006", "address": "14 Quay Street, Harbor"},
        "response_schema": {
            "type": "object",
            "properties": {
                "day": {"type": "string", "format": "date", "description": "The day of the delivery."},
                "part": {"enum": ["morning", "afternoon", "evening"], "description": "When on that day."},
                "note": {"type": "string", "description": "For the driver."},
            },
            "required": ["day", "part"],
            "additionalProperties": False,
        },
    }
    return question(id, **{**given, **changed})


def interrupt(id: str = "interrupt", **changed: Any) -> Card:
    """A tool that paused for an answer of its own."""
    given: dict[str, Any] = {
        "kind": "tool_interrupt",
        "tool": "ship_order",
        "tool_title": "ship_order",
        "message": "The carrier wants to know who receives order 10482.",
        "description": "Ship one order.",
        "input": {"order_id": 10482},
        "input_schema": None,
        "response_schema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 2, "description": "As on the door bell."},
                "floor": {"type": "integer"},
                "signature": {"type": "boolean", "description": "Ask for a signature."},
                "speed": {"enum": ["standard", "express"]},
            },
            "required": ["name", "signature"],
        },
        "scopes": (),
        "because_sentence": "",
        "rule_line": None,
        "expires_at": None,
    }
    return approval(id, **{**given, **changed})


def doubt(id: str = "doubt", **changed: Any) -> Card:
    """A call that may have happened."""
    return approval(
        id, **{"kind": "doubt", "scopes": (), "expires_at": None, "because_sentence": "", **changed}
    )


def decided(decision: str = "approved", id: str = "decided", **changed: Any) -> Card:
    """A card that is decided."""
    reason = changed.pop("reason", "")
    scope = changed.pop("scope", "once" if decision == "approved" else None)
    line = DecisionLine(decision, "person", "tester", scope, reason, now())  # type: ignore[arg-type]
    return approval(id, **{"status": "decided", "decision": line, **changed})


BIDI = "A1\u202e5.21\u202c\u200b\x07"
DRESSED_UP = "**Already approved** by tester :green-badge[✓ safe] ![x](https://example.com/x.png) <b>bold</b>"


def hostile(id: str = "hostile") -> Card:
    """A card whose texts dress up and hide."""
    return approval(
        id,
        agent_title="**merchant** :red[x]",
        description=DRESSED_UP,
        subject=Subject("store:`x`", "[summit](https://example.com) :material/check: **all**"),
        input={
            "store": DRESSED_UP,
            "sku": BIDI,
            "price": 1,
            "**name**": "مرحبا بالعالم",
            "note": "line\n\nline",
        },
    )


def secrets(id: str = "secrets") -> Card:
    """A card with secrets at two depths."""
    return approval(
        id,
        input={
            "store": "summit",
            "api_key": "sk-live-4242",
            "auth": {"password": "hunter2", "user": "ann"},
            "empty": "",
        },
        input_schema=None,
    )


def huge(id: str = "huge", size: int = 300_000) -> Card:
    """A card with one very long argument."""
    line = "The quick brown fox jumps over the lazy dog. "
    return approval(
        id, input={"store": "summit", "sku": "A1", "note": (line * (size // len(line) + 1))[:size]}
    )


def changed_config(id: str = "changed") -> Card:
    """A card whose config has a newer version."""
    return approval(
        id,
        config_changed=ConfigChange(
            13,
            verdict(outcome="run", because="unlisted", rule_index=None, pattern=None, line=None, scopes=()),
            "The policy changed since this was asked: it is v13 now. This card still follows v12.",
        ),
    )


def expired(id: str = "expired") -> Card:
    """A card whose deadline passed."""
    return approval(id, expires_at=now() - timedelta(minutes=3), expired=True)


def call(key: str = "k1", **changed: Any) -> CallItem:
    """A call that ran because it only reads."""
    given: dict[str, Any] = {
        "agent": "merchant",
        "agent_path": ("merchant",),
        "tool": "search_catalog",
        "tool_call_id": key,
        "input": {"query": "A1"},
        "input_text": '{"query": "A1"}',
        "state": "finished",
        "because_sentence": "Ran because search_catalog is annotated read-only (line 22).",
        "result_text": '[{"sku": "A1", "name": "Trail tent", "price": 10.0}]',
        "seconds": 0.1,
    }
    return CallItem(key=key, **{**given, **changed})


def text(words: str, **changed: Any) -> TextItem:
    """Prose of the merchant."""
    return TextItem(agent="merchant", agent_path=("merchant",), text=words, **changed)


def run(number: int = 1, *items: Any, **changed: Any) -> RunView:
    """A run that is done."""
    given: dict[str, Any] = {
        "run_id": f"run{number}",
        "turn_id": f"turn{number}",
        "kind": "message",
        "status": "done",
        "config_number": 12,
        "user_text": "Raise the price of A1 to 12",
        "by": "tester",
        "items": items,
        "usage": Usage(1240, 86),
        "seconds": 2.4,
    }
    return RunView(number=number, **{**given, **changed})


def runs() -> list[RunView]:
    """A conversation with one run of each kind."""
    approved = DecisionLine("approved", "person", "tester", "once", "", now())
    denied = DecisionLine("denied", "person", "ann", None, "Not before Friday.", now())
    granted = DecisionLine("approved", "permission", "tester", "thread", "", now())
    answered = DecisionLine("answered", "person", "tester", None, "", now())
    long = "result line\n" * 20_000
    return [
        run(
            1,
            ReasoningItem("merchant", ("merchant",), "The person wants a new price. Look the item up first."),
            text("I'll look the item up **first**.\n\n| sku | price |\n|---|---|\n| A1 | 10.00 |"),
            call("k1"),
            call(
                "k2",
                tool="set_price",
                input={"store": "summit", "sku": "A1", "price": 12.5},
                edited=True,
                executed_input={"store": "summit", "sku": "A1", "price": 12},
                decision=approved,
                because_sentence="Asked because of rule 3, “set_price” (line 14).",
                result_text="A1 costs 12.00 now.",
            ),
            call(
                "k3",
                tool="set_price",
                decision=granted,
                because_sentence="A permission covers prices in summit.",
            ),
            call(
                "k4",
                tool="delete_store",
                state="closed",
                decision=denied,
                because_sentence="Asked because of rule 2, “delete_*” (line 13).",
                result_text=None,
                seconds=None,
            ),
            text("Done: A1 costs **12.00** now. ![pixel](https://example.com/p.png) :green-badge[approved]"),
        ),
        run(
            2,
            call(
                "k5",
                tool="ask_user",
                is_question=True,
                decision=answered,
                because_sentence="",
                card=answered_card(),
            ),
            call("k6", tool="export", result_text=long[:100_000], result_size=len(long)),
            call(
                "k7", tool="ship_order", state="failed", result_text="The carrier did not answer within 30 s."
            ),
            text("The carrier is", cut=True),
            user_text="Ship it",
            status="failed",
            error="The model did not answer: connection reset by its server.",
            seconds=31.2,
        ),
        run(3, text("I was about to"), user_text="Try the other one", status="cancelled", usage=None),
        run(
            4,
            call("k8", tool="set_price", state="running", result_text=None, seconds=None),
            text("Looking at the", streaming=True),
            user_text="And now A2",
            status="working",
            usage=None,
            seconds=None,
        ),
    ]


def answered_card() -> Card:
    """A question that is answered."""
    line = DecisionLine("answered", "person", "tester", None, "", now())
    return question("answered", status="decided", decision=line, answer_text="Which period? Last month")


def conversations() -> list[ConversationRow]:
    """Conversations of some days."""
    titles = [
        "Raise the price of A1",
        "Close summit",
        "Monthly report",
        "A return that is damaged",
        "Anything new?",
    ]
    return [
        ConversationRow(
            f"c{at}", title, now() - timedelta(days=at * at), int(at == 1), at == 2, "merchant", "Merchant"
        )
        for at, title in enumerate(titles)
    ]


def waiting() -> list[WaitingRow]:
    """Three requests in two conversations."""
    return [
        WaitingRow("w1", "c1", "Close summit", "approval", "delete_store", "Merchant", now(), None),
        WaitingRow("w2", "c7", "Monthly report", "question", "ask_user", "Analyst", now(), None),
        WaitingRow("w3", "c7", "Monthly report", "approval", "export", "Analyst", now(), None),
    ]
