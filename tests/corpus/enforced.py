"""A tool that enforces its own approvals. Copied beside a config, next to `kit.py`."""

from pathlib import Path
from typing import Any

import strands

from .kit import note

ALLOWED = Path(__file__).parent / "allowed"
"""There once the tool's service knows of the approval."""


@strands.tool
def pay(sku: str) -> Any:
    """Pay for an article.

    Args:
        sku: its number.
    """
    if not ALLOWED.exists():
        subject = {"key": sku, "label": f"the bill for {sku}"}
        return {"kaboo_approval": {"request": f"apr_{sku}", "subject": subject, "message": f"Pay for {sku}"}}
    note("pay", sku=sku)
    return f"{sku} is paid"
