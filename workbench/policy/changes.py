"""What differs between the input that was shown and the input that was edited."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

from workbench.policy.call import digest


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""Stands for a field that is not there, which is another thing than a field that is `None`."""

Absent: TypeAlias = Literal[_Absent.ABSENT]


@dataclass(frozen=True)
class Change:
    """One field that differs."""

    keys: tuple[str | int, ...]
    """The way to it: the names of fields and the places in lists, from the outside in."""
    before: Any | Absent
    """What it was; `ABSENT` when the edit added it."""
    after: Any | Absent
    """What it is; `ABSENT` when the edit removed it."""

    @property
    def path(self) -> str:
        """Where it is, for a person: `items.0.sku`."""
        return ".".join(str(key) for key in self.keys)


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """Every field that differs, each at the innermost place that does, in the order the fields stand in.

    Values differ as `digest` says that they do: `1` and `True` are two values, `{"a": 1, "b": 2}` in another
    order is one.
    """
    return tuple(_of_objects((), before, after))


_Keys: TypeAlias = tuple[str | int, ...]


def _of_objects(keys: _Keys, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    fields = [*before, *(field for field in after if field not in before)]
    found: list[Change] = []
    for field in fields:
        found += _of_values((*keys, field), before.get(field, ABSENT), after.get(field, ABSENT))
    return found


def _of_values(keys: _Keys, before: Any, after: Any) -> list[Change]:
    if before is not ABSENT and after is not ABSENT and digest({"": before}) == digest({"": after}):
        return []
    match before, after:
        case Mapping(), Mapping():
            return _of_objects(keys, before, after)
        case list() | tuple(), list() | tuple() if len(before) == len(after):
            pairs = enumerate(zip(before, after, strict=True))
            return [change for place, (was, now) in pairs for change in _of_values((*keys, place), was, now)]
        case _:
            return [Change(keys, before, after)]
