"""YAML text -> a validated config, every mistake named with its place.

`parse_config` reads a text, `parse_file` a file; neither runs any code. `ImportSpecs` loads the code that a config
names, and `policy_for` makes the policy that `workbench.policy.decide` judges an agent's calls by.
"""

from workbench.config.agent import AgentConfig, InterruptConfig, RuleConfig, StreamConfig
from workbench.config.client_tool import CLIENT_TOOLS, ClientToolFile, read_client_tools
from workbench.config.datasource import DataSource, DataSources, read_datasources
from workbench.config.files import config_files, write_atomically
from workbench.config.mcp import McpClientConfig, McpServerConfig, ToolAnnotation
from workbench.config.model import PROVIDERS, ModelConfig
from workbench.config.orchestration import (
    ConnectionConfig,
    DelegateConfig,
    EdgeConfig,
    GraphConfig,
    OrchestrationConfig,
    SwarmConfig,
    members,
)
from workbench.config.parse import Check, Parsed, parse_config, parse_file
from workbench.config.policies import annotation_facts, policy_for
from workbench.config.problem import ConfigInvalid, KeyPath, Problem, written
from workbench.config.prompt import PromptUnreadable
from workbench.config.schema import Config, DefaultsConfig, RuntimeConfig
from workbench.config.schema_json import json_schema
from workbench.config.spec import ImportSpecError
from workbench.config.specs import ImportSpecs

__all__ = [
    "CLIENT_TOOLS",
    "PROVIDERS",
    "AgentConfig",
    "Check",
    "ClientToolFile",
    "Config",
    "ConfigInvalid",
    "ConnectionConfig",
    "DataSource",
    "DataSources",
    "DefaultsConfig",
    "DelegateConfig",
    "EdgeConfig",
    "GraphConfig",
    "ImportSpecError",
    "ImportSpecs",
    "InterruptConfig",
    "KeyPath",
    "McpClientConfig",
    "McpServerConfig",
    "ModelConfig",
    "OrchestrationConfig",
    "Parsed",
    "Problem",
    "PromptUnreadable",
    "RuleConfig",
    "RuntimeConfig",
    "StreamConfig",
    "SwarmConfig",
    "ToolAnnotation",
    "annotation_facts",
    "config_files",
    "json_schema",
    "members",
    "parse_config",
    "parse_file",
    "policy_for",
    "read_client_tools",
    "read_datasources",
    "write_atomically",
    "written",
]
