"""What is known of a tool besides its name."""

from dataclasses import dataclass

from workbench.policy.vocabulary import ToolKind


@dataclass(frozen=True)
class ToolFacts:
    """A tool's kind and its annotations, in MCP's terms. `None` means that nobody declared it."""

    kind: ToolKind = "local"
    read_only: bool | None = None
    """`readOnlyHint`: running it changes nothing. Undeclared counts as not read-only."""
    idempotent: bool | None = None
    """`idempotentHint`: running it twice changes no more than once."""
    title: str | None = None
    """The name people see, where it has one."""
