"""From a table's row to its record, field by field, by the record's own field names."""

from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any, Final, Generic, TypeVar, cast

from workbench.store.stored import Stored, wait

Record = TypeVar("Record")

_JSON: Final = "json"
_FLAG: Final = "flag"


class RowShape(Generic[Record]):
    """The columns of a record, and how to make one of a row that has them in this order.

    `json` names the fields kept as JSON text (NULL is None), decoded when they are first looked at; `flags` those
    kept as 0 and 1.
    """

    def __init__(
        self, record: type[Record], *, json: Collection[str] = (), flags: Collection[str] = ()
    ) -> None:
        names = [each.name for each in fields(cast(Any, record))]
        self.columns = names
        self.returning = "RETURNING " + ", ".join(f'"{name}"' for name in names)
        """The columns, for the end of a statement that writes the table's row."""
        self._record = record
        assert not json or issubclass(record, Stored), "JSON waits in the records that can hold it"
        # A slot's own setter: records are frozen, and their __init__ would want the JSON decoded.
        self._slots: list[tuple[str, str, Callable[[Any, Any], None]]] = [
            (name, _JSON if name in json else _FLAG if name in flags else "", vars(record)[name].__set__)
            for name in names
        ]

    def select(self, alias: str) -> str:
        """The columns, for a SELECT from the table under this alias."""
        return ", ".join(f'{alias}."{name}"' for name in self.columns)

    def of(self, row: Any) -> Record:
        """The record of one row."""
        record = self._record.__new__(self._record)
        texts: dict[str, str] = {}
        for (name, kind, set_slot), value in zip(self._slots, row, strict=True):
            if kind is _FLAG:
                set_slot(record, bool(value))
            elif kind is _JSON and value is not None:
                texts[name] = value
            else:
                set_slot(record, value)
        if isinstance(record, Stored):
            wait(record, texts)
        return record
