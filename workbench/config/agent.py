"""The part of the schema that says what an agent is, and which of its calls ask a person."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from workbench.config.field import ConfigModel, Many, Spec, Text
from workbench.config.model import ModelChoice
from workbench.policy import Scope

Lifetime = Annotated[int, Field(gt=0, le=315_360_000)]  # ten years, in seconds


class StreamConfig(ConfigModel):
    """How an agent shows in the transcript."""

    title: Text | None = None
    """The name people see on cards and in the transcript; the agent's own name where it is left out."""


class RuleConfig(ConfigModel):
    """One rule of `interrupt.tools`: which calls it is about, and what it says of them."""

    name: Text
    """A tool's name or a glob (`fnmatch`: `*`, `?`, `[abc]`), upper and lower case told apart."""
    ask: bool = True
    """`false` makes the rule an exemption: what it matches runs. The first match applies, so put it first."""
    remember: Scope | None = None
    """The widest decision a person may make: `once`, `thread` (for this chat) or `always`. The block's `remember`
    where it is left out, and `once` where that is left out too."""
    subject: Spec | None = None
    """An import spec of a function `(tool_name, tool_input) -> {key, label} | str | None` that says what a decision
    covers; `None` means that the call needs no approval. Without one a decision covers the whole tool."""
    ttl_seconds: Lifetime | None = None
    """Seconds a person has to approve; the block's `ttl_seconds` where it is left out."""


def _as_rule(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


RuleEntry = Annotated[RuleConfig, BeforeValidator(_as_rule, json_schema_input_type=Text | RuleConfig)]
"""A rule, or just its name."""


class InterruptConfig(ConfigModel):
    """Which calls of an agent stop and ask a person first."""

    tools: Many[RuleEntry] = ()
    """The rules, as names, globs or mappings; the first that matches a call applies."""
    skip_read_only: bool = False
    """`true` lets tools that are annotated `readOnlyHint: true` run without asking."""
    remember: Scope | None = None
    """The widest decision a person may make, for rules that don't say: `once`, `thread` or `always`."""
    ttl_seconds: Lifetime | None = None
    """Seconds a person has to approve, for rules that don't say; without it approvals wait with no limit."""
    tool_approvals: bool = False
    """`true` lets tools ask for the approval of a call themselves, with a `kaboo_approval` reply."""
    on_decision: Spec | None = None
    """An import spec of a function that is told of each complete set of answers before the run goes on, and may
    refuse it."""


class AgentConfig(ConfigModel):
    """One agent: its model, its instructions, its tools and its approval policy."""

    model: ModelChoice | None = None
    """A name of `models`, or a model written in place; `defaults.model` where it is left out."""
    description: str | None = None
    """What the agent is for; other agents read it when they may call this one."""
    stream: StreamConfig | None = None
    """How the agent shows in the transcript."""
    system_prompt: str | None = None
    """The agent's instructions."""
    system_prompt_file: Text | None = None
    """A UTF-8 text file in the config's folder that holds the instructions, in place of `system_prompt`."""
    tools: Many[Text] = ()
    """The local tools: `create_return` (the function of that name in `tools/create_return.py`, or in any module of
    `tools/`, beside the config), `./tools/catalog.py` (every tool in a file), `./tools/catalog.py:search` (one of
    them) or `my_package.tools:lookup` (from an import root)."""
    client_tools: Many[Text] = ()
    """The tools that the person's client runs and this agent may call, such as `ask_user`."""
    mcp: Many[Text] = ()
    """The names of `mcp_clients` whose tools the agent gets."""
    hooks: Many[Spec] = ()
    """Import specs of strands hook providers; the gate always runs after them."""
    interrupt: InterruptConfig | None = None
    """Which calls stop and ask a person first."""
    auto: bool | None = None
    """Without rules: `true` runs every call, `false` asks before every local and MCP tool. With rules `false` asks
    before what no rule matches. `defaults.auto` where it is left out."""

    @property
    def title(self) -> str | None:
        """The name people see, where the config gives one."""
        return self.stream.title if self.stream else None
