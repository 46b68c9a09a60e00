"""Drive one run from its claim to its end: done, paused, failed or stopped."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from workbench.agents.mcp import McpTools
from workbench.agents.ports import Place, Stopped
from workbench.config import ConfigInvalid
from workbench.policy.notes import CANCELLED, SKIPPED_BY_MESSAGE
from workbench.runs import agui
from workbench.runs.beginning import Beginning
from workbench.runs.crew import Crew, agents_from, entry_path
from workbench.runs.desk import ConfigDesk, LiveConfig
from workbench.runs.errors import Unanswerable
from workbench.runs.eventlog import EventLog
from workbench.runs.failures import Failure, describe
from workbench.runs.history import History
from workbench.runs.interrupts import interrupt_of
from workbench.runs.ledger import RunLedger
from workbench.runs.seat import AgentSeat, Outcome, Seat, TeamSeat
from workbench.runs.snapshots import take_state
from workbench.runs.stage import Stage
from workbench.runs.taking import Taken
from workbench.runs.terms import terms_of
from workbench.store import Conversation, ConversationDeleted, LeaseLost, Store, StoreError

logger = logging.getLogger(__name__)

FLUSH_SECONDS = 0.03
CANCEL_CHECK_SECONDS = 0.1
CANCEL_GRACE_SECONDS = 3.0
GIVE_BACK_SECONDS = 0.5
GIVE_BACK_TRIES = 20  # then the lease runs out by itself


@dataclass
class Drive:
    """One run at work. Make one per claim and await :meth:`go`.

    Args:
        store: where everything is kept.
        desk: opens config versions.
        taken: the run, with the lease of its conversation.
    """

    store: Store
    desk: ConfigDesk
    taken: Taken

    def __post_init__(self) -> None:
        self.claim = self.taken.claim
        self.run = self.claim.run
        self.log = EventLog(self.store, self.run.conversation_id, self.run.id)
        self._stopped_at = 0.0

    async def go(self) -> None:
        """Run to the end. Never raises for what a config, a model or a tool does wrong."""
        run = self.run
        try:
            await self._begin(self.taken.conversation)
        except (LeaseLost, ConversationDeleted):
            self._leave()
        except StoreError as error:
            logger.error("run=<%s> | stopped by the database: %s", run.id, error)
            await self._give_back()
        except Exception as error:
            logger.exception("run=<%s> | failed", run.id)
            self._end_failed(describe(error))

    def _leave(self) -> None:
        """Stop writing: another process has the conversation, or there is none any more."""
        run = self.run
        conversation = self.store.conversations.get(run.conversation_id)
        if conversation is None or conversation.deleted_at is not None:
            self.store.runs.set_status(run.id, "cancelled")
            self.store.leases.release(run.conversation_id, self.claim.token)
        else:
            logger.warning("run=<%s> | the lease was lost; another process has this conversation", run.id)

    async def _give_back(self) -> None:
        """Give the lease back as soon as the disk takes it, so that the run is taken up where it was."""
        for _ in range(GIVE_BACK_TRIES):
            await asyncio.sleep(GIVE_BACK_SECONDS)
            try:
                self.store.leases.release(self.run.conversation_id, self.claim.token)
                return
            except StoreError as error:
                logger.debug("run=<%s> | the lease can't be given back yet: %s", self.run.id, error)

    # -- the work ---------------------------------------------------------------------------

    async def _begin(self, conversation: Conversation) -> None:
        run = self.run
        turn = run if run.id == run.turn_id else self.store.runs.require(run.turn_id)
        history = self.desk.pasts.history(conversation)
        self.ledger = RunLedger(
            store=self.store,
            run=run,
            token=self.claim.token,
            config_name=conversation.config_file,
            log=self.log,
            terms=terms_of(self.store, run, turn),
            histories=[history],
        )
        self.stage = Stage(
            self.store,
            run,
            self.log,
            self.ledger,
            person=str(turn.input.get("by", "")),
        )
        checkpoint = self.store.checkpoints.latest(run.conversation_id)
        path = tuple(checkpoint.data["path"]) if checkpoint else self._entry_path(conversation.entry)
        self.beginning = beginning = Beginning(self.store, run, turn, history, self.ledger, checkpoint, path)
        if run.kind == "stop" or run.cancel_requested:
            self._close(beginning)
            return
        live = self.desk.open(run.config_version_id)
        if checkpoint is not None and (beginning.resumes or beginning.mends):
            self.stage.pause_id = checkpoint.run_id
            self.ledger.go_on_at(beginning.whole)
        self.crew = Crew(
            live,
            self.stage,
            saved=beginning.kept if beginning.resumes else {},
            torn=beginning.kept if beginning.mends else {},
            mcp=await self._mcp_tools(live, conversation.entry),
        )
        self.ledger.on_stop = lambda: self._break_off(CANCELLED)
        seat = self.crew.take_seat(conversation.entry, Place(run.conversation_id, ()), history)
        beginning.say_also(seat)
        await self._work(seat, beginning)

    def _entry_path(self, entry: str) -> tuple[str, ...]:
        try:
            return entry_path(self.desk.open(self.run.config_version_id).config, entry)
        except ConfigInvalid:
            return (entry,)

    async def _mcp_tools(self, live: LiveConfig, entry: str) -> dict[str, McpTools]:
        """List the tools of the MCP servers that this run may need, starting those that aren't running."""
        found = {}
        for agent in sorted(agents_from(live.config, entry)):
            if live.config.agents[agent].mcp:
                taken = live.blueprint(agent).facts
                found[agent] = await asyncio.to_thread(
                    self.desk.mcp.tools_for, live.config, agent, taken=list(taken)
                )
        for sentence in dict.fromkeys(p.sentence for tools in found.values() for p in tools.problems):
            self.log.add(agui.custom(agui.NOTICE, {"sentence": sentence}))
        return found

    async def _work(self, seat: Seat, beginning: Beginning) -> None:
        outcome = await self._beside(seat.go(beginning.prompt(seat)))
        if self.ledger.broken is not None:
            raise self.ledger.broken
        if self.stage.stopping:
            self._close(beginning)
        elif outcome is not None and outcome.stop == "interrupt":
            if not self.ledger.requests:
                raise Unanswerable
            try:
                beginning.close_torn()
                self._pause(seat)
            except Stopped:
                self._close(beginning)
        else:
            if isinstance(seat, TeamSeat):
                self._keep_reply(beginning.history, outcome.text if outcome else "")
            self._end_done(seat, beginning)

    @staticmethod
    def _keep_reply(history: History, text: str) -> None:
        """A team's members forget; the conversation keeps what was said in it."""
        reply = text or "(The team finished and said nothing.)"
        history.messages.append(
            {"role": "assistant", "content": [{"text": reply}], "tracking_id": uuid.uuid4().hex}
        )

    def _close(self, beginning: Beginning) -> None:
        """End a stopped run: whatever is open is cancelled."""
        beginning.hear(CANCELLED)
        if not beginning.close_open_batch(CANCELLED):
            beginning.abandon(CANCELLED)
        self._end_cancelled()

    async def _beside(self, work: Coroutine[Any, Any, Outcome]) -> Outcome | None:
        """Do the work while events are stored as they come and Stop is looked out for.

        Returns:
            The outcome, or None when the work hung and was left after a Stop.
        """
        task = asyncio.ensure_future(work)
        watcher = asyncio.create_task(self._watch(task))
        try:
            return await task
        except asyncio.CancelledError:
            if not self._stopped_at:
                task.cancel()
                raise
            return None
        finally:
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)

    async def _watch(self, work: asyncio.Task[Any]) -> None:
        checked = 0.0
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            try:
                self._flush()
                now = time.monotonic()
                if now - checked >= CANCEL_CHECK_SECONDS:
                    checked = now
                    self._look_for_stop(now, work)
            except StoreError as error:
                logger.warning("run=<%s> | events wait for the database: %s", self.run.id, error)

    def _flush(self) -> None:
        """Store the events that wait, unless another process has the conversation, or it was deleted."""
        if self.ledger.broken is None and self.log.waits:
            try:
                with self.store.transaction():
                    self.store.leases.check(self.run.conversation_id, self.claim.token)
                    self.log.flush()
            except LeaseLost as error:
                self.ledger.broken = error

    def _look_for_stop(self, now: float, work: asyncio.Task[Any]) -> None:
        if not self._stopped_at:
            if self.store.runs.stop_asked(self.run.id):
                self.ledger.stopping = True
                self._break_off(CANCELLED)
            elif self.ledger.broken is not None:
                self._break_off("The workbench can't store anything any more")
        elif not self.ledger.running and now - self._stopped_at > CANCEL_GRACE_SECONDS:
            # The model's stream hangs; no tool is running, so nothing is torn by leaving it.
            work.cancel()

    def _break_off(self, why: str) -> None:
        self._stopped_at = time.monotonic()
        self.crew.cancel(why)

    # -- the end ----------------------------------------------------------------------------

    def _pause(self, seat: Seat) -> None:
        run = self.run
        requests = self.ledger.requests
        questions = [request.tool_call_id for request in requests if request.kind == "question"]
        others = [interrupt_of(request) for request in requests if request.kind != "question"]
        with self.ledger.commit():
            # Whoever presses Stop from here on finds a pause, and closes that.
            if self.stage.stopping:
                raise Stopped
            self.store.requests.open(requests)
            self.ledger.wait()
            self._checkpoint(seat, self.crew.keep())
            self.stage.close_all(cut=False)
            self.log.add(
                agui.run_finished(
                    run.conversation_id,
                    run.id,
                    pending=[] if others else questions,
                    interrupts=others,
                    usage=self.stage.spent.usage,
                )
            )
            self._finish("paused")

    def _end_done(self, seat: Seat, beginning: Beginning) -> None:
        self.stage.close_all(cut=False)
        self.log.add(agui.run_finished(self.run.conversation_id, self.run.id, usage=self.stage.spent.usage))
        with self.ledger.commit():
            # Tools may keep values in ``agent.state``; the next message finds them there.
            had_state = bool(beginning.kept.get("", {}).get("snapshot", {}).get("data", {}).get("state"))
            if isinstance(seat, AgentSeat) and (had_state or seat.agent.state.get()):
                self._checkpoint(seat, {"": {"snapshot": take_state(seat.agent)}})
            self._finish("done")

    def _checkpoint(self, seat: Seat, seats: dict[str, Any]) -> None:
        generation, last = self.beginning.history.end
        self.store.checkpoints.save(
            self.run.id,
            self.run.conversation_id,
            generation=generation,
            last_message_seq=last,
            data={"path": list(seat.place.path), "seats": seats},
        )

    def _end_cancelled(self) -> None:
        self.stage.close_all(cut=True)
        self.log.add(
            agui.run_finished(
                self.run.conversation_id, self.run.id, cancelled=True, usage=self.stage.spent.usage
            )
        )
        with self.ledger.commit():
            self._finish("cancelled")

    def _end_failed(self, failure: Failure) -> None:
        self.stage.close_all(cut=True)
        self.beginning.hear(SKIPPED_BY_MESSAGE)
        self.log.add(agui.run_error(failure.code, failure.message, usage=self.stage.spent.usage))
        try:
            with self.ledger.commit():
                self._finish("failed", {"code": failure.code, "message": failure.message})
        except LeaseLost:
            logger.warning("run=<%s> | the lease was lost while the failure was recorded", self.run.id)
        except StoreError as error:
            logger.error("run=<%s> | the failure could not be recorded: %s", self.run.id, error)

    def _finish(self, status: Any, error: dict[str, Any] | None = None) -> None:
        self.store.runs.set_status(self.run.id, status, error=error, usage=self.stage.spent.usage)
        self.store.leases.release(self.run.conversation_id, self.claim.token)
