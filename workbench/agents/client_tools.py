"""Tools that run at the person's side: what the model is told of them, and what it reads of the answer.

Their arguments are checked before anything is shown, so a malformed question never becomes a card: the model reads
what is wrong with it and asks again.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strands.types.tools import AgentTool, ToolGenerator, ToolSpec, ToolUse

from workbench.agents import datasources, declared_tools, files, question
from workbench.agents.question import BadAnswer, BadArguments
from workbench.config import DataSources, read_client_tools, read_datasources


@dataclass(frozen=True)
class ClientToolSpec:
    """A client tool as a client declares it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    answer_schema: Mapping[str, Any] | None = None
    """What an answer must keep to; None takes any JSON value, or is said by what is asked."""
    title: str = ""
    """What a card calls it; its name where that is empty."""
    sources: DataSources | None = None
    """The data there is to choose from; of `request_datasources` only."""
    by_client: bool = False
    """Declared by an AG-UI client: it checks its calls itself, and says its answers in its own words."""


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


def catalogue(folder: Path | None = None) -> dict[str, ClientToolSpec]:
    """The client tools that this workbench can draw, by name.

    Args:
        folder: a config's folder. Its `client_tools/` declares further tools, its `datasources.yaml` is what
            `request_datasources` offers; files with mistakes declare nothing.
    """
    own = [
        ClientToolSpec(question.ASK_USER, question.DESCRIPTION, copy.deepcopy(question.INPUT_SCHEMA)),
        ClientToolSpec(
            datasources.REQUEST_DATASOURCES,
            datasources.DESCRIPTION,
            copy.deepcopy(datasources.INPUT_SCHEMA),
            sources=read_datasources(folder) if folder is not None else DataSources(None),
        ),
        ClientToolSpec(
            files.REQUEST_FILES,
            files.DESCRIPTION,
            copy.deepcopy(files.INPUT_SCHEMA),
            copy.deepcopy(files.ANSWER_SCHEMA),
        ),
    ]
    declared = [
        ClientToolSpec(
            tool.name,
            tool.description,
            {"properties": {}, **copy.deepcopy(tool.parameters)},
            copy.deepcopy(tool.answer),
            tool.title or "",
        )
        for tool in (read_client_tools(folder).tools.values() if folder is not None else ())
    ]
    return {spec.name: spec for spec in [*own, *declared]}


def check_arguments(spec: ClientToolSpec, tool_input: Any) -> dict[str, Any]:
    """Check the arguments of a client tool's call and return what is asked: normalised, and whole in itself.

    `ask_user` comes back as `{"questions": [{question, header, options: [{label, description}], multi_select,
    allow_other}]}` with every key filled, whichever form it was asked in; `request_datasources` as
    :func:`workbench.agents.datasources.check_arguments` says, `request_files` as :mod:`workbench.agents.files` does.
    Any other tool's arguments are held to its schema and come back as they are.

    Raises `BadArguments` with the sentence that the model reads.
    """
    match spec.name:
        case question.ASK_USER:
            return question.check_arguments(tool_input)
        case datasources.REQUEST_DATASOURCES:
            return datasources.check_arguments(tool_input, spec.sources or DataSources(None))
        case files.REQUEST_FILES:
            return files.check_arguments(tool_input)
        case _:
            return declared_tools.check_arguments(spec.name, spec.input_schema, tool_input)


def answer_schema(spec: ClientToolSpec, asked: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The JSON Schema that an answer to what is asked must keep to; None where no schema says it."""
    if spec.name == datasources.REQUEST_DATASOURCES:
        return datasources.answer_schema(asked)
    return spec.answer_schema


def check_answer(tool: str, asked: Mapping[str, Any], value: Any) -> Any:
    """Check a person's answer to what a client tool asked, and return it normalised.

    `ask_user` answers are `{"answers": [{question, selected, other}]}`, one for each question in its order. Any JSON
    value answers a declared tool here, `null`, `false`, `0` and `""` included.

    Raises `BadAnswer` with a sentence for the person, and in `fields` one for each part that lacks an answer.
    """
    match tool:
        case question.ASK_USER:
            return question.check_answer(question.check_arguments(asked), value)
        case datasources.REQUEST_DATASOURCES:
            return datasources.check_answer(asked, value)
        case files.REQUEST_FILES:
            return files.check_answer(asked, value)
        case _:
            return declared_tools.check_answer(value)


def answer_text(tool: str, asked: Mapping[str, Any], value: Any) -> str:
    """Say an answer in words; `value` is one that `check_answer` accepts.

    It is what the model reads, but for `request_files`, whose texts :func:`workbench.agents.files.files_text` adds.
    """
    match tool:
        case question.ASK_USER:
            return question.answer_text(check_answer(tool, asked, value))
        case datasources.REQUEST_DATASOURCES:
            return datasources.answer_text(asked, value)
        case files.REQUEST_FILES:
            return files.answer_text(value)
        case _:
            return declared_tools.answer_text(value)


__all__ = [
    "BadAnswer",
    "BadArguments",
    "ClientToolAgentTool",
    "ClientToolSpec",
    "answer_schema",
    "answer_text",
    "catalogue",
    "check_answer",
    "check_arguments",
]
