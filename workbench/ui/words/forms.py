"""What stands in and beside the fields of a form."""

from workbench.ui.words.times import count

REASON = "Reason (optional)"
REASON_PLACEHOLDER = "What should the agent know? It reads this."
OTHER = "Other…"
OTHER_FIELD = "Your own answer"
FREE_ANSWER = "Your answer"
OPTIONAL = " (optional)"
SEND_AS = "Send as"
RESULT = "What did the call return?"
RESULT_PLACEHOLDER = "The agent reads this as the call's result."
ADD_ENTRY = "Add an entry"
CHOOSE = "Choose one"
KINDS: dict[str, str] = {
    "text": "Text",
    "number": "A number",
    "integer": "A whole number",
    "boolean": "true or false",
    "choice": "One of a list",
    "date": "A date, year first",
    "list": "A list",
    "object": "A group of values",
    "json": "Any value, written as JSON",
}
PLACEHOLDERS: dict[str, str] = {
    "number": "a number",
    "integer": "a whole number",
    "date": "year-month-day, such as 2026-03-31",
}
RESET = "Start over"
SEVERAL = "Choose one or more."
AS_TEXT = "Text"
AS_JSON = "JSON"
SEND_AS_HELP = "Text is sent as you typed it. JSON is for true, 12, null or a whole object."
CORRECT_FIRST = "Correct what is marked first."
NOTHING_ENTERED = "Nothing is entered yet."
UNCHANGED = "Nothing is changed yet. The values are as the agent asked."
DIFFERENCE = "What you changed"
LOOK_FIRST = "Look at the difference first: your last change was not shown yet. Nothing ran."
NOT_THERE = "nothing"


def still_open(missing: int, total: int) -> str:
    """Why a form can't be submitted yet."""
    if total == 1:
        return "Choose an answer first."
    return f"{count(missing, 'question needs', 'questions need')} an answer."


def schema_unusable(problem: str) -> str:
    """A form that can't check what is typed."""
    return f"The tool's schema for this answer is broken, so nothing fits it: {problem}. You can skip."


def will_get(tool: str, value: str) -> str:
    """What a free answer is to the tool that asked."""
    return f"{tool} gets {value}"


def null(name: str) -> str:
    """Gives a field no value at all."""
    return f"{name}: no value (null)" if name else "no value (null)"


def add(name: str) -> str:
    """Gives an optional field a value."""
    return f"Add {name}"


def leave_out(name: str) -> str:
    """Takes an optional field out of the call."""
    return f"Leave out {name}"


def entry(number: int) -> str:
    """A place in a list, counted as people do."""
    return f"Entry {number}"


def field_problem(name: str, problem: str) -> str:
    """What is wrong with a field: `price must be a number`. A whole sentence stays what it is."""
    return f"{name} {problem}.".strip() if problem[:1].islower() else problem


def remove_entry(number: int) -> str:
    """Takes an entry out of a list."""
    return f"Remove entry {number}"
