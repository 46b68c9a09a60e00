"""YAML text -> a tree with places, or the reasons why not.

The tree is built from the parser's events, without recursion, so that neither deep nesting nor aliases that multiply
("billion laughs") cost more than a clear sentence. Aliases stay aliases here; their size is counted, not spelled out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from workbench.config.node import Alias, Mapping, Node, Place, Scalar, Sequence
from workbench.config.problem import KeyPath
from workbench.config.report import Report
from workbench.config.scalar import resolve
from workbench.config.syntax import explain

MOST_CHARACTERS: Final = 512 * 1024
MOST_VALUES: Final = 50_000
DEEPEST: Final = 60

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STRING_TAGS: Final = ("!", "tag:yaml.org,2002:str")


def compose(text: str, report: Report) -> Node | None:
    """Read the one document of a text.

    Returns its root; None for one that is empty or can't be read, the reasons then being in the report.
    """
    composer = _Composer(report)
    try:
        for event in _events(text):
            if not composer.take(event):
                return None
    except yaml.YAMLError as error:
        sentence, place, culprit = explain(error, text)
        report.add(sentence, place, culprit=culprit)
        return None
    return composer.root


def _events(text: str) -> Iterator[Any]:
    return iter(yaml.parse(text, Loader=_LOADER))


@dataclass(slots=True)
class _Frame:
    """A list or a mapping that is still being read."""

    node: Sequence | Mapping
    key: Scalar | None = None
    """The key whose value comes next; of a list always None."""
    awaits_value: bool = False
    seen: dict[str, Place] = field(default_factory=dict)


class _Composer:
    def __init__(self, report: Report) -> None:
        self._report = report
        self._frames: list[_Frame] = []
        self._anchors: dict[str, Scalar | Sequence | Mapping] = {}
        self._documents = 0
        self._values = 0
        self.root: Node | None = None

    @property
    def path(self) -> KeyPath:
        """Where in the document the next value belongs."""
        parts: list[str | int] = []
        for frame in self._frames:
            if isinstance(frame.node, Sequence):
                parts.append(len(frame.node.items))
            elif frame.key is not None:
                parts.append(frame.key.text)
        return tuple(parts)

    def take(self, event: Any) -> bool:
        """Take the next event; False ends the reading."""
        match event:
            case yaml.ScalarEvent():
                return self._scalar(event)
            case yaml.MappingStartEvent():
                return self._open(Mapping(_place(event), _tag(event)), event.anchor)
            case yaml.SequenceStartEvent():
                return self._open(Sequence(_place(event), _tag(event)), event.anchor)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                return self._close()
            case yaml.AliasEvent():
                return self._alias(event)
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    message = "a second document starts here (---); a config is one document"
                    self._report.add(message, _place(event), culprit="---")
                    return False
        return True

    def _scalar(self, event: Any) -> bool:
        node = Scalar(_place(event), event.value, not event.style and event.implicit[0], _tag(event))
        return self._put(node, event.anchor)

    def _alias(self, event: Any) -> bool:
        place, name = _place(event), event.anchor
        target = self._anchors.get(name)
        if target is None:
            message = (
                f"the alias *{name} stands for nothing: no anchor &{name} comes before it; "
                f"a text or a glob that starts with * must be in quotes"
            )
            self._report.add(message, place, self.path, culprit=f"*{name}", suggestion=f'"*{name}"')
            self._report.spoil(self.path)
            return self._put(Scalar(place, "", plain=True), None)
        if not isinstance(target, Scalar) and not target.done:
            message = f"the alias *{name} stands inside its own anchor &{name}, so it would never end"
            self._report.add(message, place, self.path, culprit=f"*{name}")
            return False
        return self._put(Alias(place, name, target), None)

    def _open(self, node: Sequence | Mapping, anchor: str | None) -> bool:
        frame = self._frames[-1] if self._frames else None
        if frame and isinstance(frame.node, Mapping) and not frame.awaits_value:
            kind = "list" if isinstance(node, Sequence) else "mapping"
            message = (
                f"a {kind} stands where a key is expected; put a key that starts with [ or {{ in quotes, "
                f"and a ${{VARIABLE}} too"
            )
            self._report.add(message, node.place, self.path)
            return False
        if len(self._frames) >= DEEPEST:
            message = f"values are nested more than {DEEPEST} deep here; no config needs that"
            self._report.add(message, node.place, self.path[:3])
            return False
        if anchor:
            self._anchors[anchor] = node
        self._frames.append(_Frame(node))
        return True

    def _close(self) -> bool:
        frame = self._frames.pop()
        frame.node.done = True
        return self._put(frame.node, None)

    def _put(self, node: Node, anchor: str | None) -> bool:
        if anchor and isinstance(node, Scalar):
            self._anchors[anchor] = node
        frame = self._frames[-1] if self._frames else None
        if frame is None:
            self.root = node
            return True
        self._values += 1
        if isinstance(frame.node, Sequence):
            frame.node.items.append(node)
        elif not frame.awaits_value:
            return self._take_key(frame, node)
        else:
            if frame.key is not None:
                frame.node.entries.append((frame.key, node))
            frame.key, frame.awaits_value = None, False
        frame.node.size += node.size
        frame.node.height = max(frame.node.height, node.height + 1)
        return self._within_limits(frame, node)

    def _within_limits(self, frame: _Frame, node: Node) -> bool:
        many = max(frame.node.size, self._values)
        if many > MOST_VALUES:
            through = " once its aliases are written out" if isinstance(node, Alias) else ""
            message = f"the config holds more than {MOST_VALUES} values{through}; no config needs that"
            self._report.add(message, node.place, self.path[:3])
            return False
        if len(self._frames) + frame.node.height > DEEPEST + 1:
            message = (
                f"values are nested more than {DEEPEST} deep here, aliases written out; no config needs that"
            )
            self._report.add(message, node.place, self.path[:3])
            return False
        return True

    def _take_key(self, frame: _Frame, node: Node) -> bool:
        """Take a key; of one that can't be used the value is read and left out."""
        frame.key, frame.awaits_value = None, True
        match node:
            case Scalar():
                key = node
            case Alias(target=Scalar(text=text, plain=plain, tag=tag)):
                key = Scalar(node.place, text, plain, tag)
            case _:
                message = "a key must be a text; a list or a mapping can't be one"
                self._report.add(message, node.place, self.path)
                return True
        problem = _key_problem(key)
        if problem:
            self._report.add(problem, key.place, self.path, culprit=key.text, suggestion=f'"{key.text}"')
            return True
        first = frame.seen.setdefault(key.text, key.place)
        if first is not key.place:
            message = (
                f"the key {key.text!r} is written twice in one mapping, on line {first.line} and on line "
                f"{key.place.line}; keep one of them"
            )
            self._report.add(message, key.place, (*self.path, key.text), culprit=key.text)
            return True
        frame.key = key
        return True


def _key_problem(key: Scalar) -> str | None:
    if key.tag is not None and key.tag not in _STRING_TAGS:
        return f"the key {key.text!r} has the tag {key.tag}; a key is plain text"
    if not key.plain:
        return None
    try:
        value = resolve(key.text)
    except ValueError:
        return f"the key {key.text[:40]} is a number; a key must be text, so put it in quotes"
    match value:
        case str():
            return None
        case None:
            return (
                "a key is missing before this ':'"
                if key.text == ""
                else f"the key {key.text} means nothing in YAML; a key must be text, so put it in quotes"
            )
        case bool():
            return f"the key {key.text} is a truth value; a key must be text, so put it in quotes"
        case _:
            return f"the key {key.text} is a number; a key must be text, so put it in quotes"


def _place(event: Any) -> Place:
    mark = event.start_mark
    return Place(mark.line + 1, mark.column + 1)


def _tag(event: Any) -> str | None:
    tag: str | None = event.tag
    return tag
