"""What an agent gets from real MCP servers, and what it is told when it gets nothing."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.mcp_talk import ODD, SHOP, call, config_with, named, serving, shop
from tests.agents.talk import agent
from workbench.agents.mcp import McpPool, McpTools
from workbench.agents.outcome import OutcomeUnknown
from workbench.agents.scripted import ScriptedModel
from workbench.config import ImportSpecs, policy_for
from workbench.policy import Call, ToolFacts, decide


@pytest.fixture
def pool() -> Iterator[McpPool]:
    made = McpPool()
    yield made
    made.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shop")


@pytest.fixture(scope="module")
def tools(folder: Path) -> Iterator[McpTools]:
    """The tools of a shop and of an odd server that run for the whole module."""
    clients = {
        "shop": {"command": shop(), "env": {"SHOP_TOKEN": "sesame"}},
        "odd": {"command": ["python", str(ODD)], "prefix": "odd"},
    }
    made = McpPool()
    yield made.tools_for(config_with(folder, clients), "a")
    made.close()


def test_an_agent_gets_a_servers_tools_under_the_servers_own_names_with_what_it_declares(
    tools: McpTools,
) -> None:
    assert tools.facts["get_price"] == ToolFacts("mcp", read_only=True, title="Look up a price")
    assert tools.facts["set_price"] == ToolFacts("mcp", read_only=False, idempotent=True, title="Set a price")
    assert tools.facts["delete_store"] == ToolFacts("mcp")
    assert set(tools.facts) == {tool.tool_name for tool in tools.tools}
    spec = named(tools, "get_price").tool_spec
    assert spec["name"] == "get_price" and spec["description"] == "Look up what an item costs."
    assert spec["inputSchema"]["json"]["properties"]["item"] == {"title": "Item", "type": "string"}


def test_a_prefix_stands_before_the_names_and_rules_match_what_stands_there(
    pool: McpPool, tmp_path: Path
) -> None:
    clients = {"shop": {"command": shop(), "prefix": "merchant__"}}
    rules = ', interrupt: {tools: ["merchant___*"], skip_read_only: true}'
    config = config_with(tmp_path, clients, agent=rules)
    found = pool.tools_for(config, "a")
    policy = policy_for(config, "a", ImportSpecs(tmp_path))

    def because(tool: str) -> str:
        return decide(Call(tool, {}), policy, (), found.facts[tool]).because

    assert because("merchant___get_price") == "read_only"
    assert because("merchant___set_price") == "rule"
    assert because("merchant___delete_store") == "rule"
    assert call(found, "merchant___get_price", item="tea").text == "tea costs 12"


def test_annotations_in_the_config_say_nothing_of_a_servers_tools(pool: McpPool, tmp_path: Path) -> None:
    config = config_with(
        tmp_path, {"shop": {"command": shop()}}, rest='tool_annotations: {"*": {readOnlyHint: true}}'
    )
    assert pool.tools_for(config, "a").facts["delete_store"].read_only is None


def test_a_command_runs_in_the_configs_folder_with_its_variables_and_the_workbenchs_python(
    tools: McpTools, folder: Path
) -> None:
    place = call(tools, "where").json
    assert place["cwd"] == str(folder)
    assert place["token"] == "sesame"
    assert Path(place["python"]).parent == Path(sys.executable).parent


def test_a_command_may_run_in_a_folder_seen_from_the_configs(pool: McpPool, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    found = pool.tools_for(config_with(tmp_path, {"shop": {"command": shop(), "cwd": "inside"}}), "a")
    assert call(found, "where").json["cwd"] == str(tmp_path / "inside")


def test_what_a_server_prints_goes_to_the_log_and_not_to_the_terminal(
    pool: McpPool, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    command = shop("--banner", "Welcome!", "--say", "a word to the operator")
    found = pool.tools_for(config_with(tmp_path, {"shop": {"command": command}}), "a")
    assert call(found, "get_price", item="tea").text == "tea costs 12"
    pool.close()
    said = [record.getMessage() for record in caplog.records]
    assert "mcp_client=<shop> | stderr: a word to the operator" in said
    assert [line for line in said if "ignored what is no MCP message" in line and "shop" in line]
    assert not [record for record in caplog.records if record.exc_info]
    assert capfd.readouterr() == ("", "")


def test_structured_content_and_the_error_flag_come_through(tools: McpTools) -> None:
    asked = call(tools, "publish", shelf="teas")
    assert asked.result["status"] == "success" and asked.result["isError"] is False
    assert asked.json["kaboo_approval"]["request"] == "apr_1"
    assert json.loads(asked.text) == asked.json
    refused = call(tools, "refuse")
    assert refused.result["status"] == "error" and refused.result["isError"] is True
    assert (refused.text, refused.json, refused.exception) == ("the shop is closed", {"code": 7}, None)


def test_structure_without_text_is_shown_to_the_model_too(tools: McpTools) -> None:
    assert call(tools, "structure").result["content"] == [{"json": {"items": [1, 2]}}]


def test_what_a_server_says_about_its_result_cannot_pass_for_a_decision(tools: McpTools) -> None:
    metadata = call(tools, "structure").result["metadata"]
    assert "approval" not in metadata and metadata["mcp"]["approval"]["decision"] == "approved"


def test_what_a_model_cannot_be_shown_is_named_and_fails_nothing(tools: McpTools) -> None:
    shown = call(tools, "pictures")
    assert shown.result["status"] == "success"
    assert shown.text.splitlines() == [
        "three things",
        "[image, image/svg+xml, about 3 bytes; not shown]",
        "[resource link, catalogue, shop://catalogue]",
        "[audio, audio/wav, about 3 bytes; not shown]",
    ]


def test_a_result_unlike_its_schema_is_an_error_that_says_that_the_call_happened(tools: McpTools) -> None:
    unlike = call(tools, "odd_count")
    assert unlike.text.startswith("Error: the call happened, but its result is not what the tool declares")
    assert not isinstance(unlike.exception, OutcomeUnknown)


def test_an_error_the_server_answers_with_is_an_answer(tools: McpTools) -> None:
    broken = call(tools, "odd_break")
    assert (broken.result["status"], broken.text) == ("error", "Error: the database is down")
    assert not isinstance(broken.exception, OutcomeUnknown)
    unfit = call(tools, "get_price")
    assert unfit.result["status"] == "error" and "Field required" in unfit.text


def test_names_no_model_takes_and_names_taken_are_left_out_and_said_so(tools: McpTools) -> None:
    assert {name for name in tools.facts if name.startswith("odd")} == {
        "odd_look-up",
        "odd_count",
        "odd_break",
    }
    unusable, taken = [problem.sentence for problem in tools.problems]
    assert unusable.startswith("MCP client 'odd': 'odd_files.read', 'odd_xxx") and "are left out" in unusable
    assert taken == (
        "MCP client 'odd': 'odd_look_up' is left out, because the agent has a tool of that name already; "
        "give this client a prefix."
    )


def test_a_servers_tool_takes_no_other_tools_place(pool: McpPool, tmp_path: Path) -> None:
    clients = {"one": {"command": shop()}, "two": {"command": shop()}}
    found = pool.tools_for(config_with(tmp_path, clients), "a", taken={"set-price"})
    assert "set_price" not in found.facts
    assert [problem.client for problem in found.problems] == ["one", "two"]
    assert found.problems[0].sentence.startswith("MCP client 'one': 'set_price' is left out")
    assert " and 6 more are left out" in found.problems[1].sentence


def test_clients_of_one_server_share_its_process(pool: McpPool, tmp_path: Path) -> None:
    rest = f"mcp_servers: {{shop: {{command: {json.dumps(shop())}}}}}"
    clients = {"one": {"server": "shop"}, "two": {"server": "shop", "prefix": "two"}}
    found = pool.tools_for(config_with(tmp_path, clients, rest=rest), "a")
    assert not found.problems
    assert call(found, "where").json["pid"] == call(found, "two_where").json["pid"]


def test_an_agent_calls_a_servers_tool(tools: McpTools) -> None:
    script = [{"tool": "get_price", "input": {"item": "tea"}}]
    talker = agent(ScriptedModel(params={"script": script, "final_text": "Done."}), *tools.tools)
    assert str(talker("What is tea?")).strip() == "Done."
    (result,) = [block["toolResult"] for block in talker.messages[2]["content"]]
    assert result["status"] == "success" and result["content"] == [{"text": "tea costs 12"}]


UNAVAILABLE: dict[str, tuple[dict[str, Any], str]] = {
    "gone": (
        {"command": ["no_such_program"]},
        "there is no program 'no_such_program'; give its path, or put its folder on PATH",
    ),
    "plain": ({"command": ["./plain.txt"]}, "'./plain.txt' can't be run: Permission denied"),
    "folder": (
        {"command": shop(), "cwd": "nowhere"},
        "the folder it starts in, {folder}/nowhere, does not exist",
    ),
    "dies": (
        {"command": shop("--say", "no entry with opensesame", "--exit", "3"), "env": {"TOKEN": "opensesame"}},
        f"python {SHOP} ended before it was ready (its last words: no entry with ••••••)",
    ),
    "slow": (
        {"command": shop("--sleep", "600"), "startup_timeout": 1},
        f"python {SHOP} was not ready within 1 seconds; raise its startup_timeout if it needs longer",
    ),
    "silent": (
        {"command": ["python", str(ODD), "hang"], "startup_timeout": 2},
        f"python {ODD} was not ready within 2 seconds; raise its startup_timeout if it needs longer",
    ),
    "nobody": (
        {"url": "http://someone:secret@127.0.0.1:9/mcp?key=abc"},
        "nothing answers at http://127.0.0.1:9/mcp",
    ),
    "nobody_sse": (
        {"url": "http://127.0.0.1:9/sse", "transport": "sse"},
        "nothing answers at http://127.0.0.1:9/sse",
    ),
    "nonsense": ({"url": "http://[x/mcp"}, "nothing answers at the address in url"),
    "scheme": (
        {"url": "ftp://x/mcp"},
        "ftp://x/mcp can't be used: Request URL has an unsupported protocol 'ftp://'",
    ),
    "refused": ({"url": "{refusing}/mcp"}, "{refusing}/mcp answered 401 Unauthorized"),
    "astray": ({"url": "{refusing}/mcp", "transport": "sse"}, "{refusing}/mcp answered 401 Unauthorized"),
}


def test_a_server_that_cannot_be_had_is_a_sentence_and_the_agent_has_the_other_tools(
    pool: McpPool, tmp_path: Path
) -> None:
    (tmp_path / "plain.txt").write_text("not a program")
    with serving(tmp_path, "--http", "--refuse", "401") as (refusing, _):

        def placed(text: str) -> str:
            return text.replace("{refusing}", refusing).replace("{folder}", str(tmp_path))

        clients = {name: json.loads(placed(json.dumps(client))) for name, (client, _) in UNAVAILABLE.items()}
        found = pool.tools_for(config_with(tmp_path, {**clients, "shop": {"command": shop()}}), "a")
    expected = {
        name: f"MCP client {name!r}: {placed(reason)}. The agent works without its tools."
        for name, (_, reason) in UNAVAILABLE.items()
    }
    assert {problem.client: problem.sentence for problem in found.problems} == expected
    assert call(found, "get_price", item="tea").text == "tea costs 12"


def test_what_was_listed_last_is_known_without_connecting(tmp_path: Path) -> None:
    config = config_with(tmp_path, {"shop": {"command": shop(), "prefix": "shop"}})
    pool = McpPool()
    assert pool.known_facts(config, "a") == {}
    listed = pool.tools_for(config, "a").facts
    assert pool.known_facts(config, "a") == listed
    pool.close()
    assert pool.known_facts(config, "a") == listed
    other = config_with(tmp_path, {"shop": {"command": shop()}})
    assert pool.known_facts(other, "a")["get_price"] == listed["shop_get_price"]


def test_an_agent_without_clients_waits_for_nothing(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from tests.agents.mcp_talk import config_with
from workbench.agents.mcp import McpPool
config = config_with(Path("."), {})
pool = McpPool()
assert pool.tools_for(config, "a").tools == [] and pool.known_facts(config, "a") == {}
pool.close()
assert "mcp" not in sys.modules and "strands.tools.mcp" not in sys.modules
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
