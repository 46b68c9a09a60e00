"""The state channel: a conversation, and what it waits on, in the client's keeping."""

from __future__ import annotations

import hashlib
from typing import Any

from workbench.service.hosted import Hosted
from workbench.service.seal import Forged, Seal
from workbench.store import Conversation, Request, Run, StoreError

KEY = "kaboo_sessions"


class StateChannel:
    """Gives conversations into clients' keeping, and takes them back."""

    def __init__(self, hosted: Hosted, seal: Seal) -> None:
        self._hosted = hosted
        self._store = hosted.store
        self._seal = seal

    # -- out --------------------------------------------------------------------------------

    def value(self, conversation: Conversation) -> dict[str, Any]:
        """Return ``kaboo_sessions`` of a conversation as it stands."""
        thread, entry = conversation.id, conversation.entry
        latest = self._store.runs.latest(thread)
        config = self._config(latest)
        history = self._seal.close(
            "history", thread, entry, {"config": config, "messages": self._store.messages.load(thread)}
        )
        value: dict[str, Any] = {"history": history}
        if latest is not None and latest.status == "paused":
            rows = self._store.transfer.take(thread, latest.turn_id, latest.id)
            value["paused"] = self._seal.close(
                "paused", thread, entry, {"config": config, "history": _digest(history), "rows": rows}
            )
            value["approvals"] = [
                _approval(one)
                for one in self._store.requests.of_pause(latest.id)
                if one.status == "open" and one.kind in ("approval", "tool_approval")
            ]
        return value

    def _config(self, run: Run | None) -> dict[str, Any]:
        version = self._store.configs.get(run.config_version_id) if run else None
        return {"name": version.name, "number": version.number, "sha256": version.sha256} if version else {}

    # -- in ---------------------------------------------------------------------------------

    def take_back(self, thread: str, sessions: Any) -> Conversation | None:
        """Check what a client kept; where the thread is not known here, restore it.

        Returns:
            The conversation that was restored; None when it is known already, or nothing was kept.

        Raises:
            Forged: it was changed, cut, or made elsewhere.
        """
        if sessions is None:
            return None
        if not isinstance(sessions, dict):
            raise Forged("The state's kaboo_sessions is no object; nothing ran.")
        known = self._store.conversations.get(thread)
        current = self._hosted.engine.current(self._hosted.file)
        entry = known.entry if known else current.entry
        given = {kind: sessions.get(kind) for kind in ("history", "paused")}
        history = paused = None
        if given["history"] is not None:
            history = self._seal.open("history", thread, entry, given["history"])
        if given["paused"] is not None:
            paused = self._seal.open("paused", thread, entry, given["paused"])
            if given["history"] is None or paused["history"] != _digest(given["history"]):
                raise Forged("The state's 'paused' does not belong to its 'history'; nothing ran.")
        if known is not None or history is None:
            return None
        return self._restore(thread, entry, history, paused)

    def _restore(
        self, thread: str, entry: str, history: dict[str, Any], paused: dict[str, Any] | None
    ) -> Conversation:
        version = self._version(history["config"])
        try:
            with self._store.transaction(durable=True):
                made = self._store.conversations.create(
                    self._hosted.file, id=thread, door="agui", entry=entry
                )
                last = self._store.messages.append(thread, history["messages"])
                if paused is not None:
                    self._store.transfer.put(
                        paused["rows"], thread, config_version_id=version, last_message_seq=last
                    )
        except StoreError as error:
            raise Forged(f"The state can't be restored here: {error}") from None
        return made

    def _version(self, config: dict[str, Any]) -> int:
        """The version that a pause names; where nobody knows it here, the one that is served."""
        for version in self._store.configs.list(self._hosted.file):
            if version.sha256 == config.get("sha256"):
                return version.id
        return self._hosted.engine.current(self._hosted.file).id


def _approval(request: Request) -> dict[str, Any]:
    told: dict[str, Any] = {
        "interruptId": request.id,
        "toolCallId": request.tool_call_id,
        "tool": request.tool,
        "subject": {"key": request.subject_key, "label": request.subject_label},
        "scopes": list(request.scopes),
        "input": request.input,
    }
    if request.expires_at is not None:
        told["expiresAt"] = request.expires_at
    if request.metadata.get("request"):
        told["request"] = request.metadata["request"]
    return told


def _digest(sealed: str) -> str:
    return hashlib.sha256(sealed.encode()).hexdigest()
