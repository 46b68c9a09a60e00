"""Play a sample the way a person does, with a plain strands agent and a hook in place of the gate."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import strands
from strands.hooks import BeforeToolCallEvent

from workbench.agents.client_tools import (
    ClientToolAgentTool,
    answer_text,
    catalogue,
    check_answer,
    check_arguments,
)
from workbench.agents.scripted import ScriptedModel
from workbench.agents.tools import load_tools
from workbench.config import Config, ImportSpecs, annotation_facts, parse_config, policy_for
from workbench.policy import Call, Verdict, decide

CONFIGS = Path(__file__).parents[2] / "configs"

Answering = Callable[[dict[str, Any]], str | None]


@dataclass
class Turn:
    """What one message led to."""

    said: list[str] = field(default_factory=list)
    """The texts, in order; the last is the final one."""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    results: list[str] = field(default_factory=list)


def load(name: str) -> Config:
    """Parse a sample; any problem, hints included, is a failure."""
    path = CONFIGS / name
    parsed = parse_config(path.read_text(encoding="utf-8"), file=path.name, folder=CONFIGS, env={})
    assert parsed.problems == ()
    assert parsed.config is not None
    return parsed.config


def tools_of(config: Config, agent_name: str) -> dict[str, Any]:
    """The agent's local tools, by name."""
    specs = ImportSpecs(CONFIGS)
    return {tool.tool_name: tool for tool in load_tools(config.agents[agent_name], config, specs)}


def model_of(config: Config, agent_name: str) -> ScriptedModel:
    """The agent's scripted model, without the delay that only people need."""
    choice = config.agents[agent_name].model
    assert isinstance(choice, str)
    return ScriptedModel({**config.models[choice].params, "stream_delay_ms": 0})


def play(
    config: Config,
    agent_name: str,
    *messages: str,
    note: str | None = None,
    answers: list[Any] | None = None,
) -> list[Turn]:
    """Say `messages` to an agent; each gated call runs, or is closed with `note`, and questions get `answers`."""
    known = catalogue(CONFIGS)
    specs = {name: known[name] for name in config.agents[agent_name].client_tools}
    policy = policy_for(config, agent_name, ImportSpecs(CONFIGS))
    given = iter(answers or [])
    turns: list[Turn] = []

    def gate(event: BeforeToolCallEvent) -> None:
        name, tool_input = event.tool_use["name"], dict(event.tool_use["input"])
        turns[-1].calls.append((name, tool_input))
        if name in specs:
            asked, answer = check_arguments(specs[name], tool_input), next(given)
            value = {"answers": answer} if name == "ask_user" else answer
            event.cancel_tool = answer_text(name, asked, check_answer(name, asked, value))
            return
        verdict = decide(Call(name, tool_input), policy, (), annotation_facts(config, name))
        turns[-1].verdicts.append(verdict)
        if verdict.outcome == "ask" and note is not None:
            event.cancel_tool = note

    client = [ClientToolAgentTool(spec) for spec in specs.values()]
    agent = strands.Agent(
        model=model_of(config, agent_name),
        tools=[*tools_of(config, agent_name).values(), *client],
        callback_handler=None,
    )
    agent.add_hook(gate, BeforeToolCallEvent)
    for message in messages:
        turns.append(Turn())
        start = len(agent.messages)
        agent(message)
        for spoken in agent.messages[start + 1 :]:
            for block in spoken["content"]:
                if "text" in block:
                    turns[-1].said.append(block["text"])
                elif "toolResult" in block:
                    turns[-1].results.append(block["toolResult"]["content"][0]["text"])
    return turns
