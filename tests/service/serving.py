"""A real service in a process of its own, called through real sockets."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import uvicorn
import yaml

from tests.runs.harness import KIT
from tests.service.configs import FILES
from workbench.runs.engine import Engine
from workbench.service.app import service
from workbench.service.guard import Rules
from workbench.service.hosted import Hosted
from workbench.service.serve import Hosting
from workbench.store import Store

ROOT = Path(__file__).parents[2]
LONG = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Service:
    """`workbench serve` on one config, with the tools of the engine's own bench beside it."""

    def __init__(self, folder: Path, config: dict[str, Any], *arguments: str, **env: str) -> None:
        self.folder = folder / "configs"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.database = folder / "workbench.db"
        self.config = self.folder / "shop.yaml"
        self.log = folder / "service.log"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.arguments = arguments
        self.env = env
        shutil.copy(KIT, self.folder / KIT.name)
        for name, text in FILES.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        self.write(config)
        self._process: subprocess.Popen[bytes] | None = None

    def write(self, config: dict[str, Any]) -> None:
        self.config.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")

    def start(self) -> "Service":
        command = [sys.executable, "-m", "workbench.cli", "serve", str(self.config)]
        command += ["--port", str(self.port), "--db", str(self.database), *self.arguments]
        env = {**os.environ, "PYTHONPATH": str(ROOT), **self.env}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=env, cwd=self.folder.parent)
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            assert self._process.poll() is None, self.output()
            try:
                if httpx.get(f"{self.url}/health", timeout=2).status_code == 200:
                    return self
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError(f"the service did not answer: {self.output()}")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None

    def restart(self, how: signal.Signals = signal.SIGINT) -> None:
        self.stop(how)
        self.start()

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def ran(self) -> list[tuple[str, dict[str, Any]]]:
        path = self.folder / "ran.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [(tool, given) for tool, given in map(json.loads, lines)]

    def prices(self) -> list[float]:
        return [given["price"] for tool, given in self.ran() if tool == "set_price"]

    def waits_in(self, name: str) -> None:
        until = time.monotonic() + LONG
        while not (self.folder / f"{name}.here").exists():
            assert time.monotonic() < until, f"no tool waits for {name}: {self.output()}"
            time.sleep(0.01)

    def let(self, name: str) -> None:
        (self.folder / name).touch()

    def heard(self, conversation_id: str) -> list[str]:
        """What the model read as results, in their order."""
        with Store.open(self.database) as store:
            return [
                "\n".join(str(part.get("text", part)) for part in block["toolResult"]["content"])
                for message in store.messages.load(conversation_id)
                for block in message["content"]
                if "toolResult" in block
            ]


class Inside(Service):
    """The same in this process, on a thread and a real socket of its own: it starts at once, and can't be killed."""

    def start(self) -> "Inside":
        store = Store.open(self.database)
        engine = Engine(store, self.folder.resolve())
        hosted = Hosted(
            engine,
            str(self.config.resolve()),
            takes_loosenings=True,
            secret=self.env.get("WORKBENCH_SECRET", ""),
        )
        app = Hosting(service(lambda: hosted, Rules()), hosted)
        self._server = uvicorn.Server(
            uvicorn.Config(app, port=self.port, lifespan="on", log_level="error", timeout_graceful_shutdown=3)
        )
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        self._store = store
        until = time.monotonic() + LONG
        while not self._server.started:
            assert time.monotonic() < until and self._thread.is_alive(), "the service did not start"
            time.sleep(0.01)
        return self

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self._store.close()

    def output(self) -> str:
        return ""


class Caller:
    """Somebody who calls a service's invoke API."""

    def __init__(self, service: Service, session: str | None = None, token: str = "") -> None:
        self.service = service
        self.headers = {"X-Session-Id": session} if session is not None else {}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"

    def post(self, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> httpx.Response:
        sent = self.headers if headers is None else dict(headers)
        return httpx.post(f"{self.service.url}{path}", json=body, headers=sent, timeout=LONG)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
        sent = self.headers if headers is None else dict(headers)
        return httpx.get(f"{self.service.url}{path}", headers=sent, timeout=LONG)

    def invoke(self, message: str = "go") -> dict[str, Any]:
        answer = self.post("/invoke", {"message": message})
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def decision(self, pending: Mapping[str, Any], said: str, **more: Any) -> httpx.Response:
        return self.post(
            f"/runs/{pending['run_id']}/approvals/{pending['approval_id']}/decision",
            {"decision": said},
            **more,
        )

    def decide(self, pending: Mapping[str, Any], said: str) -> dict[str, Any]:
        answer = self.decision(pending, said)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def run(self, run_id: str) -> dict[str, Any]:
        told: dict[str, Any] = self.get(f"/runs/{run_id}").json()
        return told

    def lines(self, message: str = "go") -> Iterator[dict[str, Any]]:
        with httpx.stream(
            "POST",
            f"{self.service.url}/stream",
            json={"message": message},
            headers=self.headers,
            timeout=LONG,
        ) as answer:
            assert answer.status_code == 200
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))
