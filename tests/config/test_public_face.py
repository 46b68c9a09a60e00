"""What the package offers, and what it stays away from."""

import subprocess
import sys

import workbench.config


def test_everything_offered_exists() -> None:
    assert [name for name in workbench.config.__all__ if not hasattr(workbench.config, name)] == []


def test_reading_a_config_needs_no_agent_framework_no_store_and_no_screen() -> None:
    program = "import sys, workbench.config; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "workbench.config.parse" in loaded
    assert loaded.isdisjoint({"strands", "streamlit", "sqlite3"})
    packages = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("workbench.")}
    assert packages == {"workbench.config", "workbench.policy"}
