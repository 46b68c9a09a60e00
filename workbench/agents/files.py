"""`request_files`: the person gives files, and the model reads their names, types, sizes and text."""

import mimetypes
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workbench.agents.datasources import LONGEST_REASON, named_values
from workbench.agents.file_text import text_of
from workbench.agents.question import BadAnswer
from workbench.policy import visible

REQUEST_FILES: Final = "request_files"

DESCRIPTION: Final = (
    "Ask the person for one or more files and wait for them. You read the name, type and size of each, and the text "
    "of those that are text. Use it when what you need is in a file of theirs. The person may skip."
)

LARGEST_FILE: Final = 10 * 1024 * 1024
"""In bytes."""
MOST_FILES: Final = 10
LONGEST_TEXT: Final = 30_000
"""Characters of one file that the model reads."""
LONGEST_TEXTS: Final = 90_000
"""Characters of all files of one answer."""

_ESCAPE: Final = re.compile("⟦(U\\+[0-9A-F]+)⟧")
_LONGEST_NAME: Final = 120
_NAME_END: Final = 30

INPUT_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "reason": {
            "type": "string",
            "maxLength": LONGEST_REASON,
            "description": "Which file you need and what for, as a sentence that the person reads.",
        },
        "multiple": {
            "type": "boolean",
            "description": f"The person may give several files, at most {MOST_FILES}. True unless said otherwise.",
        },
        "endings": {
            "type": "array",
            "maxItems": 12,
            "items": {"type": "string", "pattern": r"^\.?[A-Za-z0-9]{1,12}$"},
            "description": "Take only files whose names end so, such as csv. Leave it out to take any.",
        },
    },
    "additionalProperties": False,
}

ANSWER_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "files": {
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_FILES,
            "items": {
                "type": "object",
                "properties": {"id": {"type": "string", "description": "The id that its upload was given."}},
                "required": ["id"],
            },
        }
    },
    "required": ["files"],
}

# Python's own table, without what the machine adds to it.
_TYPES: Final = mimetypes.MimeTypes(filenames=())
for _ending, _type in {
    ".md": "text/markdown",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".toml": "application/toml",
    ".log": "text/plain",
    ".parquet": "application/vnd.apache.parquet",
}.items():
    _TYPES.add_type(_type, _ending)


@dataclass(frozen=True)
class GivenFile:
    """A file of an answer."""

    name: str
    type: str
    size: int
    data: bytes | None
    """None when it isn't there any more."""


def check_arguments(tool_input: Any) -> dict[str, Any]:
    """Check what a model asks for.

    Returns `{reason, multiple, endings: [".csv", …]}` with every key filled. Raises `BadArguments`.
    """
    given = named_values(tool_input, INPUT_SCHEMA)
    endings = dict.fromkeys(f".{ending.removeprefix('.').lower()}" for ending in given.get("endings", ()))
    return {
        "reason": (given.get("reason") or "").strip() or None,
        "multiple": given.get("multiple", True),
        "endings": list(endings),
    }


def check_answer(asked: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """Check the form of an answer, `{files: [{id}, …]}`; whether those files are there is for others to say.

    Raises `BadAnswer`.
    """
    listed = value.get("files") if isinstance(value, dict) else None
    if not isinstance(listed, list) or not all(
        isinstance(one, dict) and isinstance(one.get("id"), str) for one in listed
    ):
        raise BadAnswer('an answer is {"files": [{"id"}, …]}, with the ids that the uploads were given')
    if not listed:
        raise BadAnswer("there is no file yet", {"files": "needs a file."})
    most = MOST_FILES if asked["multiple"] else 1
    if len(listed) > most:
        limit = "takes one file only." if most == 1 else f"takes at most {most} files."
        raise BadAnswer(f"this card {limit}", {"files": limit})
    if len({one["id"] for one in listed}) < len(listed):
        raise BadAnswer("one file is named twice", {"files": "has one file twice."})
    return {"files": listed}


def answer_text(value: Mapping[str, Any]) -> str:
    """Say what was given without its content: for a card, a coordinator, a list."""
    files = [f"{one['name']} ({one['type']}, {counted(one['size'], 'byte')})" for one in value["files"]]
    return f"The person gave {counted(len(files), 'file')}: {'; '.join(files)}"


def files_text(files: Sequence[GivenFile]) -> str:
    """Say what was given as the model reads it, the text of text files included.

    Each text stands between two lines that carry its file's name; a long one is cut, and says so.
    """
    texts = [text_of(one.data) if one.data else None for one in files]
    longest = min(LONGEST_TEXT, LONGEST_TEXTS // max(sum(text is not None for text in texts), 1))
    parts = [f"The person gave {counted(len(files), 'file')}."]
    for number, (one, read) in enumerate(zip(files, texts, strict=True), 1):
        head = f"File {number}: {one.name}\nType: {one.type}\nSize: {counted(one.size, 'byte')}"
        if one.data is None:
            parts.append(f"{head}\nIts content is not there any more, so it can't be read.")
        elif one.size == 0:
            parts.append(f"{head}\nThe file is empty.")
        elif read is None:
            parts.append(f"{head}\nIt is not text, so its content can't be shown here.")
        else:
            parts.append(f"{head}\nText ({read.encoding}):\n{_framed(one.name, read.text, longest)}")
    return "\n\n".join(parts)


def _framed(name: str, text: str, longest: int) -> str:
    if len(text) > longest:
        note = f"[cut: the text has {len(text):,} characters, the first {longest:,} are shown]"
        text = f"{text[:longest]}\n{note}"
    # More dashes than the text has anywhere in a row, so that it can't end its own frame.
    rule = "-" * (max((len(run) for run in re.findall(r"-{5,}", text)), default=4) + 1)
    return f"{rule} begin {name} {rule}\n{text}\n{rule} end {name} {rule}"


def type_of(name: str, data: bytes) -> str:
    """The type of a file by its name, and by whether it is text where its name says nothing."""
    guessed, packed = _TYPES.guess_type(name)
    if packed:
        return f"application/{packed}"
    return guessed or ("text/plain" if text_of(data) is not None else "application/octet-stream")


def clean_name(given: str) -> str:
    """A file's name as people and models may safely read it: no folders, nothing hidden, one line, not endless.

    It only ever is shown; no file on our disk has it.
    """
    last = re.split(r"[/\\]", given)[-1]
    # In round brackets, which whoever shows it again leaves as they are.
    name = _ESCAPE.sub(r"(\1)", " ".join(visible(last).split()))
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - _NAME_END - 1]}…{name[-_NAME_END:]}"
    return "file" if name.strip(". ") == "" else name


def distinct_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number before its ending when another file has it: `notes (2).txt`."""
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    number, chosen = 1, name
    while chosen in taken:
        number += 1
        chosen = f"{stem} ({number}){dot}{ending}"
    return chosen


def ends_well(name: str, endings: Sequence[str]) -> bool:
    """Whether a file's name ends as asked; it does when nothing was asked."""
    return not endings or name.lower().endswith(tuple(endings))


def counted(number: int, noun: str) -> str:
    """`1 file`, `1,200 bytes`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
