"""The one function that says whether a call asks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from workbench.policy.call import Call
from workbench.policy.covering import covering, described, whole_tool
from workbench.policy.facts import ToolFacts
from workbench.policy.grant import Grant, matching_grant
from workbench.policy.rule import AgentPolicy, Rule
from workbench.policy.shown import one_line
from workbench.policy.verdict import Verdict
from workbench.policy.vocabulary import SCOPES, Because, Scope


def decide(
    call: Call,
    policy: AgentPolicy,
    grants: Sequence[Grant],
    facts: ToolFacts,
    *,
    remembers: bool = True,
) -> Verdict:
    """Say whether a call asks a person first, why, and what that person could allow.

    The order is fixed. First, is the call gated?

    1. A client tool and a handoff never are. A delegate is only by a rule that names it exactly.
    2. An agent with rules: the first that matches applies, and runs the call if it says `ask: false`. None
       matches: the call runs, unless the agent itself says `auto: false`.
    3. Any other agent: `auto` decides, the agent's own or else the default.

    Then, for a gated call:

    4. A read-only tool runs where `skip_read_only` is on.
    5. The subject function says what a decision covers. `None` runs the call. A function that fails or returns
       nonsense makes the call ask about the whole tool, only once, whatever was permitted before.
    6. A permission for this tool and subject runs the call.
    7. Otherwise the call asks.

    Args:
        call: the tool and its input.
        policy: the policy of the agent that makes the call.
        grants: the permissions that are alive here; the caller has sorted out all others.
        facts: what is known of the tool.
        remembers: whether a decision can outlive this call; without that, only `once` is offered.

    Returns:
        The verdict. It depends on nothing but the arguments, as far as the subject function does, and none of
        them is changed.
    """
    found = _gate(call.tool, policy, facts)
    if isinstance(found, Verdict):
        return found
    return _judge_gated(call, policy, grants, facts, found, remembers=remembers)


@dataclass(frozen=True)
class _Gate:
    """A gate before the call, by a rule or by `auto`."""

    index: int | None
    rule: Rule | None
    line: int | None
    trace: tuple[str, ...]


def _gate(tool: str, policy: AgentPolicy, facts: ToolFacts) -> _Gate | Verdict:
    """The gate before a call, or the verdict that runs it when there is none."""
    name = one_line(tool)
    match facts.kind:
        case "client":
            return _runs(tool, "exempt", (f"{name} runs in the client, so it is never gated.",))
        case "handoff":
            return _runs(tool, "exempt", (f"{name} hands over to another agent, so it is never gated.",))
        case "delegate":
            return _gate_of_delegate(tool, policy)
        case "local" | "mcp":
            return _gate_by_rules(tool, policy) if policy.rules else _gate_by_auto(tool, policy)


def _gate_of_delegate(tool: str, policy: AgentPolicy) -> _Gate | Verdict:
    name = one_line(tool)
    trace = [f"{name} is a delegate, so only a rule that names it exactly can gate it."]
    for index, rule in enumerate(policy.rules):
        if rule.pattern == tool:
            trace.append(f"{rule_name(index, rule)}, names it.")
            return _gate_of_rule(tool, index, rule, trace)
    trace.append("No rule names it, so the call runs.")
    return _runs(tool, "unlisted", tuple(trace))


def _gate_by_rules(tool: str, policy: AgentPolicy) -> _Gate | Verdict:
    trace: list[str] = []
    for index, rule in enumerate(policy.rules):
        if fnmatchcase(tool, rule.pattern):
            trace.append(f"{rule_name(index, rule)}, matches.")
            return _gate_of_rule(tool, index, rule, trace)
        trace.append(f"{rule_name(index, rule)}, does not match.")
    agent = one_line(policy.agent)
    # Anything but a plain True or nothing at all gates, so that a value of the wrong type opens nothing.
    if policy.auto is None or policy.auto is True:
        trace.append("No rule matches, so the call runs.")
        return _runs(tool, "unlisted", tuple(trace))
    trace.append(f"No rule matches, but {agent} says auto: false, so the call is gated.")
    return _Gate(None, None, policy.auto_line, tuple(trace))


def _gate_of_rule(tool: str, index: int, rule: Rule, trace: list[str]) -> _Gate | Verdict:
    if rule.ask is False:
        trace.append("It says ask: false, so the call runs.")
        return _runs(tool, "exempt", tuple(trace), index=index, rule=rule, line=rule.line)
    return _Gate(index, rule, rule.line, tuple(trace))


def _gate_by_auto(tool: str, policy: AgentPolicy) -> _Gate | Verdict:
    agent = one_line(policy.agent)
    auto = policy.default_auto if policy.auto is None else policy.auto
    says = "does not say auto, and the default is" if policy.auto is None else "says auto:"
    trace = [f"{agent} has no rules."]
    if auto is True:
        trace.append(f"It {says} true, so every call runs.")
        return _runs(tool, "auto", tuple(trace), line=policy.auto_line)
    trace.append(f"It {says} false, so every local and MCP tool is gated.")
    return _Gate(None, None, policy.auto_line, tuple(trace))


def _judge_gated(
    call: Call,
    policy: AgentPolicy,
    grants: Sequence[Grant],
    facts: ToolFacts,
    gate: _Gate,
    *,
    remembers: bool,
) -> Verdict:
    """What becomes of a gated call: read-only, nothing to approve, permitted, or a person is asked."""
    tool, rule = call.tool, gate.rule
    trace = list(gate.trace)

    def runs(because: Because) -> Verdict:
        return _runs(tool, because, tuple(trace), index=gate.index, rule=rule, line=gate.line)

    if sentence := _read_only_sentence(tool, policy, facts):
        trace.append(sentence)
    if policy.skip_read_only is True and facts.read_only is True:
        return runs("read_only")

    covers = covering(rule, call)
    trace.append(covers.sentence)
    if covers.subject is None:
        return runs("no_subject")

    offered = _offered(policy, rule)
    if covers.failure is None:
        grant = matching_grant(grants, tool, covers.subject.key)
        if grant is not None:
            trace.append(
                f"A permission ({grant.scope}) covers {described(covers.subject)}, so the call runs."
            )
            warnings = (_outdated(grant, offered),) if grant.scope not in offered else ()
            return replace(runs("grant"), subject=covers.subject, grant_id=grant.id, warnings=warnings)
        trace.append(f"No permission covers {described(covers.subject)}.")
    else:
        trace.append("No permission is looked at, because the subject function failed.")
    if covers.failure is not None or not remembers:
        if len(offered) > 1 and covers.failure is None:
            trace.append("Nothing remembers a decision here, so the call can be allowed only once.")
        offered = ("once",)

    ttl = policy.ttl_seconds if rule is None or rule.ttl_seconds is None else rule.ttl_seconds
    trace.append(f"The call asks. A person may allow it {_reaches(offered)}{_within(ttl)}.")
    return Verdict(
        outcome="ask",
        because="auto" if rule is None else "rule",
        rule_index=gate.index,
        pattern=None if rule is None else rule.pattern,
        line=gate.line,
        subject=covers.subject,
        scopes=offered,
        ttl_seconds=ttl,
        grant_id=None,
        trace=tuple(trace),
        warnings=() if covers.failure is None else (covers.failure,),
    )


def _runs(
    tool: str,
    because: Because,
    trace: tuple[str, ...],
    *,
    index: int | None = None,
    rule: Rule | None = None,
    line: int | None = None,
) -> Verdict:
    return Verdict(
        outcome="run",
        because=because,
        rule_index=index,
        pattern=None if rule is None else rule.pattern,
        line=line,
        subject=whole_tool(tool),
        scopes=(),
        ttl_seconds=None,
        grant_id=None,
        trace=trace,
    )


def rule_name(index: int, rule: Rule) -> str:
    """A rule in a sentence, as in `Rule 3, "set_*" (line 14)`. People count from 1."""
    line = "" if rule.line is None else f" (line {rule.line})"
    return f'Rule {index + 1}, "{one_line(rule.pattern)}"{line}'


def _read_only_sentence(tool: str, policy: AgentPolicy, facts: ToolFacts) -> str | None:
    name = one_line(tool)
    match policy.skip_read_only is True, facts.read_only:
        case True, True:
            return f"{name} is annotated read-only and skip_read_only is on, so the call runs."
        case True, False:
            return f"skip_read_only is on, but {name} is annotated as not read-only."
        case True, _:
            return f"skip_read_only is on, but {name} has no annotation, which counts as not read-only."
        case False, True:
            return f"{name} is annotated read-only, but skip_read_only is off."
        case _:
            return None


def _offered(policy: AgentPolicy, rule: Rule | None) -> tuple[Scope, ...]:
    widest: Scope = "thread" if rule is None else "once"
    if policy.remember is not None:
        widest = policy.remember
    if rule is not None and rule.remember is not None:
        widest = rule.remember
    return SCOPES[: SCOPES.index(widest) + 1]


def _outdated(grant: Grant, offered: tuple[Scope, ...]) -> str:
    return (
        f"The permission ({grant.scope}) reaches further than what can be allowed now ({_reaches(offered)}). "
        "It holds until it is revoked."
    )


def _reaches(scopes: tuple[Scope, ...]) -> str:
    words = {"once": "once", "thread": "for this conversation", "always": "always"}
    reaches = [words[scope] for scope in scopes]
    return "only once" if len(reaches) == 1 else f"{', '.join(reaches[:-1])} or {reaches[-1]}"


def _within(ttl_seconds: int | None) -> str:
    match ttl_seconds:
        case None:
            return ""
        case 1:
            return ", within 1 second"
        case _:
            return f", within {ttl_seconds} seconds"
