"""The closed sets of words a policy speaks, and what each word means."""

from typing import Final, Literal, TypeAlias

Scope: TypeAlias = Literal["once", "thread", "always"]
"""How far a decision reaches: this call (`once`), this conversation (`thread`), everywhere (`always`)."""

SCOPES: Final[tuple[Scope, ...]] = ("once", "thread", "always")
"""Every scope, narrowest first."""

Outcome: TypeAlias = Literal["ask", "run"]
"""What a verdict says of a call: a person is asked first, or it runs."""

Because: TypeAlias = Literal["rule", "auto", "exempt", "unlisted", "read_only", "no_subject", "grant"]
"""Why a verdict says what it says.

- `rule`: a rule matched, and the call asks.
- `auto`: no rule decided, the agent's `auto` did. The outcome tells which way.
- `exempt`: never gated: a client tool, a handoff, or a rule with `ask: false`.
- `unlisted`: the agent has rules and none matches, or a delegate that no rule names exactly.
- `read_only`: `skip_read_only` is on and the tool is annotated read-only.
- `no_subject`: the subject function said that this call needs no approval.
- `grant`: a remembered permission covers the call.
"""

ToolKind: TypeAlias = Literal["local", "mcp", "client", "delegate", "handoff"]
"""Where a tool runs: here, on an MCP server, in the client, as another agent, or as a Swarm's handoff."""

RequestKind: TypeAlias = Literal["question", "approval", "tool_approval", "tool_interrupt", "doubt"]
"""What a pause waits on.

- `question`: a client tool's call.
- `approval`: a gated call.
- `tool_approval`: a tool asked for the approval itself.
- `tool_interrupt`: a tool paused for something of its own.
- `doubt`: a crash left a call's outcome unknown.
"""

Decision: TypeAlias = Literal[
    "answered",
    "approved",
    "denied",
    "skipped",
    "expired",
    "superseded",
    "happened",
    "run_again",
    "gave_up",
    "unknown",
]
"""The recorded outcome of a request.

- `answered`: a question, or a tool's own interrupt, has its value.
- `approved`: the call runs. Of the decisions about an approval, only this one runs it.
- `denied`: the person said no.
- `skipped`: the person did not decide, or moved on.
- `expired`: the approval came after the deadline.
- `superseded`: the request was asked again under a newer config; a new card took its place.
- `happened`: of a doubt: the call did happen, and the person gave its result.
- `run_again`: of a doubt: the person had the call run once more.
- `gave_up`: of a doubt: the person let the call go.
- `unknown`: of a doubt: nobody said, so nobody knows.
"""
