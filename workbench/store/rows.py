"""From a table's row to its record, field by field, by the record's own field names."""

from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any, Generic, TypeVar, cast

from workbench.store.codec import decode_optional

Record = TypeVar("Record")


class RowShape(Generic[Record]):
    """The columns of a record, and how to make one of a row that has them in this order.

    `json` names the fields kept as JSON text (NULL is None), `flags` those kept as 0 and 1.
    """

    def __init__(
        self, record: type[Record], *, json: Collection[str] = (), flags: Collection[str] = ()
    ) -> None:
        names = [each.name for each in fields(cast(Any, record))]
        self.columns = names
        self._record = record
        self._convert: list[tuple[int, Callable[[Any], Any]]] = [
            *((names.index(name), decode_optional) for name in json),
            *((names.index(name), bool) for name in flags),
        ]

    def select(self, alias: str) -> str:
        """The columns, for a SELECT from the table under this alias."""
        return ", ".join(f'{alias}."{name}"' for name in self.columns)

    def of(self, row: Any) -> Record:
        """The record of one row."""
        values = list(row)
        for place, convert in self._convert:
            values[place] = convert(values[place])
        return self._record(*values)
