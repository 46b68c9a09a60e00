"""`client_tools/*.yaml`: tools that a person answers, each drawn as a form from the schema of its answer."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from workbench.config.beside import Beside, read_beside
from workbench.config.context import Context
from workbench.config.field import ConfigModel, Name, Text
from workbench.config.files import yaml_files
from workbench.config.problem import Problem
from workbench.config.schema_fault import faults
from workbench.config.specs import ImportSpecs

CLIENT_TOOLS: Final = ("ask_user", "request_datasources", "request_files")
"""The client tools that the workbench itself runs."""

CLIENT_TOOLS_FOLDER: Final = "client_tools"
"""The folder beside the configs that holds the declarations."""

_NOTHING: Final[dict[str, Any]] = {"type": "object", "properties": {}}


class ClientToolFile(ConfigModel):
    """A client tool: an agent calls it, and a person answers with a form."""

    name: Name
    """What agents call it, and what their `client_tools` names."""
    title: Text | None = None
    """What the card calls it; the name where it is left out."""
    description: Text
    """What it asks the person, and when. The agent's model reads it, and so does the person."""
    parameters: dict[str, Any] = Field(default_factory=lambda: dict(_NOTHING))
    """The JSON Schema (draft 2020-12) of what the agent gives along. A call that breaks it goes back to the agent."""
    answer: dict[str, Any]
    """The JSON Schema of the answer: the card's form is made of it. `{}` takes any answer."""


@dataclass(frozen=True)
class ClientTools:
    """What a folder declares."""

    files: tuple[Beside[ClientToolFile], ...] = ()
    """Each file with what became of it, clashes between files included."""

    @property
    def tools(self) -> dict[str, ClientToolFile]:
        """The tools that can be used, by name."""
        return {one.value.name: one.value for one in self.files if one.value is not None}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that was found, file by file."""
        return tuple(problem for one in self.files for problem in one.problems)

    def broken(self, name: str) -> Beside[ClientToolFile] | None:
        """The file that means to declare a tool of this name and has errors."""
        return next((one for one in self.files if one.value is None and name == _meant(one)), None)


def read_client_tools(folder: Path) -> ClientTools:
    """Read the client tools that a folder declares, and find what clashes with others. No code runs."""
    read = [read_client_tool(path) for path in yaml_files(folder / CLIENT_TOOLS_FOLDER)]
    if not any(one.value is not None for one in read):
        return ClientTools(tuple(read))
    local = ImportSpecs(folder).tools_beside()
    declared: dict[str, str] = {}
    files = []
    for one in read:
        files.append(one)
        if one.value is None:
            continue
        name = one.value.name
        if name in declared:
            files[-1] = _clashing(one, f"{declared[name]} declares {name!r} too; one name is one tool")
        elif name in local:
            message = (
                f"{local[name]} has a tool {name!r} already, which runs here; give this one another name"
            )
            files[-1] = _clashing(one, message)
        else:
            declared[name] = one.file.name
    return ClientTools(tuple(files))


def read_client_tool(path: Path) -> Beside[ClientToolFile]:
    """Read one file, on its own."""
    return read_beside(path, ClientToolFile, needs="`name:`, `description:` and `answer:`", judge=_judge)


def _clashing(one: Beside[ClientToolFile], message: str) -> Beside[ClientToolFile]:
    name = one.value.name if one.value is not None else ""
    problem = one.problem(message, ("name",), culprit=name)
    return replace(one, value=None, problems=(*one.problems, problem))


def _meant(one: Beside[ClientToolFile]) -> str:
    """The name that a file with errors would declare."""
    origin = (one.origins or {}).get(("name",))
    return (origin.text if origin else None) or one.file.stem


def _judge(tool: ClientToolFile, context: Context) -> None:
    if tool.name in CLIENT_TOOLS:
        context.add(
            f"{tool.name!r} is a tool of the workbench's own; give this one another name",
            ("name",),
            culprit=tool.name,
        )
    if tool.parameters.get("type") != "object":
        context.add(
            "the arguments of a call are an object, so `type: object` stands here, with `properties`",
            ("parameters", "type") if "type" in tool.parameters else ("parameters",),
            key="type" not in tool.parameters,
        )
    for key in ("parameters", "answer"):
        for fault in faults(getattr(tool, key)):
            context.add(
                fault.message,
                (key, *fault.path),
                suggestion=fault.suggestion,
                severity=fault.severity,
            )
