"""What an agent's policy is made of: subjects, rules and the block around them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from workbench.policy.vocabulary import Scope


@dataclass(frozen=True)
class Subject:
    """What a decision covers."""

    key: str
    """What is compared and stored. Never empty."""
    label: str
    """What the person reads."""


SubjectFunction: TypeAlias = Callable[[str, dict[str, Any]], Any]
"""`(tool_name, tool_input)` -> `{key, label}`, a string that is both, or `None`: this call needs no approval.

The return type is `Any` because people write these functions; `decide` judges what comes back.
"""


@dataclass(frozen=True)
class Rule:
    """One entry of `interrupt.tools`."""

    pattern: str
    """A tool's name, or a glob in the terms of `fnmatch.fnmatchcase`."""
    ask: bool = True
    """`False` makes the rule an exemption: what it matches runs."""
    remember: Scope | None = None
    """The widest scope a person may choose; `None` leaves it to the block."""
    subject: SubjectFunction | None = None
    """What a decision covers; `None` means the whole tool."""
    subject_spec: str | None = None
    """How the config names the subject function, for sentences about it."""
    ttl_seconds: int | None = None
    """Seconds a person has to approve; `None` leaves it to the block."""
    line: int | None = None
    """The line of the config it stands on."""


@dataclass(frozen=True)
class AgentPolicy:
    """Everything an agent's config says about which of its calls ask."""

    agent: str
    rules: tuple[Rule, ...] = ()
    """In the order of the config: the first that matches applies."""
    auto: bool | None = None
    """What the agent itself says; `None` where it says nothing."""
    default_auto: bool = False
    """What `defaults.auto` says, for an agent that says nothing."""
    skip_read_only: bool = False
    """Let tools that are annotated read-only run without asking."""
    remember: Scope | None = None
    """The block's widest scope, for rules that name none."""
    ttl_seconds: int | None = None
    """The block's deadline, for rules that name none."""
    tool_approvals: bool = False
    """Tools may ask for approval of a call themselves."""
    auto_line: int | None = None
    """The line of the config that `auto` stands on."""
