"""Config -> live strands agents. Everything is built anew for each run; nothing here is kept."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from strands import Agent, ModelRetryStrategy
from strands.agent.conversation_manager import NullConversationManager
from strands.hooks import HookProvider
from strands.tools.decorator import DecoratedFunctionTool
from strands.types.tools import AgentTool

from workbench.agents.client_tools import ClientToolAgentTool, ClientToolSpec, catalogue
from workbench.agents.delegate import DelegateTool
from workbench.agents.gate import Gate
from workbench.agents.guarded_model import GuardedModel
from workbench.agents.models import build_model
from workbench.agents.past import Past
from workbench.agents.ports import Ledger, Place
from workbench.agents.tools import ToolLoadError, load_tools
from workbench.config import AgentConfig, Config, ImportSpecs, annotation_facts, policy_for
from workbench.policy import AgentPolicy, ToolFacts

HANDOFF = "handoff_to_agent"
"""What strands calls the tool that it gives to the members of a Swarm."""
_HANDOFF_FACTS = ToolFacts(kind="handoff")


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
        looks_back: whether code of the config may look at the agent's messages, and so must find all of them there.
        missing: why those of its tools are missing whose code can't be loaded.
    """

    name: str
    title: str
    config: AgentConfig
    tools: tuple[AgentTool, ...]
    client_tools: Mapping[str, ClientToolSpec]
    policy: AgentPolicy
    facts: Mapping[str, ToolFacts]
    looks_back: bool
    missing: tuple[str, ...] = ()


def blueprint(
    config: Config,
    name: str,
    specs: ImportSpecs,
    declared: Mapping[str, ClientToolSpec] | None = None,
    *,
    without_missing: bool = False,
) -> Blueprint:
    """Load what one agent is made of.

    Args:
        declared: the client tools there are; by default the workbench's own and those declared beside the config.
        without_missing: leave out tools whose code can't be loaded: a pause finishes without them.

    Raises:
        ToolLoadError: a tool's code can't be loaded, and must be.
        CannotBuild: ``name`` is not an agent.
    """
    agent = config.agents.get(name)
    if agent is None:
        raise CannotBuild(f"{config.name}: there is no agent {name!r} any more.")
    # Looking for declarations reads files, which an agent without client tools need not wait for.
    own = catalogue(config.folder) if declared is None and agent.client_tools else {}
    known = own if declared is None else declared
    client_tools = {tool: known[tool] for tool in agent.client_tools if tool in known}
    missing: list[ToolLoadError] = []
    tools = tuple(load_tools(agent, config, specs, missing if without_missing else None))
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
        looks_back=bool(agent.hooks) or not all(map(_minds_its_call, tools)),
        missing=tuple(error.sentence for error in missing),
    )


def build_agent(
    config: Config,
    plan: Blueprint,
    specs: ImportSpecs,
    ledger: Ledger,
    *,
    place: Place,
    messages: list[Any] | None = None,
    delegates: Sequence[DelegateTool] = (),
    name: str | None = None,
    used_ids: set[str] | None = None,
    on_chunk: Callable[[Any], None] | None = None,
    past: Past | None = None,
    told: str = "",
) -> Agent:
    """Build one live agent with its gate attached.

    Args:
        place: where it stands in the run.
        messages: the history so far; the list is the agent's own from here on.
        delegates: the agents and orchestrations it may call as tools.
        name: what an orchestration calls it; its own name by default.
        used_ids: tool call ids that were used already and must not be again; the agent adds its own.
        on_chunk: is shown each chunk of the model's stream.
        past: the turns before ``messages``, for an agent that needn't see them itself (:attr:`Blueprint.looks_back`).

        told: what a client tells the agent; it goes below the system prompt.

    Raises:
        ModelUnavailable: the model's package or key is missing.
        CannotBuild: a hook provider can't be made.
    """
    clients = [ClientToolAgentTool(spec) for spec in plan.client_tools.values()]
    model = config.model_of(plan.name)
    agent = Agent(
        model=GuardedModel(
            build_model(model, specs), used_ids, on_chunk, past=past, apart=":" in model.provider
        ),
        messages=messages,
        tools=[*plan.tools, *clients, *delegates],
        system_prompt="\n\n".join(filter(None, [config.system_prompt_of(plan.name), told])) or None,
        name=name or plan.name,
        description=plan.config.description,
        callback_handler=None,
        conversation_manager=NullConversationManager(),
        hooks=_hooks(plan.config.hooks, specs),
        retry_strategy=ModelRetryStrategy(max_attempts=3, initial_delay=1, max_delay=8),
    )
    Gate(
        agent=plan.name,
        place=place,
        policy=plan.policy,
        facts={**plan.facts, **{tool.tool_name: tool.facts for tool in delegates}, HANDOFF: _HANDOFF_FACTS},
        client_tools=plan.client_tools,
        ledger=ledger,
        missing=plan.missing,
    ).attach(agent)
    for delegate in delegates:
        delegate.coordinator = agent
    return agent


def _minds_its_call(tool: AgentTool) -> bool:
    """Whether a tool can't see more than its own arguments."""
    if not isinstance(tool, DecoratedFunctionTool):
        return False
    # The parameters that strands fills in are in the function's signature and not in the tool's schema.
    asked = tool.tool_spec["inputSchema"]["json"]["properties"].keys()
    return set(inspect.signature(tool).parameters) <= set(asked)


def _hooks(names: Sequence[str], specs: ImportSpecs) -> list[Any]:
    providers: list[Any] = []
    for name in names:
        made = specs.load(name)
        provider = made() if isinstance(made, type) else made
        if not isinstance(provider, HookProvider):
            raise CannotBuild(f"hooks: {name!r} is no strands HookProvider (it has no register_hooks)")
        providers.append(provider)
    return providers
