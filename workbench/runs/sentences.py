"""Sentences about verdicts, configs and decisions that every face of the engine shows."""

from __future__ import annotations

from datetime import datetime

from workbench.policy import Decision, Verdict

DECIDED: dict[Decision, str] = {
    "answered": "answered",
    "approved": "approved",
    "denied": "denied",
    "skipped": "skipped",
    "expired": "expired",
    "superseded": "asked again under a newer config",
    "happened": "settled as having happened",
    "run_again": "run again",
    "gave_up": "given up",
    "unknown": "left unknown",
}


def because_sentence(verdict: Verdict) -> str:
    """Say why a call asked or ran, naming the rule and its line."""
    where = f" (line {verdict.line})" if verdict.line else ""
    rule = (
        f"rule {verdict.rule_index + 1}, “{verdict.pattern}”{where}" if verdict.rule_index is not None else ""
    )
    asks = verdict.outcome == "ask"
    match verdict.because:
        case "rule":
            return f"Asked because of {rule}." if asks else f"Ran because of {rule}."
        case "auto":
            setting = "auto: false" if asks else "auto: true"
            return f"{'Asked' if asks else 'Ran'} because of {setting}{where}."
        case "exempt":
            return f"Ran without asking: {rule} exempts it." if rule else "Never asks."
        case "unlisted":
            return "Ran without asking: no rule names this tool."
        case "read_only":
            return "Ran without asking: it only reads (skip_read_only)."
        case "no_subject":
            return f"Ran without asking: the subject of {rule} says this call needs no approval."
        case "grant":
            return f"Ran without asking: it was allowed before, for {verdict.subject.label}."


def already_decided(decision: Decision | None, by: str | None, at: datetime | None) -> str:
    """Say that a card was decided by someone else first."""
    word = DECIDED.get(decision, "decided") if decision else "decided"
    who = f" by {by}" if by else ""
    when = f" at {at:%H:%M:%S} UTC" if at else ""
    return f"This card was already {word}{who}{when}. Nothing ran twice."
