"""A document's tree -> plain values, with the place of every one of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.config.field import ANCHOR_PREFIX, FREE_FORM
from workbench.config.interpolation import Unresolved, Variables
from workbench.config.node import Alias, Mapping, Node, Place, Scalar, Sequence, target_of
from workbench.config.problem import KeyPath
from workbench.config.report import Report
from workbench.config.scalar import resolve

_TAG: Final = "tag:yaml.org,2002:"
_SCALAR_TAGS: Final = {
    _TAG + "int": int,
    _TAG + "float": float,
    _TAG + "bool": bool,
    _TAG + "null": type(None),
}
_MERGE: Final = "<<"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value of the config comes from."""

    value: Place
    """Where the value stands; of one that came through an alias or a merge, where it is written."""
    key: Place | None
    """Where its key stands; None for an item of a list."""
    text: str | None
    """A scalar as written, variables not filled in; None for a list or a mapping."""
    plain: bool = False
    """Written without quotes."""


@dataclass(slots=True)
class Reading:
    """Reads a tree once and keeps where everything came from.

    A mistake that a value can be read without is noted in the report, and the reading goes on.
    """

    report: Report
    variables: Variables | None = None
    """Fills variables in; None leaves texts as they are written."""
    origins: dict[KeyPath, Origin] = field(default_factory=dict)

    def read(self, node: Node, path: KeyPath = (), key: Place | None = None, *, free: bool = False) -> Any:
        """The plain value of a node: dict, list, text, number, truth value or None.

        Args:
            node: what to read.
            path: where it belongs.
            key: where its key stands, if it has one.
            free: whether it is handed on as it is, its `x-` keys too.
        """
        target = target_of(node)
        match target:
            case Scalar():
                self.origins[path] = Origin(node.place, key, target.text, target.plain)
                return self._scalar(target, node.place, path)
            case Sequence():
                self.origins[path] = Origin(node.place, key, None)
                self._check_tag(target.tag, "seq", node.place, path)
                return [self.read(item, (*path, index), free=free) for index, item in enumerate(target.items)]
            case Mapping():
                self.origins[path] = Origin(node.place, key, None)
                self._check_tag(target.tag, "map", node.place, path)
                return {
                    name.text: self.read(
                        value, (*path, name.text), name.place, free=free or _opens_free_form(path, name.text)
                    )
                    for name, value in self._entries(target, path)
                    if free or not name.text.startswith(ANCHOR_PREFIX)
                }

    def _entries(self, mapping: Mapping, path: KeyPath) -> Iterator[tuple[Scalar, Node]]:
        """A mapping's keys and values, those merged into it included; its own keys win over merged ones."""
        taken = {name.text for name, _ in mapping.entries if not _is_merge(name)}
        for name, value in mapping.entries:
            if not _is_merge(name):
                yield name, value
                continue
            for source in self._merged(value, path):
                for inner_name, inner_value in self._entries(source, path):
                    if inner_name.text not in taken:
                        taken.add(inner_name.text)
                        yield inner_name, inner_value

    def _merged(self, value: Node, path: KeyPath) -> list[Mapping]:
        target = target_of(value)
        candidates: list[Node] = list(target.items) if isinstance(target, Sequence) else [value]
        sources: list[Mapping] = []
        for candidate in candidates:
            inner = target_of(candidate)
            if isinstance(inner, Mapping):
                sources.append(inner)
            else:
                message = (
                    "<< merges a mapping into this one; write `<<: *anchor` of a mapping, or a list of them"
                )
                place = value.place if isinstance(value, Alias) else candidate.place
                self.report.add(message, place, path, culprit=_MERGE)
        return sources

    def _scalar(self, node: Scalar, place: Place, path: KeyPath) -> Any:
        text = node.text
        if node.tag is not None and node.tag not in ("!", _TAG + "str"):
            return self._tagged(node, place, path)
        try:
            if "$" in text and self.variables is not None:
                if len(path) == 2 and path[0] == "vars":
                    return self.variables.value(str(path[1]))
                return self.variables.fill(text, node.plain, place, path)
            return resolve(text) if node.plain else text
        except Unresolved:
            self.report.spoil(path)
        except ValueError as error:
            self.report.add(str(error), place, path, culprit=text[:80])
            self.report.spoil(path)
        return text

    def _tagged(self, node: Scalar, place: Place, path: KeyPath) -> Any:
        wanted = _SCALAR_TAGS.get(node.tag or "")
        if wanted is None:
            message = f"the tag {_short(node.tag)} is not known here; a config needs no tags"
            self.report.add(message, place, path, culprit=_short(node.tag))
            self.report.spoil(path)
            return node.text
        try:
            value = resolve(node.text)
            if wanted is float and type(value) is int:
                value = float(value)
        except (ValueError, OverflowError):
            value = node.text
        if type(value) is not wanted:
            message = f"{node.text[:80]!r} is not what its tag {_short(node.tag)} says; leave the tag out"
            self.report.add(message, place, path, culprit=node.text[:80])
            self.report.spoil(path)
        return value

    def _check_tag(self, tag: str | None, kind: str, place: Place, path: KeyPath) -> None:
        if tag is not None and tag not in ("!", _TAG + kind):
            message = f"the tag {_short(tag)} is not known here; a config needs no tags"
            self.report.add(message, place, path, culprit=_short(tag))


def _short(tag: str | None) -> str:
    """A tag as it is written: `!!int` for `tag:yaml.org,2002:int`."""
    return (tag or "").replace(_TAG, "!!")


def _is_merge(name: Scalar) -> bool:
    return name.plain and name.text == _MERGE


def _opens_free_form(path: KeyPath, name: str) -> bool:
    return name in FREE_FORM and len(path) >= 2
