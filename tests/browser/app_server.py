"""One server of an app in its own process, which a test may kill and start again."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
STREAMLIT = (
    *(sys.executable, "-m", "streamlit", "run", "{script}"),
    *("--server.port", "{port}", "--server.address", "127.0.0.1", "--server.headless", "true"),
    *("--server.fileWatcherType", "none", "--browser.gatherUsageStats", "false"),
)
_STARTING_SECONDS = 60
_STOPPING_SECONDS = 10


class ServerDied(Exception):
    """The server ended before or while a test needed it; the message carries the end of its log."""


class AppServer:
    """A server on a port of its own. The port and the log stay the same across `kill` and `restart`."""

    def __init__(self, command: Sequence[str], *, log: Path, env: Mapping[str, str], cwd: Path = ROOT) -> None:
        """Take the command; `{port}` in it is replaced by a free port. Nothing runs before `start`."""
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        self._command = [part.replace("{port}", str(self.port)) for part in command]
        self._env = {**os.environ, **env}
        self._cwd = cwd
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process that is running now."""
        return self._running().pid

    def start(self) -> "AppServer":
        """Start the server and wait until it answers. Raises ServerDied if it ends first or stays silent."""
        with self.log.open("ab") as log:
            # A group of its own, so that whatever the server started goes with it.
            self._process = subprocess.Popen(
                self._command, cwd=self._cwd, env=self._env, stdout=log, stderr=log, start_new_session=True
            )
        self._wait_until_healthy(self._process)
        return self

    def kill(self) -> None:
        """End the server at once, as a crash or a power cut would."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Start again after `kill` or `stop`, or kill first; on the same port, with the same environment."""
        if self._process is not None:
            self.kill()
        self.start()

    def stop(self) -> None:
        """Ask the server to end, as Ctrl+C would, and wait for it. Nothing happens when it does not run."""
        if self._process is not None:
            self._end(signal.SIGINT)

    def output(self) -> str:
        """Return everything the server printed so far, over all its starts."""
        return self.log.read_text(errors="replace")

    def _end(self, how: signal.Signals) -> None:
        process = self._running()
        self._signal(process, how)
        try:
            process.wait(_STOPPING_SECONDS)
        except subprocess.TimeoutExpired:
            self._signal(process, signal.SIGKILL)
            process.wait()
        self._process = None

    @staticmethod
    def _signal(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
        if process.poll() is None:
            os.killpg(process.pid, how)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ServerDied("The server does not run.")
        return self._process

    def _wait_until_healthy(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _STARTING_SECONDS
        while time.monotonic() < deadline:
            if process.poll() is not None:
                self._process = None
                raise ServerDied(f"The server ended with {process.returncode} at start. Its log:\n{self._tail()}")
            if self._is_healthy():
                return
            time.sleep(0.05)
        self.kill()
        raise ServerDied(f"The server did not answer within {_STARTING_SECONDS} s. Its log:\n{self._tail()}")

    def _is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _tail(self) -> str:
        return "\n".join(self.output().splitlines()[-40:])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
