"""The script of a scripted model: parsed once, every mistake named by its place in the script.

`params` has one of

- `script`: a list of steps, played for every human turn;
- `turns`: a list of such lists, one per human turn;
- `replies`: a list of `{match: REGEX, script: [...], final_text?, example?}`. The first whose `match` is found in the
  person's message (upper and lower case alike) is played. When none is: the entry without `match`, else `final_text`,
  else a sentence that lists what can be said, by each entry's `example` or its pattern.

and, if wanted, `final_text` (said when the steps of a turn are over), `stream_chunk` (characters per piece) and
`stream_delay_ms` (waited before each piece). A step is one of

- `{tool: NAME, input: {...}}`; an input that is one value goes to the tool's first parameter;
- `{tools: [{tool, input}, ...]}`: calls in one message;
- `{handoff: AGENT, message: ..., context: {...}}`: a Swarm's handoff;
- `{text: ...}`: said ahead of the next step's call, in the same message; as the last step it is the turn's answer, and
  `final_text` isn't said;
- `{error: ...}`: the model fails with these words.

`before: [{text: ...} | {reasoning: ...}]` comes ahead of what a step does. `id` on a call forces its tool use id, to
play a model that reuses one. Texts and inputs may hold templates: see `workbench.agents.script_template`.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from workbench.agents.script_template import BadTemplate, check_templates
from workbench.config import KeyPath
from workbench.config.problem import written

HANDOFF_TOOL = "handoff_to_agent"
"""The tool that a strands Swarm gives its members."""

NO_GROUPS: frozenset[str] = frozenset()


class ScriptError(ValueError):
    """A script that can't be played; `path` leads to the culprit, as in `script[2].before[0]`."""

    def __init__(self, place: KeyPath, problem: str) -> None:
        self.place = place
        self.path = written(place)
        self.problem = problem
        super().__init__(f"{self.path}: {problem}" if place else problem)


@dataclass(frozen=True)
class Say:
    """Something said (or thought) in one content block."""

    kind: Literal["text", "reasoning"]
    text: str


@dataclass(frozen=True)
class ScriptedCall:
    """A tool call to make; templates in `input` are filled in when it is made."""

    tool: str
    input: Any
    id: str | None
    """A forced tool use id, else one is derived from the conversation."""
    path: str


@dataclass(frozen=True)
class Move:
    """One answer of the model: what it says, then the calls it makes or the error it ends in."""

    says: tuple[Say, ...]
    calls: tuple[ScriptedCall, ...]
    error: str | None
    path: str


@dataclass(frozen=True)
class Reply:
    """What to do when the person's message matches; without `match` it is the fallback."""

    match: re.Pattern[str] | None
    example: str | None
    """What a person could type to get here, for the sentence that lists what can be said."""
    moves: tuple[Move, ...]
    final_text: str | None


@dataclass(frozen=True)
class Script:
    """A parsed script: exactly one of `every_turn`, `turns` and `replies` is filled, or none of them."""

    every_turn: tuple[Move, ...] | None
    turns: tuple[tuple[Move, ...], ...] | None
    replies: tuple[Reply, ...] | None
    final_text: str | None
    stream_chunk: int | None
    stream_delay_ms: float


def parse_script(params: Mapping[str, Any]) -> Script:
    """Parse the `params` of a scripted model.

    Raises `ScriptError` for the first mistake: an unknown key (with the nearest valid one), a wrong type, a bad
    regular expression, a template that names nothing, more than one of `script`, `turns` and `replies`.
    """
    allowed = ("script", "turns", "replies", "final_text", "stream_chunk", "stream_delay_ms")
    _known_keys(params, allowed, ())
    given: list[str] = [key for key in ("script", "turns", "replies") if params.get(key) is not None]
    if len(given) > 1:
        _fail(
            (given[1],), f"a script has one of script, turns and replies, and {given[0]!r} is already given"
        )
    every_turn: tuple[Move, ...] | None = None
    turns: tuple[tuple[Move, ...], ...] | None = None
    replies: tuple[Reply, ...] | None = None
    match given:
        case ["script"]:
            every_turn = _moves(params["script"], ("script",), NO_GROUPS)
        case ["turns"]:
            listed = _list(params["turns"], ("turns",), "a list of scripts, one per human turn")
            turns = tuple(_moves(turn, ("turns", i), NO_GROUPS) for i, turn in enumerate(listed))
        case ["replies"]:
            replies = _replies(params["replies"])
    return Script(
        every_turn=every_turn,
        turns=turns,
        replies=replies,
        final_text=_template(params, "final_text", (), NO_GROUPS),
        stream_chunk=_stream_chunk(params.get("stream_chunk")),
        stream_delay_ms=_delay(params.get("stream_delay_ms")),
    )


def _replies(value: Any) -> tuple[Reply, ...]:
    replies: list[Reply] = []
    for index, entry in enumerate(_list(value, ("replies",), "a list of {match, script} entries")):
        place: KeyPath = ("replies", index)
        entry = _mapping(entry, place, "an entry such as {match: REGEX, script: [...]}")
        _known_keys(entry, ("match", "example", "script", "final_text"), place)
        match = None
        if entry.get("match") is not None:
            source = _text(entry["match"], (*place, "match"))
            try:
                match = re.compile(source, re.IGNORECASE)
            except re.error as error:
                _fail((*place, "match"), f"{source!r} is not a regular expression: {error}")
        elif any(reply.match is None for reply in replies):
            _fail(place, "a second entry without match; only one can be the fallback")
        groups = _groups(match)
        replies.append(
            Reply(
                match=match,
                example=_optional_text(entry, "example", place),
                moves=_moves(entry.get("script") or [], (*place, "script"), groups),
                final_text=_template(entry, "final_text", place, groups),
            )
        )
    return tuple(replies)


def _groups(match: re.Pattern[str] | None) -> frozenset[str]:
    if match is None:
        return NO_GROUPS
    return frozenset(match.groupindex) | {str(number) for number in range(match.groups + 1)}


def _moves(value: Any, place: KeyPath, groups: frozenset[str]) -> tuple[Move, ...]:
    """Read the steps; a text ahead of a call is said in the same message, since a text alone ends the turn."""
    moves: list[Move] = []
    pending: list[Say] = []
    for index, step in enumerate(_list(value, place, "a list of steps")):
        at: KeyPath = (*place, index)
        step = _mapping(step, at, "a step such as {tool: NAME, input: {...}} or {text: ...}")
        kind = _kind(step, at)
        pending += _before(step.get("before"), (*at, "before"), groups)
        calls: tuple[ScriptedCall, ...] = ()
        error = None
        match kind:
            case "text":
                pending.append(Say("text", _filled(step["text"], (*at, "text"), groups)))
                continue
            case "tool":
                calls = (_call(step, at, groups),)
            case "tools":
                calls = _parallel(step["tools"], (*at, "tools"), groups)
            case "handoff":
                calls = (_handoff(step, at, groups),)
            case "error":
                error = _filled(step["error"], (*at, "error"), groups)
        moves.append(Move(tuple(pending), calls, error, written(at)))
        pending = []
    if pending:
        moves.append(Move(tuple(pending), (), None, written((*place, len(value) - 1))))
    return tuple(moves)


Kind = Literal["tool", "tools", "handoff", "text", "error"]
STEP_KEYS: dict[Kind, tuple[str, ...]] = {
    "tool": ("tool", "input", "id", "before"),
    "tools": ("tools", "before"),
    "handoff": ("handoff", "message", "context", "id", "before"),
    "text": ("text", "before"),
    "error": ("error", "before"),
}


def _kind(step: Mapping[str, Any], at: KeyPath) -> Kind:
    kinds: list[Kind] = [kind for kind in STEP_KEYS if kind in step]
    if not kinds:
        every_key = sorted({key for keys in STEP_KEYS.values() for key in keys})
        _known_keys(step, every_key, at)
        _fail(at, "a step says one of tool, tools, handoff, text and error; this one says none")
    if len(kinds) > 1:
        _fail(
            at,
            f"a step says one thing, and this one says {' and '.join(kinds)}; use `before` for text ahead of a call",
        )
    _known_keys(step, STEP_KEYS[kinds[0]], at)
    return kinds[0]


def _before(value: Any, place: KeyPath, groups: frozenset[str]) -> list[Say]:
    if value is None:
        return []
    says: list[Say] = []
    for index, entry in enumerate(_list(value, place, "a list of {text: ...} or {reasoning: ...}")):
        at: KeyPath = (*place, index)
        entry = _mapping(entry, at, "{text: ...} or {reasoning: ...}")
        _known_keys(entry, ("text", "reasoning"), at)
        if len(entry) != 1:
            _fail(at, "an entry says one of text and reasoning")
        if "text" in entry:
            says.append(Say("text", _filled(entry["text"], (*at, "text"), groups)))
        else:
            says.append(Say("reasoning", _filled(entry["reasoning"], (*at, "reasoning"), groups)))
    return says


def _call(step: Mapping[str, Any], at: KeyPath, groups: frozenset[str]) -> ScriptedCall:
    value = step.get("input")
    if value is not None and not isinstance(value, dict | str | int | float):
        _fail(
            (*at, "input"),
            f"the input is a mapping, or one value for the tool's first parameter, not {value!r}",
        )
    _check_templates(value, (*at, "input"), groups)
    return ScriptedCall(
        tool=_text(step["tool"], (*at, "tool")),
        input={} if value is None else value,
        id=_optional_text(step, "id", at),
        path=written(at),
    )


def _parallel(value: Any, place: KeyPath, groups: frozenset[str]) -> tuple[ScriptedCall, ...]:
    calls = []
    for index, entry in enumerate(_list(value, place, "a list of {tool, input}")):
        at: KeyPath = (*place, index)
        entry = _mapping(entry, at, "{tool: NAME, input: {...}}")
        _known_keys(entry, ("tool", "input", "id"), at)
        if "tool" not in entry:
            _fail(at, "a parallel call names its tool")
        calls.append(_call(entry, at, groups))
    if not calls:
        _fail(place, "there is no call in it")
    return tuple(calls)


def _handoff(step: Mapping[str, Any], at: KeyPath, groups: frozenset[str]) -> ScriptedCall:
    given: dict[str, Any] = {
        "agent_name": _filled(step["handoff"], (*at, "handoff"), groups),
        "message": _filled(step.get("message", "Please take over."), (*at, "message"), groups),
    }
    if step.get("context") is not None:
        given["context"] = _mapping(step["context"], (*at, "context"), "a mapping")
        _check_templates(given["context"], (*at, "context"), groups)
    return ScriptedCall(HANDOFF_TOOL, given, _optional_text(step, "id", at), written(at))


def _stream_chunk(value: Any) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    _fail(("stream_chunk",), f"{value!r} is not a number of characters; use 1 or more")


def _delay(value: Any) -> float:
    if value is None:
        return 0.0
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    _fail(("stream_delay_ms",), f"{value!r} is not a number of milliseconds; use 0 or more")


def _filled(value: Any, place: KeyPath, groups: frozenset[str]) -> str:
    text = _text(value, place)
    _check_templates(text, place, groups)
    return text


def _template(holder: Mapping[str, Any], key: str, place: KeyPath, groups: frozenset[str]) -> str | None:
    return None if holder.get(key) is None else _filled(holder[key], (*place, key), groups)


def _check_templates(value: Any, place: KeyPath, groups: frozenset[str]) -> None:
    try:
        check_templates(value, groups)
    except BadTemplate as error:
        _fail(place, str(error))


def _optional_text(holder: Mapping[str, Any], key: str, place: KeyPath) -> str | None:
    return None if holder.get(key) is None else _text(holder[key], (*place, key))


def _text(value: Any, place: KeyPath) -> str:
    if not isinstance(value, str) or not value.strip():
        _fail(place, f"{value!r} is not a text" if not isinstance(value, str) else "the text is empty")
    return value


def _list(value: Any, place: KeyPath, wanted: str) -> list[Any]:
    if not isinstance(value, list):
        _fail(place, f"expected {wanted}, not {value!r}")
    return value


def _mapping(value: Any, place: KeyPath, wanted: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _fail(place, f"expected {wanted}, not {value!r}")
    return value


def _known_keys(holder: Mapping[str, Any], allowed: tuple[str, ...] | list[str], place: KeyPath) -> None:
    for key in holder:
        if key not in allowed:
            near = difflib.get_close_matches(str(key), allowed, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"use {', '.join(allowed)}"
            _fail((*place, str(key)), f"unknown key {key!r}; {hint}")


def _fail(place: KeyPath, problem: str) -> NoReturn:
    raise ScriptError(place, problem)
