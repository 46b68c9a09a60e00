"""Sets of answers that a host hears whole (``interrupt.on_decision``), before any of them takes effect."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from workbench.config import ConfigInvalid, ImportSpecError
from workbench.policy import AnswerRefused, Settlement
from workbench.runs.desk import ConfigDesk
from workbench.runs.on_decision import DecisionNotice, OnDecision, refusal
from workbench.store import Request, Store

logger = logging.getLogger(__name__)

CLOSING_SECONDS = 2.0
"""How long a message or a Stop waits for a host that is told what they closed."""
TELLING_SECONDS = 120.0
"""How long one process may take to tell a host before another one tries."""


class DecisionSets:
    """Tells hosts of decisions."""

    def __init__(self, store: Store, desk: ConfigDesk) -> None:
        self._store = store
        self._desk = desk

    def listens(self, pause: Sequence[Request]) -> bool:
        """Whether any agent that asked in a pause has a host to tell."""
        return any(self._spec(request) for request in pause)

    def refused_by(self, decided: Sequence[tuple[Request, Settlement, str]]) -> str | None:
        """Tell every host of a complete set; return why one refuses it, or None.

        Args:
            decided: each request with what was made of its answer and who gave it.
        """
        for spec in dict.fromkeys(filter(None, (self._spec(request) for request, _, _ in decided))):
            mine = [one for one in decided if self._spec(one[0]) == spec]
            why = self._tell(spec, mine)
            if why is not None:
                return why
        return None

    def tell_closed(self, closed: Sequence[Request]) -> None:
        """Tell hosts of requests that were closed without being asked; they can't refuse that."""
        for spec in dict.fromkeys(filter(None, (self._spec(request) for request in closed))):
            mine = [one for one in closed if self._spec(one) == spec and one.decision is not None]
            if mine:
                told = threading.Thread(target=self._tell_one_closed, args=(spec, mine), daemon=True)
                told.start()
                # Nobody has to wait for a host to be able to stop, or to say something else.
                told.join(CLOSING_SECONDS)

    def _tell_one_closed(self, spec: str, mine: Sequence[Request]) -> None:
        why = self._call(spec, mine[0], [_notice(request, request.by or "") for request in mine])
        if why is not None:
            logger.warning(
                "pause=<%s> | the host was told that it is closed, and said: %s", mine[0].pause_id, why
            )

    def _tell(self, spec: str, mine: Sequence[tuple[Request, Settlement, str]]) -> str | None:
        return self._call(spec, mine[0][0], [_notice(request, by, settled) for request, settled, by in mine])

    def _call(self, spec: str, request: Request, notices: list[DecisionNotice]) -> str | None:
        try:
            callback: OnDecision = self._desk.open(request.config_version_id).specs.load(spec)
        except (ConfigInvalid, ImportSpecError) as error:
            return f"{spec} can't be loaded: {error}"
        return refusal(callback, notices, name=spec)

    def _spec(self, request: Request) -> str | None:
        try:
            agent = self._desk.open(request.config_version_id).config.agents.get(request.agent)
        except ConfigInvalid:
            return None
        return agent.interrupt.on_decision if agent and agent.interrupt else None


def host_refused(why: str) -> AnswerRefused:
    """Say that nothing of a set counts, and what to do."""
    return AnswerRefused(
        "host_refused",
        f"The answers were not accepted: {why} Nothing ran, and every card of this pause is open again.",
    )


def _notice(request: Request, by: str, settled: Settlement | None = None) -> DecisionNotice:
    decision = settled.decision if settled else request.decision
    assert decision is not None
    return DecisionNotice(
        request_id=request.id,
        request=request.metadata.get("request"),
        conversation_id=request.conversation_id,
        agent=request.agent,
        tool=request.tool,
        tool_input=request.input,
        edited_input=settled.tool_input if settled and settled.edited else None,
        decision=decision,
        scope=settled.scope if settled else request.scope,
        reason=(settled.reason if settled else request.reason) or "",
        by=by,
    )
