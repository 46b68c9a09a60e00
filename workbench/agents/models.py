"""Build the model a config names: strands' own classes, the scripted model, or a class of the config's own."""

import difflib
import importlib
import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

from strands.models.model import CacheConfig, Model

from workbench.agents.script import ScriptError, parse_script
from workbench.agents.scripted import ScriptedModel
from workbench.config import Config, ImportSpecError, ImportSpecs, KeyPath, ModelConfig
from workbench.config.problem import written


class ModelUnavailable(Exception):
    """A model that can't be built here: what is missing, and what to install, set or correct.

    Attributes:
        sentence: all of it, for the person.
        path: the place inside the model's own block, as in `params.script[0].tool`; empty for the whole block.
    """

    def __init__(self, sentence: str, path: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.path = path


@dataclass(frozen=True)
class _Provider:
    module: str
    name: str
    """The class in that module."""
    extra: str
    request_params: str | None
    """The setting that takes request parameters the class has no setting of its own for."""
    client_args: str | None
    """The setting that takes arguments of the provider's client."""
    client_keys: tuple[str, ...] = ()
    """Client arguments that may stand directly in `params`."""


_PROVIDERS: Mapping[str, _Provider] = {
    "bedrock": _Provider("strands.models.bedrock", "BedrockModel", "bedrock", None, None),
    "openai": _Provider(
        "strands.models.openai", "OpenAIModel", "openai", "params", "client_args",
        ("api_key", "base_url", "organization", "project", "timeout", "max_retries", "default_headers"),
    ),
    "anthropic": _Provider(
        "strands.models.anthropic", "AnthropicModel", "anthropic", "params", "client_args",
        ("api_key", "auth_token", "base_url", "timeout", "max_retries", "default_headers"),
    ),
    "gemini": _Provider(
        "strands.models.gemini", "GeminiModel", "gemini", "params", "client_args",
        ("api_key", "vertexai", "project", "location", "http_options"),
    ),
    "ollama": _Provider("strands.models.ollama", "OllamaModel", "ollama", "options", "ollama_client_args"),
    "litellm": _Provider(
        "strands.models.litellm", "LiteLLMModel", "litellm", "params", "client_args",
        ("api_key", "api_base", "base_url", "timeout"),
    ),
}  # fmt: skip

ANTHROPIC_MAX_TOKENS = 4096
"""Anthropic's API insists on a limit; this one is used when `params` names none."""


def build_model(model: ModelConfig, specs: ImportSpecs) -> Model:
    """Build a model from its config: `provider`, `model_id` and `params`.

    What `params` may hold, for a provider of strands:

    - any setting or constructor argument of strands' class, under its own name (`temperature` of bedrock, `stream` of
      openai, `host` of ollama, `client_args`, the nested `params` …);
    - the usual client arguments directly, `base_url` and `api_key` among them; they go where the class takes them;
    - anything else goes with each request (`temperature` of openai …). Bedrock has no such place, so there an unknown
      key is an error with the nearest valid one.

    `scripted` takes a script. `./models.py:MyModel` or `package.module:Class`, a class or a factory, is called with
    `model_id` and the params as keyword arguments, or with `params` as one mapping when it has such a parameter.

    Raises `ModelUnavailable`, before any network call: the extra to install, the environment variable to set, or what
    is wrong in `params`.
    """
    params = dict(model.params or {})
    if model.provider == "scripted":
        try:
            return ScriptedModel(params, model_id=model.model_id)
        except ScriptError as error:
            path = written(("params", *error.place))
            raise ModelUnavailable(f"the scripted model can't play its script: {error}", path) from error
    provider = _PROVIDERS.get(model.provider)
    if provider is not None:
        return _build(model.provider, provider, model.model_id, params)
    if ":" in model.provider:
        return _build_own(model.provider, model.model_id, params, specs)
    names = ["scripted", *_PROVIDERS]
    near = difflib.get_close_matches(model.provider, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"use {', '.join(names)}, or ./FILE.py:CLASS"
    raise ModelUnavailable(f"there is no provider {model.provider!r}; {hint}", "provider")


def script_problems(config: Config) -> Iterator[tuple[KeyPath, str]]:
    """Find the faulty scripts of a config's scripted models, for `parse_config(..., checks=[script_problems])`.

    Yields the key path of each culprit with a sentence about it. Nothing is built and nothing runs.
    """
    models: list[tuple[KeyPath, object]] = [
        (("models", name), model) for name, model in config.models.items()
    ]
    models += [(("agents", name, "model"), agent.model) for name, agent in config.agents.items()]
    models.append((("defaults", "model"), config.defaults.model))
    for place, model in models:
        if isinstance(model, ModelConfig) and model.provider == "scripted":
            try:
                parse_script(model.params)
            except ScriptError as error:
                yield (*place, "params", *error.place), error.problem


def _build(name: str, provider: _Provider, model_id: str | None, params: dict[str, Any]) -> Model:
    try:
        cls = getattr(importlib.import_module(provider.module), provider.name)
    except ImportError as error:
        raise ModelUnavailable(
            f"the provider {name!r} needs a package that isn't installed ({error.name or error}); "
            f"run: pip install 'workbench[{provider.extra}]'",
            "provider",
        ) from error
    arguments = _arguments(name, provider, cls, params)
    if model_id is not None:
        arguments["model_id"] = model_id
    if "model_id" not in arguments and name != "bedrock":
        raise ModelUnavailable(f"the provider {name!r} needs a model_id")
    _check_key(name, provider, arguments)
    if name == "anthropic":
        arguments.setdefault("max_tokens", ANTHROPIC_MAX_TOKENS)
    if name == "ollama":
        arguments.setdefault("host", os.environ.get("OLLAMA_HOST"))
    made: Model = _called(lambda: cls(**arguments), f"the provider {name!r}")
    return made


def _arguments(name: str, provider: _Provider, cls: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Sort params into the class's settings, its client's arguments and the request's parameters."""
    settings = _settings(cls)
    arguments: dict[str, Any] = {}
    client: dict[str, Any] = {}
    request: dict[str, Any] = {}
    for key, value in params.items():
        if key in settings:
            arguments[key] = value
        elif key in provider.client_keys:
            client[key] = value
        elif provider.request_params is not None:
            request[key] = value
        else:
            near = difflib.get_close_matches(key, sorted(settings), n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"use {', '.join(sorted(settings))}"
            raise ModelUnavailable(f"the provider {name!r} has no setting {key!r}; {hint}", f"params.{key}")
    if isinstance(cache := arguments.get("cache_config"), dict):
        arguments["cache_config"] = _called(lambda: CacheConfig(**cache), f"cache_config of {name!r}")
    for holder, extra in ((provider.client_args, client), (provider.request_params, request)):
        if holder is None or not (extra or arguments.get(holder)):
            continue
        given = arguments.get(holder) or {}
        if not isinstance(given, dict):
            raise ModelUnavailable(
                f"{holder!r} of the provider {name!r} must be a mapping", f"params.{holder}"
            )
        arguments[holder] = {**given, **extra}
    return arguments


def _settings(cls: Any) -> set[str]:
    """The names strands' class takes: its constructor's parameters and the keys of its config."""
    named = {
        parameter.name
        for parameter in inspect.signature(cls.__init__).parameters.values()
        if parameter.name != "self" and parameter.kind is not parameter.VAR_KEYWORD
    }
    configs = [
        value for key, value in vars(cls).items() if key.endswith("Config") and isinstance(value, type)
    ]
    for config in configs:
        named |= set(get_type_hints(config))
    return named


def _check_key(name: str, provider: _Provider, arguments: Mapping[str, Any]) -> None:
    """Raise when the provider's credentials are nowhere; nothing is looked up over a network."""
    client = arguments.get(provider.client_args) or {} if provider.client_args else {}
    match name:
        case "openai":
            if arguments.get("client") or arguments.get("bedrock_mantle_config"):
                return
            _need(name, client, ("api_key",), ("OPENAI_API_KEY",))
        case "anthropic":
            _need(name, client, ("api_key", "auth_token"), ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"))
        case "gemini":
            if client.get("vertexai") or os.environ.get("GOOGLE_GENAI_USE_VERTEXAI"):
                return
            _need(name, client, ("api_key",), ("GEMINI_API_KEY", "GOOGLE_API_KEY"))
        case "litellm":
            _check_litellm_key(arguments, client)
        case "bedrock":
            if not arguments.get("api_key") and not _called(_aws_credentials, "the provider 'bedrock'"):
                raise ModelUnavailable(
                    "the provider 'bedrock' has no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
                    "AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK"
                )


def _need(name: str, client: Mapping[str, Any], keys: tuple[str, ...], variables: tuple[str, ...]) -> None:
    if any(client.get(key) for key in keys) or any(os.environ.get(variable) for variable in variables):
        return
    also = (
        " (a server of your own that takes any key still needs one: set api_key in params)"
        if client.get("base_url")
        else ""
    )
    raise ModelUnavailable(
        f"the provider {name!r} has no key: set the environment variable {variables[0]}{also}"
    )


def _check_litellm_key(arguments: Mapping[str, Any], client: Mapping[str, Any]) -> None:
    if client.get("api_key"):
        return
    litellm = importlib.import_module("litellm")
    missing = litellm.validate_environment(model=arguments["model_id"]).get("missing_keys") or []
    if missing:
        raise ModelUnavailable(
            f"the provider 'litellm' has no key: set the environment variable {missing[0]}"
        )


_REMOTE_CREDENTIALS = (
    "iam-role",
    "container-role",
    "assume-role",
    "assume-role-with-web-identity",
    "sso",
    "login",
)
"""Botocore's credential providers that ask a network, left out of the look-up."""

_AWS_PROFILE_KEYS = ("role_arn", "sso_session", "sso_start_url", "login_session", "web_identity_token_file")
"""Settings of an AWS profile that promise credentials, fetched when the first request is made."""

_AWS_ROLE_VARIABLES = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


def _aws_credentials() -> bool:
    """Whether AWS credentials are at hand or promised; asks no network. On an EC2 machine its role promises them."""
    if os.environ.get("AWS_BEARER_TOKEN_BEDROCK") or any(map(os.environ.get, _AWS_ROLE_VARIABLES)):
        return True
    session = importlib.import_module("botocore.session").Session()
    if any(session.get_scoped_config().get(key) for key in _AWS_PROFILE_KEYS):
        return True
    resolver = session.get_component("credential_provider")
    present = {provider.METHOD for provider in resolver.providers}
    for remote in present.intersection(_REMOTE_CREDENTIALS):
        resolver.remove(remote)
    return resolver.load_credentials() is not None or _on_ec2()


def _on_ec2() -> bool:
    vendor = Path("/sys/class/dmi/id/sys_vendor")
    return vendor.is_file() and "amazon" in vendor.read_text(errors="replace").lower()


def _build_own(spec: str, model_id: str | None, params: dict[str, Any], specs: ImportSpecs) -> Model:
    try:
        make = specs.load(spec)
    except ImportSpecError as error:
        raise ModelUnavailable(str(error), "provider") from error
    if not callable(make):
        raise ModelUnavailable(f"{spec!r} is a {type(make).__name__}, not a class or a function", "provider")
    arguments: dict[str, Any] = {"params": params} if _takes_params_whole(make) else params
    if model_id is not None:
        arguments = {"model_id": model_id, **arguments}
    made = _called(lambda: make(**arguments), repr(spec))
    if not isinstance(made, Model):
        raise ModelUnavailable(f"{spec!r} made a {type(made).__name__}, not a strands Model", "provider")
    return made


def _takes_params_whole(make: Callable[..., Any]) -> bool:
    parameter = inspect.signature(make).parameters.get("params")
    return parameter is not None and parameter.kind is not parameter.VAR_KEYWORD


def _called(make: Callable[[], Any], what: str) -> Any:
    try:
        return make()
    except ModelUnavailable:
        raise
    except Exception as error:
        raise ModelUnavailable(f"{what} can't be built: {type(error).__name__}: {error}") from error
