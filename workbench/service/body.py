"""Request bodies: JSON, read once, refused where they are something else."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from starlette.requests import Request

from workbench.service.problem import Refused

DEEPEST = 100
"""How deep values may be nested."""


async def json_object(request: Request) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        Refused: it is no JSON object, with a sentence that says where.
    """
    raw = await request.body()
    try:
        value = json.loads(raw.decode(), parse_constant=_no_number)
        _check_depth(value, DEEPEST)
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, json.JSONDecodeError) else "it can't be read"
        raise Refused(422, "no_json", f"The body must be JSON: {why}.") from None
    if not isinstance(value, dict):
        raise Refused(422, "no_object", 'The body must be a JSON object, such as {"message": "…"}.')
    return value


def text_of(body: dict[str, Any], key: str) -> str:
    """Return a text of the body.

    Raises:
        Refused: it is missing, no text, or no text that can be stored.
    """
    value = body.get(key)
    if not isinstance(value, str):
        said = "is missing" if key not in body else "must be a string"
        raise Refused(422, "invalid_body", f"{key} {said}.", fields={key: said})
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Refused(422, "invalid_body", f"{key} holds half a character.") from None
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _check_depth(value: Any, left: int) -> None:
    if left < 0:
        raise ValueError("too deep")
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        _check_depth(child, left - 1)
