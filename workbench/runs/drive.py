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

from ag_ui.core import Interrupt
from strands import Agent
from strands.hooks import MessageUpdatedEvent
from strands.types._snapshot import Snapshot

from workbench.agents.builder import Blueprint, build_agent
from workbench.agents.results import result_text
from workbench.policy.notes import CANCELLED, SKIPPED_BY_MESSAGE
from workbench.runs import agui
from workbench.runs.closing import close_batch
from workbench.runs.desk import ConfigDesk, LiveConfig
from workbench.runs.eventlog import EventLog
from workbench.runs.failures import Failure, describe
from workbench.runs.history import History, Message
from workbench.runs.ledger import RunLedger
from workbench.runs.mapper import ChunkMapper
from workbench.store import Checkpoint, Claim, LeaseLost, NewRequest, Store, StoreError
from workbench.store.clock import optional_text

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
        self._had_state = False

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
            if run.kind == "stop":
                self._close_open_batch(conversation.entry, CANCELLED)
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
        path = (plan.name,)
        checkpoint = self.store.checkpoints.latest(self.run.conversation_id)
        agent = build_agent(
            live.config,
            plan,
            live.specs,
            self.ledger,
            path=path,
            call_key=lambda tracking_id, call_id: self._key(path, tracking_id, call_id),
            messages=self.history.messages,
        )
        agent.add_hook(self._note_rewrite, MessageUpdatedEvent)
        self.agent = agent
        self.history.messages = cast(list[Message], agent.messages)
        prompt = self._prompt(agent, path, checkpoint)
        outcome = await self._stream(agent, prompt)
        if self.stopping:
            self._settle_after_stop(path)
            self._end_cancelled()
        elif outcome == "interrupt":
            self._pause(agent, plan)
        else:
            self._end_done(agent)

    def _prompt(self, agent: Agent, path: tuple[str, ...], checkpoint: Checkpoint | None) -> Any:
        """Bring the agent to where this run begins, and return what strands is given."""
        run = self.run
        if run.kind == "resume" and checkpoint is not None and checkpoint.run_id == run.input.get("pause"):
            agent.load_snapshot(Snapshot.from_dict(checkpoint.data["snapshot"]))
            return self._responses(run.input["pause"])
        if checkpoint is not None:
            self._had_state = bool(checkpoint.data["snapshot"]["data"].get("state"))
            _restore_state(agent, checkpoint.data["snapshot"])
        text = self._turn_text()
        if text is not None and not self.history.holds(run.turn_id):
            return self._deliver(text, path)
        if self.history.open_batch is not None:
            return self._reopen_batch(agent, checkpoint)
        return None

    def _turn_text(self) -> str | None:
        """The person's message that this turn answers."""
        first = self.store.runs.require(self.run.turn_id)
        text = first.input.get("text")
        return str(text) if text is not None else None

    def _deliver(self, text: str, path: tuple[str, ...]) -> Any:
        """Give the person's message to the agent, closing whatever waited."""
        turn_id = self.run.turn_id
        if self._close_open_batch(path[0], SKIPPED_BY_MESSAGE):
            results = self.history.messages[-1]
            results["content"].append({"text": text})
            results["tracking_id"] = turn_id
            return None
        message: Message = {"role": "user", "content": [{"text": text}], "tracking_id": turn_id}
        last = self.history.messages[-1] if self.history.messages else None
        if last is not None and last["role"] == "user":
            # An earlier turn failed or was stopped before it was answered: one user message holds both.
            merged = {**last, "content": [*last["content"], {"text": text}], "tracking_id": turn_id}
            self.history.replace_last(merged)
            return None
        return [message]

    def _close_open_batch(self, agent_name: str, note: str) -> bool:
        """Append one user message with a result for every call of the open batch, if there is one."""
        batch = self.history.open_batch
        if batch is None:
            return False
        path = (agent_name,)
        keys = [
            (
                self._key(path, batch["tracking_id"], block["toolUse"]["toolUseId"]),
                block["toolUse"]["toolUseId"],
            )
            for block in batch["content"]
            if "toolUse" in block
        ]
        ended = close_batch(self.store, keys, note)
        content: list[dict[str, Any]] = [{"toolResult": call.result} for call in ended]
        self.history.messages.append({"role": "user", "content": content, "tracking_id": uuid.uuid4().hex})
        for call in ended:
            metadata: dict[str, Any] = {"key": call.key, "status": call.result.get("status", "error")}
            if call.mark is not None:
                metadata["approval"] = call.mark.to_dict()
            if not call.ran:
                metadata["notRun"] = True
            self.ledger.told_ids.add(call.tool_call_id)
            self.log.add(
                agui.call_result(uuid.uuid4().hex, call.tool_call_id, result_text(call.result), metadata)
            )
        with self.ledger.commit():
            for call in ended:
                if call.close_note is not None:
                    self.store.journal.close(call.key, call.close_note)
        return True

    def _reopen_batch(self, agent: Agent, checkpoint: Checkpoint | None) -> list[dict[str, Any]]:
        """Restore a batch that a crash or a failure tore, so that only what is missing runs.

        An activated interrupt state without interrupts makes strands run the calls of the last assistant
        message that have no result, without asking the model again; the gate knows each one's standing.
        """
        kept = (checkpoint.data["snapshot"]["data"].get("interrupt_state") or {}) if checkpoint else {}
        agent.load_snapshot(
            Snapshot.from_dict(
                _snapshot(
                    {
                        "interrupt_state": {
                            "interrupts": kept.get("interrupts", {}),
                            "context": {},
                            "activated": True,
                            "pending_tool_execution": {
                                "assistant_message": self.history.open_batch,
                                "completed_tool_results": [],
                            },
                        }
                    }
                )
            )
        )
        answers = self._responses(checkpoint.run_id) if checkpoint else []
        open_interrupts = kept.get("interrupts", {})
        return [a for a in answers if a["interruptResponse"]["interruptId"] in open_interrupts]

    def _responses(self, pause_id: str) -> list[dict[str, Any]]:
        """What strands itself must be told: the answers to the tools' own interrupts, and nothing else."""
        responses = []
        for request in self.store.requests.of_pause(pause_id):
            interrupt_id = request.metadata.get("interrupt")
            if request.kind == "tool_interrupt" and request.decision == "answered" and interrupt_id:
                value = (request.answer or {}).get("value")
                responses.append({"interruptResponse": {"interruptId": interrupt_id, "response": value}})
        return responses

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
        others = [_interrupt(request) for request in requests if request.kind != "question"]
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
            if agent.state.get() or self._had_state:
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

    def _settle_after_stop(self, path: tuple[str, ...]) -> None:
        self._close_open_batch(path[0], CANCELLED)

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

    def _key(self, path: tuple[str, ...], tracking_id: str, tool_call_id: str) -> str:
        return ":".join([self.run.conversation_id, "/".join(path), tracking_id, tool_call_id])


def _interrupt(request: NewRequest) -> Interrupt:
    reasons = {"approval": "kaboo:approval", "tool_approval": "kaboo:approval", "doubt": "workbench:doubt"}
    metadata: dict[str, Any] = {
        "type": request.kind,
        "message": request.message,
        "tool_name": request.tool,
        "tool_input": request.input,
        "tool_use_id": request.tool_call_id,
        "subject": {"key": request.subject_key, "label": request.subject_label},
        "scopes": request.scopes,
    }
    if request.expires_at is not None:
        metadata["expiresAt"] = optional_text(request.expires_at)
    return Interrupt(
        id=request.id,
        reason=reasons.get(request.kind, "workbench:tool"),
        tool_call_id=request.tool_call_id,
        message=request.message or f"{request.agent} wants to run {request.tool}",
        response_schema=request.response_schema,
        metadata=metadata,
    )


def _snapshot(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "scope": "agent",
        "schema_version": "1.0",
        "created_at": "1970-01-01T00:00:00Z",
        "data": data,
        "app_data": {},
    }


def _restore_state(agent: Agent, snapshot: dict[str, Any]) -> None:
    """Give a new turn what the last one left: the agent's own state, and nothing of its interrupts."""
    data = {key: snapshot["data"][key] for key in ("state", "model_state") if key in snapshot["data"]}
    if data:
        agent.load_snapshot(Snapshot.from_dict(_snapshot(data)))
