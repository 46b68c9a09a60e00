"""A turn as the invoke API tells of it: the run that its `run_id` names, through every pause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from workbench.policy.shown import masked
from workbench.runs.terms import terms_of
from workbench.service.problem import Refused
from workbench.store import Conversation, Request, Run, Store, as_time

ONCE, SESSION, DENY = "allow once", "allow for this session", "deny"
Status = Literal["completed", "pending_approval", "pending_input", "running", "cancelled", "failed"]
APPROVALS = frozenset({"approval", "tool_approval"})
_DID = frozenset({"local", "mcp"})


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation."""

    store: Store
    conversation: Conversation
    runs: tuple[Run, ...]

    @classmethod
    def find(cls, store: Store, run_id: str, config_file: str) -> Turn:
        """Return the turn with this id.

        Raises:
            Refused: this service has none.
        """
        run = store.runs.get(run_id)
        conversation = store.conversations.get(run.conversation_id) if run else None
        if (
            run is None
            or conversation is None
            or run.id != run.turn_id
            or conversation.deleted_at is not None
            or conversation.config_file != config_file
        ):
            raise Refused(404, "not_found", "There is no run with this id.")
        later = store.runs.of_conversation(conversation.id, after=run.number)
        return cls(store, conversation, (run, *(one for one in later if one.turn_id == run.id)))

    @property
    def id(self) -> str:
        """The turn's id."""
        return self.runs[0].id

    @property
    def session(self) -> str | None:
        """The session it belongs to; None when it was started without one."""
        terms = terms_of(self.store, self.runs[0])
        return None if terms.door == "invoke" and not terms.remembers else self.conversation.id

    def check_session(self, given: str | None, *, needed: bool) -> None:
        """Let somebody at this turn.

        Raises:
            Refused: the session id is wrong, or left out although needed.
        """
        if given is None and (not needed or self.session is None):
            return
        if given != self.session:
            raise Refused(403, "wrong_session", "This run belongs to another session (X-Session-Id).")

    def request(self, approval_id: str) -> Request:
        """Return an approval of this turn.

        Raises:
            Refused: it has none with this id.
        """
        request = self.store.requests.get(approval_id)
        if request is None or request.turn_id != self.id or request.kind not in APPROVALS:
            raise Refused(404, "not_found", "This run has no approval with this id.")
        return request

    def decisions(self, request: Request) -> list[str]:
        """Return the decisions an approval accepts."""
        lasting = self.session is not None and "thread" in request.scopes and not self._of_client(request)
        return [ONCE, SESSION, DENY] if lasting else [ONCE, DENY]

    @staticmethod
    def _of_client(request: Request) -> bool:
        return request.metadata.get("door") == "agui"

    # -- how it stands ----------------------------------------------------------------------

    @property
    def open(self) -> list[Request]:
        """What it waits on and nobody answered yet."""
        newest = self.store.runs.latest(self.conversation.id)
        last = self.runs[-1]
        if newest is None or newest.id != last.id or last.status != "paused":
            return []
        held = {one.request_id for one in self.store.held.of_pause(last.id)}
        return [
            one
            for one in self.store.requests.of_pause(last.id)
            if one.status == "open" and one.id not in held
        ]

    def status(self, waiting: list[Request]) -> Status:
        """Say how it stands, given what is open."""
        match self.runs[-1].status:
            case "queued" | "working":
                return "running"
            case "paused" if any(one.kind in APPROVALS for one in waiting):
                return "pending_approval"
            case "paused" if waiting:
                return "pending_input"
            case "paused":
                newest = self.store.runs.latest(self.conversation.id)
                return "running" if newest and newest.id == self.runs[-1].id else "completed"
            case "done":
                return "completed"
            case "failed":
                return "failed"
            case "cancelled":
                return "cancelled"

    def to_dict(self) -> dict[str, Any]:
        """Return the run as the API answers it."""
        waiting = self.open
        status = self.status(waiting)
        pending = [self._approval(one) for one in waiting if one.kind in APPROVALS]
        told: dict[str, Any] = {
            "run_id": self.id,
            "status": status,
            "answer": self._answer() if status == "completed" else "",
            "pending_approval": pending[0] if pending else None,
            "pending_approvals": pending,
            "visited": list(dict.fromkeys(self._visited())),
            "used_tools": list(
                dict.fromkeys(
                    call.tool
                    for call in self.store.journal.of_turn(self.id)
                    if call.attempts and call.kind in _DID
                )
            ),
        }
        if status == "failed":
            told["error"] = {"id": self.runs[-1].id, **(self.runs[-1].error or {})}
        return told

    def _approval(self, request: Request) -> dict[str, Any]:
        expires_at = as_time(request.expires_at) if request.expires_at else None
        return {
            "approval_id": request.id,
            "run_id": self.id,
            "agent_id": request.agent,
            "tool_name": request.tool,
            "description": request.message or request.description,
            "arguments": masked(request.input),
            "decisions": self.decisions(request),
            "expires_at": request.expires_at,
            "expired": expires_at is not None and self.store.now() > expires_at,
        }

    def _answer(self) -> str:
        """What the agent said in the end; nothing when the turn was left for another message."""
        if self.runs[-1].status != "done":
            return ""
        turns = {
            one.turn_id
            for one in self.store.runs.of_conversation(self.conversation.id, after=self.runs[-1].number)
        }
        said = ""
        for message in self._own_messages(turns - {self.id}):
            if message["role"] == "assistant":
                blocks = message["content"]
                said = "\n".join(block["text"] for block in blocks if "text" in block)
        return said.strip()

    def _own_messages(self, later: set[str]) -> Iterator[dict[str, Any]]:
        here = False
        for message in self.store.messages.load(self.conversation.id):
            if message.get("tracking_id") in later:
                return
            here = here or message.get("tracking_id") == self.id
            if here:
                yield message

    def _visited(self) -> Iterator[str]:
        for run in self.runs:
            for event in self.store.events.read(self.conversation.id, run_id=run.id):
                if event.type in ("TEXT_MESSAGE_START", "REASONING_MESSAGE_START", "TOOL_CALL_START"):
                    path = (event.data.get("metadata") or {}).get("agentPath") or [self.conversation.entry]
                    yield path[-1]
