"""The host's callback, `interrupt.on_decision`: told of a complete set of answers before any of them takes effect.

A callback is a plain function that gets one list of `DecisionNotice` and answers with nothing to accept the set. It
refuses the set by returning `{"refused": "why"}` or by raising. Refused, nothing runs and nothing is committed: the
whole set is open again, the person reads why and answers again, and every decision is sent again. So a callback must
take a decision that it took before without complaint, and a service that can't take all of a set should take none.
"""

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypedDict

from workbench.policy import Decision, Scope, one_line

_LONGEST_WHY: Final = 500


class DecisionNotice(TypedDict):
    """One decision of a set, as a callback is told of it. All of it is JSON."""

    request_id: str
    """The card's own id."""
    request: str | None
    """The id that a tool's own service gave the request; `None` for every other kind of card."""
    conversation_id: str
    agent: str
    """The agent whose call it is, by its name in the config."""
    tool: str
    tool_input: dict[str, Any]
    """The call as the card showed it."""
    edited_input: dict[str, Any] | None
    """What runs instead, as the person edited it; `None` when nothing was edited or nothing runs."""
    decision: Decision
    """What becomes recorded: an approval after its deadline is `expired`."""
    scope: Scope | None
    """How far an approval reaches, among what the card offered; `None` for every other decision."""
    reason: str
    """What the person gave as a reason; often empty."""
    by: str
    """Who decided."""


OnDecision: TypeAlias = Callable[[list[DecisionNotice]], Any]
"""What `interrupt.on_decision` names."""


def refusal(
    callback: OnDecision, notices: Sequence[DecisionNotice], *, name: str = "on_decision"
) -> str | None:
    """Tell a callback of a set of decisions.

    Whatever is not clearly an acceptance refuses: an error, and an answer other than nothing.

    Args:
        callback: the function, which gets a copy of the notices.
        notices: the whole set.
        name: how the config names the function, for sentences about it.

    Returns:
        Why the set is refused, for the person; `None` when it is accepted.
    """
    try:
        returned = callback(copy.deepcopy(list(notices)))
    # A callback that calls sys.exit() must not take the process with it.
    except (Exception, SystemExit) as error:
        return f"{name} failed with {type(error).__name__}{_message(error)}"
    match returned:
        case None | True:
            return None
        case Mapping():
            if "refused" not in returned:
                # A mistyped key must not open the gate.
                return f'{name} returned a mapping without "refused", which accepts nothing.'
            why = returned["refused"]
            if why is None or why is False:
                return None
            said = one_line(why, limit=_LONGEST_WHY) if isinstance(why, str) else ""
            return said or f"{name} refused, and gave no reason."
        case _ if inspect.iscoroutine(returned):
            # Closed, because a coroutine that nobody awaits complains when it is collected.
            returned.close()
            return f"{name} is asynchronous, and can't be."
        case _:
            return f"{name} returned a value of type {type(returned).__name__}, which accepts nothing."


def _message(error: BaseException) -> str:
    try:
        text = one_line(str(error), limit=_LONGEST_WHY)
    except Exception:
        return "; its message can't be shown."
    return f": {text}" if text else "."
