"""What `decide` says of a call."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from workbench.policy.rule import Subject
from workbench.policy.vocabulary import SCOPES, Because, Outcome, Scope


@dataclass(frozen=True)
class Verdict:
    """Whether a call asks or runs, why, and what a person could allow."""

    outcome: Outcome
    because: Because
    rule_index: int | None
    """Where the rule that matched stands among the agent's rules, counted from 0. `None` when none did."""
    pattern: str | None
    """The pattern of that rule."""
    line: int | None
    """The config's line that decided: the rule's, or that of `auto`."""
    subject: Subject
    """What a decision about this call covers."""
    scopes: tuple[Scope, ...]
    """What a person may choose, narrowest first. Empty when the call runs."""
    ttl_seconds: int | None
    """Seconds a person has to approve; `None` without a limit, and when the call runs."""
    grant_id: str | None
    """The permission that lets the call run, when one does."""
    trace: tuple[str, ...]
    """Each step in a sentence, in the order it was considered."""
    warnings: tuple[str, ...] = ()
    """What went wrong on the way, such as a subject function that failed."""

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain JSON values, for `from_dict`."""
        return {
            "outcome": self.outcome,
            "because": self.because,
            "rule_index": self.rule_index,
            "pattern": self.pattern,
            "line": self.line,
            "subject": {"key": self.subject.key, "label": self.subject.label},
            "scopes": list(self.scopes),
            "ttl_seconds": self.ttl_seconds,
            "grant_id": self.grant_id,
            "trace": list(self.trace),
            "warnings": list(self.warnings),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Verdict":
        """The verdict that `to_dict` wrote, by this release or an earlier one.

        Raises:
            ValueError: it says an outcome, a reason or a scope that does not exist.
            KeyError: it lacks an outcome, a reason or a subject.
        """
        scopes = tuple(data.get("scopes", ()))
        _check("outcome", data["outcome"], get_args(Outcome))
        _check("because", data["because"], get_args(Because))
        for scope in scopes:
            _check("scope", scope, SCOPES)
        return cls(
            outcome=data["outcome"],
            because=data["because"],
            rule_index=data.get("rule_index"),
            pattern=data.get("pattern"),
            line=data.get("line"),
            subject=Subject(key=data["subject"]["key"], label=data["subject"]["label"]),
            scopes=scopes,
            ttl_seconds=data.get("ttl_seconds"),
            grant_id=data.get("grant_id"),
            trace=tuple(data.get("trace", ())),
            warnings=tuple(data.get("warnings", ())),
        )


def _check(what: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{value!r} is not a verdict's {what}; use {', '.join(allowed)}")
