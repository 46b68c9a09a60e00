"""Who may call the service and how: tokens, hosts, origins, sizes, slowness, and what the log says of it."""

import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn

from tests.service.configs import talkative
from tests.service.serving import ROOT, Caller, Service, free_port
from workbench.service.app import service as service_app
from workbench.service.guard import Rules
from workbench.service.hosted import Hosted

TOKEN = "correct horse battery staple"
Serve = Callable[..., Service]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("guard")
    more = ("--allow-origin", "https://shop.example", "--allow-host", "Inside.example")
    made = Service(folder, talkative(), *more, WORKBENCH_TOKEN=TOKEN).start()
    yield made
    made.stop()


@pytest.fixture
def caller(service: Service) -> Caller:
    return Caller(service, token=TOKEN)


def raw(port: int, request: bytes, seconds: float = 10) -> bytes:
    """Send bytes as they are and return everything that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(request)
        got = b""
        while piece := connection.recv(65536):
            got += piece
            if b"\r\n\r\n" in got and b"}" in got:
                break
        return got


@pytest.mark.parametrize("arguments", [(), ("--token", "  ")])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_nobody_else_reaches_it_without_a_token(
    tmp_path: Path, host: str, arguments: tuple[str, ...]
) -> None:
    config = tmp_path / "shop.yaml"
    config.write_text("version: '1'\n")
    refused = subprocess.run(
        [sys.executable, "-m", "workbench.cli", "serve", str(config), "--host", host, *arguments],
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert refused.returncode == 1 and "token" in refused.stderr
    assert not (tmp_path / "workbench.db").exists()


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "",
        "Bearer",
        "Bearer wrong",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"Basic {TOKEN}",
        TOKEN,
        "Bearer caf\xe9",
    ],
)
def test_a_request_without_the_token_is_401_whatever_else_is_wrong(
    service: Service, sent: str | None
) -> None:
    headers = {} if sent is None else {b"Authorization": sent.encode("latin-1")}
    for method, path in (("POST", "/invoke"), ("GET", "/runs/x"), ("GET", "/openapi.json"), ("GET", "/no")):
        answer = httpx.request(method, f"{service.url}{path}", headers=headers, content=b"{")
        assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["error"]["id"] == answer.headers["x-request-id"]
    assert httpx.get(f"{service.url}/health").status_code == 200


def test_the_token_opens_the_door(caller: Caller) -> None:
    assert caller.invoke("hello")["answer"] == "Hello."
    both = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer x")]
    assert httpx.get(f"{caller.service.url}/openapi.json", headers=both).status_code == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "", "a b", "[::1", "127.0.0.1@evil.example"]
)
def test_a_host_that_is_not_expected_is_refused(caller: Caller, host: str) -> None:
    assert caller.get("/openapi.json", headers={**caller.headers, "Host": host}).status_code in (400, 403)


@pytest.mark.parametrize(
    "host", ["localhost:1", "127.0.0.1", "[::1]:9", "inside.example", "INSIDE.example:80"]
)
def test_a_host_that_is_expected_is_let_in(caller: Caller, host: str) -> None:
    assert caller.get("/openapi.json", headers={**caller.headers, "Host": host}).status_code == 200


def test_on_loopback_without_a_token_a_foreign_name_is_refused(serve: Serve) -> None:
    service = serve(talkative())
    for host, status in (("evil.example", 403), ("192.0.2.1", 403), ("localhost", 200)):
        assert httpx.get(f"{service.url}/openapi.json", headers={"Host": host}).status_code == status


def test_pages_of_other_origins_are_refused(caller: Caller) -> None:
    def status(origin: str) -> int:
        return caller.get("/openapi.json", headers={**caller.headers, "Origin": origin}).status_code

    assert status(caller.service.url) == 200 and status("https://shop.example") == 200
    for foreign in ("https://evil.example", "null", "https://shop.example.evil", "http://127.0.0.1:1", ""):
        assert status(foreign) == 403, foreign


def test_a_page_of_an_allowed_origin_may_read_the_answer(service: Service, caller: Caller) -> None:
    asked = httpx.options(
        f"{service.url}/invoke",
        headers={
            "Origin": "https://shop.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type,x-session-id",
        },
    )
    assert asked.status_code == 200
    assert asked.headers["access-control-allow-origin"] == "https://shop.example"
    answer = caller.post(
        "/invoke", {"message": "hello"}, headers={**caller.headers, "Origin": "https://shop.example"}
    )
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"
    foreign = httpx.options(
        f"{service.url}/invoke",
        headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"},
    )
    assert "access-control-allow-origin" not in foreign.headers and foreign.status_code >= 400


def test_a_body_that_is_too_large_is_refused_unread(caller: Caller) -> None:
    service = caller.service
    head = (
        f"POST /invoke HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Content-Type: application/json\r\n"
    )
    announced = raw(service.port, f"{head}Content-Length: 99999999999\r\n\r\n".encode())
    assert announced.startswith(b"HTTP/1.1 413") and b"too_large" in announced

    def endless() -> Iterator[bytes]:
        yield b'{"message": "'
        for _ in range(40):
            yield b"x" * 1024 * 1024

    try:
        answer = httpx.post(f"{service.url}/invoke", content=endless(), headers=caller.headers, timeout=60)
        assert answer.status_code == 413
    except httpx.WriteError:
        pass  # hung up on in the middle of it
    assert caller.invoke("hello")["status"] == "completed"


def test_a_message_that_is_too_long_says_so(caller: Caller) -> None:
    answer = caller.post("/invoke", {"message": "x" * 200_001})
    assert answer.status_code == 400 and "200,001" in answer.json()["error"]["message"]


def test_a_body_that_never_comes_is_given_up() -> None:
    def nothing() -> Hosted:
        raise AssertionError("nothing is to be done for half a request")

    port = free_port()
    app = service_app(nothing, Rules(body_seconds=0.3))
    server = uvicorn.Server(uvicorn.Config(app, port=port, lifespan="off", log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        head = b"POST /invoke HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
        assert raw(port, head).startswith(b"HTTP/1.1 408")
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize(
    "request_",
    [
        b"POST /invoke HTTP/1.1\r\nHost: localhost\r\nX-Session-Id: a\x00b\r\n\r\n",
        b"POST /invoke HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
        b"POST /invoke HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"nonsense\r\n\r\n",
    ],
)
def test_requests_that_are_none_are_refused(service: Service, request_: bytes) -> None:
    assert raw(service.port, request_).startswith((b"HTTP/1.1 400", b"HTTP/1.1 401", b"HTTP/1.1 403"))


def test_nothing_that_was_sent_comes_back_as_a_header(caller: Caller) -> None:
    answer = caller.get("/runs/a%0d%0aX-Evil:%201", headers={**caller.headers, "X-Request-Id": "mine"})
    assert answer.status_code == 404 and "x-evil" not in answer.headers
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"])


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"message":' * 300 + b"1" + b"}" * 300, b'{"message": "\\ud800"}']
)
def test_hostile_json_is_422(caller: Caller, body: bytes) -> None:
    answer = httpx.post(f"{caller.service.url}/invoke", content=body, headers=caller.headers)
    assert answer.status_code == 422


def test_unknown_paths_and_methods_are_json_too(caller: Caller) -> None:
    for answer, status in (
        (caller.get("/no"), 404),
        (caller.get("/invoke"), 405),
        (caller.post("/health"), 405),
    ):
        assert answer.status_code == status and answer.json()["error"]["id"] == answer.headers["x-request-id"]


def test_the_log_has_one_line_a_request_and_nothing_of_what_was_said(
    service: Service, caller: Caller
) -> None:
    caller.headers["X-Session-Id"] = "whisper"
    answer = caller.post("/invoke?secret=whisper", {"message": "hello whisper"})
    told = [line for line in service.output().splitlines() if answer.headers["x-request-id"] in line]
    assert len(told) == 1 and "POST /invoke 200" in told[0]
    assert "whisper" not in service.output() and TOKEN not in service.output()
