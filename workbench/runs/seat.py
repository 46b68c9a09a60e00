"""Seats: where an agent or a team works in a run, and how it gets on from where it was.

The entry has the seat with the empty id; each delegation has one of its own. A seat's messages are stored
as they come, so a seat can be taken again by any process: after a pause with the state the checkpoint
kept, after a crash with the messages and the journal alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from strands import Agent
from strands.multiagent.base import MultiAgentResult, Status

from workbench.agents.ports import Place
from workbench.agents.team import Team, agents_of, reply_of, restore_tree, tree_state
from workbench.runs.errors import TeamFailed
from workbench.runs.history import History, Message
from workbench.runs.snapshots import interrupts_of, reopen_batch, restore_whole, take
from workbench.runs.stage import Stage

Stop = Literal["done", "interrupt", "cancelled"]


@dataclass(frozen=True)
class Outcome:
    """How the work at a seat ended.

    Attributes:
        text: the reply, when it is done.
    """

    stop: Stop
    text: str = ""


@dataclass
class AgentSeat:
    """One agent at work.

    Args:
        saved: what the checkpoint kept of this seat, when a pause is being resumed.
        torn: the same, when a crash or a failure is being mended: the messages may be further by now.
    """

    place: Place
    agent: Agent
    history: History
    stage: Stage
    saved: Mapping[str, Any] | None = None
    torn: Mapping[str, Any] | None = None
    stop: Stop = "done"

    async def delegated(self, text: str) -> Outcome:
        """Do what was delegated, or go on with it."""
        if self.saved is not None:
            return await self.go(self.resume())
        if self.history.messages:
            if self.history.open_batch is not None:
                return await self.go(self.mend())
            last = self.history.messages[-1]
            if last["role"] == "assistant":
                return Outcome("done", _text_of(last))
            return await self.go(None)
        return await self.go(text)

    def resume(self) -> list[dict[str, Any]]:
        """Restore what the checkpoint kept, and return what strands must be told."""
        snapshot = self.saved["snapshot"] if self.saved else {"data": {}}
        restore_whole(self.agent, snapshot)
        return self.stage.answers(self.place.seat, interrupts_of(snapshot))

    def mend(self) -> list[dict[str, Any]]:
        """Go back to the open batch of calls, and return what strands must be told."""
        batch = self.history.open_batch
        interrupts = interrupts_of(self.torn["snapshot"]) if self.torn else {}
        if batch is not None:
            reopen_batch(self.agent, batch, interrupts)
        return self.stage.answers(self.place.seat, interrupts)

    async def go(self, prompt: Any) -> Outcome:
        """Run the agent from a prompt, mapping its stream into the log."""
        result = None
        async for event in self.agent.stream_async(
            prompt, invocation_state=self.stage.given_to_tools(self.place)
        ):
            if "result" in event:
                result = event["result"]
        self.stop = _stop(result.stop_reason if result is not None else "end_turn")
        self.stage.ended(self.place, cut=self.stop == "cancelled")
        return Outcome(self.stop, str(result).strip() if result is not None else "")

    def keep(self) -> dict[str, Any]:
        """Return what a checkpoint keeps of this seat, besides its messages."""
        return {"snapshot": take(self.agent)}

    def cancel(self, message: str) -> None:
        """Ask the agent to stop."""
        if self.stage.is_working(self.agent):
            self.agent.cancel(message=message)


@dataclass
class TeamSeat:
    """A Swarm or Graph at work.

    Args:
        chat_output: the node whose text is the reply; the last that speaks by default.
    """

    place: Place
    team: Team
    stage: Stage
    chat_output: str | None = None
    saved: Mapping[str, Any] | None = None
    stop: Stop = "done"
    finished: list[str] = field(default_factory=list)

    async def delegated(self, text: str) -> Outcome:
        """Do what was delegated, or go on with it after a pause."""
        if self.saved is not None:
            return await self.go(self.resume())
        return await self.go(text)

    def resume(self) -> list[dict[str, Any]]:
        """Restore the whole tree that the checkpoint kept, and return what strands must be told."""
        tree = self.saved["tree"] if self.saved else {}
        restore_tree(self.team, tree)
        known = tree["state"]["_internal_state"]["interrupt_state"]["interrupts"]
        return self.stage.answers(self.place.seat, known)

    async def go(self, task: Any) -> Outcome:
        """Run the team, mapping its members' streams into the log.

        Raises:
            TeamFailed: a member failed, or a limit was reached.
        """
        result: MultiAgentResult | None = None
        async for event in self.team.stream_async(
            task, invocation_state=self.stage.given_to_tools(self.place)
        ):
            match event.get("type"):
                case "multiagent_node_stop" if event["node_result"].status != Status.INTERRUPTED:
                    self.finished.append(event["node_id"])
                case "multiagent_result":
                    result = event["result"]
        self.stage.ended(self.place, cut=self.stage.stopping)
        if self.stage.stopping:
            self.stop = "cancelled"
        elif result is not None and result.status == Status.INTERRUPTED:
            self.stop = "interrupt"
        elif result is None or result.status == Status.FAILED:
            raise TeamFailed(_why(result))
        else:
            self.stop = "done"
        return Outcome(self.stop, reply_of(result, self.chat_output, self.finished) if result else "")

    def keep(self) -> dict[str, Any]:
        """Return what a checkpoint keeps of this seat: the state of its whole tree."""
        return {"tree": tree_state(self.team)}

    def cancel(self, message: str) -> None:
        """Ask every member to stop; strands' orchestrators can't be asked themselves."""
        for agent in agents_of(self.team):
            if self.stage.is_working(agent):
                agent.cancel(message=message)


Seat = AgentSeat | TeamSeat


def _stop(reason: str) -> Stop:
    return "interrupt" if reason == "interrupt" else "cancelled" if reason == "cancelled" else "done"


def _text_of(message: Message) -> str:
    return "\n".join(block["text"] for block in message["content"] if "text" in block).strip()


def _why(result: MultiAgentResult | None) -> str:
    failed: Sequence[str] = [
        f"{name}: {node.result}"
        for name, node in (result.results if result else {}).items()
        if isinstance(node.result, Exception)
    ]
    return "; ".join(failed) or "it reached one of its limits (handoffs, iterations, executions or time)"
