"""A ledger in memory: what the gate asked and told, and how a test wants its calls to stand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.agents.ports import (
    Edit,
    Finished,
    Fresh,
    GrantWithdrawn,
    ProposedCall,
    Ruled,
    Standing,
    Stopped,
)
from workbench.policy import Grant, RequestKind, Verdict


@dataclass(frozen=True)
class Asked:
    """A request that was raised."""

    id: str
    call: ProposedCall
    kind: RequestKind
    verdict: Verdict | None
    message: str
    metadata: Mapping[str, Any]


@dataclass
class MemoryLedger:
    """Implements `workbench.agents.ports.Ledger`."""

    permissions: list[Grant] = field(default_factory=list)
    remembers: bool = True
    asked: list[Asked] = field(default_factory=list)
    started: list[tuple[ProposedCall, dict[str, Any], str | None, bool]] = field(default_factory=list)
    finished: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    closed: list[tuple[str, str]] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    results: list[Mapping[str, Any]] = field(default_factory=list)
    stands: dict[str, Standing] = field(default_factory=dict)
    """How each tool's calls stand; fresh by default."""
    before_start: Callable[[], None] = lambda: None
    stopped: bool = False
    edits: dict[str, Edit] = field(default_factory=dict)

    def propose(self, calls: Sequence[ProposedCall]) -> None:
        pass

    def standing(self, call: ProposedCall) -> Standing:
        return self.stands.get(call.tool, Fresh())

    def edit_of(self, call: ProposedCall) -> Edit | None:
        return self.edits.get(call.tool)

    def interrupt_answers(self, call: ProposedCall) -> Mapping[str, Any]:
        return {}

    def grants(self, agent: str) -> Sequence[Grant]:
        return list(self.permissions)

    def judged(self, call: ProposedCall, verdict: Verdict) -> None:
        self.verdicts.append(verdict)

    def ask(
        self,
        call: ProposedCall,
        kind: RequestKind,
        *,
        verdict: Verdict | None,
        message: str = "",
        response_schema: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> str:
        self.asked.append(
            Asked(f"request-{len(self.asked)}", call, kind, verdict, message, dict(metadata or {}))
        )
        return self.asked[-1].id

    def start(
        self, call: ProposedCall, executed_input: dict[str, Any], *, grant_id: str | None, again: bool
    ) -> None:
        self.before_start()
        if self.stopped:
            raise Stopped
        if grant_id is not None and grant_id not in [grant.id for grant in self.permissions]:
            raise GrantWithdrawn
        self.started.append((call, executed_input, grant_id, again))

    def suspended(self, call: ProposedCall, why: str) -> None:
        pass

    def finish(self, call: ProposedCall, result: Mapping[str, Any]) -> None:
        self.finished.append((call.tool, result))

    def answered(self, call: ProposedCall, result: Mapping[str, Any]) -> None:
        self.finished.append((call.tool, result))

    def cancel(self, call: ProposedCall, note: str) -> None:
        self.closed.append((call.tool, note))

    def close(self, call: ProposedCall, note: str) -> None:
        self.closed.append((call.tool, note))

    def told(self, call: ProposedCall, result: Mapping[str, Any], **more: Any) -> None:
        self.results.append(result)

    def unseen(self, call: ProposedCall, result: dict[str, Any], *, stopped: bool) -> dict[str, Any]:
        return result


def approved(tool: str, shown: dict[str, Any], executed: dict[str, Any] | None = None) -> Ruled:
    """A person's approval of a call, as it was shown or edited."""
    runs = shown if executed is None else executed
    return Ruled("request", "approval", tool, "approved", shown, runs, note="", value=None)


def finished(text: str) -> Finished:
    """A call that the journal has a result of."""
    return Finished({"toolUseId": "old", "status": "success", "content": [{"text": text}]})
