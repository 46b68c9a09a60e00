"""What every record of a row is: a value whose JSON is decoded when somebody looks at it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.store.codec import decode


class Stored:
    """The base of the records.

    Most readers of a row look at two or three of its columns, and decoding all of them costs more than reading it.
    A field whose text waits is an empty slot; looking at it fills it.
    """

    __slots__ = ("_texts",)

    _texts: Mapping[str, str]

    if not TYPE_CHECKING:  # A type checker is to hold every attribute to the fields.

        def __getattr__(self, name: str) -> Any:
            """Decode a field whose slot is empty; two threads may both do it, and either value is as good."""
            try:
                text = object.__getattribute__(self, "_texts")[name]
            except (AttributeError, KeyError):
                raise AttributeError(name) from None
            value = decode(text)
            object.__setattr__(self, name, value)
            return value


def wait(record: Stored, texts: Mapping[str, str]) -> None:
    """Give a record the texts of the fields that are still empty."""
    object.__setattr__(record, "_texts", texts)
