"""The JSON Schema that editors read: it says what the parser says, and what every key means."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.config.test_schema import WHOLE
from tests.config.texts import MODELS, parsed
from workbench.config import json_schema


def accepts(text: str, *, with_variables: bool = False) -> bool:
    validator = Draft202012Validator(json_schema(with_variables=with_variables))
    return bool(validator.is_valid(yaml.safe_load(text)))


def mappings(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "Config", schema
    yield from schema["$defs"].items()


@pytest.mark.parametrize("with_variables", [False, True])
def test_it_is_a_schema_of_draft_2020_12(with_variables: bool) -> None:
    schema = json_schema(with_variables=with_variables)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_every_key_says_what_it_means() -> None:
    silent = {
        f"{name}.{key}"
        for name, mapping in mappings(json_schema())
        for key, described in mapping.get("properties", {}).items()
        if not described.get("description") and "$ref" not in described
    }
    assert not silent
    assert all(mapping.get("description") for _, mapping in mappings(json_schema()))


@pytest.mark.parametrize("with_variables", [False, True])
def test_it_accepts_a_whole_config(with_variables: bool) -> None:
    assert accepts(WHOLE, with_variables=with_variables)


@pytest.mark.parametrize(
    "line",
    ["autoo: true", "auto: 'false'", "interrupt: {remember: forever}", "interrupt: {ttl_seconds: 0}", "tools: x", "interrupt: {tools: [{remember: once}]}"],
)  # fmt: skip
def test_it_refuses_what_the_parser_refuses(line: str) -> None:
    text = f"agents:\n  a:\n    {line}\n{MODELS}"
    assert not accepts(text)
    assert not accepts(text, with_variables=True)
    assert parsed(text).config is None


def test_keys_for_anchors_are_allowed() -> None:
    assert accepts(f"x-a: 1\nagents: {{a: {{x-b: 2}}}}\n{MODELS}")


def test_editors_may_see_a_variable_where_a_number_will_be() -> None:
    text = f"agents:\n  a:\n    auto: ${{AUTO}}\n    interrupt: {{ttl_seconds: '${{TTL:-5}}', remember: '${{SCOPE}}'}}\n{MODELS}"
    assert accepts(text, with_variables=True)
    assert not accepts(text)
