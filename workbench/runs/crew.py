"""The crew of a run: every agent and team of a config, built as it is needed, each at its seat."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from strands import Agent
from strands.hooks import AfterNodeCallEvent, BeforeNodeCallEvent, MessageUpdatedEvent
from strands.interrupt import Interrupt
from strands.types._events import ToolInterruptEvent, ToolResultEvent
from strands.types.tools import ToolUse

from workbench.agents.builder import Blueprint, CannotBuild, build_agent
from workbench.agents.delegate import DelegateTool
from workbench.agents.mcp import McpTools
from workbench.agents.ports import Place, seat_of
from workbench.agents.results import error_result, success_result, with_note
from workbench.agents.team import Member, Team, build_graph, build_swarm
from workbench.config import Config, DelegateConfig, GraphConfig, SwarmConfig, members
from workbench.runs import agui
from workbench.runs.desk import LiveConfig
from workbench.runs.failures import describe
from workbench.runs.history import History
from workbench.runs.mapper import ChunkMapper
from workbench.runs.retelling import half_done, retell
from workbench.runs.seat import AgentSeat, Seat, TeamSeat
from workbench.runs.stage import Stage
from workbench.runs.used_ids import UsedIds


@dataclass
class Crew:
    """Builds and seats agents and teams.

    Args:
        saved: what the checkpoint kept of each seat, by its id, when a pause is being resumed.
        torn: the same, when a crash or a failure is being mended.
        mcp: the tools of each agent's MCP servers, by the agent's name.
    """

    live: LiveConfig
    stage: Stage
    saved: Mapping[str, Any]
    torn: Mapping[str, Any]
    mcp: Mapping[str, McpTools] = field(default_factory=dict)
    seats: dict[str, Seat] = field(default_factory=dict)
    _used_ids: UsedIds = field(init=False)

    def __post_init__(self) -> None:
        self._used_ids = UsedIds(self.stage.store, self.stage.run.conversation_id)

    def take_seat(self, ref: str, above: Place, history: History) -> Seat:
        """Put an agent or an orchestration to its seat.

        Args:
            ref: its name in the config.
            above: its seat, with the path of who stands above it.

        Raises:
            CannotBuild, ModelUnavailable, ToolLoadError: it can't be made here.
        """
        config = self.live.config
        seat = above.seat
        made: Seat
        if ref in config.agents or isinstance(config.orchestrations.get(ref), DelegateConfig):
            agent, mapper = self._agent(ref, above, history=history)
            if history not in self.stage.ledger.histories:
                self.stage.ledger.histories.append(history)
            kept, torn = self.saved.get(seat), self.torn.get(seat)
            made = AgentSeat(mapper.place, agent, history, self.stage, kept, torn)
        else:
            member = self._member(ref, above)
            orchestration = config.orchestrations[ref]
            chat_output = getattr(orchestration, "chat_output", None)
            place = above.beside((*above.path, ref))
            assert not isinstance(member, Agent)
            kept = self.saved.get(seat) or self.torn.get(seat)
            made = TeamSeat(place, member, self.stage, chat_output, kept)
        self.seats[seat] = made
        return made

    # -- building ---------------------------------------------------------------------------

    def _member(self, ref: str, above: Place) -> Member:
        """Build a member of a team: an agent, or an orchestration as a node."""
        config = self.live.config
        orchestration = config.orchestrations.get(ref)
        inside = above.beside((*above.path, ref))
        match orchestration:
            case None | DelegateConfig():
                agent, self.stage.nodes[inside] = self._agent(ref, above)
                return agent
            case SwarmConfig():
                members = {name: self._member(name, inside) for name in orchestration.agents}
                agents = {name: member for name, member in members.items() if isinstance(member, Agent)}
                return self._with_steps(build_swarm(orchestration, agents), inside)
            case GraphConfig():
                nodes = {name: self._member(name, inside) for name in orchestration.nodes}
                return self._with_steps(build_graph(orchestration, nodes, self.live.specs), inside)

    def _with_steps(self, team: Team, inside: Place) -> Team:
        """Announce a team's nodes as they begin and end."""
        stage = self.stage

        def began(event: BeforeNodeCallEvent) -> None:
            stage.step_began(inside, event.node_id)

        def ended(event: AfterNodeCallEvent) -> None:
            stage.step_ended(inside, event.node_id)

        team.hooks.add_callback(BeforeNodeCallEvent, began)  # type: ignore[attr-defined]
        team.hooks.add_callback(AfterNodeCallEvent, ended)  # type: ignore[attr-defined]
        return team

    def _agent(self, ref: str, above: Place, *, history: History | None = None) -> tuple[Agent, ChunkMapper]:
        """Build an agent, or a delegate orchestration's coordinator with its delegates."""
        config = self.live.config
        orchestration = config.orchestrations.get(ref)
        name = orchestration.entry_name if isinstance(orchestration, DelegateConfig) else ref
        if name not in config.agents:
            raise CannotBuild(
                f"{config.name} v{self.live.version.number} has no {name!r} any more. Start a new conversation."
            )
        place = above.beside((*above.path, name))
        # What began goes on without a tool whose code is gone; what begins now says that it is gone.
        waited = {**self.torn, **self.saved}
        begun = above.seat in waited if history is None else history.open_batch is not None
        loaded = self.live.blueprint(name, without_missing=bool(waited) and begun)
        terms = self.stage.ledger.terms
        plan = terms.fitted(self._with_mcp(loaded))
        if history is not None and plan.looks_back:
            history.unfold(self.stage.store, place.conversation_id)
        mapper = self.stage.mapper(place)
        delegates = self._delegates(orchestration, place) if isinstance(orchestration, DelegateConfig) else []
        agent = build_agent(
            config,
            plan,
            self.live.specs,
            self.stage.ledger,
            place=place,
            messages=history.messages if history is not None else None,
            delegates=delegates,
            name=ref,
            used_ids=self._used_ids,
            on_chunk=mapper.chunk,
            past=history.past if history is not None else None,
            told=terms.told(plan),
        )
        self.stage.watch(agent)
        if history is not None:
            history.messages = agent.messages  # type: ignore[assignment]
            agent.add_hook(partial(_note_rewrite, history), MessageUpdatedEvent)
        return agent, mapper

    def _with_mcp(self, plan: Blueprint) -> Blueprint:
        """Add the tools of an agent's MCP servers, which were listed before the run began."""
        found = self.mcp.get(plan.name)
        if found is None:
            return plan
        return replace(plan, tools=(*plan.tools, *found.tools), facts={**plan.facts, **found.facts})

    def _delegates(self, team: DelegateConfig, coordinator: Place) -> list[DelegateTool]:
        config = self.live.config
        tools = []
        for connection in team.connections:
            inner = config.orchestrations.get(connection.agent)
            is_agent = inner is None or isinstance(inner, DelegateConfig)
            own = config.agents.get(connection.agent) or inner
            description = connection.description or getattr(own, "description", None)
            tools.append(
                DelegateTool(
                    connection.agent,
                    description or f"Ask {connection.agent}.",
                    partial(self._delegate, connection.agent, description or "", coordinator),
                    resumable=is_agent,
                )
            )
        return tools

    # -- delegating -------------------------------------------------------------------------

    async def _delegate(
        self, ref: str, description: str, parent: Place, tool_use: ToolUse, coordinator: Agent
    ) -> AsyncIterator[Any]:
        """Do one delegated call: seat the delegate, let it work, and bring its pause or its reply up."""
        call_id = tool_use["toolUseId"]
        tracking_id = coordinator.messages[-1]["tracking_id"]
        seat_id = seat_of(parent.call_key(tracking_id, call_id))
        place = parent.below((*parent.path, ref), seat_id)
        self.stage.log.add(
            agui.subagent_started(place, ref, description, parent=parent, tool_call_id=call_id)
        )
        try:
            history = History.load(self.stage.store, parent.conversation_id, seat_id)
            seat = self.take_seat(ref, parent.below(parent.path, seat_id), history)
            outcome = await seat.delegated(_task_of(tool_use))
        except Exception as error:
            if self.stage.ledger.broken is not None:
                raise
            failure = describe(error)
            self.stage.ended(place)
            self.stage.log.add(agui.subagent_error(place, failure.message))
            self.seats.pop(seat_id, None)
            words = self._with_what_was_done(f"{ref} could not do this. {failure.message}", ref, seat_id)
            yield ToolResultEvent(error_result(call_id, words), exception=error)  # type: ignore[arg-type]
            return
        if outcome.stop == "interrupt":
            waiting = [
                request.id
                for request in self.stage.ledger.requests
                if request.metadata.get("seat") == seat_id
            ]
            self.stage.log.add(agui.subagent_finished(place, waiting=waiting))
            name = f"delegate:{seat_id}"
            yield ToolInterruptEvent(tool_use, [Interrupt(id=name, name=name, reason={"seat": seat_id})])
            return
        self.seats.pop(seat_id, None)
        self.stage.log.add(agui.subagent_finished(place))
        if outcome.stop == "cancelled":
            words = self._with_what_was_done(f"{ref} was stopped by the person", ref, seat_id)
            yield ToolResultEvent(error_result(call_id, words))  # type: ignore[arg-type]
            return
        result = success_result(call_id, outcome.text or f"{ref} finished and said nothing.")
        note = retell(self.stage.store, self.stage.run.turn_id, place.conversation_id, seat_id)
        yield ToolResultEvent(with_note(result, note) if note else result)  # type: ignore[arg-type]

    def _with_what_was_done(self, words: str, delegate: str, seat_id: str) -> str:
        """Tell what a delegate that doesn't finish had done, lest its coordinator has it done again."""
        run = self.stage.run
        return half_done(self.stage.store, run.turn_id, run.conversation_id, delegate, seat_id, words)

    def keep(self) -> dict[str, Any]:
        """Return what a checkpoint keeps of every seat that waits."""
        return {seat_id: seat.keep() for seat_id, seat in self.seats.items() if seat.stop == "interrupt"}

    def cancel(self, message: str) -> None:
        """Ask everybody at work to stop."""
        for seat in list(self.seats.values()):
            seat.cancel(message)


def _task_of(tool_use: ToolUse) -> str:
    given = tool_use["input"]
    return str(given.get("input", "")) if isinstance(given, dict) else str(given)


def _note_rewrite(history: History, event: MessageUpdatedEvent[Any]) -> None:
    for index, message in enumerate(event.agent.messages):
        if message.get("tracking_id") == event.tracking_id:
            history.changed(index)


def entry_path(config: Config, entry: str) -> tuple[str, ...]:
    """Return the agent path of a conversation's entry; a delegate orchestration stands as its coordinator."""
    orchestration = config.orchestrations.get(entry)
    return (orchestration.entry_name,) if isinstance(orchestration, DelegateConfig) else (entry,)


def agents_from(config: Config, ref: str) -> set[str]:
    """Return the names of every agent that a run of an entry may need."""
    found: set[str] = set()
    waiting, seen = [ref], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        orchestration = config.orchestrations.get(name)
        if orchestration is not None:
            waiting.extend(members(orchestration))
        elif name in config.agents:
            found.add(name)
    return found
