"""`request_datasources`: the person picks data from a list that the workbench knows.

What is asked carries the list as it stood then, with what the agent reads of each entry, so a card that waits is
answered from itself: the file may change meanwhile.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from workbench.agents.question import BadAnswer, BadArguments, kind_of
from workbench.config import DataSource, DataSources
from workbench.config.problem import choices, did_you_mean, nearest
from workbench.policy import field_errors

REQUEST_DATASOURCES: Final = "request_datasources"

DESCRIPTION: Final = (
    "Let the person pick, from a list that they know, the data that you may use, and wait for their choice. Use it "
    "when it isn't clear which data is meant. You read the name of what they chose and where it is, or that none "
    "of it fits. The person may skip."
)

LONGEST_REASON: Final = 2000
LONGEST_REMARK: Final = 2000

INPUT_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "reason": {
            "type": "string",
            "maxLength": LONGEST_REASON,
            "description": "What the data is for, as a sentence that the person reads.",
        },
        "names": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Offer only the data sources of these names. Leave it out to offer all.",
        },
        "kinds": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Offer only the data sources of these kinds. Leave it out to offer all.",
        },
        "multiple": {
            "type": "boolean",
            "description": "The person may choose more than one. False unless said otherwise.",
        },
    },
    "additionalProperties": False,
}


def check_arguments(tool_input: Any, known: DataSources) -> dict[str, Any]:
    """Check what a model asks for and find the data sources that this offers.

    Returns `{reason, multiple, sources: [{name, title, description, kind, model_reads}]}` with every key filled.
    Raises `BadArguments`.
    """
    given = named_values(tool_input, INPUT_SCHEMA)
    if not known.sources:
        why = "the list of them has mistakes" if known.errors else "there is no list of them"
        raise BadArguments(
            f"No data sources can be offered here: {why}. Go on without, or ask the person in another way."
        )
    offered = _only(known.sources, given.get("names"), "name", [one.name for one in known.sources])
    offered = _only(offered, given.get("kinds"), "kind", [one.kind for one in known.sources if one.kind])
    if not offered:
        raise _bad("no data source has both one of these names and one of these kinds")
    return {
        "reason": (given.get("reason") or "").strip() or None,
        "multiple": given.get("multiple", False),
        "sources": [
            {
                "name": one.name,
                "title": one.title,
                "description": one.description,
                "kind": one.kind,
                "model_reads": one.model_reads,
            }
            for one in offered
        ],
    }


def check_answer(asked: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """Check what a person chose, `{chosen: [NAME, …], remark}`. Nothing chosen says that none fits.

    Raises `BadAnswer`.
    """
    chosen = value.get("chosen") if isinstance(value, dict) else None
    if not isinstance(chosen, list):
        raise BadAnswer('an answer is {"chosen": [NAME, …], "remark"}; an empty list says that none fits')
    remark = value.get("remark")
    if remark is not None and not isinstance(remark, str):
        raise BadAnswer(
            f"a remark is in words, not {kind_of(remark)}", {"remark": f"must be text, not {kind_of(remark)}"}
        )
    remark = (remark or "").strip() or None
    if remark is not None and len(remark) > LONGEST_REMARK:
        too_long = f"has {len(remark):,} characters; use at most {LONGEST_REMARK:,}"
        raise BadAnswer(f"the remark {too_long}", {"remark": too_long})
    names = [source["name"] for source in asked["sources"]]
    for name in chosen:
        if name not in names:
            raise BadAnswer(
                f"there is no data source {name!r} on this card", {"chosen": f"has no data source {name!r}."}
            )
    picked = [name for name in names if name in chosen]
    if len(picked) > 1 and not asked["multiple"]:
        raise BadAnswer("this card takes one data source only", {"chosen": "takes one data source only."})
    return {"chosen": picked, "remark": remark}


def answer_schema(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an answer to what was asked."""
    names = [source["name"] for source in asked["sources"]]
    return {
        "type": "object",
        "properties": {
            "chosen": {
                "type": "array",
                "items": {"enum": names},
                "uniqueItems": True,
                "maxItems": len(names) if asked["multiple"] else 1,
                "description": "The names of the chosen data sources; empty when none fits.",
            },
            "remark": {"type": ["string", "null"], "description": "In the person's own words."},
        },
        "required": ["chosen"],
        "additionalProperties": False,
    }


def answer_text(asked: Mapping[str, Any], value: Mapping[str, Any]) -> str:
    """Say a checked answer as the model reads it."""
    sources = {source["name"]: source for source in asked["sources"]}
    chosen = [sources[name] for name in value["chosen"]]
    if chosen:
        many = f"{len(chosen)} data sources" if len(chosen) > 1 else "this data source"
        lines = [f"The person chose {many}:", *map(_entry, chosen)]
    else:
        offered = ", ".join(source["title"] for source in sources.values())
        lines = [f"The person says that none of the data offered fits. It was: {offered}."]
    if value["remark"]:
        lines.append(f"In their own words: {value['remark']}")
    return "\n".join(lines)


def named_values(tool_input: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that were given a value, held to a schema. Raises `BadArguments` with all that is wrong."""
    if not isinstance(tool_input, dict):
        raise _bad(f"the arguments must be an object, not {kind_of(tool_input)}")
    given = {key: value for key, value in tool_input.items() if value is not None}
    errors = field_errors(given, schema)
    if errors:
        known = list(schema["properties"])
        raise _bad("; ".join(_wrong(path, problem, given, known) for path, problem in errors.items()))
    return given


def _wrong(path: str, problem: str, given: Mapping[str, Any], known: Sequence[str]) -> str:
    if path in given and path not in known:
        return f"unknown key `{path}`; {did_you_mean(nearest(path, known), known, nothing='')}"
    return f"`{path}` {problem}"


def _only(
    sources: Sequence[DataSource], wanted: Sequence[str] | None, what: str, known: Sequence[str]
) -> Sequence[DataSource]:
    if not wanted:
        return sources
    for value in wanted:
        if value not in known:
            near = nearest(value, known)
            hint = (
                f"did you mean {near!r}?" if near else f"use {choices(dict.fromkeys(known))}" if known else ""
            )
            raise _bad(f"no data source has the {what} {value!r}; {hint or 'leave it out'}")
    return [one for one in sources if getattr(one, what) in wanted]


def _entry(source: Mapping[str, Any]) -> str:
    kind = f" ({source['kind']})" if source["kind"] else ""
    about = f"\n  {source['description']}" if source["description"] else ""
    return f"- {source['name']}{kind}: {source['title']}{about}\n  Read it here: {source['model_reads']}"


def _bad(problem: str) -> BadArguments:
    stop = "" if problem.endswith("?") else "."
    return BadArguments(f"Nothing was shown to the person: {problem}{stop} Correct it and ask again.")
