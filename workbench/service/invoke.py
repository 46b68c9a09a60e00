"""The invoke API: plain HTTP over the engine."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from workbench.policy import AnswerRefused
from workbench.policy.answer import Answer, Approved, Denied
from workbench.runs.errors import Busy, EngineRefused, MessageRefused, NothingToDo
from workbench.runs.talk import check_message
from workbench.runs.terms import Terms
from workbench.service.body import json_object, text_of
from workbench.service.hosted import BY, Hosted, Provide
from workbench.service.problem import Json, Refused, dumped
from workbench.service.pulse import events_of, settled
from workbench.service.turn import DENY, ONCE, SESSION, Turn
from workbench.store import ConversationDeleted

LONGEST_SESSION = 256
_ANSWERS: dict[str, Answer] = {ONCE: Approved("once"), SESSION: Approved("thread"), DENY: Denied()}
_ALSO = {"allow for session": SESSION}


class InvokeApi:
    """The routes of the invoke API."""

    def __init__(self, provide: Provide) -> None:
        self._hosted = provide

    @property
    def routes(self) -> list[Route]:
        """Its routes."""
        return [
            Route("/health", self.health, methods=["GET"]),
            Route("/invoke", self.invoke, methods=["POST"]),
            Route("/stream", self.stream, methods=["POST"]),
            Route("/runs/{run_id}", self.run, methods=["GET"]),
            Route("/runs/{run_id}/approvals/{approval_id}/decision", self.decide, methods=["POST"]),
            Route("/runs/{run_id}/cancel", self.cancel, methods=["POST"]),
        ]

    async def health(self, request: Request) -> Response:
        """Say that the service runs."""
        return Json({"status": "ok"})

    async def invoke(self, request: Request) -> Response:
        """Answer a message, as far as the next pause."""
        hosted, conversation_id, run_id = await self._begin(request)
        await settled(hosted.pulse, hosted.store, conversation_id, run_id)
        return await self._told(hosted, run_id)

    async def stream(self, request: Request) -> Response:
        """Answer a message, line by line."""
        hosted, conversation_id, run_id = await self._begin(request)
        return StreamingResponse(
            _lines(hosted, conversation_id, run_id),
            media_type="text/event-stream",
            headers={"x-accel-buffering": "no"},
        )

    async def run(self, request: Request) -> Response:
        """Tell how a run stands."""
        hosted, session = self._hosted(), _session(request)
        turn = await run_in_threadpool(Turn.find, hosted.store, request.path_params["run_id"], hosted.file)
        turn.check_session(session, needed=True)
        return await self._told(hosted, turn.id)

    async def decide(self, request: Request) -> Response:
        """Decide an approval, and tell how the run goes on."""
        said = _decision(text_of(await json_object(request), "decision"))
        hosted, session = self._hosted(), _session(request)
        run_id, approval_id = request.path_params["run_id"], request.path_params["approval_id"]
        turn = await run_in_threadpool(_decide, hosted, run_id, approval_id, said, session)
        await settled(hosted.pulse, hosted.store, turn.conversation.id, turn.id)
        return await self._told(hosted, turn.id)

    async def cancel(self, request: Request) -> Response:
        """Stop a run."""
        hosted, session = self._hosted(), _session(request)
        turn = await run_in_threadpool(_cancel, hosted, request.path_params["run_id"], session)
        await settled(hosted.pulse, hosted.store, turn.conversation.id, turn.id)
        return await self._told(hosted, turn.id)

    async def _begin(self, request: Request) -> tuple[Hosted, str, str]:
        text = text_of(await json_object(request), "message")
        session = _session(request)
        hosted = self._hosted()
        return hosted, *await run_in_threadpool(_send, hosted, session, text)

    async def _told(self, hosted: Hosted, run_id: str) -> Response:
        return Json(await run_in_threadpool(_state, hosted, run_id))


def _state(hosted: Hosted, run_id: str) -> dict[str, Any]:
    return Turn.find(hosted.store, run_id, hosted.file).to_dict()


def _send(hosted: Hosted, session: str | None, text: str) -> tuple[str, str]:
    try:
        check_message(text)
        conversation = hosted.conversation(session, "invoke")
        terms = Terms("invoke", remembers=session is not None, asks_person=False)
        run_id = hosted.engine.send(conversation.id, text, by=BY["invoke"], via="invoke", terms=terms)
    except MessageRefused as refused:
        raise Refused(400, refused.code, str(refused)) from None
    except Busy as busy:
        raise Refused(409, busy.code, str(busy)) from None
    except ConversationDeleted as deleted:
        raise Refused(409, "deleted", str(deleted)) from None
    except EngineRefused as refused:
        raise Refused(503, refused.code, str(refused)) from None
    return conversation.id, run_id


def _decide(hosted: Hosted, run_id: str, approval_id: str, said: str, session: str | None) -> Turn:
    turn = Turn.find(hosted.store, run_id, hosted.file)
    request = turn.request(approval_id)
    turn.check_session(session, needed=False)
    if said not in turn.decisions(request):
        why = (
            "this run has no session: start it with X-Session-Id"
            if turn.session is None
            else "it is not offered for this call"
        )
        raise Refused(400, "not_offered", f"{said!r} can't be chosen: {why}. The call still waits.")
    try:
        hosted.engine.answer(request.id, _ANSWERS[said], by=BY["invoke"], via="invoke")
    except AnswerRefused as refused:
        raise Refused(409, refused.code, refused.message, fields=refused.fields) from None
    return turn


def _cancel(hosted: Hosted, run_id: str, session: str | None) -> Turn:
    turn = Turn.find(hosted.store, run_id, hosted.file)
    turn.check_session(session, needed=False)
    newest = hosted.store.runs.latest(turn.conversation.id)
    if newest is not None and newest.turn_id == turn.id:
        try:
            hosted.engine.stop(turn.conversation.id, by=BY["invoke"], via="invoke")
        except NothingToDo:
            return turn  # it has ended by itself
    return turn


async def _lines(hosted: Hosted, conversation_id: str, run_id: str) -> AsyncIterator[str]:
    async for event in events_of(hosted.pulse, hosted.store, conversation_id, run_id):
        if event.type == "TEXT_MESSAGE_CONTENT" and not event.data.get("subagentRunId"):
            yield _line({"type": "answer_delta", "delta": event.data["delta"]})
    try:
        told = await run_in_threadpool(_state, hosted, run_id)
    except Refused as refused:
        yield _line({"type": "error", "code": refused.code, "message": refused.message})
        return
    if told["status"] == "failed":
        yield _line({"type": "error", "run_id": told["run_id"], **told["error"]})
    elif told["status"] == "pending_approval":
        for pending in told["pending_approvals"]:
            yield _line({"type": "pending_approval", **pending})
    else:
        yield _line({"type": "final", **told})


def _line(value: dict[str, Any]) -> str:
    return f"data: {dumped(value)}\n\n"


def _decision(said: str) -> str:
    words = " ".join(re.sub(r"[\s_]+", " ", said).split()).casefold()
    words = _ALSO.get(words, words)
    if words not in _ANSWERS:
        raise Refused(
            400, "unknown_decision", f"{said[:80]!r} is no decision; use {', '.join(map(repr, _ANSWERS))}."
        )
    return words


def _session(request: Request) -> str | None:
    """Return the session id exactly as it was sent; None without one.

    Raises:
        Refused: it is too long, or holds what no id should.
    """
    given = request.headers.getlist("x-session-id")
    if len(given) > 1:
        raise Refused(400, "invalid_session", "X-Session-Id is there twice.")
    if not given or not given[0]:
        return None
    try:
        session = given[0].encode("latin-1").decode()
    except UnicodeDecodeError:
        raise Refused(400, "invalid_session", "X-Session-Id is not UTF-8.") from None
    if len(session) > LONGEST_SESSION:
        raise Refused(400, "invalid_session", f"X-Session-Id is longer than {LONGEST_SESSION} characters.")
    if any(unicodedata.category(character) == "Cc" for character in session):
        raise Refused(400, "invalid_session", "X-Session-Id holds control characters.")
    return session
