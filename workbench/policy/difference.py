"""What a new policy would let happen that the old one stopped at."""

import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from workbench.policy.call import Call
from workbench.policy.decide import decide, rule_name
from workbench.policy.facts import ToolFacts
from workbench.policy.rule import AgentPolicy, Rule, Subject
from workbench.policy.shown import one_line
from workbench.policy.verdict import Verdict
from workbench.policy.vocabulary import SCOPES


@dataclass(frozen=True)
class Loosening:
    """One way in which a new policy is less strict than the old one."""

    agent: str
    tool: str | None
    """The tool's name, or words for tools that are not known here, such as the pattern of the rule about them.
    `None`: the agent as a whole."""
    before: Verdict | None
    """What the old policy says of the tool; `None` where it is about the agent as a whole."""
    after: Verdict | None
    """What the new policy says of it."""
    sentence: str
    """The difference, for a person."""


def loosenings(
    old: Mapping[str, AgentPolicy],
    new: Mapping[str, AgentPolicy],
    tools: Mapping[str, Mapping[str, ToolFacts]],
) -> list[Loosening]:
    """Every way in which the new policies are less strict than the old ones.

    A tool that asked and would run; a wider scope; a longer or a dropped deadline; a decision that covers the
    whole tool and covered less, or that another subject function speaks for; `tool_approvals` switched off.

    Subject functions are compared by their specs and never called. Rules are compared even where no known tool
    matches them, because the tools of an MCP server that is away are not known: nothing may loosen unnoticed.

    Args:
        old: the policies that hold, by agent.
        new: the policies that would. An agent that only one side has can't have become less strict.
        tools: what tools each agent has, as far as they are known, with their facts.

    Returns:
        The loosenings, by agent in the order of `new`, then by tool. Empty when nothing loosened.
    """
    found: list[Loosening] = []
    for agent, after in new.items():
        if agent in old:
            found += _of_agent(agent, old[agent], after, tools.get(agent, {}))
    return found


def _of_agent(
    agent: str, before: AgentPolicy, after: AgentPolicy, tools: Mapping[str, ToolFacts]
) -> Iterator[Loosening]:
    if before.tool_approvals is True and after.tool_approvals is not True:
        yield Loosening(
            agent,
            None,
            None,
            None,
            f"{one_line(agent)}: tools may no longer ask for approval themselves; the model reads what they reply.",
        )
    found = [
        loosening
        for tool, facts in tools.items()
        for loosening in _of_tool(agent, tool, tool, facts, before, after)
    ]
    for pattern, name in _unknown_tools(before, after, tools):
        found += _of_unknown_tool(agent, pattern, name, before, after)
    if not found:
        found += _of_unknown_tool(agent, "any other tool", "any other tool", before, after)
    yield from found


def _of_unknown_tool(
    agent: str, shown: str, name: str, old: AgentPolicy, new: AgentPolicy
) -> list[Loosening]:
    plain = _of_tool(agent, shown, name, ToolFacts(), old, new)
    return plain or _of_tool(agent, f"{shown} (read-only)", name, ToolFacts(read_only=True), old, new)


def _of_tool(
    agent: str, shown: str, name: str, facts: ToolFacts, old: AgentPolicy, new: AgentPolicy
) -> list[Loosening]:
    before, after = _verdict(name, old, facts), _verdict(name, new, facts)
    if before.outcome == "run":
        return []
    start = f"{one_line(agent)}: {one_line(shown)}"
    return [
        Loosening(agent, shown, before, after, f"{start} {what}.")
        for what in _differences(before, after, old, new)
    ]


def _differences(before: Verdict, after: Verdict, old: AgentPolicy, new: AgentPolicy) -> Iterator[str]:
    """What loosened for a tool that asked, as the rest of a sentence that starts with its name."""
    if after.outcome == "run":
        yield f"asked and would now run: {_why(after, new)}"
        return
    if len(after.scopes) > len(before.scopes):
        yield f"could be allowed {_REACH[before.scopes[-1]]}, and now {_REACH[after.scopes[-1]]}"
    if before.ttl_seconds is not None and after.ttl_seconds is None:
        yield f"had to be approved within {before.ttl_seconds} seconds, and now has no deadline"
    elif before.ttl_seconds is not None and (after.ttl_seconds or 0) > before.ttl_seconds:
        yield f"had to be approved within {before.ttl_seconds} seconds, and now within {after.ttl_seconds}"
    was, now = _function(before, old), _function(after, new)
    if was == now:
        return
    if now is None:
        yield f"was allowed for what {was} says, and now a decision covers the whole tool"
    elif was is None:
        yield f"always asked, and now {now} may say that a call needs no approval"
    else:
        yield f"was allowed for what {was} says, and now for what {now} says"


_REACH = {SCOPES[0]: "only once", SCOPES[1]: "for a conversation", SCOPES[2]: "always"}


def _why(verdict: Verdict, policy: AgentPolicy) -> str:
    rule = None if verdict.rule_index is None else policy.rules[verdict.rule_index]
    match verdict.because:
        case "exempt" if rule is not None and verdict.rule_index is not None:
            return f"{rule_name(verdict.rule_index, rule)}, says ask: false"
        case "unlisted":
            return "no rule matches it"
        case "auto":
            return "auto is true"
        case "read_only":
            return "it is read-only, and skip_read_only is on"
        case _:
            return verdict.trace[-1]


def _verdict(tool: str, policy: AgentPolicy, facts: ToolFacts) -> Verdict:
    """What a policy says of a tool, whatever its input: subject functions are stood in for."""
    still = replace(policy, rules=tuple(_still(rule) for rule in policy.rules))
    return decide(Call(tool, {}), still, (), facts)


def _still(rule: Rule) -> Rule:
    return rule if rule.subject is None else replace(rule, subject=_some_subject)


def _some_subject(tool: str, input: dict[str, Any]) -> Subject:
    return Subject("some", "some")


def _function(verdict: Verdict, policy: AgentPolicy) -> str | None:
    rule = None if verdict.rule_index is None else policy.rules[verdict.rule_index]
    if rule is None or rule.subject is None:
        return None
    return rule.subject_spec or getattr(rule.subject, "__qualname__", repr(rule.subject))


def _unknown_tools(
    before: AgentPolicy, after: AgentPolicy, tools: Mapping[str, ToolFacts]
) -> Iterator[tuple[str, str]]:
    """Each pattern that no known tool matches, with a name that does."""
    for pattern in dict.fromkeys(rule.pattern for rule in (*before.rules, *after.rules)):
        if not any(fnmatchcase(tool, pattern) for tool in tools):
            name = _name_like(pattern)
            if fnmatchcase(name, pattern):
                yield pattern, name


_GLOB = re.compile(r"\*|\?|\[!?\]?[^]]*\]")


def _name_like(pattern: str) -> str:
    """A name that a glob matches, as far as a simple one can be found."""

    def filled(found: re.Match[str]) -> str:
        if found[0] == "*":
            return "something"
        fits = (char for char in "x" + string.printable if fnmatchcase(char, found[0]))
        return next(fits, "")

    return _GLOB.sub(filled, pattern)
