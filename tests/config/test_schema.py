"""What a config may say, and how it is told that it said something else."""

from pathlib import Path

import pytest

from tests.config.texts import MODELS, config_of, only_problem, parsed, pointed, problems_of
from workbench.config import (
    ConfigInvalid,
    DelegateConfig,
    GraphConfig,
    ModelConfig,
    Problem,
    RuleConfig,
    SwarmConfig,
)

WHOLE = """\
version: "1"
vars: {REGION: "${REGION:-eu}"}
defaults: {model: main, auto: false}

x-block: &block {remember: thread, ttl_seconds: 3600}

models:
  main:      {provider: bedrock, model_id: claude, params: {temperature: 0.2}}
  rehearsal: {provider: scripted, params: {script: [{tool: search, input: x}], final_text: "Done."}}
  other:     {provider: "./models.py:MyModel", model_id: "big-${REGION}"}

agents:
  merchant:
    model: main
    description: Sells things.
    stream: {title: Merchant}
    system_prompt: |
      You look after the shop.
    tools: [create_return, ./tools/catalog.py, "./tools/catalog.py:search", "my_package.tools:lookup"]
    client_tools: [ask_user]
    mcp: [shop]
    hooks: ["./hooks.py:Guard"]
    interrupt:
      <<: *block
      tools:
        - "merchant___*"
        - {name: delete_store, remember: once}
        - {name: set_price, remember: thread, subject: "./subjects.py:store_of", ttl_seconds: 600}
        - {name: "merchant___get_*", ask: false}
      skip_read_only: true
      tool_approvals: true
      on_decision: ./shop_service.py:decide
  analyst:
    model: {provider: openai, model_id: gpt, params: {x-header: kept}}
    system_prompt_file: ./prompts/analyst.md
  catalog_agent: {auto: true, tools: [search_catalog]}
  coordinator: {}
  a: {}
  b: {}

mcp_servers:
  warehouse: {url: "http://localhost:9000/mcp", headers: {x-api-key: "1"}, transport: sse}

mcp_clients:
  shop: {command: [python, server.py], env: {DEBUG: "1"}, cwd: ./servers, prefix: shop, startup_timeout: 5}
  stock: {server: warehouse}

orchestrations:
  team:
    mode: delegate
    entry_name: coordinator
    connections: [{agent: analyst, description: Numbers}, {agent: peers, description: Talk}]
  peers: {mode: swarm, agents: [a, b], entry_name: a, max_handoffs: 3, max_iterations: 4, chat_output: b}
  flow:
    mode: graph
    entry_name: a
    edges: [{from: a, to: b, condition: "./conditions.py:ok"}, {from: b, to: team}]
    max_node_executions: 10
    execution_timeout: 60
    node_timeout: 2.5
    reset_on_revisit: true
    chat_output: team

tool_annotations:
  search_*: {readOnlyHint: true, title: Search}

entry: team
runtime: {persist_session_state: true}
"""


def test_the_whole_schema_is_read_into_types() -> None:
    config = config_of(WHOLE)
    merchant = config.agents["merchant"]
    assert merchant.title == "Merchant"
    assert merchant.tools == (
        "create_return", "./tools/catalog.py", "./tools/catalog.py:search", "my_package.tools:lookup",
    )  # fmt: skip
    block = merchant.interrupt
    assert block is not None
    assert (block.remember, block.ttl_seconds, block.skip_read_only, block.tool_approvals) == (
        "thread",
        3600,
        True,
        True,
    )
    assert block.tools == (
        RuleConfig(name="merchant___*"),
        RuleConfig(name="delete_store", remember="once"),
        RuleConfig(name="set_price", remember="thread", subject="./subjects.py:store_of", ttl_seconds=600),
        RuleConfig(name="merchant___get_*", ask=False),
    )
    team, peers, flow = (config.orchestrations[name] for name in ("team", "peers", "flow"))
    assert isinstance(team, DelegateConfig) and team.connections[1].agent == "peers"
    assert isinstance(peers, SwarmConfig) and (peers.max_handoffs, peers.max_iterations) == (3, 4)
    assert isinstance(flow, GraphConfig) and flow.nodes == ("a", "b", "team")
    assert (flow.edges[0].source, flow.edges[0].target, flow.node_timeout) == ("a", "b", 2.5)
    assert config.mcp_clients["shop"].command == ("python", "server.py")
    assert config.tool_annotations["search_*"].readOnlyHint is True


def test_a_config_answers_what_the_rest_of_the_house_asks_it() -> None:
    config = config_of(WHOLE)
    assert (config.name, config.file, config.entry_name, config.entry_agent) == (
        "merchant",
        "merchant.yaml",
        "team",
        "coordinator",
    )
    assert config.model_of("merchant") is config.models["main"]
    assert config.model_of("coordinator") is config.models["main"]
    assert config.model_of("analyst") == ModelConfig(
        provider="openai", model_id="gpt", params={"x-header": "kept"}
    )
    assert (config.title_of("merchant"), config.title_of("a"), config.title_of("team")) == (
        "Merchant",
        "a",
        "team",
    )
    assert config.system_prompt_of("merchant") == "You look after the shop.\n"
    assert config.system_prompt_of("a") is None


def test_values_are_found_where_they_are_written() -> None:
    config = config_of(WHOLE)
    lines = WHOLE.splitlines()
    for path, text in {
        "agents.merchant.interrupt.tools.2": "{name: set_price, remember",
        "agents.merchant.interrupt.tools[2].remember": "thread, subject",
        "agents.merchant.interrupt.remember": "thread, ttl_seconds: 3600}",
        "tool_annotations.search_*": "{readOnlyHint",
        "entry": "team",
    }.items():
        place = config.place(path)
        assert place is not None
        assert lines[place[0] - 1][place[1] - 1 :].startswith(text), path
    assert config.place("agents.merchant.auto") is None
    assert config.line("version") == 1


def test_a_config_is_never_changed_afterwards() -> None:
    config = config_of(WHOLE)
    with pytest.raises(Exception, match="frozen"):
        config.entry = "a"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("entry", "agent"),
    [("peers", "a"), ("flow", "a"), ("nested", "coordinator"), ("open_swarm", "b"), ("analyst", "analyst")],
)
def test_the_entry_agent_is_the_one_that_reads_the_message_first(entry: str, agent: str) -> None:
    more = """\
  nested: {mode: graph, entry_name: team, edges: [{from: team, to: a}]}
  open_swarm: {mode: swarm, agents: [b, a]}
"""
    text = WHOLE.replace("tool_annotations:", f"{more}\ntool_annotations:").replace(
        "entry: team\n", f"entry: {entry}\n"
    )
    assert config_of(text).entry_agent == agent


def test_the_only_agent_is_the_entry() -> None:
    assert config_of(f"agents: {{a: {{}}}}\n{MODELS}").entry_name == "a"


@pytest.mark.parametrize("version", ['"1"', "1"])
def test_the_version_may_be_written_with_or_without_quotes(version: str) -> None:
    assert config_of(f"version: {version}\nagents: {{a: {{}}}}\n{MODELS}").version == "1"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("remeber: once", "unknown key 'remeber'; did you mean 'remember'?"),
        ("remember: forever", "'forever' is not a scope; use once, thread or always"),
        ("remember: Thread", "'Thread' is not a scope; did you mean 'thread'?"),
        ("ttl_seconds: '60'", "'60' is a text, not a whole number; write 60, without quotes"),
        ("ttl_seconds: 60.0", "60.0 is a number, not a whole number; write 60"),
        ("ttl_seconds: 1.5", "1.5 is a number, not a whole number"),
        ("ttl_seconds: true", "true is a truth value, not a whole number"),
        ("ttl_seconds: 0", "0 is too small; use a number above 0"),
        ("skip_read_only: 'true'", "'true' is a text, not true or false; write true, without quotes"),
        ("skip_read_only: 1", "1 is a number, not true or false; write true"),
        ("tools: set_price", "'set_price' is a text, not a list; write [set_price]"),
        ("tools: {name: set_price}", "this is a mapping, not a list; start each entry with '- '"),
        ("tools: [5]", "5 is a number, not a rule: a name, a glob or {name: …}"),
        ("tools: [{remember: once}]", "the key 'name' is missing; add it here"),
        ("tools: ['']", "the text is empty; write one, or leave the key out"),
        ("tools: ", "nothing is written here; write a list, or leave the key out"),
        (
            "subject: ./x.py:f",
            "unknown key 'subject'; use tools, skip_read_only, remember, ttl_seconds, tool_approvals or on_decision",
        ),
    ],
)
def test_a_mistake_in_the_block_names_the_culprit_and_the_remedy(line: str, message: str) -> None:
    assert only_problem(f"agents: {{a: {{interrupt: {{\n{line}}}}}}}\n{MODELS}").message == message


@pytest.mark.parametrize("word", ["no", "off", "n", "No", "OFF", "'false'", '"no"', "0"])
def test_auto_takes_nothing_but_true_and_false(word: str) -> None:
    problem = pointed(f"agents:\n  a:\n    auto: «{word}\n{MODELS}")
    assert problem.path == "agents.a.auto"
    assert "not true or false; write false" in problem.message


@pytest.mark.parametrize(("word", "value"), [("true", True), ("False", False), ("TRUE", True)])
def test_auto_in_any_case_yaml_knows_is_a_truth_value(word: str, value: bool) -> None:
    assert config_of(f"agents: {{a: {{auto: {word}}}}}\n{MODELS}").agents["a"].auto is value


def test_numbers_of_older_yaml_are_text() -> None:
    text = f"agents: {{a: {{description: 1:30}}}}\nvars: {{A: 1_000, B: 2001-01-01, C: 012, D: 0x1F, E: 1e3}}\n{MODELS}"
    config = config_of(text)
    assert config.agents["a"].description == "1:30"
    assert config.vars == {"A": "1_000", "B": "2001-01-01", "C": 12, "D": 31, "E": 1000.0}


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (".nan", ".nan is not a number that can be stored"),
        ("-.inf", "-.inf is not a number that can be stored"),
        ("1e999", "1e999 is too large for a number"),
        ("9" * 5000, "a number of 5000 digits is too long"),
        ("0x" + "f" * 5000, "is too long"),
    ],
)
def test_a_number_that_cannot_be_kept_is_refused(value: str, part: str) -> None:
    assert part in pointed(f"agents: {{a: {{}}}}\nvars: {{A: «{value}}}\n{MODELS}").message


@pytest.mark.parametrize(
    ("tag", "shown"),
    [("!!python/object:os.system", "!!python/object:os.system"), ("!x", "!x"), ("!!binary", "!!binary")],
)
def test_a_tag_builds_nothing(tag: str, shown: str) -> None:
    problem = only_problem(f"agents: {{a: {{description: {tag} ls}}}}\n{MODELS}")
    assert problem.message == f"the tag {shown} is not known here; a config needs no tags"


def test_the_plain_tags_do_what_they_say() -> None:
    assert config_of(
        f"agents: {{a: {{description: !!str 5}}}}\nvars: {{A: !!int '5', B: !!float 1}}\n{MODELS}"
    ).vars == {"A": 5, "B": 1.0}


def test_a_problem_reads_as_one_sentence_with_its_place() -> None:
    problem = pointed(
        f"agents: {{a: {{interrupt: {{tools: [x, {{name: y, remember: «forever}}]}}}}}}\n{MODELS}"
    )
    assert str(problem) == (
        "agents.a.interrupt.tools[1].remember: 'forever' is not a scope; use once, thread or always "
        f"(merchant.yaml:1:{problem.column})"
    )
    assert problem.to_dict() == {
        "severity": "error",
        "message": "'forever' is not a scope; use once, thread or always",
        "file": "merchant.yaml",
        "line": 1,
        "column": problem.column,
        "path": "agents.a.interrupt.tools[1].remember",
        "culprit": "forever",
        "suggestion": None,
    }


def test_the_nearest_name_is_in_the_problem_for_a_quick_fix() -> None:
    problem = pointed(f"agents: {{a: {{«discription: x}}}}\n{MODELS}")
    assert (problem.culprit, problem.suggestion) == ("discription", "description")


def test_all_problems_come_at_once_in_the_order_of_the_text() -> None:
    text = """\
agents:
  a: {auto: "false", colour: red}
  b: {model: mian, interrupt: {remember: never}}
  b: {}
models: {main: {provider: openia}}
orchestrations: {t: {mode: tree}}
entry: c
"""
    found = parsed(text).problems
    assert [(one.line, one.path) for one in found] == [
        (2, "agents.a"),
        (2, "agents.a.auto"),
        (2, "agents.a.colour"),
        (3, "agents.b.model"),
        (3, "agents.b.interrupt.remember"),
        (4, "agents.b"),
        (5, "models.main.provider"),
        (6, "orchestrations.t.mode"),
        (7, "entry"),
    ]


def test_problems_without_number_end_in_how_many_more_there_are() -> None:
    keys = ", ".join(f"k{number}: 1" for number in range(3000))
    found = parsed(f"agents: {{a: {{{keys}}}}}\n{MODELS}").problems
    assert len(found) == 201
    assert found[-1].message == "there are 2800 more problems; put these right first"


def test_a_config_with_errors_is_none_and_raises_them_all() -> None:
    found = parsed(f"agents: {{a: {{auto: 1, tools: 2}}}}\n{MODELS}")
    assert found.config is None
    with pytest.raises(ConfigInvalid) as caught:
        found.raise_if_invalid()
    assert caught.value.problems == found.problems
    assert str(caught.value).count("\n") == 1


def test_a_name_keeps_to_what_models_take_for_a_tool() -> None:
    problem = pointed(f"agents: {{«shop assistant: {{}}}}\n{MODELS}")
    assert (
        problem.message
        == "'shop assistant' can't be a name; use letters, digits, _ and -, at most 64 of them"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{mode: tree}", "mode: 'tree' is not an orchestration's mode; use delegate, swarm or graph"),
        ("{entry_name: a}", "mode: the key 'mode' is missing; add it here"),
        ("[a]", ": this is a list, not a mapping (key: value)"),
        ("{mode: delegate, entry_name: a, connections: []}", "connections: nothing is listed here; it needs at least one entry"),
        ("{mode: delegate, entry_name: a, connections: [{agnt: b}]}", "connections[0].agnt: unknown key 'agnt'; did you mean 'agent'?"),
        ("{mode: swarm, agents: [a], max_handofs: 2}", "max_handofs: unknown key 'max_handofs'; did you mean 'max_handoffs'?"),
        ("{mode: graph, entry_name: a, edges: [{form: a, to: b}]}", "edges[0].form: unknown key 'form'; did you mean 'from'?"),
        ("{mode: graph, entry_name: a, edges: [{from: a, to: b}], node_timeout: '5'}", "node_timeout: '5' is a text, not a number; write 5, without quotes"),
    ],
)  # fmt: skip
def test_a_mistake_in_an_orchestration_is_named_by_its_own_keys(text: str, problem: str) -> None:
    found = problems_of(
        f"agents: {{a: {{}}, b: {{description: x}}}}\norchestrations: {{t: {text}}}\nentry: a\n{MODELS}"
    )
    assert any(
        one.removeprefix("orchestrations.t").removeprefix(".").strip() == problem.strip()
        or one.endswith(problem)
        for one in found
    ), found


def test_a_model_is_a_name_or_a_mapping() -> None:
    assert (
        "write the name of a model, or a model in place"
        in only_problem(f"agents: {{a: {{model: [x]}}}}\n{MODELS}").message
    )
    assert (
        pointed(f"agents: {{a: {{model: {{provider: scripted, «modelid: x}}}}}}\n{MODELS}").suggestion
        == "model_id"
    )


def test_a_problem_in_an_anchor_is_named_once_and_where_it_is_written() -> None:
    text = f"x-base: &base {{interrupt: {{remember: «never}}}}\nagents:\n  a: {{<<: *base}}\n  b: {{<<: *base}}\nentry: a\n{MODELS}"
    assert pointed(text).path == "agents.a.interrupt.remember"


def test_an_alias_of_the_wrong_kind_is_named_where_it_is_used() -> None:
    assert pointed(f"x-a: &a [x]\nagents: {{a: {{interrupt: «*a}}}}\n{MODELS}").path == "agents.a.interrupt"


def test_own_keys_win_over_merged_ones_and_earlier_merges_over_later() -> None:
    text = f"""\
x-one: &one {{description: one, auto: true}}
x-two: &two {{description: two, system_prompt: two}}
agents:
  a: {{<<: [*one, *two], auto: false}}
{MODELS}"""
    agent = config_of(text).agents["a"]
    assert (agent.description, agent.auto, agent.system_prompt) == ("one", False, "two")


def test_only_mappings_can_be_merged() -> None:
    assert (
        "<< merges a mapping into this one"
        in pointed(f"x-a: &a [x]\nagents: {{a: {{<<: «*a}}}}\n{MODELS}").message
    )


def test_keys_for_anchors_are_ignored_at_every_level_but_not_in_what_is_handed_on() -> None:
    text = """\
x-top: {anything: [goes], auto: "${NOT_SET}"}
agents: {x-agent: 5, a: {x-note: y, interrupt: {x-note: 1, tools: [{name: x, x-note: 2}]}}}
models: {main: {provider: openai, model_id: m, params: {x-kept: 1}}}
defaults: {model: main}
"""
    config = config_of(text)
    assert list(config.agents) == ["a"]
    assert config.models["main"].params == {"x-kept": 1}
    assert config.extras == {"x-top": {"anything": ["goes"], "auto": "${NOT_SET}"}}


def test_a_secret_is_not_repeated_in_a_problem() -> None:
    text = f"agents: {{a: {{}}}}\nmcp_clients: {{c: {{url: 'http://x', headers: {{Authorization: 12345}}}}}}\n{MODELS}"
    problem = only_problem(text)
    assert problem.path == "mcp_clients.c.headers.Authorization"
    assert "12345" not in str(problem.to_dict())
    filled = only_problem(f"agents: {{a: {{auto: '${{API_KEY}}'}}}}\n{MODELS}", env={"API_KEY": "s3cret"})
    assert "s3cret" not in str(filled.to_dict())


def test_checks_of_other_rooms_speak_with_the_same_places() -> None:
    found = parsed(
        f"agents: {{a: {{}}}}\n{MODELS}",
        checks=[
            lambda config: [
                (("models", "main", "provider"), f"{config.entry_name} has a script that ends too soon")
            ]
        ],
    )
    assert found.config is None
    assert found.problems == (
        Problem("error", "a has a script that ends too soon", "merchant.yaml", 2, 27, "models.main.provider"),
    )


def test_the_folder_is_the_file_s_own_unless_it_is_said(tmp_path: Path) -> None:
    from workbench.config import parse_config

    text = f"agents: {{a: {{}}}}\n{MODELS}"
    assert parse_config(text, file=tmp_path / "a.yaml").raise_if_invalid().folder == tmp_path
    assert parse_config(text, file="a.yaml", folder=tmp_path).raise_if_invalid().folder == tmp_path
