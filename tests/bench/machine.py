"""The machine and the versions a measurement was made with: numbers mean nothing without them."""

import os
import platform
import sqlite3
import subprocess
from importlib.metadata import version
from pathlib import Path

from tests import chromium

PACKAGES = ("strands-agents", "streamlit", "sqlite-utils", "pydantic", "ag-ui-protocol", "playwright")


def describe() -> list[tuple[str, str]]:
    """Return name and value of everything worth knowing, in the order to print."""
    return [
        ("CPU", f"{_cpu()}, {os.cpu_count()} cores"),
        ("memory", _memory()),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("SQLite", _sqlite()),
        ("Chromium", _chromium()),
        *((name, version(name)) for name in ("workbench", *PACKAGES)),
    ]


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def _sqlite() -> str:
    return sqlite3.sqlite_version


def _chromium() -> str:
    path = chromium.find()
    if path is None:
        return "none"
    return subprocess.run([path, "--version"], capture_output=True, text=True).stdout.strip()
