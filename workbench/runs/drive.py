"""Drive one run from its claim to its end: done, paused, failed or stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, cast

from strands import Agent
from strands.hooks import MessageUpdatedEvent

from workbench.agents.builder import Blueprint, build_agent
from workbench.agents.results import result_text
from workbench.policy.notes import CANCELLED
from workbench.runs import agui
from workbench.runs.beginning import Beginning
from workbench.runs.desk import ConfigDesk, LiveConfig
from workbench.runs.eventlog import EventLog
from workbench.runs.failures import Failure, describe
from workbench.runs.history import History, Message
from workbench.runs.interrupts import interrupt_of
from workbench.runs.ledger import RunLedger
from workbench.runs.mapper import ChunkMapper
from workbench.store import Claim, LeaseLost, Store, StoreError

logger = logging.getLogger(__name__)

FLUSH_SECONDS = 0.03
CANCEL_CHECK_SECONDS = 0.1
CANCEL_GRACE_SECONDS = 3.0
CHECKPOINT_FORMAT = 1
DOORS_THAT_REMEMBER = frozenset({"app", "notebook"})


@dataclass
class Drive:
    """One run at work. Make one per claim and await :meth:`go`.

    Args:
        store: where everything is kept.
        desk: opens config versions.
        claim: the run and the fencing token of its conversation's lease.
    """

    store: Store
    desk: ConfigDesk
    claim: Claim

    def __post_init__(self) -> None:
        self.run = self.claim.run
        self.log = EventLog(self.store, self.run.conversation_id, self.run.id)
        self.mapper = ChunkMapper(self.log)
        self.agent: Agent | None = None
        self.stopping = False
        self._stopped_at = 0.0

    async def go(self) -> None:
        """Run to the end. Never raises for what a config, a model or a tool does wrong."""
        run = self.run
        try:
            conversation = self.store.conversations.require(run.conversation_id)
            self.history = History.load(self.store, run.conversation_id)
            self.ledger = RunLedger(
                store=self.store,
                run=run,
                token=self.claim.token,
                config_name=conversation.config_file,
                log=self.log,
                remembers=conversation.door in DOORS_THAT_REMEMBER,
                history=self.history,
            )
            self._announce(conversation.entry)
            self.beginning = Beginning(
                store=self.store,
                run=run,
                history=self.history,
                ledger=self.ledger,
                path=(conversation.entry,),
            )
            if run.kind == "stop":
                self.beginning.close_open_batch(CANCELLED)
                self._end_cancelled()
                return
            live = self.desk.open(run.config_version_id)
            plan = live.blueprint(conversation.entry)
            await self._work(live, plan)
        except LeaseLost:
            logger.warning("run=<%s> | the lease was lost; another process has this conversation", run.id)
        except StoreError as error:
            # Nothing can be stored now. The lease runs out and the run is recovered when the disk is back.
            logger.error("run=<%s> | stopped by the database: %s", run.id, error)
        except Exception as error:
            logger.exception("run=<%s> | failed", run.id)
            self._end_failed(describe(error))

    # -- the work ---------------------------------------------------------------------------

    async def _work(self, live: LiveConfig, plan: Blueprint) -> None:
        agent = build_agent(
            live.config,
            plan,
            live.specs,
            self.ledger,
            path=self.beginning.path,
            call_key=self.beginning.call_key,
            messages=self.history.messages,
        )
        agent.add_hook(self._note_rewrite, MessageUpdatedEvent)
        self.agent = agent
        self.history.messages = cast(list[Message], agent.messages)
        outcome = await self._stream(agent, self.beginning.prompt(agent))
        if self.stopping:
            self.beginning.close_open_batch(CANCELLED)
            self._end_cancelled()
        elif outcome == "interrupt":
            self._pause(agent, plan)
        else:
            self._end_done(agent)

    async def _stream(self, agent: Agent, prompt: Any) -> str:
        """Run the agent, mapping its stream into the log; return strands' stop reason."""
        stop_reason = "end_turn"
        async with self._beside(asyncio.current_task()):
            try:
                async for event in agent.stream_async(prompt):
                    if "event" in event:
                        self.mapper.chunk(event["event"])
                    elif "message" in event:
                        self._tell_missing(event["message"])
                    elif "result" in event:
                        stop_reason = event["result"].stop_reason
            except asyncio.CancelledError:
                if not self.stopping:
                    raise
                task = asyncio.current_task()
                if task is not None:
                    task.uncancel()
        return stop_reason

    def _tell_missing(self, message: Message) -> None:
        """Announce results that no hook saw: a tool name strands would not run, a batch it cancelled."""
        for block in message["content"]:
            result = block.get("toolResult")
            if (
                result
                and result["toolUseId"] in self.mapper.calls
                and result["toolUseId"] not in self.ledger.told_ids
            ):
                self.ledger.told_ids.add(result["toolUseId"])
                self.log.add(
                    agui.call_result(
                        uuid.uuid4().hex,
                        result["toolUseId"],
                        result_text(result),
                        {"status": result["status"]},
                    )
                )

    def _note_rewrite(self, event: MessageUpdatedEvent) -> None:
        for index, message in enumerate(event.agent.messages):
            if message.get("tracking_id") == event.tracking_id:
                self.history.changed(index)

    @contextlib.asynccontextmanager
    async def _beside(self, work: asyncio.Task[Any] | None) -> AsyncIterator[None]:
        """Store events as they come and look out for Stop, while the run works."""
        watcher = asyncio.create_task(self._watch(work))
        try:
            yield
        finally:
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)

    async def _watch(self, work: asyncio.Task[Any] | None) -> None:
        checked = 0.0
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            try:
                self.log.flush()
                now = time.monotonic()
                if now - checked >= CANCEL_CHECK_SECONDS:
                    checked = now
                    self._look_for_stop(now, work)
            except StoreError as error:
                logger.warning("run=<%s> | events wait for the database: %s", self.run.id, error)

    def _look_for_stop(self, now: float, work: asyncio.Task[Any] | None) -> None:
        if not self.stopping:
            if self.store.runs.require(self.run.id).cancel_requested:
                self.stopping = True
                self._stopped_at = now
                if self.agent is not None:
                    self.agent.cancel(message=CANCELLED)
        elif work is not None and not self.ledger.running and now - self._stopped_at > CANCEL_GRACE_SECONDS:
            # The model's stream hangs; no tool is running, so nothing is torn by leaving it.
            work.cancel()

    # -- the end ----------------------------------------------------------------------------

    def _announce(self, agent: str) -> None:
        run = self.run
        text = run.input.get("text") if run.kind == "message" else None
        self.log.add(
            agui.run_started(
                run.conversation_id,
                run.id,
                text=text,
                turn_id=run.turn_id,
                metadata={
                    "agent": agent,
                    "kind": run.kind,
                    "by": run.input.get("by", ""),
                    "turnId": run.turn_id,
                },
            )
        )
        self.log.flush()

    def _pause(self, agent: Agent, plan: Blueprint) -> None:
        run = self.run
        self.mapper.close()
        requests = self.ledger.requests
        snapshot = agent.take_snapshot(preset="session", exclude=["messages"])
        questions = [request.tool_call_id for request in requests if request.kind == "question"]
        others = [interrupt_of(request) for request in requests if request.kind != "question"]
        self.log.add(
            agui.run_finished(
                run.conversation_id,
                run.id,
                pending=[] if others else questions,
                interrupts=others,
                usage=self.mapper.usage,
            )
        )
        with self.ledger.commit():
            self.store.requests.open(requests)
            self.ledger.wait()
            stored = self.store.conversations.require(run.conversation_id)
            self.store.checkpoints.save(
                run.id,
                run.conversation_id,
                generation=stored.generation,
                last_message_seq=stored.last_message_seq,
                data={"format": CHECKPOINT_FORMAT, "snapshot": snapshot.to_dict(), "agent": plan.name},
            )
            self._finish("paused")

    def _end_done(self, agent: Agent) -> None:
        self.mapper.close()
        self.log.add(agui.run_finished(self.run.conversation_id, self.run.id, usage=self.mapper.usage))
        with self.ledger.commit():
            if agent.state.get() or self.beginning.had_state:
                self._keep_state(agent)
            self._finish("done")

    def _keep_state(self, agent: Agent) -> None:
        """Tools may keep values in ``agent.state``; the next message finds them there."""
        stored = self.store.conversations.require(self.run.conversation_id)
        self.store.checkpoints.save(
            self.run.id,
            self.run.conversation_id,
            generation=stored.generation,
            last_message_seq=stored.last_message_seq,
            data={
                "format": CHECKPOINT_FORMAT,
                "snapshot": agent.take_snapshot(include=["state", "model_state"]).to_dict(),
                "agent": agent.name,
            },
        )

    def _end_cancelled(self) -> None:
        self.mapper.close(cut=True)
        self.log.add(
            agui.run_finished(self.run.conversation_id, self.run.id, cancelled=True, usage=self.mapper.usage)
        )
        with self.ledger.commit():
            self._finish("cancelled")

    def _end_failed(self, failure: Failure) -> None:
        self.mapper.close(cut=True)
        self.log.add(agui.run_error(failure.code, failure.message, usage=self.mapper.usage))
        try:
            with self.ledger.commit():
                self._finish("failed", {"code": failure.code, "message": failure.message})
        except LeaseLost:
            logger.warning("run=<%s> | the lease was lost while the failure was recorded", self.run.id)
        except StoreError as error:
            logger.error("run=<%s> | the failure could not be recorded: %s", self.run.id, error)

    def _finish(self, status: Any, error: dict[str, Any] | None = None) -> None:
        self.log.flush()
        self.store.runs.set_status(self.run.id, status, error=error, usage=self.mapper.usage)
        self.store.leases.release(self.run.conversation_id, self.claim.token)
