"""Names that mean nothing, and things said twice or not at all."""

import pytest

from tests.config.texts import MODELS, config_of, parsed, pointed, problems_of


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agents: {a: {model: «mian}}", "'mian' is not a model here; did you mean 'main'?"),
        ("agents: {a: {model: «gpt}}", "'gpt' is not a model here; use main"),
        ("agents: {a: {mcp: [«shp]}}\nmcp_clients: {shop: {url: 'http://x'}}", "'shp' is not an MCP client here; did you mean 'shop'?"),
        ("agents: {a: {mcp: [«shop]}}", "'shop' is not an MCP client here; there are none; add it under mcp_clients"),
        ("agents: {a: {}}\nmcp_clients: {c: {server: «s}}", "'s' is not an MCP server here; there are none; add it under mcp_servers"),
        ("agents: {merchant: {}}\nentry: «Merchnat", "'Merchnat' is not an agent or an orchestration here; did you mean 'merchant'?"),
        ("agents: {a: {}}\nmodels: {main: {provider: «scriptd}}", "'scriptd' is not a provider; did you mean 'scripted'?"),
    ],
)  # fmt: skip
def test_an_unknown_name_is_named_with_the_nearest_one(text: str, message: str) -> None:
    models = "models: {main: {provider: scripted}}\n" if "models:" not in text else ""
    problem = pointed(f"{text}\n{models}defaults: {{model: main}}\n")
    assert problem.message == message


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini", "ollama", "litellm"])
def test_a_provider_without_a_model_of_its_own_needs_the_id(provider: str) -> None:
    text = f"agents: {{a: {{model: m}}}}\nmodels: {{«m: {{provider: {provider}}}}}\n"
    assert pointed(text).message == f"a model of {provider!r} needs its model_id"


@pytest.mark.parametrize("provider", ["bedrock", "scripted", "./models.py:Mine", "my_package.models:Mine"])
def test_other_providers_do_without_the_id(provider: str) -> None:
    config_of(f"agents: {{a: {{model: m}}}}\nmodels: {{m: {{provider: '{provider}'}}}}\n")


def test_an_agent_without_a_model_says_where_one_may_be_named() -> None:
    problem = pointed("agents: {«a: {}}\nmodels: {main: {provider: scripted}}\n")
    assert (
        problem.message == "the agent has no model; write `model: main` here, or `model: main` under defaults"
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("agents: {a: {}, b: {}}", "several agents"),
        ("agents: {a: {}}\norchestrations: {t: {mode: swarm, agents: [a]}}", "an agent and an orchestration"),
    ],
)
def test_an_entry_that_could_be_several_must_be_named(text: str, what: str) -> None:
    (problem,) = problems_of(f"{text}\n{MODELS}")
    assert f"entry: the config has {what} and does not say who answers the person" in problem


def test_a_config_needs_an_agent() -> None:
    assert problems_of(MODELS) == ["agents: the key 'agents' is missing; add it here"]
    assert problems_of(f"agents: {{}}\n{MODELS}") == [
        "agents: nothing is listed here; it needs at least one entry"
    ]


def test_one_name_is_one_agent_or_one_orchestration() -> None:
    problem = pointed(
        f"agents: {{a: {{}}}}\norchestrations: {{«a: {{mode: swarm, agents: [b]}}}}\nentry: a\n{MODELS}".replace(
            "{a: {}}", "{a: {}, b: {}}"
        )
    )
    assert problem.message == "the name 'a' is an agent's already (line 1); an orchestration needs its own"


def test_auto_true_beside_rules_says_two_things_at_once() -> None:
    text = f"agents:\n  a:\n    interrupt: {{tools: [x]}}\n    auto: «true\n{MODELS}"
    assert (
        pointed(text).message
        == "`auto: true` runs every call, and interrupt.tools (line 3) asks about some; remove one of them"
    )


@pytest.mark.parametrize(
    "agent",
    [
        "{auto: true, interrupt: {tools: []}}",
        "{auto: true, interrupt: {remember: once}}",
        "{auto: false, interrupt: {tools: [x]}}",
        "{interrupt: {tools: [x]}}",
    ],
)
def test_auto_beside_a_block_without_rules_contradicts_nothing(agent: str) -> None:
    config_of(
        f"agents: {{a: {agent}}}\nmodels: {{main: {{provider: scripted}}}}\ndefaults: {{model: main, auto: true}}\n"
    )


def test_instructions_stand_in_one_place() -> None:
    text = f"agents: {{a: {{system_prompt: x, «system_prompt_file: y}}}}\n{MODELS}"
    assert pointed(text).message == "the agent has a system_prompt and a system_prompt_file; keep one of them"


@pytest.mark.parametrize("key", ["tools", "client_tools", "hooks"])
def test_nothing_is_listed_twice(key: str) -> None:
    assert (
        pointed(f"agents: {{a: {{{key}: [x, y, «x]}}}}\n{MODELS}").message
        == "'x' is listed already (line 1); remove it"
    )


@pytest.mark.parametrize(
    ("client", "message"),
    [
        ("«c: {}", "it needs exactly one of command, url and server, and has none"),
        ("«c: {url: x, command: [y]}", "it needs exactly one of command, url and server, and has command and url"),
        ("c: {url: x, «env: {A: b}}", "'env' belongs to 'command', and this one is reached by 'url'; remove it"),
        ("c: {command: [x], «headers: {A: b}}", "'headers' belongs to 'url', and this one is reached by 'command'; remove it"),
        ("c: {command: [x], transport: «sse}", "'sse' does not go with 'command'; use stdio, or leave it out"),
        ("c: {url: x, transport: «stdio}", "'stdio' does not go with 'url'; use sse or streamable-http, or leave it out"),
        ("c: {command: «python server.py}", "'python server.py' is a text, not a list; write the command and its arguments as [python, server.py]"),
        ("c: {command: [x], transport: «http}", "'http' is not a transport; use stdio, sse or streamable-http"),
    ],
)  # fmt: skip
def test_an_mcp_connection_is_made_in_one_way(client: str, message: str) -> None:
    before, _, after = client.partition("«")
    text = f"agents: {{a: {{}}}}\nmcp_clients: {{{before}«{after}}}\n{MODELS}"
    found = parsed(text.replace("«", "")).problems
    assert found[0].message == message
    assert found[0].column == len("mcp_clients: {") + len(before) + 1


def test_a_client_of_a_named_server_leaves_the_transport_to_it() -> None:
    text = f"agents: {{a: {{}}}}\nmcp_servers: {{s: {{url: x}}}}\nmcp_clients: {{c: {{server: s, transport: «sse}}}}\n{MODELS}"
    assert pointed(text).message == "'sse' does not go with 'server'; the named server says how; leave it out"


def test_a_broken_agent_does_not_hide_the_mistakes_of_another() -> None:
    text = f"agents: {{a: {{auto: 1, interrupt: x}}, b: {{model: none}}}}\nentry: c\n{MODELS}"
    assert [one.path for one in parsed(text).problems] == [
        "agents.a.auto",
        "agents.a.interrupt",
        "agents.b.model",
        "entry",
    ]
