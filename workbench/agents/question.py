"""`ask_user`: its questions, checked and normalised, and its answers."""

import difflib
from collections.abc import Mapping
from typing import Any

ASK_USER = "ask_user"

DESCRIPTION = (
    "Ask the person one or more questions and wait for their answers. Use it only when what they want is open in a "
    "way that changes what you do next. Offer short options where you can; unless allow_other is false the person "
    "may also answer in their own words, so never list an option such as 'Other'. The person may skip."
)

MAX_QUESTIONS = 8
MAX_OPTIONS = 12
MAX_QUESTION = 2000
MAX_LABEL = 200

_OPTIONS_SCHEMA: dict[str, Any] = {
    "type": "array",
    "description": f"What the person may choose, at most {MAX_OPTIONS}; leave it out for a free answer.",
    "maxItems": MAX_OPTIONS,
    "items": {
        "type": "object",
        "properties": {
            "label": {"type": "string", "description": "The short text of the choice."},
            "description": {"type": "string", "description": "What choosing it means."},
        },
        "required": ["label"],
    },
}

INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "questions": {
            "type": "array",
            "description": f"The questions, asked together on one card; at most {MAX_QUESTIONS}.",
            "minItems": 1,
            "maxItems": MAX_QUESTIONS,
            "items": {
                "type": "object",
                "properties": {
                    "question": {"type": "string", "description": "The question, as a whole sentence."},
                    "header": {"type": "string", "description": "One or two words that name the question."},
                    "options": _OPTIONS_SCHEMA,
                    "multi_select": {"type": "boolean", "description": "More than one option may be chosen."},
                    "allow_other": {
                        "type": "boolean",
                        "description": "The person may answer in their own words. True unless said otherwise.",
                    },
                },
                "required": ["question"],
            },
        }
    },
    "required": ["questions"],
}

QUESTION_KEYS = ("question", "header", "options", "multi_select", "allow_other")


class BadArguments(ValueError):
    """A client tool called with arguments nobody could answer; the sentence is for the model."""


class BadAnswer(ValueError):
    """An answer that doesn't answer; `fields` has a sentence for each question at fault, by its number from 0."""

    def __init__(self, sentence: str, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.fields = dict(fields or {})


def check_arguments(tool_input: Any) -> dict[str, Any]:
    """Check what a model asks, in the long form or the short one (`{question, options: [TEXT, …]}`).

    Returns `{"questions": [...]}` with every key of every question filled. Raises `BadArguments`.
    """
    if not isinstance(tool_input, dict):
        raise _bad(f"the arguments must be an object, not {kind_of(tool_input)}")
    if "questions" not in tool_input:
        if not tool_input or "question" not in tool_input:
            _known_keys(tool_input, ("questions", *QUESTION_KEYS), "the arguments")
            raise _bad("there is no question; give `questions`, a list of at least one {question, options}")
        return {"questions": [_question(tool_input, "the question")]}
    _known_keys(tool_input, ("questions",), "the arguments")
    listed = tool_input["questions"]
    if not isinstance(listed, list):
        raise _bad(f"`questions` must be a list, not {kind_of(listed)}")
    if not listed:
        raise _bad("`questions` is empty; ask at least one question")
    if len(listed) > MAX_QUESTIONS:
        raise _bad(f"{len(listed)} questions are too many for one card; ask at most {MAX_QUESTIONS}")
    questions = [_question(entry, f"question {number}") for number, entry in enumerate(listed, 1)]
    twice = _first_twice([entry["question"] for entry in questions])
    if twice is not None:
        raise _bad(f"the question {twice!r} is asked twice; ask each question once")
    return {"questions": questions}


def check_answer(asked: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """Check a person's answers against the normalised arguments they answer. Raises `BadAnswer`."""
    questions = asked["questions"]
    answers = value.get("answers") if isinstance(value, dict) else None
    if not isinstance(answers, list):
        raise BadAnswer(
            'an answer is {"answers": [{"question", "selected", "other"}]}, one for each question'
        )
    if len(answers) != len(questions):
        raise BadAnswer(f"there are {len(questions)} questions, and {len(answers)} answers")
    checked: list[dict[str, Any]] = []
    fields: dict[str, str] = {}
    for number, (entry, answer) in enumerate(zip(questions, answers, strict=True)):
        try:
            checked.append(_answer(entry, answer))
        except BadAnswer as error:
            fields[str(number)] = error.sentence
    if fields:
        raise BadAnswer(
            " ".join(f"{questions[int(number)]['question']} {text}" for number, text in fields.items()),
            fields,
        )
    return {"answers": checked}


def answer_text(checked: Mapping[str, Any]) -> str:
    """Say checked answers as the model reads them."""
    parts = []
    for answer in checked["answers"]:
        said = list(answer["selected"])
        if answer["other"] is not None:
            said.append(f"(in their own words) {answer['other']}")
        parts.append(f"Question: {answer['question']}\nThe person's answer: {'; '.join(said)}")
    return "\n\n".join(parts)


def kind_of(value: Any) -> str:
    """Name a JSON value's kind in a sentence."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def _question(entry: Any, where: str) -> dict[str, Any]:
    if isinstance(entry, str):
        raise _bad(f"{where} is a text; write it as {{question: {entry!r}, options: [...]}}")
    if not isinstance(entry, dict):
        raise _bad(f"{where} must be an object, not {kind_of(entry)}")
    _known_keys(entry, QUESTION_KEYS, where)
    text = _text(entry.get("question"), where, "question", MAX_QUESTION)
    if text is None:
        raise _bad(f"{where} has no text; put it in `question`")
    allow_other = _flag(entry, "allow_other", where, default=True)
    options = _options(entry.get("options"), where, allow_other)
    if not options and not allow_other:
        raise _bad(
            f"{where} has no options and allow_other is false, so nobody could answer it; give options"
        )
    multi_select = _flag(entry, "multi_select", where, default=False)
    return {
        "question": text,
        "header": _text(entry.get("header"), where, "header", MAX_LABEL),
        "options": options,
        "multi_select": multi_select,
        "allow_other": allow_other,
    }


def _options(value: Any, where: str, allow_other: bool) -> list[dict[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _bad(f"the options of {where} must be a list, not {kind_of(value)}")
    if len(value) > MAX_OPTIONS:
        raise _bad(
            f"{where} has {len(value)} options, which are too many to choose from; give at most {MAX_OPTIONS}"
        )
    options = [_option(entry, f"option {number} of {where}") for number, entry in enumerate(value, 1)]
    labels = [option["label"] for option in options]
    twice = _first_twice(labels)
    if twice is not None:
        raise _bad(f"{where} has the option {twice!r} twice; the labels must differ")
    if allow_other and any(_folded(label) == "other" for label in labels):
        raise _bad(
            f"{where} lists 'Other', which the person gets anyway; leave it out or set allow_other to false"
        )
    return options


def _option(entry: Any, where: str) -> dict[str, Any]:
    if isinstance(entry, str):
        entry = {"label": entry}
    if not isinstance(entry, dict):
        raise _bad(f"{where} must be a text or {{label, description}}, not {kind_of(entry)}")
    _known_keys(entry, ("label", "description"), where)
    label = _text(entry.get("label"), where, "label", MAX_LABEL)
    if label is None:
        raise _bad(f"{where} has no label")
    return {
        "label": label,
        "description": _text(entry.get("description"), where, "description", MAX_QUESTION),
    }


def _answer(entry: Mapping[str, Any], answer: Any) -> dict[str, Any]:
    if not isinstance(answer, dict):
        raise BadAnswer("has no answer yet.")
    asked = answer.get("question", entry["question"])
    if asked != entry["question"]:
        raise BadAnswer(f"was answered as if it were {asked!r}.")
    selected, other = answer.get("selected") or [], answer.get("other")
    if not isinstance(selected, list):
        raise BadAnswer(f"needs a list of the chosen options, not {kind_of(selected)}.")
    if other is not None and not isinstance(other, str):
        raise BadAnswer(f"needs an own answer in words, not {kind_of(other)}.")
    other = other.strip() if other and other.strip() else None
    labels = [option["label"] for option in entry["options"]]
    for label in selected:
        if label not in labels:
            raise BadAnswer(f"has no option {label!r}.")
    chosen = [label for label in labels if label in selected]
    if other is not None and not entry["allow_other"]:
        raise BadAnswer("takes one of its options only.")
    if not chosen and other is None:
        raise BadAnswer("has no answer yet.")
    if not entry["multi_select"] and len(chosen) + (other is not None) > 1:
        raise BadAnswer("takes one answer only.")
    return {"question": entry["question"], "selected": chosen, "other": other}


def _text(value: Any, where: str, key: str, longest: int) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _bad(f"`{key}` of {where} must be a text, not {kind_of(value)}")
    text = value.strip()
    if len(text) > longest:
        raise _bad(f"`{key}` of {where} has {len(text)} characters; use at most {longest}")
    return text or None


def _flag(entry: Mapping[str, Any], key: str, where: str, *, default: bool) -> bool:
    value = entry.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise _bad(f"`{key}` of {where} must be true or false, not {value!r}")
    return value


def _known_keys(entry: Mapping[str, Any], allowed: tuple[str, ...], where: str) -> None:
    for key in entry:
        if key not in allowed:
            near = difflib.get_close_matches(str(key), allowed, n=1)
            hint = (
                f"did you mean `{near[0]}`?" if near else f"use {', '.join(f'`{name}`' for name in allowed)}"
            )
            raise _bad(f"{where}: unknown key `{key}`; {hint}")


def _first_twice(texts: list[str]) -> str | None:
    seen: set[str] = set()
    for text in texts:
        if _folded(text) in seen:
            return text
        seen.add(_folded(text))
    return None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _bad(problem: str) -> BadArguments:
    return BadArguments(f"The question was not shown to the person: {problem}. Correct it and ask again.")
