"""The part of the schema that says which language model answers."""

from typing import Annotated, Any, Final

from pydantic import Discriminator, Field, Tag

from workbench.config.field import ConfigModel, Text

PROVIDERS: Final = ("bedrock", "openai", "anthropic", "gemini", "ollama", "litellm", "scripted")
"""The providers there are by name; anything else is an import spec of a model class."""

NEEDS_MODEL_ID: Final = frozenset({"openai", "anthropic", "gemini", "ollama", "litellm"})
"""The providers that have no model of their own choice."""


class ModelConfig(ConfigModel):
    """A language model and how it is called."""

    provider: Text
    """Who serves the model: `bedrock`, `openai`, `anthropic`, `gemini`, `ollama`, `litellm`, `scripted` (replays
    steps, offline), or an import spec of a model class, as in `./models.py:MyModel`."""
    model_id: Text | None = None
    """The model's name at its provider. `bedrock`, `scripted` and model classes can do without."""
    params: dict[str, Any] = Field(default_factory=dict)
    """What the provider's model class takes besides: temperature, keys, hosts; for `scripted`, the script. Handed
    on as written."""


def model_form(value: object) -> str | None:
    """Tell a model's name from a model written in place."""
    match value:
        case str():
            return "model name"
        case dict() | ModelConfig():
            return "model in place"
        case _:
            return None


ModelChoice = Annotated[
    Annotated[Text, Tag("model name")] | Annotated[ModelConfig, Tag("model in place")],
    Discriminator(model_form),
]
"""A name of `models`, or a model written in place."""
