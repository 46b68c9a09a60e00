"""The AG-UI endpoint."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from ag_ui.core import AgentCapabilities, RunAgentInput
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from workbench.policy import Answer, AnswerRefused
from workbench.policy.answer import Skipped
from workbench.runs.answer_set import AnswerSet
from workbench.runs.errors import EngineRefused
from workbench.runs.terms import Terms
from workbench.service import agui_wire as wire
from workbench.service.agui_input import (
    RunRefused,
    Said,
    check_ids,
    earlier,
    new_messages,
    resume_answers,
    terms_of_input,
    tool_answers,
)
from workbench.service.agui_state import KEY, StateChannel
from workbench.service.body import json_object
from workbench.service.hosted import BY, Hosted, Provide
from workbench.service.problem import Json, Refused
from workbench.service.pulse import events_of
from workbench.service.seal import Forged, Seal
from workbench.store import Conversation, Run, StoreError

CLIENT_RUN = "client_run"
SEEN = "seen"


class AguiApi:
    """The routes of the AG-UI endpoint."""

    def __init__(self, provide: Provide) -> None:
        self._hosted = provide

    @property
    def routes(self) -> list[Route]:
        """Its routes."""
        return [
            Route("/ping", self.ping, methods=["GET"]),
            Route("/invocations", self.invoke, methods=["POST"]),
            Route("/invocations/capabilities", self.capabilities, methods=["GET"]),
        ]

    async def ping(self, request: Request) -> Response:
        """Say that the service runs."""
        return Json({"status": "ok"})

    async def capabilities(self, request: Request) -> Response:
        """Describe the service."""
        return Json(await run_in_threadpool(_capabilities, self._hosted()))

    async def invoke(self, request: Request) -> Response:
        """Answer one `RunAgentInput` with its events."""
        body = await json_object(request)
        try:
            given = RunAgentInput.model_validate(body)
        except ValidationError as invalid:
            first = invalid.errors(include_url=False, include_context=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise Refused(
                422, "invalid_input", f"This is no RunAgentInput: {where}: {first['msg']}."
            ) from None
        return StreamingResponse(
            _stream(self._hosted(), given),
            media_type="text/event-stream",
            headers={"x-accel-buffering": "no"},
        )


@dataclass(frozen=True)
class _Begun:
    """What became of an input: a run to follow, or nothing but what still waits."""

    conversation: Conversation
    run: Run | None


async def _stream(hosted: Hosted, given: RunAgentInput) -> AsyncIterator[str]:
    yield wire.started(given.thread_id, given.run_id)
    invocation = _Invocation(hosted, given)
    try:
        begun = await run_in_threadpool(invocation.begin)
    except RunRefused as refused:
        yield wire.failed(refused.code, refused.message)
        return
    yield wire.snapshot(given.state)
    if begun.run is None:
        waiting = [one for one in hosted.store.requests.of_conversation(given.thread_id, open_only=True)]
        for last in await run_in_threadpool(invocation.state, begun.conversation):
            yield last
        yield wire.finished(given.thread_id, given.run_id, waiting)
        return
    async for event in events_of(hosted.pulse, hosted.store, given.thread_id, begun.run.id):
        if event.type in ("CUSTOM", "RUN_STARTED"):
            continue
        if event.type == "RUN_FINISHED":
            for last in await run_in_threadpool(invocation.state, begun.conversation):
                yield last
        yield wire.wired(event.data, given.run_id)
        if event.type in ("RUN_FINISHED", "RUN_ERROR"):
            return
    yield wire.failed("deleted", "This conversation was deleted.")


class _Invocation:
    """One input, applied."""

    def __init__(self, hosted: Hosted, given: RunAgentInput) -> None:
        self._hosted = hosted
        self._given = given
        self._store = hosted.store
        self._channel = StateChannel(hosted, Seal.of(hosted.store.path, hosted.secret))

    def begin(self) -> _Begun:
        """Apply the input.

        Raises:
            RunRefused: it can't be; nothing changed.
        """
        given = self._given
        check_ids(given)
        try:
            return self._begin()
        except Forged as forged:
            raise RunRefused("state_refused", str(forged)) from None
        except (Refused, AnswerRefused) as refused:
            raise RunRefused(refused.code, refused.message) from None
        except EngineRefused as refused:
            raise RunRefused(refused.code, str(refused)) from None
        except StoreError as error:
            raise RunRefused("store", str(error)) from None

    def state(self, conversation: Conversation) -> list[str]:
        """Return the event that gives the conversation into the client's keeping; none with the channel off."""
        if not self._channel_on():
            return []
        return [wire.delta(self._channel.value(self._store.conversations.require(conversation.id)))]

    # -- inside -----------------------------------------------------------------------------

    def _begin(self) -> _Begun:
        given, thread = self._given, self._given.thread_id
        known = self._store.conversations.get(thread)
        runs = self._store.runs.of_conversation(thread) if known else []
        again = next((run for run in runs if run.input.get(CLIENT_RUN) == given.run_id), None)
        mine = known is not None and known.deleted_at is None and known.config_file == self._hosted.file
        if known is not None and mine and again is not None:
            return _Begun(known, again)
        if any(run.status in ("queued", "working") for run in runs):
            raise RunRefused("busy", "A run is working in this thread. Wait until it is done, or stop it.")
        terms = terms_of_input(given, channel=self._channel_on())
        self._restore()
        if known is None and given.resume and self._store.conversations.get(thread) is None:
            raise RunRefused("unknown_id", "This thread is not known here, and its state was not sent along.")
        conversation = self._hosted.conversation(thread, "agui")
        return _Begun(conversation, self._apply(conversation, terms, began=known is None))

    def _restore(self) -> None:
        state = self._given.state
        if self._channel_on() and isinstance(state, dict):
            self._channel.take_back(self._given.thread_id, state.get(KEY))

    def _apply(self, conversation: Conversation, terms: Terms, *, began: bool) -> Run | None:
        given = self._given
        waiting = self._store.requests.of_conversation(conversation.id, open_only=True)
        answers: dict[str, Answer] = tool_answers(given.messages, waiting)
        entries = given.resume or []
        stored = {one.interrupt_id: self._store.requests.get(one.interrupt_id) for one in entries}
        mine = {
            id: one if one and one.conversation_id == conversation.id else None for id, one in stored.items()
        }
        answers |= resume_answers(entries, mine)
        said = self._new(conversation, began=began)
        more = {CLIENT_RUN: given.run_id, SEEN: [one.key for one in said]}
        text = "\n\n".join(one.text for one in said) or None
        if text is not None and all(isinstance(answer, Skipped) for answer in answers.values()):
            send = partial(self._hosted.engine.talk.send, conversation, text, by=BY["agui"], via="agui")
            return self._store.runs.require(send(terms=terms, more=more))
        if not answers:
            return None
        whole = bool(entries) or text is not None
        return self._hosted.engine.answer_sets.apply(
            conversation, AnswerSet(answers, whole, text, more), by=BY["agui"], via="agui", terms=terms
        )

    def _new(self, conversation: Conversation, *, began: bool) -> list[Said]:
        runs = self._store.runs.of_conversation(conversation.id)
        seen = frozenset(key for run in runs for key in run.input.get(SEEN, ()))
        said = new_messages(self._given.messages, seen)
        before = earlier(self._given.messages)
        if began and before and not self._store.messages.load(conversation.id):
            self._store.messages.append(conversation.id, before)
        return said

    def _channel_on(self) -> bool:
        config = self._hosted.engine.desk.open(self._hosted.engine.current(self._hosted.file).id).config
        return config.runtime.persist_session_state


def _capabilities(hosted: Hosted) -> dict[str, Any]:
    config = hosted.engine.desk.open(hosted.engine.current(hosted.file).id).config
    channel = config.runtime.persist_session_state
    described = AgentCapabilities.model_validate(
        {
            "identity": {
                "name": config.name,
                "type": "workbench",
                "description": f"The entry {config.entry_name!r}.",
            },
            "transport": {"streaming": True, "resumable": True},
            "tools": {"supported": True, "clientProvided": True, "parallelCalls": True},
            "state": {"snapshots": True, "deltas": channel, "persistentState": channel},
            "multiAgent": {
                "supported": bool(config.orchestrations),
                "delegation": True,
                "handoffs": True,
            },
            "reasoning": {"supported": True, "streaming": True},
            "humanInTheLoop": {
                "supported": True,
                "approvals": True,
                "interventions": True,
                "interrupts": True,
            },
        }
    )
    return described.model_dump(mode="json", by_alias=True, exclude_none=True)
