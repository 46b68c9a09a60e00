"""Tools that run at the person's side: what the model is told of them, and what it reads of the answer.

Their arguments are checked before anything is shown, so a malformed question never becomes a card: the model reads
what is wrong with it and asks again.
"""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema
from strands.types.tools import AgentTool, ToolGenerator, ToolSpec, ToolUse

from workbench.agents import question
from workbench.agents.question import BadAnswer, BadArguments


@dataclass(frozen=True)
class ClientToolSpec:
    """A client tool as a client declares it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


class ClientToolAgentTool(AgentTool):
    """Carries a client tool's spec to the model; the gate answers its calls, so it never executes."""

    def __init__(self, spec: ClientToolSpec) -> None:
        super().__init__()
        self.spec = spec

    @property
    def tool_name(self) -> str:
        """The client tool's name."""
        return self.spec.name

    @property
    def tool_spec(self) -> ToolSpec:
        """The spec in strands' form; a copy, since strands normalises what it registers."""
        return {
            "name": self.spec.name,
            "description": self.spec.description,
            "inputSchema": {"json": copy.deepcopy(dict(self.spec.input_schema))},
        }

    @property
    def tool_type(self) -> str:
        """`client`."""
        return "client"

    async def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> ToolGenerator:
        """Raise `RuntimeError`: a client tool that executes was let through where it should have paused."""
        raise RuntimeError(
            f"{self.spec.name!r} runs at the person's side and was executed here; nothing was asked"
        )
        yield


def catalogue() -> dict[str, ClientToolSpec]:
    """The client tools that this workbench can draw, by name."""
    ask_user = ClientToolSpec(question.ASK_USER, question.DESCRIPTION, copy.deepcopy(question.INPUT_SCHEMA))
    return {ask_user.name: ask_user}


def check_arguments(spec: ClientToolSpec, tool_input: Any) -> dict[str, Any]:
    """Check the arguments of a client tool's call and return them normalised.

    `ask_user` comes back as `{"questions": [{question, header, options: [{label, description}], multi_select,
    allow_other}]}` with every key filled, whichever form it was asked in. Any other tool's arguments are checked
    against its input schema and come back as they are.

    Raises `BadArguments` with the sentence that the model reads.
    """
    if spec.name == question.ASK_USER:
        return question.check_arguments(tool_input)
    if not isinstance(tool_input, dict):
        raise BadArguments(f"{spec.name}: the arguments must be an object, not {_kind(tool_input)}")
    try:
        jsonschema.validate(tool_input, spec.input_schema)
    except jsonschema.ValidationError as error:
        where = f"{error.json_path}: " if error.path else ""
        raise BadArguments(f"{spec.name}: {where}{error.message}") from None
    return tool_input


def check_answer(spec: ClientToolSpec, tool_input: Any, value: Any) -> Any:
    """Check a person's answer to a call whose arguments are `tool_input`, and return it normalised.

    `ask_user` answers are `{"answers": [{question, selected, other}]}`, one for each question in its order. Any JSON
    value answers another client tool, `null`, `false`, `0` and `""` included.

    Raises `BadAnswer` with a sentence for the person, and in `fields` one for each question that lacks an answer.
    """
    if spec.name == question.ASK_USER:
        return question.check_answer(check_arguments(spec, tool_input), value)
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BadAnswer(f"the answer is not a JSON value: {error}") from None
    return value


def answer_text(spec: ClientToolSpec, tool_input: Any, value: Any) -> str:
    """Say an answer as the model reads it; `value` is one that `check_answer` accepts."""
    if spec.name == question.ASK_USER:
        return question.answer_text(check_answer(spec, tool_input, value))
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _kind(value: Any) -> str:
    return question.kind_of(value)


__all__ = [
    "BadAnswer",
    "BadArguments",
    "ClientToolAgentTool",
    "ClientToolSpec",
    "answer_text",
    "catalogue",
    "check_answer",
    "check_arguments",
]
