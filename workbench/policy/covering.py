"""What a decision about a call covers, by the word of a rule's subject function."""

import copy
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.policy.call import Call
from workbench.policy.rule import Rule, Subject
from workbench.policy.shown import one_line


@dataclass(frozen=True)
class Covering:
    """What a rule says that a decision covers."""

    subject: Subject | None
    """`None`: the call needs no approval."""
    sentence: str
    """The step, for a trace."""
    failure: str | None = None
    """What was wrong with the function, for a warning; the subject is the whole tool then."""


def whole_tool(tool: str) -> Subject:
    """The subject that is every call of a tool."""
    return Subject(key=tool, label=tool)


def covering(rule: Rule | None, call: Call) -> Covering:
    """Ask the rule's subject function about a call. Without one, a decision covers the whole tool.

    The function gets a copy of the input, so that nothing it does reaches the call. Whatever goes wrong in it is
    a failure of the function and never an exception here: a broken function must not open a gate, and must not
    stop the agent either.
    """
    if rule is None or rule.subject is None:
        return Covering(whole_tool(call.tool), "No subject function: a decision covers the whole tool.")
    name = _name(rule)
    try:
        returned = rule.subject(call.tool, copy.deepcopy(dict(call.input)))
    # A subject function that calls sys.exit() must not take the process with it.
    except (Exception, SystemExit) as error:
        return _failed(call, name, f"raised {type(error).__name__}{_message(error)}")
    if returned is None:
        return Covering(None, f"{name} says that this call needs no approval.")
    subject = _read(returned)
    if isinstance(subject, Subject):
        return Covering(subject, f"{name} says that a decision covers {described(subject)}.")
    return _failed(call, name, subject)


def described(subject: Subject) -> str:
    """A subject in a sentence: its label, with the key where that is another text."""
    label = one_line(subject.label)
    return label if subject.label == subject.key else f"{label} ({one_line(subject.key)})"


def _read(returned: Any) -> Subject | str:
    """The subject that a function returned, or what is wrong with it."""
    match returned:
        case str():
            key, label = returned, returned
        case Subject():
            key, label = returned.key, returned.label
        case Mapping():
            if "key" not in returned:
                return "returned a mapping without a key"
            key = returned["key"]
            label = returned.get("label", key)
        case _ if inspect.iscoroutine(returned):
            # Closed, because a coroutine that nobody awaits complains when it is collected.
            returned.close()
            return "is asynchronous, and a subject function can't be"
        case _:
            return f"returned {_kind(returned)} and not a subject"
    if not isinstance(key, str):
        return f"returned a key that is {_kind(key)} and not text"
    if not isinstance(label, str):
        return f"returned a label that is {_kind(label)} and not text"
    if not key.strip():
        return "returned an empty key"
    # str.__str__, because a subclass such as an enum may print as something else than its value.
    return Subject(key=str.__str__(key), label=str.__str__(label if label.strip() else key))


def _failed(call: Call, name: str, failure: str) -> Covering:
    return Covering(
        whole_tool(call.tool),
        f"{name} {failure}: a decision covers the whole tool, and only this once.",
        f"{name} {failure}. So the call asks, no permission is looked at, and it can be allowed only once.",
    )


def _name(rule: Rule) -> str:
    spec = rule.subject_spec or getattr(rule.subject, "__name__", None)
    return f"The subject function {one_line(str(spec))}" if spec else "The subject function"


def _kind(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _message(error: BaseException) -> str:
    try:
        text = one_line(str(error))
    except Exception:
        return " (its message can't be shown)"
    return f": {text}" if text else ""
