"""An AG-UI client by plain HTTP: it keeps messages and state as a browser's would, and sends them every time."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import httpx
from ag_ui.core import Event
from pydantic import TypeAdapter

from tests.service.serving import LONG, Service

_EVENTS: TypeAdapter[Any] = TypeAdapter(Event)
ASK = {
    "name": "ask_user",
    "description": "Ask the person.",
    "parameters": {"type": "object", "properties": {}},
}


def new_id() -> str:
    return uuid.uuid4().hex


class Run(list[dict[str, Any]]):
    """The events of one run."""

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self if event["type"] == kind]

    @property
    def kinds(self) -> list[str]:
        return [event["type"] for event in self]

    @property
    def outcome(self) -> dict[str, Any]:
        assert self[-1]["type"] == "RUN_FINISHED", self[-1]
        outcome: dict[str, Any] = self[-1]["outcome"]
        return outcome

    @property
    def interrupts(self) -> list[dict[str, Any]]:
        assert self.outcome["type"] == "interrupt", self.outcome
        found: list[dict[str, Any]] = self.outcome["interrupts"]
        return found

    @property
    def error(self) -> str:
        assert self[-1]["type"] == "RUN_ERROR", self[-1]
        code: str = self[-1]["code"]
        return code

    @property
    def text(self) -> str:
        return "".join(event["delta"] for event in self.of("TEXT_MESSAGE_CONTENT"))

    @property
    def results(self) -> list[str]:
        return [event["content"] for event in self.of("TOOL_CALL_RESULT")]


class Client:
    """One thread."""

    def __init__(self, service: Service, thread: str | None = None, **given: Any) -> None:
        self.service = service
        self.thread = thread or new_id()
        self.messages: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {}
        self.given = given
        """What goes with every run: `tools`, `context`, `forwardedProps`."""

    def say(self, text: str, **more: Any) -> Run:
        self.messages.append({"id": new_id(), "role": "user", "content": text})
        return self.run(**more)

    def resume(self, *answers: tuple[dict[str, Any], Any], **more: Any) -> Run:
        """Answer interrupts: each with a payload, or with None to cancel it."""
        entries = [
            {"interruptId": one["id"], "status": "cancelled"}
            if payload is None
            else {"interruptId": one["id"], "status": "resolved", "payload": payload}
            for one, payload in answers
        ]
        return self.run(resume=entries, **more)

    def tool(self, call_id: str, content: str) -> None:
        self.messages.append({"id": new_id(), "role": "tool", "toolCallId": call_id, "content": content})

    def input(self, **more: Any) -> dict[str, Any]:
        given = {
            "threadId": self.thread,
            "runId": new_id(),
            "messages": self.messages,
            "state": self.state,
            "tools": [],
            "context": [],
            "forwardedProps": {},
            **self.given,
            **more,
        }
        return given

    def run(self, **more: Any) -> Run:
        got = Run(self.events(self.input(**more)))
        assert [event["type"] for event in got].count("RUN_STARTED") == 1 and got[0]["type"] == "RUN_STARTED"
        for event in got:
            if event["type"] == "STATE_SNAPSHOT":
                self.state = dict(event["snapshot"])
            for change in event["delta"] if event["type"] == "STATE_DELTA" else ():
                self.state[change["path"].removeprefix("/")] = change["value"]
        self._remember(got)
        return got

    def events(self, given: dict[str, Any], **http: Any) -> Iterator[dict[str, Any]]:
        with httpx.stream(
            "POST", f"{self.service.url}/invocations", json=given, timeout=LONG, **http
        ) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"].startswith("text/event-stream")
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    event = json.loads(line.removeprefix("data: "))
                    _EVENTS.validate_python(event)
                    yield event

    def _remember(self, got: Run) -> None:
        for event in got:
            match event["type"]:
                case "TEXT_MESSAGE_START":
                    self.messages.append({"id": event["messageId"], "role": "assistant", "content": ""})
                case "TEXT_MESSAGE_CONTENT":
                    self.messages[-1]["content"] += event["delta"]
                case "TOOL_CALL_START":
                    call = {
                        "id": event["toolCallId"],
                        "type": "function",
                        "function": {"name": event["toolCallName"], "arguments": "{}"},
                    }
                    self.messages.append(
                        {"id": event["toolCallId"], "role": "assistant", "content": "", "toolCalls": [call]}
                    )
                case "TOOL_CALL_RESULT":
                    self.messages.append(
                        {
                            "id": event["messageId"],
                            "role": "tool",
                            "toolCallId": event["toolCallId"],
                            "content": event["content"],
                        }
                    )
