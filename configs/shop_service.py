"""The service behind `run_mutation`: it decides which changes a person has to approve, asks, and remembers.

It keeps its approvals in `approvals.db` beside the shop's own file, and its key in `approvals.key`. Here the service
and the host's side, `decide`, stand in one process; between two machines the decisions and their token go over HTTPS.
"""

import os
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from secrets import token_bytes
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.approval_service import Action, ApprovalService, DecisionRefused, Scope, sign

from .tools.shop import ToolError, cents, database_path, find_item, money, shop, store_name

Change = Literal["set_price", "change_price", "set_stock", "remove"]

# What a change is about, and how far an approval of it may reach.
ABOUT: dict[Change, tuple[str, tuple[Scope, ...]]] = {
    "set_price": ("prices", ("once", "thread", "always")),
    "change_price": ("prices", ("once", "thread", "always")),
    "set_stock": ("stock", ("once", "thread")),
    "remove": ("removals", ("once",)),
}

# Roles can change while a request waits, so they are looked at when a call runs.
MAY_ONLY_LOOK = {"guest", "visitor"}


class Mutation(BaseModel):
    """One change of a shop: the form in which two calls are compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: Literal["summit", "harbor"]
    change: Change
    skus: tuple[str, ...] = Field(min_length=1, max_length=20)
    value: float | None = Field(default=None, allow_inf_nan=False)

    def check(self) -> None:
        """Raises: `ToolError` for a value that doesn't go with the change, or an item that is named twice."""
        if len({sku.strip().upper() for sku in self.skus}) < len(self.skus):
            raise ToolError("An item is named twice.")
        match self.change, self.value:
            case "remove", None:
                pass
            case "remove", _:
                raise ToolError("Removing an item takes no value.")
            case _, None:
                raise ToolError(f"{self.change} needs a value.")
            case "set_price", value if not (0 < value <= 10_000 and cents(value)):
                raise ToolError("A price is more than 0 and at most 10,000 USD.")
            case "change_price", value if value == 0 or not -90 <= value <= 100:
                raise ToolError("A price changes by -90 to 100 percent, and not by 0.")
            case "set_stock", value if value != int(value) or not 0 <= value <= 100_000:
                raise ToolError("A stock is a whole number from 0 to 100,000.")

    def sentence(self, names: list[str]) -> str:
        """What the card says: the number first, so that a long list can't hide what happens."""
        items = f"{len(names)} item{'s' if len(names) != 1 else ''}"
        match self.change, self.value:
            case "set_price", float(value):
                what = f"Set the price of {items} to {money(cents(value))}"
            case "change_price", float(value):
                way = "Raise" if value > 0 else "Lower"
                what = f"{way} the price of {items} by {Decimal(str(abs(value))).normalize():f} percent"
            case "set_stock", float(value):
                what = f"Set the stock of {items} to {int(value)}"
            case _:
                what = f"Remove {items} for good"
        return f"{what}: {', '.join(names)}"


def action_of(tool: str, arguments: Mapping[str, Any]) -> Action:
    """What a call would do. Raises: `ToolError` for one that the shop can't do."""
    try:
        mutation = Mutation.model_validate(dict(arguments))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ToolError(f"{place or 'It'}: {first['msg']}.") from error
    mutation.check()
    about, scopes = ABOUT[mutation.change]
    with shop() as connection:
        name = store_name(connection, mutation.store)
        items = [find_item(connection, mutation.store, sku) for sku in mutation.skus]
    return Action(
        resource=f"store:{mutation.store}",
        subject_key=f"store:{mutation.store}/{about}",
        subject_label=f"{about} in {name}",
        scopes=scopes,
        message=mutation.sentence([f"{item['name']} ({item['sku']})" for item in items]),
        arguments=mutation.model_dump(mode="json"),
    )


def permits(person: str, action: Action) -> bool:
    """Whether a person may change the shop at all."""
    return person.strip().lower() not in MAY_ONLY_LOOK


def service() -> ApprovalService:
    """The service, on the files beside the shop's."""
    path = database_path().with_name("approvals.db")
    return ApprovalService(path, secret=_key(), action_of=action_of, permits=permits)


def decide(decisions: list[dict[str, Any]]) -> dict[str, str] | None:
    """The host's side: signs a complete set of decisions and tells the service, which takes all of them or none."""
    try:
        service().decide(decisions, token=sign(decisions, _key()))
    except DecisionRefused as refused:
        return {"refused": str(refused)}
    return None


def _key() -> bytes:
    """The key that the service and the host share, made on first use and readable by its owner alone."""
    path = database_path().with_name("approvals.key")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        handle, fresh = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(token_bytes(32))
        try:
            # Whoever comes first makes the key; a half-written one is never seen.
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            Path(fresh).unlink()
    return path.read_bytes()
