"""What a person says to a request."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from workbench.policy.vocabulary import SCOPES, Scope

MOST_USES = 1_000_000
"""The most calls that a limited permission may let run; more is no limit."""
LONGEST_LIFETIME_SECONDS = 10 * 365 * 24 * 3600
"""The longest that a limited permission may last: ten years."""


@dataclass(frozen=True)
class Approved:
    """Run the call."""

    scope: Scope = "once"
    """How far the person means it to reach."""
    tool_input: dict[str, Any] | None = None
    """The input as the person edited it; `None` runs the call as it was shown."""
    uses: int | None = None
    """How many later calls a remembered permission lets run; `None` without a limit."""
    lifetime_seconds: int | None = None
    """How long a remembered permission lasts at most; `None` for as long as its scope says."""


@dataclass(frozen=True)
class Denied:
    """Don't run the call."""

    reason: str = ""
    """What the model is told."""


@dataclass(frozen=True)
class Skipped:
    """No decision, or no answer: the call does not run."""

    reason: str = ""
    """What the model is told."""


@dataclass(frozen=True)
class Answered:
    """The value a question, or a tool's own interrupt, asked for."""

    value: Any
    """Any JSON value. `None`, `False`, `0` and `""` are answers like all others."""


@dataclass(frozen=True)
class Happened:
    """Of a doubt: the call did happen."""

    result: str
    """What it returned, as far as the person knows."""


@dataclass(frozen=True)
class RunAgain:
    """Of a doubt: run the call once more."""


@dataclass(frozen=True)
class GaveUp:
    """Of a doubt: let the call go."""


Answer: TypeAlias = Approved | Denied | Skipped | Answered | Happened | RunAgain | GaveUp


def answer_to_dict(answer: Answer) -> dict[str, Any]:
    """The answer as JSON values, under `kind` the name of what it is, for `answer_from_dict`."""
    match answer:
        case Approved(scope, tool_input, uses, lifetime):
            said = {"kind": "approved", "scope": scope, "tool_input": copy.deepcopy(tool_input)}
            limits = {"uses": uses, "lifetime_seconds": lifetime}
            return said | {name: limit for name, limit in limits.items() if limit is not None}
        case Denied(reason):
            return {"kind": "denied", "reason": reason}
        case Skipped(reason):
            return {"kind": "skipped", "reason": reason}
        case Answered(value):
            return {"kind": "answered", "value": copy.deepcopy(value)}
        case Happened(result):
            return {"kind": "happened", "result": result}
        case RunAgain():
            return {"kind": "run_again"}
        case GaveUp():
            return {"kind": "gave_up"}
        case _:
            assert_never(answer)


def answer_from_dict(data: Mapping[str, Any]) -> Answer:
    """The answer that `answer_to_dict` wrote.

    Raises:
        ValueError: it is no answer: an unknown kind or scope, or a part that is missing or of the wrong type.
            Nothing that is not plainly an approval is ever read as one.
    """
    kind = data.get("kind")
    match kind:
        case "approved":
            return _approved(data)
        case "denied":
            return Denied(_text(data, "reason"))
        case "skipped":
            return Skipped(_text(data, "reason"))
        case "answered":
            if "value" not in data:
                raise ValueError("an answer of kind 'answered' needs a value, if only null")
            return Answered(copy.deepcopy(data["value"]))
        case "happened":
            return Happened(_text(data, "result"))
        case "run_again":
            return RunAgain()
        case "gave_up":
            return GaveUp()
        case _:
            raise ValueError(
                f"{kind!r} is not a kind of answer; "
                "use approved, denied, skipped, answered, happened, run_again or gave_up"
            )


def _approved(data: Mapping[str, Any]) -> Approved:
    scope, tool_input = data.get("scope", "once"), data.get("tool_input")
    if scope not in SCOPES:
        raise ValueError(f"{scope!r} is not a scope; use once, thread or always")
    if tool_input is not None and not isinstance(tool_input, dict):
        raise ValueError(f"tool_input must be an object, not {type(tool_input).__name__}")
    return Approved(scope, copy.deepcopy(tool_input), _limit(data, "uses"), _limit(data, "lifetime_seconds"))


def _limit(data: Mapping[str, Any], name: str) -> int | None:
    value = data.get(name)
    most = MOST_USES if name == "uses" else LONGEST_LIFETIME_SECONDS
    if value is not None and (
        isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most
    ):
        raise ValueError(f"{name} must be a whole number from 1 to {most}, not {value!r}")
    return value


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} must be text, not {type(value).__name__}")
    return value
