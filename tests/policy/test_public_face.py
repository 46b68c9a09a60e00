"""What the package offers, and what it stays away from."""

import subprocess
import sys

import workbench.policy


def test_everything_offered_exists() -> None:
    missing = [name for name in workbench.policy.__all__ if not hasattr(workbench.policy, name)]
    assert missing == []


def test_the_policy_knows_no_agent_framework_no_store_and_no_screen() -> None:
    program = "import sys, workbench.policy; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "workbench.policy.decide" in loaded
    assert loaded.isdisjoint({"strands", "streamlit", "sqlite3", "pydantic", "yaml"})
    assert not [
        name for name in loaded if name.startswith("workbench.") and not name.startswith("workbench.policy")
    ]
