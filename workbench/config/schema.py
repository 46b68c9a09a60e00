"""The whole of a config, as one model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PrivateAttr

from workbench.config.agent import AgentConfig
from workbench.config.field import ConfigModel, Name, Text
from workbench.config.mcp import McpClientConfig, McpServerConfig, ToolAnnotation
from workbench.config.model import ModelChoice, ModelConfig
from workbench.config.orchestration import DelegateConfig, GraphConfig, OrchestrationConfig, SwarmConfig
from workbench.config.prompt import read_prompt


class DefaultsConfig(ConfigModel):
    """What holds for every agent that doesn't say."""

    model: ModelChoice | None = None
    """The model of agents that name none: a name of `models`, or a model written in place."""
    auto: bool = False
    """What `auto` means for agents that don't say. It is `false` when left out: a tool nobody thought about asks."""


class RuntimeConfig(ConfigModel):
    """How runs are kept."""

    persist_session_state: bool = True
    """`true` sends a pause's checkpoint to AG-UI clients, so that any replica can resume it; `false` turns that
    channel off, and with it wider scopes than `once` there."""


def _version_text(value: Any) -> Any:
    return "1" if value == 1 and type(value) is int else value


class Config(ConfigModel):
    """A config: models, agents and how they are arranged, and what asks a person first."""

    version: Annotated[
        Literal["1"], BeforeValidator(_version_text, json_schema_input_type=Literal["1", 1])
    ] = "1"
    """The version of this format: `"1"`."""
    vars: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Values to use elsewhere as `${NAME}`; they may use the environment, as in `${REGION:-eu}`, and each other."""
    defaults: DefaultsConfig = DefaultsConfig()
    """What holds for every agent that doesn't say."""
    models: dict[Name, ModelConfig] = Field(default_factory=dict)
    """The language models, by name."""
    agents: Annotated[dict[Name, AgentConfig], Field(min_length=1)]
    """The agents, by name."""
    mcp_servers: dict[Name, McpServerConfig] = Field(default_factory=dict)
    """MCP servers that several clients connect to, by name."""
    mcp_clients: dict[Name, McpClientConfig] = Field(default_factory=dict)
    """Connections to MCP servers, by name; agents list them under `mcp`."""
    orchestrations: dict[Name, OrchestrationConfig] = Field(default_factory=dict)
    """Arrangements of agents, by name; they may hold each other."""
    tool_annotations: dict[Text, ToolAnnotation] = Field(default_factory=dict)
    """What is declared of local tools, by name or glob, in MCP's terms; MCP servers declare their own. A tool's exact
    name counts before globs, and of globs the first that matches."""
    entry: Name | None = None
    """The agent or orchestration that answers the person. May be left out when there is exactly one agent and no
    orchestration."""
    runtime: RuntimeConfig = RuntimeConfig()
    """How runs are kept."""

    _file: str = PrivateAttr(default="")
    _folder: Path = PrivateAttr(default=Path("."))
    _places: Mapping[str, tuple[int, int]] = PrivateAttr(default_factory=dict)
    _extras: Mapping[str, Any] = PrivateAttr(default_factory=dict)

    def located(
        self, file: str, folder: Path, places: Mapping[str, tuple[int, int]], extras: Mapping[str, Any]
    ) -> Self:
        """This config, knowing where its text comes from. For the parser."""
        self._file, self._folder, self._places, self._extras = file, folder, places, extras
        return self

    @property
    def file(self) -> str:
        """The file the text comes from."""
        return self._file

    @property
    def folder(self) -> Path:
        """The folder that import specs, prompts and commands start from."""
        return self._folder

    @property
    def name(self) -> str:
        """The config's name: its file's, without the ending."""
        return Path(self._file).stem

    @property
    def extras(self) -> Mapping[str, Any]:
        """What stands under the top-level keys that start with `x-`, variables not filled in; no agent sees it."""
        return self._extras

    def place(self, path: str) -> tuple[int, int] | None:
        """The line and column of a value, counted from 1; None for one that isn't written.

        Args:
            path: its key path, as in `agents.merchant.interrupt.tools.2` or `agents.merchant.interrupt.tools[2]`.
        """
        return self._places.get(path_key(path))

    def line(self, path: str) -> int | None:
        """The line of a value, counted from 1; None for one that isn't written."""
        place = self.place(path)
        return place[0] if place else None

    @property
    def entry_name(self) -> str:
        """The agent or orchestration that answers the person."""
        return self.entry if self.entry is not None else next(iter(self.agents))

    @property
    def entry_agent(self) -> str:
        """The name of the agent that reads the person's message first."""
        name = self.entry_name
        while name in self.orchestrations:
            match self.orchestrations[name]:
                case DelegateConfig(entry_name=first) | GraphConfig(entry_name=first):
                    name = first
                case SwarmConfig(entry_name=chosen, agents=peers):
                    name = chosen or peers[0]
        return name

    def title_of(self, agent: str) -> str:
        """The name people see for an agent or an orchestration."""
        found = self.agents.get(agent)
        return (found.title if found else None) or agent

    def model_of(self, agent: str) -> ModelConfig:
        """The model of an agent: its own, else the default. Raises LookupError when neither is there."""
        choice = self.agents[agent].model or self.defaults.model
        match choice:
            case ModelConfig():
                return choice
            case str():
                return self.models[choice]
            case None:
                raise LookupError(f"agents.{agent}: it has no model, and there is no defaults.model")

    def system_prompt_of(self, agent: str) -> str | None:
        """The instructions of an agent, read from their file where it names one.

        Raises:
            PromptUnreadable: the file is gone, or is no UTF-8 text in the config's folder.
        """
        found = self.agents[agent]
        if found.system_prompt_file is not None:
            return read_prompt(self._folder, found.system_prompt_file)
        return found.system_prompt


def path_key(path: str) -> str:
    """One spelling for a key path, whichever way its list positions are written."""
    return path.replace("[", ".").replace("]", "")
