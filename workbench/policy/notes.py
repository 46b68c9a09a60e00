"""Every text that a model reads about a decision, in one place."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from workbench.policy.changes import ABSENT, changes
from workbench.policy.shown import masked

SKIPPED_BY_MESSAGE: Final = "Skipped: the person sent a message instead of answering"
"""What waited when a message came instead of an answer."""

CANCELLED: Final = "Cancelled by the person"
"""A call that Stop closed before it started."""

UNKNOWN_CALL: Final = "Unknown: this call was started and may have happened"
"""A call whose outcome a crash took and nobody told. Never reads *Skipped*."""

CUT_OFF: Final = "Cut off: the app stopped while this was at work, and it was not gone on with"
"""A call of a team that a crash tore."""

GAVE_UP: Final = (
    "Given up: this call was started and may have happened. "
    "The person does not want it run again; do not repeat it."
)
"""A doubt that the person let go."""

SUPERSEDED: Final = "Superseded: this call was asked about again under the newer config"
"""What a request's own record says when a new card took its place."""

NOT_RUN_MOVED_ON: Final = "Not run: the person approved this call and then moved on before it started"
"""A call that was approved in a pause which a message ended."""

STILL_NEEDS_APPROVAL: Final = "Still needs approval"
"""A tool that asked for approval again after it was given."""


def declined(reason: str = "") -> str:
    """What the model reads of a denied call."""
    return f"Declined: {reason.strip() or 'the person did not approve this call and gave no reason'}"


def skipped(reason: str = "") -> str:
    """What the model reads of a skipped request. A reason that is such a note already stays as it is."""
    text = reason.strip()
    if text.startswith("Skipped:"):
        return text
    return f"Skipped: {text or 'the person chose not to answer'}"


def expired(deadline: datetime | None = None) -> str:
    """What the model reads of a call whose approval came too late."""
    when = "" if deadline is None else f" ({deadline.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC)"
    return f"Expired: the approval came after its deadline{when}, so the call did not run"


def happened(result: str) -> str:
    """What the model reads of a doubtful call that the person says did happen."""
    text = result.strip()
    said = f"with this result: {text}" if text else "and that its result is not known"
    return f"This call was interrupted. The person says that it did happen, {said}"


_WHOLE_INPUT_LIMIT: Final = 4_000
_OLD_VALUE_LIMIT: Final = 200


def edit_note(original: Mapping[str, Any], executed: Mapping[str, Any]) -> str:
    """What the model is told of an edit: that the person changed the arguments, how, and what ran.

    Secret-looking fields are named without their values: what a person types into a password field is for the
    tool. Two equal inputs are no edit and give an empty text.
    """
    # Compared in the clear, shown masked: a changed secret is a change too.
    found = changes(original, executed)
    if not found:
        return ""
    before, after = masked(dict(original)), masked(dict(executed))
    lines = [
        f"- {change.path}: {_said(_at(before, change.keys), _at(after, change.keys))}" for change in found
    ]
    whole = _json(after)
    ran = (
        f"This ran: {whole}"
        if len(whole) <= _WHOLE_INPUT_LIMIT
        else "All other arguments ran as you wrote them."
    )
    return "\n".join(
        [
            "The person changed the arguments of this call before approving it, so it did not run as you wrote it:",
            *lines,
            ran,
            "The result is that of the changed call. Report what ran, and do not repeat your original call.",
        ]
    )


def _at(value: Any, keys: tuple[str | int, ...]) -> Any:
    for key in keys:
        if isinstance(value, Mapping) and key not in value:
            return ABSENT
        value = value[key]
    return value


def _said(before: Any, after: Any) -> str:
    if before is ABSENT:
        return f"added, {_json(after)}"
    was = _json(before)
    if was == _json(after):
        return "changed; its value is not shown"
    if len(was) > _OLD_VALUE_LIMIT:
        was = f"{was[:_OLD_VALUE_LIMIT]}… ({len(was)} characters)"
    return f"removed, it was {was}" if after is ABSENT else f"{_json(after)} instead of {was}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)
