"""A small OpenAI-compatible server, so that the OpenAI path is proven without the network.

    with OpenAIServer([Calls(("search", {"query": "chairs"})), Text("Two chairs.")]) as server:
        ...  # base_url=server.url, api_key=server.key

It answers `POST /v1/chat/completions` with the replies it was given, one a request, and keeps what it was sent.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Text:
    """A text, streamed in pieces of so many characters."""

    text: str
    piece: int = 4


@dataclass(frozen=True, init=False)
class Calls:
    """Tool calls of (name, input), their arguments streamed in pieces."""

    calls: tuple[tuple[str, dict[str, Any]], ...]

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        object.__setattr__(self, "calls", calls)


@dataclass(frozen=True)
class Refuses:
    """A refusal before anything is streamed."""

    status: int
    message: str = "no"


@dataclass(frozen=True)
class BreaksOff:
    """Says something, then drops the connection."""

    text: str


@dataclass(frozen=True)
class FailsMidway:
    """Says something, then reports an error inside the stream."""

    text: str
    message: str = "The server had an error while processing your request"


Reply = Text | Calls | Refuses | BreaksOff | FailsMidway


class OpenAIServer:
    """The server, listening on a free local port while the `with` block lasts."""

    key = "test-key"

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        """The body of each request that had the right key."""
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> "OpenAIServer":
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def next_reply(self) -> Reply:
        return self.replies.pop(0) if self.replies else Refuses(500, "the test gave no more replies")


def _handler(server: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.headers.get("Authorization") != f"Bearer {server.key}":
                return self._refuse(Refuses(401, "Incorrect API key provided"))
            if self.path != "/v1/chat/completions":
                return self._refuse(Refuses(404, f"Unknown path {self.path}"))
            server.requests.append(body)
            reply = server.next_reply()
            if isinstance(reply, Refuses):
                return self._refuse(reply)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for event in _events(reply, body["model"]):
                self._chunk(f"data: {json.dumps(event)}\n\n")
            if isinstance(reply, BreaksOff):
                self.close_connection = True
                return
            self._chunk("data: [DONE]\n\n")
            self.wfile.write(b"0\r\n\r\n")

        def _chunk(self, text: str) -> None:
            data = text.encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

        def _refuse(self, reply: Refuses) -> None:
            data = json.dumps({"error": {"message": reply.message, "type": "error", "code": None}}).encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Tests read what was sent from `requests`."""

    return Handler


def _events(reply: Reply, model: str) -> Iterator[dict[str, Any]]:
    def event(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": model,
            "choices": [choice],
        }

    yield event({"role": "assistant", "content": ""})
    match reply:
        case Text(text, piece):
            for start in range(0, len(text), piece):
                yield event({"content": text[start : start + piece]})
            yield event({}, "stop")
        case Calls(calls):
            for index, (name, given) in enumerate(calls):
                head = {"name": name, "arguments": ""}
                yield event(
                    {
                        "tool_calls": [
                            {
                                "index": index,
                                "id": f"call_{name}_{index}",
                                "type": "function",
                                "function": head,
                            }
                        ]
                    }
                )
                arguments = json.dumps(given)
                for start in range(0, len(arguments), 5):
                    part = {"arguments": arguments[start : start + 5]}
                    yield event({"tool_calls": [{"index": index, "function": part}]})
            yield event({}, "tool_calls")
        case BreaksOff(text):
            yield event({"content": text})
            return
        case FailsMidway(text, message):
            yield event({"content": text})
            yield {"error": {"message": message, "type": "server_error", "code": None}}
            return
    usage = {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30}
    yield {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": model,
        "choices": [],
        "usage": usage,
    }
