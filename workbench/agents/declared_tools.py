"""Client tools that a person declares (`client_tools/*.yaml`): their calls and their answers, by their schemas."""

import json
from collections.abc import Mapping
from typing import Any

from workbench.agents.question import BadAnswer, BadArguments, kind_of
from workbench.policy import SchemaUnusable, field_errors


def check_arguments(name: str, schema: Mapping[str, Any], tool_input: Any) -> dict[str, Any]:
    """Hold the arguments of a call to the tool's schema. Raises `BadArguments` with all that is wrong."""
    if not isinstance(tool_input, dict):
        raise _bad(name, f"the arguments must be an object, not {kind_of(tool_input)}")
    try:
        errors = field_errors(tool_input, schema)
    except SchemaUnusable as error:
        raise BadArguments(
            f"{name} can't be used: the schema of its arguments is broken ({error}). Go on without it."
        ) from None
    if errors:
        raise _bad(
            name, "; ".join(f"`{path}` {error}" if path else f"it {error}" for path, error in errors.items())
        )
    return tool_input


def check_answer(value: Any) -> Any:
    """Take any JSON value, `null`, `false`, `0` and `""` included; the schema is held to where answers are settled.

    Raises `BadAnswer`.
    """
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BadAnswer(f"the answer is not a JSON value: {error}") from None
    return value


def answer_text(value: Any) -> str:
    """Say an answer as the model reads it: a text as it is, any other value as JSON."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _bad(name: str, problem: str) -> BadArguments:
    return BadArguments(
        f"{name} was not shown to the person: {problem}. Correct the arguments and call it again."
    )
