"""Where a run begins: from a person's message, from the answers to a pause, or from where something broke."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from strands.hooks import AfterToolsEvent

from workbench.agents.ports import Place, seat_of
from workbench.agents.results import result_text
from workbench.policy.notes import CUT_OFF, SKIPPED_BY_MESSAGE
from workbench.runs import agui
from workbench.runs.closing import ClosedCall, close_batch, close_inside, close_rest, finished
from workbench.runs.errors import TORN, TeamTorn
from workbench.runs.history import History, Message
from workbench.runs.ledger import RunLedger
from workbench.runs.recovery import INTERRUPTED
from workbench.runs.seat import AgentSeat, Seat, TeamSeat
from workbench.runs.snapshots import restore_state
from workbench.store import CallRecord, Checkpoint, Run, Store


@dataclass
class Beginning:
    """Brings the entry of a conversation to where its run begins.

    Args:
        turn: the run that its turn began with.
        checkpoint: the conversation's newest.
        path: the entry's agent path.
    """

    store: Store
    run: Run
    turn: Run
    history: History
    ledger: RunLedger
    checkpoint: Checkpoint | None
    path: tuple[str, ...]

    @property
    def kept(self) -> Mapping[str, Any]:
        """What the newest checkpoint holds of each seat."""
        seats: Mapping[str, Any] = self.checkpoint.data["seats"] if self.checkpoint else {}
        return seats

    @property
    def resumes(self) -> bool:
        """Whether this run goes on from the pause that the newest checkpoint is of."""
        of = self.checkpoint.run_id if self.checkpoint else None
        return self.run.kind == "resume" and of is not None and of == self.run.input.get("pause")

    @property
    def mends(self) -> bool:
        """Whether this run goes back to a turn whose last pause the newest checkpoint is of."""
        if self.checkpoint is None or self.run.kind not in ("recover", "retry", "resume") or self.resumes:
            return False
        of = self.store.runs.get(self.checkpoint.run_id)
        return of is not None and of.turn_id == self.run.turn_id and of.status == "paused"

    def prompt(self, seat: Seat) -> Any:
        """Restore the entry and return what strands is given: a message, answers, or nothing."""
        self.history.drop_hollow()
        match seat:
            case AgentSeat():
                return self._agent_prompt(seat)
            case TeamSeat():
                return self._team_prompt(seat)

    # -- an agent ---------------------------------------------------------------------------

    def _agent_prompt(self, seat: AgentSeat) -> Any:
        if self.resumes:
            return seat.resume()
        kept = self.kept.get("", {}).get("snapshot")
        if kept is not None:
            restore_state(seat.agent, kept)
        text = self._turn_text()
        if text is not None and not self.history.holds(self.run.turn_id):
            return self._deliver(text)
        return seat.mend() if self.history.open_batch is not None else None

    def _turn_text(self) -> str | None:
        """The person's message that this turn answers."""
        text = self.turn.input.get("text")
        return str(text) if text is not None else None

    def _deliver(self, text: str) -> Any:
        """Give the person's message to the agent, closing whatever waited."""
        if self.close_open_batch(SKIPPED_BY_MESSAGE, text=text):
            return None
        message: Message = {"role": "user", "content": [{"text": text}], "tracking_id": self.run.turn_id}
        if self._merge(text):
            return None
        return [message]

    def _merge(self, text: str) -> bool:
        """Add the person's words to a message that was never answered: its turn failed or was stopped."""
        last = self.history.messages[-1] if self.history.messages else None
        if last is None or last["role"] != "user":
            return False
        merged = {**last, "content": [*last["content"], {"text": text}], "tracking_id": self.run.turn_id}
        self.history.replace_last(merged)
        return True

    def say_also(self, seat: Seat) -> None:
        """Have what the person said beside their answers read together with the results of the calls."""
        if not isinstance(seat, AgentSeat):
            return
        first = self.store.runs.require(self.run.turn_id)
        said = [
            str(run.input["also"])
            for run in self.store.runs.of_conversation(self.run.conversation_id, after=first.number - 1)
            if run.turn_id == self.run.turn_id and "also" in run.input
        ]
        heard = {
            block.get("text")
            for message in self.history.messages
            if message["role"] == "user"
            for block in message["content"]
        }
        waiting = [text for text in said if text not in heard]

        def add(event: AfterToolsEvent) -> None:
            event.message["content"].extend({"text": text} for text in waiting)
            waiting.clear()

        if waiting:
            seat.agent.add_hook(add, AfterToolsEvent)

    # -- a team -----------------------------------------------------------------------------

    def _team_prompt(self, seat: TeamSeat) -> Any:
        """A Swarm or Graph begins anew with every message; the conversation so far goes into its task."""
        if self.resumes or (self.mends and "tree" in self.kept.get("", {}) and self._is_whole()):
            return seat.resume()
        text = self._turn_text() or ""
        if not self.history.holds(self.run.turn_id):
            self.abandon(SKIPPED_BY_MESSAGE)
            if not self._merge(text):
                self.history.messages.append(
                    {"role": "user", "content": [{"text": text}], "tracking_id": self.run.turn_id}
                )
        elif self.run.kind == "recover" and self._acts(self._turn_calls()):
            self.abandon(CUT_OFF)
            raise TeamTorn(
                "The app stopped while the team was at work, and some of its calls were made. They are listed "
                "above and nothing was run twice. Try again to let the team begin anew, or send a message."
            )
        else:
            self.abandon(SKIPPED_BY_MESSAGE)
        return task_of(self.history.whole)

    def _is_whole(self) -> bool:
        """Whether the entry's team may go on from its last pause."""
        turn = [run for run in self._runs() if run.turn_id == self.run.turn_id]
        if any(run.error is not None and run.error.get("code") == TORN for run in turn):
            return False
        return self.run.kind != "recover" or not self._acted_since_pause("")

    @property
    def whole(self) -> frozenset[str]:
        """The seats of delegated teams that a crash tore and that may go on from their last pause."""
        return frozenset(
            seat
            for seat, kept in (self.kept if self.mends else {}).items()
            if seat and "tree" in kept and not self._acted_since_pause(seat)
        )

    def _acted_since_pause(self, seat: str) -> bool:
        """Whether a team did something after the pause, which going back to the pause would do a second time.

        A delegate that was called before the pause has its own messages and goes on from them.
        """
        turn = [run for run in self._runs() if run.turn_id == self.run.turn_id]
        paused = next(run.number for run in turn if self.checkpoint and run.id == self.checkpoint.run_id)
        before = {run.id for run in turn if run.number <= paused}
        calls = self._turn_calls()
        known = {seat_of(call.key) for call in calls if call.run_id in before}
        after = [call for call in calls if call.run_id not in before and (not seat or seat in call.seats)]
        return self._acts([call for call in after if known.isdisjoint(_next_below(call, seat))])

    def _turn_calls(self) -> list[CallRecord]:
        return self.store.journal.of_turn(self.run.turn_id)

    def _runs(self) -> list[Run]:
        return self.store.runs.of_conversation(self.run.conversation_id)

    @staticmethod
    def _acts(calls: list[CallRecord]) -> bool:
        """Whether a call among these may have done something."""
        return any(call.state in ("started", "finished") and call.kind != "handoff" for call in calls)

    # -- a message that will not be answered now ----------------------------------------------

    def hear(self, note: str) -> None:
        """Keep the person's message of this turn in the history although no model hears it now.

        Args:
            note: what the model will read of the calls it closes.
        """
        text = self._turn_text()
        if text is None or self.history.holds(self.run.turn_id):
            return
        if not self.close_open_batch(note, text=text) and not self._merge(text):
            said: Message = {"role": "user", "content": [{"text": text}], "tracking_id": self.run.turn_id}
            self.history.messages.append(said)

    # -- closing ----------------------------------------------------------------------------

    def close_open_batch(self, note: str, *, text: str | None = None) -> bool:
        """Append one user message with a result for every call of the open batch; False when there is none.

        Args:
            note: what the model reads of a call nobody decided and that never started.
            text: the person's words, which go into the same message.
        """
        batch = self.history.open_batch
        if batch is None:
            return False
        place = Place(self.run.conversation_id, self.path)
        keys = [
            (
                place.call_key(batch["tracking_id"], block["toolUse"]["toolUseId"]),
                block["toolUse"]["toolUseId"],
            )
            for block in batch["content"]
            if "toolUse" in block
        ]
        ended = close_batch(self.store, keys, note)
        content: list[dict[str, Any]] = [{"toolResult": call.result} for call in ended]
        tracking_id = uuid.uuid4().hex
        if text is not None:
            content.append({"text": text})
            tracking_id = self.run.turn_id
        self.history.messages.append({"role": "user", "content": content, "tracking_id": tracking_id})
        rest = close_rest(self.store, self.run.conversation_id, {key for key, _ in keys}, note)
        # What had ended before was announced when it did.
        now = [call for call in ended if call.close_note is not None or call.answered]
        self._tell_closed([*now, *rest])
        self._tell_lost("")
        return True

    def abandon(self, note: str) -> None:
        """Close every call that a team left open."""
        self._tell_closed(close_rest(self.store, self.run.conversation_id, set(), note))
        self._tell_lost("")

    def close_torn(self) -> None:
        """Close what went on inside a delegation that can't be gone on with: its doubt stands for all of it."""
        for request in self.ledger.requests:
            if request.kind == "doubt":
                seat = seat_of(request.call_key)
                self._tell_closed(close_inside(self.store, self.run.conversation_id, seat))
                self._tell_lost(seat)

    def _tell_lost(self, seat: str) -> None:
        """Announce results that a crash kept out of the log, of calls whose agents will not go on.

        Args:
            seat: the delegation whose calls they are; empty for all.
        """
        previous = self.store.runs.of_conversation(self.run.conversation_id, after=self.run.number - 2)[0]
        first = self.store.runs.require(previous.turn_id)
        since = self.store.runs.of_conversation(self.run.conversation_id, after=first.number - 1)
        turn = [run for run in since if run.turn_id == first.id]
        if not any(run.error is not None and run.error.get("code") == INTERRUPTED for run in turn):
            return
        told = self.ledger.told_ids | {
            (event.data.get("subagentRunId") or "", event.data["toolCallId"])
            for run in turn
            for event in self.store.events.read(self.run.conversation_id, run_id=run.id)
            if event.type == "TOOL_CALL_RESULT"
        }
        self._tell_closed(
            [
                finished(call)
                for call in self.store.journal.of_turn(first.id)
                if call.state == "finished" and (not seat or seat in call.seats)
                if (call.seat, call.tool_call_id) not in told
            ]
        )

    def _tell_closed(self, ended: list[ClosedCall]) -> None:
        for call in ended:
            metadata: dict[str, Any] = {"key": call.key, "status": call.result.get("status", "error")}
            if call.mark is not None:
                metadata["approval"] = call.mark.to_dict()
            if not call.ran:
                metadata["notRun"] = True
            self.ledger.told_ids.add((call.seat, call.tool_call_id))
            self.ledger.log.add(
                agui.call_result(
                    call.seat, uuid.uuid4().hex, call.tool_call_id, result_text(call.result), metadata
                )
            )
        with self.ledger.commit():
            for call in ended:
                if call.not_run_request and call.close_note is not None:
                    self.store.requests.mark_not_run([call.not_run_request], call.close_note)
                if call.answered:
                    self.store.journal.answered(call.key, call.result)
                elif call.close_note is not None and self.store.journal.get(call.key) is not None:
                    self.store.journal.close(call.key, call.close_note)


def _next_below(call: CallRecord, seat: str) -> list[str]:
    """Return the delegation directly below a seat that a call was made in, if it was made in one."""
    return call.seats[call.seats.index(seat) + 1 :][:1] if seat else call.seats[:1]


def task_of(messages: list[Message]) -> str:
    """Return a team's task: the person's message, after what was said before it."""
    spoken = [
        (message["role"], block["text"])
        for message in messages
        for block in message["content"]
        if "text" in block
    ]
    if not spoken:
        return ""
    *earlier, (_, latest) = spoken
    if not earlier:
        return str(latest)
    lines = [f"{'The person' if role == 'user' else 'You'}: {text}" for role, text in earlier]
    return "\n".join(["What was said before:", *lines, "", "Now the person says:", str(latest)])
