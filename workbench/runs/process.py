"""Processes by name: whether the one that holds a lease, or a permission, is still there."""

from __future__ import annotations

import os
import socket
import uuid
from pathlib import Path


def process_name() -> str:
    """Name this process so that another one on this machine can tell whether it is still alive."""
    return f"{socket.gethostname()}|{os.getpid()}|{_started(os.getpid())}|{uuid.uuid4().hex[:8]}"


def is_gone(holder: str) -> bool:
    """Whether the process that holds a lease is surely dead: same machine, no such process any more."""
    host, pid, started, *_ = [*holder.split("|"), "", "", ""]
    if host != socket.gethostname() or not pid.isdigit():
        return False
    return _started(int(pid)) != started


def is_alive(holder: str) -> bool:
    """Whether the process of this name surely runs on this machine; what must end with it asks this."""
    host, pid, started, *_ = [*holder.split("|"), "", "", ""]
    return host == socket.gethostname() and pid.isdigit() and started != "" and _started(int(pid)) == started


def _started(pid: int) -> str:
    """When a process was started, in clock ticks since boot; empty when there is none."""
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        # One that is dead and that nobody has buried yet does not work any more either.
        return "" if state in ("Z", "X") else rest[18]
    except OSError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return ""
        except PermissionError:
            return "?"
        return "?"
