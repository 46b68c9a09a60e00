"""The AG-UI endpoint with the real client from npm, whose own verification passes on every stream."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.service.agui import ASK
from tests.service.configs import several, talkative, team
from tests.service.serving import Service

Serve = Callable[..., Service]
Talk = Callable[..., list[dict[str, Any]]]
HERE = Path(__file__).parent / "agui_client"
APPROVED = {"status": "approved"}


@pytest.fixture(scope="session")
def installed() -> Path:
    """Install the client once, beside the script that uses it."""
    if shutil.which("npm") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(
            "Node.js and npm are needed for the AG-UI client."
        )
    if not (HERE / "node_modules" / "@ag-ui" / "client").is_dir():
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"],
            cwd=HERE,
            check=True,
            timeout=300,
        )
    return HERE


@pytest.fixture
def talk(installed: Path) -> Talk:
    def play(service: Service, *steps: dict[str, Any]) -> list[dict[str, Any]]:
        given = {"url": f"{service.url}/invocations", "steps": steps, "tools": [ASK]}
        done = subprocess.run(
            ["node", "talk.mjs"],
            cwd=installed,
            input=json.dumps(given),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        told: list[dict[str, Any]] = json.loads(done.stdout)
        assert [one["errors"] for one in told if one["code"] is None] == [
            [] for one in told if one["code"] is None
        ]
        return told

    return play


def test_the_client_talks_approves_and_goes_on(serve: Serve, talk: Talk) -> None:
    service = serve(talkative())
    hello, price, done, two, over, asked, answered = talk(
        service,
        {"say": "hello"},
        {"say": "price", "props": {"kaboo_grants": []}},
        {"resume": [APPROVED]},
        {"say": "two"},
        {"resume": [APPROVED, None]},
        {"say": "ask"},
        {"tool": "b"},
    )
    assert (hello["said"], hello["outcome"], hello["state"]) == (["Hello."], {"type": "success"}, ["history"])
    assert price["outcome"]["interrupts"][0]["metadata"]["scopes"] == ["once", "thread"]
    assert set(price["state"]) == {"history", "paused", "approvals"}
    assert (done["outcome"]["type"], done["state"]) == ("success", ["history"])
    assert [len(two["outcome"]["interrupts"]), over["outcome"]["type"]] == [2, "success"]
    assert len(asked["outcome"]["pendingToolCallIds"]) == 1
    assert answered["results"][-1] == "b" and answered["outcome"] == {"type": "success"}
    assert service.prices() == [12.0, 12.0]


def test_the_clients_verification_passes_on_delegates_too(serve: Serve, talk: Talk) -> None:
    service = serve(team())
    asked, gated, done = talk(service, {"say": "go"}, {"tool": "Sure."}, {"resume": [APPROVED]})
    assert "SUBAGENT_STARTED" in asked["kinds"] and "SUBAGENT_FINISHED" in asked["kinds"]
    assert gated["outcome"]["type"] == "interrupt" and done["outcome"] == {"type": "success"}
    assert service.prices() == [12.0]


def test_the_client_is_told_of_errors(serve: Serve, talk: Talk) -> None:
    service = serve(talkative())
    price, wrong = talk(
        service,
        {"say": "price"},
        {"resume": [{**APPROVED, "tool_input": {"sku": 1}}]},
    )
    assert price["outcome"]["type"] == "interrupt"
    assert (wrong["code"], wrong["kinds"]) == ("invalid_edit", ["RUN_STARTED", "RUN_ERROR"])


@pytest.mark.parametrize("mode", ["swarm", "graph"])
def test_the_clients_verification_passes_on_teams_too(serve: Serve, talk: Talk, mode: str) -> None:
    service = serve(several(mode))
    gated, done, again = talk(service, {"say": "go"}, {"resume": [APPROVED]}, {"say": "go on"})
    assert gated["kinds"].count("STEP_STARTED") == gated["kinds"].count("STEP_FINISHED") == 2
    assert gated["outcome"]["type"] == "interrupt" and done["outcome"] == {"type": "success"}
    assert again["outcome"]["type"] == "interrupt" and service.prices() == [12.0]
