"""The README's curl lines, run as they are printed but for the port."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.service.serving import ROOT, Service

SECTION = "## Over HTTP"


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_curl_lines_work_as_printed(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    section = text.split(SECTION)[1].split("\n## ")[0]
    serving, *calls = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    assert "workbench serve configs/merchant.yaml" in serving and len(calls) == 2
    service = Service(tmp_path, {}, WORKBENCH_SHOP_DB=str(tmp_path / "shop.db"))
    shutil.rmtree(service.folder)
    shutil.copytree(ROOT / "configs", service.folder)
    service.config = service.folder / "merchant.yaml"
    service.start()
    try:
        script = "\n".join(calls).replace("localhost:8090", f"localhost:{service.port}")
        done = subprocess.run(
            ["bash", "-ec", script],
            cwd=tmp_path,
            env=os.environ,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        service.stop()
    assert done.returncode == 0, done.stderr
    paused = json.loads((tmp_path / "paused.json").read_text())
    assert (paused["status"], paused["pending_approval"]["tool_name"]) == ("pending_approval", "set_price")
    ended = json.loads(done.stdout[len((tmp_path / "paused.json").read_text()) :])
    assert ended["status"] == "completed" and "set_price" in ended["used_tools"]
