"""The JSON Schema of a config, for editors: made from the models, with what each key means."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from workbench.config.schema import Config

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_VARIABLE: JsonSchemaValue = {"type": "string", "pattern": r"^\$\{[^}]+\}$"}


class _WithVariables(GenerateJsonSchema):
    """Where a value is no text, a `${VARIABLE}` may stand for it."""

    def bool_schema(self, schema: core_schema.BoolSchema) -> JsonSchemaValue:
        return _or_variable(super().bool_schema(schema))

    def int_schema(self, schema: core_schema.IntSchema) -> JsonSchemaValue:
        return _or_variable(super().int_schema(schema))

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        return _or_variable(super().float_schema(schema))

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        return _or_variable(super().literal_schema(schema))


def _or_variable(schema: JsonSchemaValue) -> JsonSchemaValue:
    return {"anyOf": [schema, _VARIABLE]}


def json_schema(*, with_variables: bool = False) -> dict[str, Any]:
    """The schema, of draft 2020-12.

    Args:
        with_variables: let a `${VARIABLE}` stand for numbers, truth values and choices, as a text that is still to be
            filled in may have it. For editors; without it the schema says what values are in the end.
    """
    generator = _WithVariables if with_variables else GenerateJsonSchema
    schema = Config.model_json_schema(schema_generator=generator)
    return {
        "$schema": DIALECT,
        "title": "Workbench config",
        **{k: v for k, v in schema.items() if k != "title"},
    }
