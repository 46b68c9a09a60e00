"""One line of the table that `make bench` prints."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was measured, what came out and what is promised."""

    what: str
    measured: str
    """The number with its unit: `1.4 ×`, `p50 61 ms, p95 140 ms`."""
    promise: str = ""
    """The bound it is held to, empty where there is none."""
    kept: bool | None = None
    """Whether the bound was kept, None where there is none."""
    note: str = ""
