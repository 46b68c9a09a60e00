"""The tables of docs/config.md are the JSON Schema's own words: `make docs` writes them, tests/test_docs.py compares.

A table stands between `<!-- keys: NAME -->` and `<!-- end -->`, NAME being a definition of the schema, `Config` for
the whole file; `DataSourcesFile` and `ClientToolFile` are the files beside it.
"""

import json
import re
from typing import Any

from tests.tracked import ROOT
from workbench.config import ClientToolFile, json_schema
from workbench.config.datasource import DataSourcesFile

PAGE = ROOT / "docs" / "config.md"
MARKED = re.compile(r"(<!-- keys: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

Schema = dict[str, Any]


def definitions() -> dict[str, Schema]:
    """Return every mapping of the schema that has keys of its own, by name."""
    found: dict[str, Schema] = {}
    beside = {model.__name__: model.model_json_schema() for model in (DataSourcesFile, ClientToolFile)}
    for name, whole in {"Config": json_schema(), **beside}.items():
        found |= {name: whole, **whole.get("$defs", {})}
    return {name: schema for name, schema in found.items() if "properties" in schema}


def page(text: str) -> str:
    """Return the page with every table written again."""
    known = definitions()
    return MARKED.sub(lambda found: f"{found[1]}{table(known[found[2]], known)}{found[3]}", text)


def table(schema: Schema, known: dict[str, Schema]) -> str:
    """Return one mapping's keys as a Markdown table."""
    rows = ["| key | value | if left out | meaning |", "|---|---|---|---|"]
    for key, described in schema["properties"].items():
        needed = key in schema.get("required", ())
        rows.append(
            f"| `{key}` | {value_of(described)} | {'**needed**' if needed else default_of(described)} "
            f"| {meaning_of(described, known)} |"
        )
    return "\n".join(rows) + "\n"


def meaning_of(schema: Schema, known: dict[str, Schema]) -> str:
    """Return the description, one line long; a mapping that has none is described by its definition."""
    referred = known.get(schema.get("$ref", "").rpartition("/")[2], {})
    return " ".join((schema.get("description") or referred.get("description") or "").split()).replace("|", "\\|")


def default_of(schema: Schema) -> str:
    """Return what a key is when it isn't written, nothing where that says nothing."""
    default = schema.get("default")
    return f"`{json.dumps(default)}`" if default not in (None, [], {}) and not isinstance(default, dict) else ""


def yaml_of(value: Any) -> str:
    """Return a value as it is written in YAML: words stand bare, what would be read as something else in quotes."""
    return value if isinstance(value, str) and re.fullmatch(r"[a-z][a-z-]+", value) else json.dumps(value)


def value_of(schema: Schema) -> str:
    """Return what may be written, in words."""
    match schema:
        case {"enum": choices}:
            return ", ".join(f"`{yaml_of(choice)}`" for choice in choices)
        case {"const": only}:
            return f"`{only}`"
        case {"anyOf": parts} | {"oneOf": parts}:
            words = [value_of(part) for part in parts if part.get("type") != "null"]
            return " or ".join(dict.fromkeys(words))
        case {"type": "array", "items": items}:
            return f"list of: {value_of(items)}"
        case {"type": "object", "patternProperties": _} | {"type": "object", "additionalProperties": _}:
            return "mapping by name"
        case {"type": "string"}:
            return "text"
        case {"type": "integer"}:
            return "whole number"
        case {"type": "number"}:
            return "number"
        case {"type": "boolean"}:
            return "`true` or `false`"
        case _:
            return "mapping"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
    print(f"wrote {PAGE.relative_to(ROOT)}")
