"""Sets of answers that come at once, from a client that answers a whole pause: applied whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.policy import Answer, AnswerRefused, answer_from_dict
from workbench.policy.answer import Skipped
from workbench.runs.answers import Answers
from workbench.runs.errors import Busy
from workbench.runs.prepared import Prepared
from workbench.runs.sets import TELLING_SECONDS, host_refused
from workbench.runs.terms import KEY, Terms
from workbench.store import Conversation, Door, Request, Run, Store


@dataclass(frozen=True)
class AnswerSet:
    """What a client says to a pause.

    Args:
        answers: each answer, by its request's id.
        whole: whether what it leaves out is skipped.
        text: what the person says besides, answered in the same turn.
        more: what else the resume's input is to hold.
    """

    answers: Mapping[str, Answer]
    whole: bool
    text: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


class AnswerSets:
    """Applies sets of answers."""

    def __init__(self, store: Store, answers: Answers) -> None:
        self._store = store
        self._answers = answers

    def apply(
        self, row: Conversation, given: AnswerSet, *, by: str, via: Door, terms: Terms | None = None
    ) -> Run | None:
        """Apply a set.

        Returns:
            The run that goes on because of it, now or before; None while something else of the pause is open.

        Raises:
            AnswerRefused: one of the answers can't be taken; nothing changed.
            Busy: a run is working.
        """
        if self._store.runs.active(row.id) is not None:
            raise Busy(f"{row.entry} is still working.")
        requests = {id: self._request(row, id) for id in given.answers}
        heard = [id for id, request in requests.items() if request.status == "decided"]
        for id in heard:
            self._answers.once_more(requests[id], given.answers[id])
        if heard and len(heard) == len(requests) and given.text is None:
            return self._resumed(requests[heard[0]])
        pause = self._pause(row)
        if given.text is not None and pause and self._is_team(row):
            raise AnswerRefused(
                "message_with_answers", "A team that waits takes answers alone: send the message after them."
            )
        fresh = {id: answer for id, answer in given.answers.items() if id not in heard}
        prepared = [self._answers.prepare(requests[id], answer, by, via) for id, answer in fresh.items()]
        prepared += self._rest(pause, given, by, via)
        left = {one.id for one in pause if one.status == "open"} - {one.request.id for one in prepared}
        if self._answers.sets.listens(pause):
            if left:
                for one in prepared:
                    self._answers.answer(one.request.id, one.answer, by=by, via=via)
                return None
            self._ask_host(pause, prepared)
        with self._store.transaction(durable=True):
            if self._store.runs.active(row.id) is not None:
                raise Busy(f"{row.entry} is still working.")
            if pause:
                self._store.held.drop(pause[0].pause_id)
            for one in prepared:
                self._answers.record(one)
            if left or not pause:
                return None
            return self._store.runs.queue(
                row.id,
                turn_id=pause[0].turn_id,
                config_version_id=self._store.runs.require(pause[0].pause_id).config_version_id,
                kind="resume",
                input={
                    "pause": pause[0].pause_id,
                    "by": by,
                    "via": via,
                    **({KEY: terms.to_dict()} if terms else {}),
                    **({"also": given.text} if given.text is not None else {}),
                    **given.more,
                },
            )

    def _rest(self, pause: list[Request], given: AnswerSet, by: str, via: Door) -> list[Prepared]:
        """What becomes of the requests that the set leaves out."""
        held = {one.request_id: one for one in self._store.held.of_pause(pause[0].pause_id)} if pause else {}
        rest = []
        for request in pause:
            if request.status != "open" or request.id in given.answers:
                continue
            if request.id in held:
                one = held[request.id]
                rest.append(self._answers.prepare(request, answer_from_dict(one.answer), one.by, one.via))
            elif given.whole:
                rest.append(self._answers.prepare(request, Skipped(), by, via))
        return rest

    def _ask_host(self, pause: list[Request], prepared: list[Prepared]) -> None:
        pause_id = pause[0].pause_id
        if not self._store.held.claim(pause_id, TELLING_SECONDS):
            raise Busy("The answers to this pause are being heard already.")
        try:
            why = self._answers.sets.refused_by([(one.request, one.settlement, one.by) for one in prepared])
        finally:
            self._store.held.unclaim(pause_id)
        if why is not None:
            self._store.settings.set(f"refused:{pause_id}", why)
            raise host_refused(why)

    def _request(self, row: Conversation, id: str) -> Request:
        request = self._store.requests.get(id)
        if request is None or request.conversation_id != row.id:
            raise AnswerRefused("unknown_id", f"Nothing waits under the id {id[:80]!r} in this thread.")
        return request

    def _pause(self, row: Conversation) -> list[Request]:
        latest = self._store.runs.latest(row.id)
        if latest is None or latest.status != "paused":
            return []
        return self._store.requests.of_pause(latest.id)

    def _resumed(self, request: Request) -> Run | None:
        """The run that went on from a request's pause."""
        paused = self._store.runs.require(request.pause_id)
        later = self._store.runs.of_conversation(request.conversation_id, after=paused.number)
        return next((run for run in later if run.input.get("pause") == paused.id), None)

    def _is_team(self, row: Conversation) -> bool:
        checkpoint = self._store.checkpoints.latest(row.id)
        return checkpoint is not None and "tree" in checkpoint.data["seats"].get("", {})
