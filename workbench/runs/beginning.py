"""Where a run begins: from a person's message, from the answers to a pause, or from where something broke."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from strands import Agent

from workbench.agents.results import result_text
from workbench.policy.notes import SKIPPED_BY_MESSAGE
from workbench.runs import agui
from workbench.runs.closing import close_batch
from workbench.runs.history import History, Message
from workbench.runs.ledger import RunLedger
from workbench.runs.snapshots import interrupts_of, reopen_batch, restore_state, restore_whole
from workbench.store import Checkpoint, Run, Store

Path = tuple[str, ...]


@dataclass
class Beginning:
    """Brings a freshly built agent to where its run begins.

    Args:
        path: the agent path of the entry agent.
    """

    store: Store
    run: Run
    history: History
    ledger: RunLedger
    path: Path
    had_state: bool = False
    """Whether an earlier turn left something in ``agent.state``."""

    def prompt(self, agent: Agent) -> Any:
        """Restore the agent and return what strands is given: a message, answers, or nothing."""
        run = self.run
        checkpoint = self.store.checkpoints.latest(run.conversation_id)
        if run.kind == "resume" and checkpoint is not None and checkpoint.run_id == run.input.get("pause"):
            restore_whole(agent, checkpoint.data["snapshot"])
            return self._responses(checkpoint)
        if checkpoint is not None:
            self.had_state = bool(checkpoint.data["snapshot"]["data"].get("state"))
            restore_state(agent, checkpoint.data["snapshot"])
        text = self._turn_text()
        if text is not None and not self.history.holds(run.turn_id):
            return self._deliver(text)
        batch = self.history.open_batch
        if batch is not None:
            interrupts = interrupts_of(checkpoint.data["snapshot"]) if checkpoint else {}
            reopen_batch(agent, batch, interrupts)
            return self._responses(checkpoint, interrupts) if checkpoint else []
        return None

    def _turn_text(self) -> str | None:
        """The person's message that this turn answers."""
        text = self.store.runs.require(self.run.turn_id).input.get("text")
        return str(text) if text is not None else None

    def _responses(
        self, checkpoint: Checkpoint, interrupts: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """What strands itself must be told: the answers to the tools' own interrupts, and nothing else."""
        known = interrupts_of(checkpoint.data["snapshot"]) if interrupts is None else interrupts
        responses = []
        for request in self.store.requests.of_pause(checkpoint.run_id):
            interrupt_id = request.metadata.get("interrupt")
            if request.kind == "tool_interrupt" and request.decision == "answered" and interrupt_id in known:
                value = (request.answer or {}).get("value")
                responses.append({"interruptResponse": {"interruptId": interrupt_id, "response": value}})
        return responses

    def _deliver(self, text: str) -> Any:
        """Give the person's message to the agent, closing whatever waited."""
        turn_id = self.run.turn_id
        if self.close_open_batch(SKIPPED_BY_MESSAGE, text=text):
            return None
        message: Message = {"role": "user", "content": [{"text": text}], "tracking_id": turn_id}
        last = self.history.messages[-1] if self.history.messages else None
        if last is not None and last["role"] == "user":
            # An earlier turn failed or was stopped before it was answered: one user message holds both.
            merged = {**last, "content": [*last["content"], {"text": text}], "tracking_id": turn_id}
            self.history.replace_last(merged)
            return None
        return [message]

    def close_open_batch(self, note: str, *, text: str | None = None) -> bool:
        """Append one user message with a result for every call of the open batch; False when there is none.

        Args:
            note: what the model reads of a call nobody decided and that never started.
            text: the person's words, which go into the same message.
        """
        batch = self.history.open_batch
        if batch is None:
            return False
        keys = [
            (
                self.call_key(batch["tracking_id"], block["toolUse"]["toolUseId"]),
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
        for call in ended:
            metadata: dict[str, Any] = {"key": call.key, "status": call.result.get("status", "error")}
            if call.mark is not None:
                metadata["approval"] = call.mark.to_dict()
            if not call.ran:
                metadata["notRun"] = True
            self.ledger.told_ids.add(call.tool_call_id)
            self.ledger.log.add(
                agui.call_result(uuid.uuid4().hex, call.tool_call_id, result_text(call.result), metadata)
            )
        with self.ledger.commit():
            for call in ended:
                if call.close_note is not None and self.store.journal.get(call.key) is not None:
                    self.store.journal.close(call.key, call.close_note)
        return True

    def call_key(self, tracking_id: str, tool_call_id: str) -> str:
        """Name a call of the entry agent in the journal."""
        return ":".join([self.run.conversation_id, "/".join(self.path), tracking_id, tool_call_id])
