"""What Python found wrong with the text, in the form in which the browser shows it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Severity = Literal["error", "warning", "hint"]


@dataclass(frozen=True)
class Diagnostic:
    """One problem, and where it stands. Lines and columns count from 1, columns in characters."""

    line: int
    """A line past the end is shown on the last one."""
    column: int
    """Where the underline begins."""
    message: str
    """Plain text, shown as it is; line breaks are kept."""
    severity: Severity = "error"
    culprit: str | None = None
    """The words at fault; the underline covers them. Without it, the word at the column."""


def diagnostics_from(found: Iterable[Diagnostic | Mapping[str, Any]]) -> list[Diagnostic]:
    """Read diagnostics, and mappings with at least the keys `line`, `column` and `message`.

    Other keys than a diagnostic's are left out, so that the `to_dict()` of a richer problem can be passed as it is.
    Raises ValueError, naming the value, for a severity that the editor cannot show.
    """
    return [item if isinstance(item, Diagnostic) else _from_mapping(item) for item in found]


def _from_mapping(item: Mapping[str, Any]) -> Diagnostic:
    severity = item.get("severity", "error")
    if severity not in get_args(Severity):
        raise ValueError(f"severity {severity!r} is not one of {', '.join(get_args(Severity))}")
    return Diagnostic(
        line=item["line"],
        column=item["column"],
        message=item["message"],
        severity=severity,
        culprit=item.get("culprit"),
    )
