"""Answering a request: validated whole, recorded once, and the run queued when nothing is left open."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from workbench.agents.client_tools import BadAnswer, check_answer
from workbench.agents.files import REQUEST_FILES
from workbench.policy import (
    Answer,
    AnswerRefused,
    RequestFacts,
    Settlement,
    Subject,
    answer_from_dict,
    answer_to_dict,
    edited_subject,
    settle,
)
from workbench.policy.answer import Answered
from workbench.policy.changes import changes
from workbench.policy.notes import SUPERSEDED
from workbench.policy.schema_check import SchemaUnusable, field_errors
from workbench.runs import agui
from workbench.runs.answer_words import asked_of
from workbench.runs.cards import Cards
from workbench.runs.desk import ConfigDesk
from workbench.runs.errors import EngineRefused
from workbench.runs.interrupts import request_raised
from workbench.runs.prepared import Prepared, remembered_at
from workbench.runs.process import process_name
from workbench.runs.sentences import already_decided
from workbench.runs.sets import TELLING_SECONDS, DecisionSets, host_refused
from workbench.runs.uploads import checked_files
from workbench.runs.views import AnswerOutcome, Card, EditPreview
from workbench.store import AlreadyDecided, AnswerHeld, Door, NewRequest, Request, Store, as_time, new_id
from workbench.store.codec import canonical


class Answers:
    """Takes the answers to requests."""

    def __init__(self, store: Store, desk: ConfigDesk, cards: Cards) -> None:
        self._store = store
        self._cards = cards
        self.sets = DecisionSets(store, desk)
        self.holder: str | None = process_name()
        """What a permission for a session of the invoke API ends with; None keeps it for good."""

    def answer(self, request_id: str, answer: Answer, *, by: str, via: Door) -> AnswerOutcome:
        """Record an answer. When it was the last one its pause waited for, the resume is queued in the same
        transaction.

        Raises:
            AnswerRefused: the answer doesn't fit, an edit breaks the tool's schema, or the request was
                already decided otherwise; nothing changed.
        """
        request = self._request(request_id)
        if request.status == "decided":
            return self.once_more(request, answer)
        answer = self._checked(request, answer)
        settlement = self._settle(request, answer, by, via, self._store.now())
        if self.sets.listens(self._store.requests.of_pause(request.pause_id)):
            self._hold(request, answer, by, via)
            request, pause = self._request(request.id), None
        else:
            with self._store.transaction(durable=True):
                request = self._record(request, answer, settlement, by, via)
                pause = self._resume_when_complete(request)
        if request.tool == REQUEST_FILES:
            self._cards.uploads.sweep()
        card = self._cards.of_request(request, pause)
        return AnswerOutcome(card=card, left=card.left, warnings=settlement.warnings)

    def prepare(self, request: Request, answer: Answer, by: str, via: Door) -> Prepared:
        """Validate an answer to an open request; nothing is stored.

        Raises:
            AnswerRefused: it doesn't fit.
        """
        checked = self._checked(request, answer)
        return Prepared(request, checked, self._settle(request, checked, by, via, self._store.now()), by, via)

    def record(self, one: Prepared) -> Request:
        """Decide one request, in the running transaction.

        Raises:
            AnswerRefused: it was decided otherwise meanwhile.
        """
        return self._record(one.request, one.answer, one.settlement, one.by, one.via)

    def _record(
        self, request: Request, answer: Answer, settlement: Settlement, by: str, via: Door
    ) -> Request:
        """Decide one request, in the running transaction."""
        # Looked at inside the transaction: whoever sees it open here is the one who decides it.
        first = self._store.requests.is_open(request.id)
        try:
            decided = self._store.requests.answer(
                request.id,
                decision=settlement.decision,
                scope=settlement.scope,
                reason=settlement.reason or None,
                answer=answer_to_dict(answer),
                executed_input=settlement.tool_input,
                edited=settlement.edited,
                note=settlement.note,
                by=by,
                via=via,
            )
        except AlreadyDecided as lost:
            raise _refused(lost.request) from None
        if first:
            self._remember(request, settlement, by, via)
            self.announce(decided)
        return decided

    # -- sets that a host hears first -------------------------------------------------------

    def _hold(self, request: Request, answer: Answer, by: str, via: Door) -> None:
        """Keep an answer until its pause's set is complete; then let the host hear it."""
        try:
            self._store.held.hold(
                request.id, request.pause_id, request.conversation_id, answer_to_dict(answer), by=by, via=via
            )
        except AnswerHeld as held:
            raise AnswerRefused("already_decided", str(held)) from None
        self.finish_set(request.pause_id)

    def finish_set(self, pause_id: str) -> None:
        """Tell the host of a pause's answers when they are all there, and make them count.

        Raises:
            AnswerRefused: the host refuses; nothing runs and every card of the pause is open again.
        """
        still = [one for one in self._store.requests.of_pause(pause_id) if one.status == "open"]
        held = {one.request_id: one for one in self._store.held.of_pause(pause_id)}
        if not still or any(one.id not in held for one in still):
            return
        if not self._store.held.claim(pause_id, TELLING_SECONDS):
            return
        try:
            whole = []
            for one in still:
                given = held[one.id]
                answer = answer_from_dict(given.answer)
                whole.append(
                    (one, answer, self._settle(one, answer, given.by, given.via, as_time(given.at)), given)
                )
            why = self.sets.refused_by([(one, settled, given.by) for one, _, settled, given in whole])
            with self._store.transaction(durable=True):
                self._store.held.drop(pause_id)
                if why is None:
                    for one, answer, settled, given in whole:
                        decided = self._record(one, answer, settled, given.by, given.via)
                    self._resume_when_complete(decided)
                else:
                    self._store.settings.set(f"refused:{pause_id}", why)
        finally:
            self._store.held.unclaim(pause_id)
        if why is not None:
            raise host_refused(why)

    def once_more(self, request: Request, answer: Answer) -> AnswerOutcome:
        """Take the answer that was given already as heard; refuse another one, whether or not it would fit."""
        try:
            given = answer_to_dict(self._checked(request, answer))
        except AnswerRefused:
            raise _refused(request) from None
        if request.answer is None or canonical(given) != canonical(request.answer):
            raise _refused(request)
        card = self._cards.of_request(request)
        return AnswerOutcome(card=card, left=card.left)

    def _checked(self, request: Request, answer: Answer) -> Answer:
        """Check an answer to a question against what it asked; what it lacks is said field by field."""
        if request.metadata.get("hook") and isinstance(answer, Answered) and answer.value is None:
            raise AnswerRefused(
                "invalid_answer",
                "A hook takes null for no answer and would ask again. Give another value, or skip.",
            )
        if request.kind != "question" or not isinstance(answer, Answered):
            return answer
        if request.metadata.get("by_client") and isinstance(answer.value, str):
            return answer  # the client's own words for its own tool
        try:
            value = check_answer(request.tool, asked_of(request), answer.value)
            if request.tool == REQUEST_FILES:
                value = checked_files(self._store, request, value)
        except BadAnswer as bad:
            raise AnswerRefused("invalid_answer", bad.sentence, bad.fields) from None
        return replace(answer, value=value)

    def _settle(self, request: Request, answer: Answer, by: str, via: Door, now: datetime) -> Settlement:
        facts = _facts_of(request)
        return settle(
            facts if remembered_at(request, via) else replace(facts, scopes=("once",)),
            answer,
            now=now,
            policy=self._cards.policy(request),
            facts=self._cards.facts(request),
            who=by,
        )

    def _remember(self, request: Request, settlement: Settlement, by: str, via: Door) -> None:
        """Store the permission the person gave; a plain approval gives none, and an AG-UI client keeps its own."""
        if settlement.remember is None or settlement.remember == "once" or via == "agui":
            return
        conversation = self._store.conversations.require(request.conversation_id)
        lasts = settlement.lifetime_seconds
        self._store.grants.create(
            config_name=conversation.config_file,
            agent=request.agent,
            tool=request.tool,
            subject_key=settlement.subject.key,
            subject_label=settlement.subject.label,
            scope=settlement.remember,
            conversation_id=request.conversation_id if settlement.remember == "thread" else None,
            request_id=request.id,
            by=by,
            via=via,
            max_uses=settlement.uses,
            expires_at=None if lasts is None else self._store.now() + timedelta(seconds=lasts),
            holder=self.holder if via == "invoke" else None,
        )

    def announce(self, decided: Request) -> None:
        """Append a decision to the event log, in the running transaction."""
        self._store.events.append(
            decided.conversation_id,
            decided.run_id,
            [
                agui.custom(
                    agui.DECISION,
                    {
                        "requestId": decided.id,
                        "key": decided.call_key,
                        "toolCallId": decided.tool_call_id,
                        "seat": decided.metadata.get("seat", ""),
                        "decision": decided.decision,
                        "by": decided.by or "",
                        "via": decided.via or "",
                        "scope": decided.scope,
                        "reason": decided.reason or "",
                        "edited": decided.edited,
                    },
                )
            ],
        )

    def _resume_when_complete(self, decided: Request) -> list[Request]:
        """Queue the resume when nothing of the pause is open any more; return the pause's requests."""
        pause = self._store.requests.of_pause(decided.pause_id)
        latest = self._store.runs.latest(decided.conversation_id)
        if any(one.status == "open" for one in pause) or latest is None or latest.id != decided.pause_id:
            return pause
        self._store.runs.queue(
            decided.conversation_id,
            turn_id=decided.turn_id,
            config_version_id=latest.config_version_id,
            kind="resume",
            input={"pause": decided.pause_id},
        )
        return pause

    def preview_edit(self, request_id: str, tool_input: dict[str, Any]) -> EditPreview:
        """Say what an edited call would be; nothing is stored."""
        request = self._request(request_id)
        facts = _facts_of(request)
        try:
            errors = field_errors(tool_input, request.input_schema or {})
        except SchemaUnusable as unusable:
            errors = {"": f"can't be checked: {unusable}"}
        subject, changed = edited_subject(
            facts, tool_input, self._cards.policy(request), self._cards.facts(request)
        )
        sentence = (
            f"The edited call is about {subject.label}, not {request.subject_label}: "
            "it can be approved once, and nothing is remembered."
            if changed and subject.key != request.subject_key
            else "What the edited call covers can't be told: it can be approved once, and nothing is remembered."
            if changed
            else ""
        )
        return EditPreview(
            errors=dict(errors),
            changed=tuple((c.path, c.before, c.after) for c in changes(request.input, tool_input)),
            subject=subject,
            subject_changed=changed,
            sentence=sentence,
        )

    def ask_again(self, request_id: str, *, by: str, via: Door) -> Card:
        """Put the same call to the person under the newest config: the old request is superseded by a new one.

        Raises:
            AnswerRefused: it was decided meanwhile.
            EngineRefused: the newest config has no such agent or tool.
        """
        request = self._request(request_id)
        if request.status == "decided":
            raise _refused(request)
        if request.kind != "approval":
            raise AnswerRefused(
                "wrong_answer", "Only an approval can be asked again under another config; nothing was done."
            )
        version = self._store.configs.get(request.config_version_id)
        newest = self._store.configs.newest(version.file) if version else None
        verdict = self._cards.verdict_under(request, newest.id) if newest else None
        if newest is None or verdict is None:
            raise EngineRefused(
                f"The newest config has no agent {request.agent!r} with the tool {request.tool!r}."
            )
        with self._store.transaction(durable=True):
            closed = self._store.requests.close(
                [request.id], decision="superseded", note=SUPERSEDED, by=by, via=via
            )
            if not closed:
                raise _refused(self._request(request_id))
            ttl = verdict.ttl_seconds
            opened = self._store.requests.open(
                [
                    NewRequest(
                        id=new_id(),
                        conversation_id=request.conversation_id,
                        run_id=request.run_id,
                        turn_id=request.turn_id,
                        pause_id=request.pause_id,
                        config_version_id=newest.id,
                        kind=request.kind,
                        agent=request.agent,
                        agent_path=request.agent_path,
                        tool=request.tool,
                        tool_call_id=request.tool_call_id,
                        call_key=request.call_key,
                        input=request.input,
                        digest=request.digest,
                        message=request.message,
                        description=request.description,
                        input_schema=request.input_schema,
                        response_schema=request.response_schema,
                        verdict=verdict.to_dict(),
                        subject_key=verdict.subject.key,
                        subject_label=verdict.subject.label,
                        scopes=list(verdict.scopes) or ["once"],
                        expires_at=self._store.now() + timedelta(seconds=ttl) if ttl is not None else None,
                        metadata={**request.metadata, "why": "again"},
                    )
                ]
            )
            self._store.journal.wait(request.call_key, opened[0].id, verdict.to_dict())
            self.announce(closed[0])
            self._store.events.append(
                request.conversation_id,
                request.run_id,
                [request_raised(opened[0])],
            )
        return self._cards.of_request(opened[0])

    def _request(self, request_id: str) -> Request:
        request = self._store.requests.get(request_id)
        if request is None:
            raise AnswerRefused(
                "not_found", "There is no such card. It may belong to a conversation that was deleted."
            )
        return request


def _facts_of(request: Request) -> RequestFacts:
    return RequestFacts(
        kind=request.kind,
        tool=request.tool,
        tool_input=request.input,
        input_schema=request.input_schema,
        response_schema=request.response_schema,
        subject=Subject(request.subject_key, request.subject_label),
        scopes=tuple(request.scopes),
        expires_at=as_time(request.expires_at) if request.expires_at else None,
    )


def _refused(request: Request) -> AnswerRefused:
    at = as_time(request.decided_at) if request.decided_at else None
    return AnswerRefused("already_decided", already_decided(request.decision, request.by, at))
