"""The part of the schema that arranges agents: a delegate's coordinator, a swarm's peers, a graph's nodes."""

from typing import Annotated, Literal

from pydantic import Field

from workbench.config.field import ConfigModel, Many, Name, Seconds, Spec

Count = Annotated[int, Field(gt=0)]


class ConnectionConfig(ConfigModel):
    """Someone a coordinator may delegate to."""

    agent: Name
    """The agent or the orchestration to call; the coordinator sees it as a tool of this name."""
    description: str | None = None
    """What the coordinator reads of it; the agent's own description where it is left out."""


class DelegateConfig(ConfigModel):
    """A coordinator that calls other agents as tools."""

    mode: Literal["delegate"]
    """`delegate`: one agent answers, and calls others for parts of the work."""
    description: str | None = None
    """What it is for; a coordinator that may call it as a whole reads it."""
    entry_name: Name
    """The agent that coordinates."""
    connections: Annotated[Many[ConnectionConfig], Field(min_length=1)]
    """Who it may delegate to."""


class SwarmConfig(ConfigModel):
    """Peers that hand the conversation to each other (strands' Swarm)."""

    mode: Literal["swarm"]
    """`swarm`: each agent may hand over to any other."""
    description: str | None = None
    """What it is for; a coordinator that may call it as a whole reads it."""
    agents: Annotated[Many[Name], Field(min_length=1)]
    """The peers: agents, or delegate orchestrations."""
    entry_name: Name | None = None
    """Who starts; the first of `agents` where it is left out."""
    max_handoffs: Count | None = None
    """How often they may hand over; strands' own 20 where it is left out."""
    max_iterations: Count | None = None
    """How many turns they may take together; strands' own 20 where it is left out."""
    execution_timeout: Seconds | None = None
    """Seconds for all of it; strands' own 900 where it is left out."""
    node_timeout: Seconds | None = None
    """Seconds for one agent's turn; strands' own 300 where it is left out."""
    chat_output: Name | None = None
    """The peer whose text is the reply; the one that speaks last where it is left out."""


class EdgeConfig(ConfigModel):
    """A step of a graph: when `from` is done, `to` may start."""

    source: Name = Field(alias="from")
    """The agent or orchestration that goes first."""
    target: Name = Field(alias="to")
    """The agent or orchestration that follows."""
    condition: Spec | None = None
    """An import spec of a function over the graph's state; the edge is taken when it returns true."""


class GraphConfig(ConfigModel):
    """Agents in a fixed order of work (strands' Graph)."""

    mode: Literal["graph"]
    """`graph`: each node starts when an edge leads to it."""
    description: str | None = None
    """What it is for; a coordinator that may call it as a whole reads it."""
    entry_name: Name
    """The node that starts."""
    edges: Annotated[Many[EdgeConfig], Field(min_length=1)]
    """The steps. The nodes are the agents and orchestrations that they name."""
    max_node_executions: Count | None = None
    """How many times nodes may run in all; a graph with a cycle needs this or `execution_timeout`."""
    execution_timeout: Seconds | None = None
    """Seconds for all of it; no limit where it is left out."""
    node_timeout: Seconds | None = None
    """Seconds for one node; no limit where it is left out."""
    reset_on_revisit: bool = False
    """`true` lets a node that runs again forget its earlier run."""
    chat_output: Name | None = None
    """The node whose text is the reply; the ones that finish last where it is left out."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of all nodes, the entry first, then in the order of the edges."""
        ends = [end for edge in self.edges for end in (edge.source, edge.target)]
        return tuple(dict.fromkeys([self.entry_name, *ends]))


OrchestrationConfig = Annotated[DelegateConfig | SwarmConfig | GraphConfig, Field(discriminator="mode")]
"""An arrangement of agents."""


def members(orchestration: DelegateConfig | SwarmConfig | GraphConfig) -> tuple[str, ...]:
    """The names of everyone in an orchestration, agents and orchestrations alike."""
    match orchestration:
        case DelegateConfig():
            return (orchestration.entry_name, *(connection.agent for connection in orchestration.connections))
        case SwarmConfig():
            return orchestration.agents
        case GraphConfig():
            return orchestration.nodes
