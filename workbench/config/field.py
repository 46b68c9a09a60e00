"""What all parts of the config's schema share: the base model and the kinds of text."""

from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

FREE_FORM = frozenset({"params", "headers", "env"})
"""Keys whose values are handed on as they are: below them no key is checked, and none is ignored for its `x-`."""

ANCHOR_PREFIX = "x-"
"""Keys that start so are there for YAML anchors, and ignored."""


def _describe_extras(schema: dict[str, Any]) -> None:
    schema["patternProperties"] = {f"^{ANCHOR_PREFIX}": {"description": "For YAML anchors; ignored."}}


class ConfigModel(BaseModel):
    """A mapping of the config: its keys are known, its values are never converted, and nothing changes later."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        use_attribute_docstrings=True,
        protected_namespaces=(),
        json_schema_extra=_describe_extras,
    )


Item = TypeVar("Item")

Many: TypeAlias = Annotated[tuple[Item, ...], Field(strict=False)]
"""A YAML list; kept as a tuple, so that nothing changes it later."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$")]
"""A name that a config gives: models and providers see it as a tool's name, so it keeps to their alphabet."""

Text = Annotated[str, StringConstraints(pattern=r"\S")]
"""Text that says something."""

Spec = Annotated[str, StringConstraints(pattern=r"\S")]
"""An import spec: `./file.py:name` beside the config, or `package.module:name` of an import root."""

Seconds = Annotated[float, Field(gt=0)]
"""A span of time."""
