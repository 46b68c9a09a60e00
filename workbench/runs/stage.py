"""What all seats of a run share: the log, who speaks where, the answers that strands must be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from strands import Agent
from strands.hooks import AfterInvocationEvent, BeforeInvocationEvent

from workbench.agents.ports import Place
from workbench.runs import agui
from workbench.runs.eventlog import EventLog
from workbench.runs.ledger import RunLedger
from workbench.runs.mapper import ChunkMapper, Spent
from workbench.store import Run, Store


@dataclass
class Stage:
    """Shared by the seats of one run.

    Args:
        pause_id: the pause that this run resumes, or whose answers it goes back to; empty without one.
        person: who sent the message of this turn; tools may read it, and it is the same after every pause.
    """

    store: Store
    run: Run
    log: EventLog
    ledger: RunLedger
    pause_id: str = ""
    person: str = ""
    spent: Spent = field(default_factory=Spent)
    nodes: dict[Place, ChunkMapper] = field(default_factory=dict)
    """What maps the stream of a Swarm's or Graph's agent, by the node's place: its own name at its team's."""
    _mappers: list[ChunkMapper] = field(default_factory=list)
    _steps: list[Place] = field(default_factory=list)
    _working: set[int] = field(default_factory=set)

    @property
    def stopping(self) -> bool:
        """Whether the person stopped the run."""
        return self.ledger.stopping

    def mapper(self, place: Place) -> ChunkMapper:
        """Return a mapper for one agent object; two of one name may stand at one place and speak at once."""
        made = ChunkMapper(self.log, place, self.spent)
        self._mappers.append(made)
        return made

    def step_began(self, team: Place, node: str) -> None:
        """Announce that a node of a Swarm or Graph begins."""
        step = team.beside((*team.path, node))
        self._steps.append(step)
        self.log.add(agui.step_started(self._speaker(step), node))

    def step_ended(self, team: Place, node: str) -> None:
        """Announce that a node is done, and what was going on inside it."""
        step = team.beside((*team.path, node))
        if step in self.nodes:
            self.nodes[step].close()
        self._end_steps(step)

    def _end_steps(self, outer: Place) -> None:
        for step in list(reversed(self._steps)):
            if _is_within(step, outer):
                self._steps.remove(step)
                self.log.add(agui.step_finished(self._speaker(step), step.path[-1]))

    def _speaker(self, step: Place) -> Place:
        """Return where a node's agent stands; a node that is an orchestration stands for itself."""
        return self.nodes[step].place if step in self.nodes else step

    def ended(self, place: Place, *, cut: bool = False) -> None:
        """Close what an agent, or the members of a team, were saying, and the steps inside: a pause ends them too.

        ``cut`` when they were stopped in the middle of it.
        """
        for mapper in self._mappers:
            if _is_within(mapper.place, place):
                mapper.close(cut=cut)
        self._end_steps(place)

    def close_all(self, *, cut: bool) -> None:
        """Close everything that anybody was saying or doing."""
        for mapper in self._mappers:
            mapper.close(cut=cut)
        for step in list(reversed(self._steps)):
            self._end_steps(step)

    def answers(self, seat: str, known: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return what strands itself must be told at a seat: the answers to tools' own interrupts.

        Args:
            known: the interrupts that the seat's saved state holds, by strands' id.
        """
        told = []
        for request in self.store.requests.of_pause(self.pause_id) if self.pause_id else []:
            interrupt_id = request.metadata.get("interrupt")
            if request.kind != "tool_interrupt" or interrupt_id not in known:
                continue
            if request.metadata.get("seat", "") != seat:
                continue
            if request.decision == "answered":
                response = (request.answer or {}).get("value")
            elif request.metadata.get("hook"):
                response = request.note  # a hook that hears nothing would ask again; the gate closes its call
            else:
                continue
            told.append({"interruptResponse": {"interruptId": interrupt_id, "response": response}})
        return told

    def given_to_tools(self, place: Place) -> dict[str, Any]:
        """Return strands' ``invocation_state``: what a tool may know of where it runs."""
        return {
            "workbench": {
                "conversation_id": self.run.conversation_id,
                "run_id": self.run.id,
                "person": self.person,
                "agent_path": list(place.path),
            }
        }

    def watch(self, agent: Agent) -> None:
        """Know from now on when an agent is at work: only then may it be asked to stop.

        strands' ``cancel`` on an idle agent would end its next run instead.
        """
        agent.add_hook(lambda event: self._working.add(id(event.agent)), BeforeInvocationEvent)
        agent.add_hook(lambda event: self._working.discard(id(event.agent)), AfterInvocationEvent)

    def is_working(self, agent: Agent) -> bool:
        """Whether an agent is at work right now."""
        return id(agent) in self._working


def _is_within(place: Place, outer: Place) -> bool:
    """Whether a place is another one or inside it, in the same delegation."""
    return place.seat == outer.seat and place.path[: len(outer.path)] == outer.path
