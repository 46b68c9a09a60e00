"""Short ways to rows that a test needs but is not about."""

from datetime import UTC, datetime, timedelta
from typing import Any

from workbench.policy.vocabulary import RequestKind, Scope
from workbench.store import (
    CallRecord,
    ConfigVersion,
    Conversation,
    GrantRecord,
    NewCall,
    NewRequest,
    Request,
    Run,
    Store,
)

VERDICT = {"outcome": "run", "because": "exempt", "line": 12, "trace": ["Rule 1 lets it run."]}


class SetClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def move(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def version(store: Store, text: str = "version: '1'", **changed: Any) -> ConfigVersion:
    given: dict[str, Any] = {
        "name": "shop",
        "file": "shop.yaml",
        "folder": "/configs",
        "variables": {"REGION": "eu"},
        "by": "tester",
        "entry": "merchant",
    }
    return store.configs.save(text=text, **{**given, **changed})


def conversation(store: Store, title: str = "", **changed: Any) -> Conversation:
    given: dict[str, Any] = {"door": "app", "entry": "merchant"}
    return store.conversations.create("shop.yaml", title=title, **{**given, **changed})


def queued(store: Store, conversation_id: str | None = None, text: str = "hello") -> Run:
    chosen = conversation(store).id if conversation_id is None else conversation_id
    return store.runs.queue(chosen, config_version_id=version(store).id, kind="message", input={"text": text})


def new_call(run: Run, key: str = "call", **changed: Any) -> NewCall:
    given: dict[str, Any] = {
        "key": f"{run.conversation_id}:{key}",
        "conversation_id": run.conversation_id,
        "run_id": run.id,
        "turn_id": run.turn_id,
        "config_version_id": run.config_version_id,
        "agent": "merchant",
        "agent_path": ["merchant"],
        "tool": "set_price",
        "kind": "local",
        "tool_call_id": f"tool-{key}",
        "input": {"sku": "A1", "price": 12},
        "digest": "d1",
    }
    return NewCall(**{**given, **changed})


def proposed(store: Store, run: Run, key: str = "call", **changed: Any) -> CallRecord:
    return store.journal.propose([new_call(run, key, **changed)])[0]


def allowed(store: Store, run: Run, key: str = "call") -> CallRecord:
    return store.journal.allow(proposed(store, run, key).key, VERDICT)


def started(store: Store, run: Run, key: str = "call") -> CallRecord:
    return store.journal.start(allowed(store, run, key).key, executed_input={"sku": "A1"}, digest="d1")


def new_request(
    run: Run, call_key: str = "call", kind: RequestKind = "approval", **changed: Any
) -> NewRequest:
    given: dict[str, Any] = {
        "conversation_id": run.conversation_id,
        "run_id": run.id,
        "turn_id": run.turn_id,
        "pause_id": run.id,
        "config_version_id": run.config_version_id,
        "kind": kind,
        "agent": "merchant",
        "agent_path": ["coordinator", "merchant"],
        "tool": "set_price",
        "tool_call_id": "tool-1",
        "call_key": f"{run.conversation_id}:{call_key}",
        "input": {"sku": "A1", "price": 12},
        "digest": "d1",
        "message": "Set the price of A1",
        "description": "Sets one price.",
        "input_schema": {"type": "object"},
        "verdict": {"outcome": "ask", "line": 14},
        "subject_key": "store:summit",
        "subject_label": "prices in Summit",
        "scopes": ["once", "thread"],
    }
    return NewRequest(**{**given, **changed})


def asked(store: Store, run: Run, **changed: Any) -> Request:
    return store.requests.open([new_request(run, **changed)])[0]


def approve(store: Store, request: Request, by: str = "tester", scope: Scope = "once") -> Request:
    return store.requests.answer(
        request.id,
        decision="approved",
        scope=scope,
        answer={"type": "approved", "scope": scope},
        executed_input=request.input,
        by=by,
        via="app",
    )


def deny(store: Store, request: Request, by: str = "tester", reason: str = "") -> Request:
    return store.requests.answer(
        request.id,
        decision="denied",
        reason=reason,
        answer={"type": "denied", "reason": reason},
        note=f"Declined: {reason}",
        by=by,
        via="app",
    )


def grant(store: Store, **changed: Any) -> GrantRecord:
    given: dict[str, Any] = {
        "config_name": "shop",
        "agent": "merchant",
        "tool": "set_price",
        "subject_key": "store:summit",
        "subject_label": "prices in Summit",
        "scope": "always",
        "by": "tester",
        "via": "app",
    }
    return store.grants.create(**{**given, **changed})
