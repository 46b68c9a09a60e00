"""Config -> the policy that `decide` judges an agent's calls by, and what is declared of its tools."""

from fnmatch import fnmatchcase
from typing import Any

from workbench.config.agent import InterruptConfig
from workbench.config.mcp import ToolAnnotation
from workbench.config.schema import Config
from workbench.config.spec import ImportSpecError
from workbench.config.specs import ImportSpecs
from workbench.policy import AgentPolicy, Rule, SubjectFunction, ToolFacts, ToolKind


def policy_for(config: Config, agent_name: str, specs: ImportSpecs) -> AgentPolicy:
    """The policy of one agent, each rule with the line it stands on.

    A subject function that can't be loaded becomes one that raises, so that `decide` falls back to the whole tool and
    says why: a broken function never opens a gate.

    Raises:
        LookupError: the config has no agent of that name.
    """
    if agent_name not in config.agents:
        raise LookupError(f"{config.name}: there is no agent {agent_name!r}")
    agent = config.agents[agent_name]
    block = agent.interrupt or InterruptConfig()
    where = f"agents.{agent_name}"
    rules = tuple(
        Rule(
            pattern=rule.name,
            ask=rule.ask,
            remember=rule.remember,
            subject=_subject(rule.subject, specs) if rule.subject is not None else None,
            subject_spec=rule.subject,
            ttl_seconds=rule.ttl_seconds,
            line=config.line(f"{where}.interrupt.tools.{index}"),
        )
        for index, rule in enumerate(block.tools)
    )
    return AgentPolicy(
        agent=agent_name,
        rules=rules,
        auto=agent.auto,
        default_auto=config.defaults.auto,
        skip_read_only=block.skip_read_only,
        remember=block.remember,
        ttl_seconds=block.ttl_seconds,
        tool_approvals=block.tool_approvals,
        auto_line=config.line(f"{where}.auto" if agent.auto is not None else "defaults.auto"),
    )


def annotation_facts(config: Config, tool_name: str, kind: ToolKind = "local") -> ToolFacts:
    """What `tool_annotations` declares of a tool: under its exact name, else under the first glob that matches."""
    declared = config.tool_annotations
    found = declared.get(tool_name) or next(
        (annotation for pattern, annotation in declared.items() if fnmatchcase(tool_name, pattern)),
        ToolAnnotation(),
    )
    return ToolFacts(
        kind=kind, read_only=found.readOnlyHint, idempotent=found.idempotentHint, title=found.title
    )


def _subject(spec: str, specs: ImportSpecs) -> SubjectFunction:
    try:
        function = specs.load(spec)
    except ImportSpecError as error:
        return _broken(error)
    if not callable(function):
        return _broken(ImportSpecError(f"{spec!r} is not a function"))
    subject: SubjectFunction = function
    return subject


def _broken(reason: ImportSpecError) -> SubjectFunction:
    def subject(tool_name: str, tool_input: dict[str, Any]) -> Any:
        raise ImportSpecError(str(reason)) from reason

    return subject
