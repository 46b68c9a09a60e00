"""A YAML document as a tree that remembers where everything stands."""

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class Place(NamedTuple):
    """A position in the text, counted from 1."""

    line: int
    column: int


@dataclass(slots=True)
class Scalar:
    """A single value, as text and not yet understood."""

    place: Place
    text: str
    plain: bool
    """Written without quotes and without a block style, so that its text may mean a number or a truth value."""
    tag: str | None = None
    size: int = 1
    height: int = 0


@dataclass(slots=True)
class Sequence:
    """A list."""

    place: Place
    tag: str | None = None
    items: list["Node"] = field(default_factory=list)
    size: int = 1
    """How many values it holds once its aliases are written out, itself included."""
    height: int = 0
    """How deep it goes once its aliases are written out."""
    done: bool = False


@dataclass(slots=True)
class Mapping:
    """Keys and values, in the order written."""

    place: Place
    tag: str | None = None
    entries: list[tuple[Scalar, "Node"]] = field(default_factory=list)
    size: int = 1
    """How many values it holds once its aliases are written out, itself included."""
    height: int = 0
    """How deep it goes once its aliases are written out."""
    done: bool = False


@dataclass(slots=True)
class Alias:
    """`*name`: what an anchor stands for, used again."""

    place: Place
    name: str
    target: "Scalar | Sequence | Mapping"

    @property
    def size(self) -> int:
        """The size of what it stands for."""
        return self.target.size

    @property
    def height(self) -> int:
        """The height of what it stands for."""
        return self.target.height


Node: TypeAlias = Scalar | Sequence | Mapping | Alias


def target_of(node: Node) -> Scalar | Sequence | Mapping:
    """The node itself, or what an alias stands for."""
    return node.target if isinstance(node, Alias) else node
