"""Config -> live strands agents. Everything is built anew for each run; nothing here is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from strands import Agent, ModelRetryStrategy
from strands.agent.conversation_manager import NullConversationManager
from strands.hooks import HookProvider
from strands.types.tools import AgentTool

from workbench.agents.client_tools import ClientToolAgentTool, ClientToolSpec, catalogue
from workbench.agents.gate import Gate
from workbench.agents.guarded_model import GuardedModel
from workbench.agents.models import build_model
from workbench.agents.ports import Ledger
from workbench.agents.tools import load_tools
from workbench.config import AgentConfig, Config, ImportSpecs, annotation_facts, policy_for
from workbench.policy import AgentPolicy, ToolFacts


class CannotBuild(Exception):
    """The config is valid, but this agent cannot be made of it here; the message says why and what to do."""


@dataclass(frozen=True)
class Blueprint:
    """Everything about one agent that can be known without running it.

    Attributes:
        name: the agent's name in the config.
        title: the name people see.
        tools: its local tools.
        client_tools: the client tools it may call, by name.
        policy: what asks.
        facts: what is known of each tool, by name.
    """

    name: str
    title: str
    config: AgentConfig
    tools: tuple[AgentTool, ...]
    client_tools: Mapping[str, ClientToolSpec]
    policy: AgentPolicy
    facts: Mapping[str, ToolFacts]


def blueprint(
    config: Config, name: str, specs: ImportSpecs, declared: Mapping[str, ClientToolSpec] | None = None
) -> Blueprint:
    """Load what one agent is made of.

    Args:
        declared: the client tools there are; by default the workbench's own.

    Raises:
        ToolLoadError: a tool's code can't be loaded.
        CannotBuild: ``name`` is not an agent.
    """
    agent = config.agents.get(name)
    if agent is None:
        raise CannotBuild(
            f"{config.name}: entry {name!r} is an orchestration. This release runs single agents; "
            f"set entry to one of: {', '.join(sorted(config.agents))}."
        )
    known = catalogue() if declared is None else declared
    client_tools = {tool: known[tool] for tool in agent.client_tools if tool in known}
    tools = tuple(load_tools(agent, config, specs))
    facts = {tool.tool_name: annotation_facts(config, tool.tool_name) for tool in tools}
    facts.update({tool: ToolFacts(kind="client") for tool in client_tools})
    return Blueprint(
        name=name,
        title=config.title_of(name),
        config=agent,
        tools=tools,
        client_tools=client_tools,
        policy=policy_for(config, name, specs),
        facts=facts,
    )


def build_agent(
    config: Config,
    plan: Blueprint,
    specs: ImportSpecs,
    ledger: Ledger,
    *,
    path: tuple[str, ...],
    call_key: Callable[[str, str], str],
    messages: list[Any] | None = None,
) -> Agent:
    """Build one live agent with its gate attached.

    Args:
        path: the agent path, from the entry agent down to this one.
        call_key: makes a call's key of a message's tracking id and a tool call id.
        messages: the history so far; the list is the agent's own from here on.

    Raises:
        ModelUnavailable: the model's package or key is missing.
        CannotBuild: a hook provider can't be made.
    """
    clients = [ClientToolAgentTool(spec) for spec in plan.client_tools.values()]
    agent = Agent(
        model=GuardedModel(build_model(config.model_of(plan.name), specs)),
        messages=messages,
        tools=[*plan.tools, *clients],
        system_prompt=config.system_prompt_of(plan.name),
        name=plan.title,
        description=plan.config.description,
        callback_handler=None,
        conversation_manager=NullConversationManager(),
        hooks=_hooks(plan.config.hooks, specs),
        retry_strategy=ModelRetryStrategy(max_attempts=3, initial_delay=1, max_delay=8),
    )
    Gate(
        agent=plan.name,
        path=path,
        policy=plan.policy,
        facts=plan.facts,
        client_tools=plan.client_tools,
        ledger=ledger,
        call_key=call_key,
    ).attach(agent)
    return agent


def _hooks(names: Sequence[str], specs: ImportSpecs) -> list[Any]:
    providers: list[Any] = []
    for name in names:
        made = specs.load(name)
        provider = made() if isinstance(made, type) else made
        if not isinstance(provider, HookProvider):
            raise CannotBuild(f"hooks: {name!r} is no strands HookProvider (it has no register_hooks)")
        providers.append(provider)
    return providers
