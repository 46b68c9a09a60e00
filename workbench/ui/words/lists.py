"""What the sidebar says."""

from collections.abc import Sequence

from workbench.runs.views import ConversationRow, WaitingRow

SEARCH = "Search conversations"
NEW = "New conversation"
ACTING_AS = "Acting as"
ACTING_AS_HELP = "Your answers are recorded under this name. Type a new one to add it."
DEFAULT_NAME = "tester"
MENU = "More"
RENAME = "Rename"
RENAME_TITLE = "Rename this conversation"
DELETE = "Delete"
DELETE_TITLE = "Delete this conversation?"
TITLE = "Title"
SAVE = "Save"
KEEP = "Keep it"
NOTHING_WAITS = "Nothing waits for you."
NO_CONVERSATIONS = "No conversations yet."
NO_MATCH = "No conversation matches."
UNTITLED = "New conversation"


def waiting_row(row: WaitingRow) -> str:
    """One request in the list of what waits."""
    what = {"question": "a question", "doubt": f"a doubt about {row.tool}"}.get(row.kind, row.tool)
    return f"{row.conversation_title or UNTITLED} — {what}"


def waiting_rows(rows: Sequence[WaitingRow]) -> str:
    """Several requests of one conversation in the list of what waits."""
    return f"{rows[0].conversation_title or UNTITLED} — {len(rows)} things"


def waiting_heading(number: int) -> str:
    """Over the list of what waits."""
    return f"Waiting ({number})" if number else "Waiting"


def conversation_row(row: ConversationRow) -> str:
    """One conversation in the sidebar."""
    name = row.title or UNTITLED
    if row.waiting:
        return f"{name} ({row.waiting} waiting)"
    return f"{name} (working)" if row.working else name


def delete_question(title: str) -> str:
    """What is asked before a conversation is deleted."""
    return (
        f"Delete “{title or UNTITLED}”? Its messages are gone for good. What waits in it is closed, "
        "and permissions given in it end. The decisions made in it stay in the log."
    )
