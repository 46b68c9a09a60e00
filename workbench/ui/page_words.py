"""The sentences of the conversation page and its config panel. Plain text, escaped where it is shown."""

from __future__ import annotations

from datetime import datetime

from workbench.runs.views import ConversationPage, GrantRow, MessageWarning
from workbench.store import ConfigVersion
from workbench.ui.words import count

NAME = "Workbench"
AWAY = "The app is away. This page goes on by itself when it is back; nothing is lost."
BACK_AGAIN = "The app was restarted. Nothing was lost."
NO_DATABASE = "The workbench can't use its database"
NO_DATABASE_HELP = "Nothing was changed. This page tries again by itself."
TRY_NOW = "Try now"
NOT_HERE = "This conversation isn't here"
NOT_HERE_HELP = (
    "It may have been deleted, or the address was cut. Choose another one on the left, or start a new one."
)
STOP = "Stop"
STOPPING = "Stopping…"
STOP_HELP = (
    "Ends what works or waits here. A call that has begun is let finish. You can go on with another message."
)
NOT_SENT = "Not sent."
SEND_AGAIN = "Send again"
DISCARD = "Discard"
WELCOME_POLICY = (
    "Some calls will stop and ask you first. Which ones is decided by the policy beside this conversation: change it, "
    "apply it, and your next message follows it."
)
SHOW_PANEL = "Policy"
SHOW_PANEL_HELP = "Show or fold away the policy beside the conversation."

TABS = {"policy": "Policy", "why": "Why", "permissions": "Remembered"}
ASKED = "asked"
RAN = "ran without asking"
NO_CALLS = (
    "No call was made here yet. Each call that is made will say here, step by step, why it asked or ran."
)
PERMISSIONS_HELP = (
    "What runs in this chat without asking, because somebody allowed it. Taking it back counts at once."
)
NO_PERMISSIONS = (
    "Nothing is allowed ahead. “Allow for this chat” and “Always allow” on a card put something here."
)
TAKE_BACK = "Take back"
TAKE_BACK_HELP = "The next call that this would have let run asks again. What already ran stays as it is."

APPLY = "Apply"
APPLY_HELP = (
    "Makes this text live and writes it to the file. Your next message follows it. Ctrl+S does the same."
)
REVERT = "Revert"
REVERT_HELP = "Puts the live version back into the editor."
APPLY_DISK = "Apply the change on disk"
LOOSENS = "This change lets calls run that asked before:"
APPLY_LOOSER = "Apply, and let them run"
KEEP_EDITING = "Keep editing"


def follows(page: ConversationPage) -> str:
    """Which agent and config version answer."""
    parts = [page.agent_title, page.config_name]
    if page.version_number:
        parts.append(f"v{page.version_number}")
    if page.newest_number and page.newest_number != page.version_number:
        when = "from your next message" if page.version_number else "from your first message"
        parts.append(f"follows v{page.newest_number} {when}")
    return " · ".join(parts)


def welcome(agent: str) -> str:
    """Over the examples of a new conversation."""
    return f"Talk to {agent}. Try one of these:"


def thinking(agent: str) -> str:
    """While nothing has been said yet."""
    return f"{agent} is thinking…"


def message(agent: str) -> str:
    """In the empty message box."""
    return f"Message {agent} …"


def working(agent: str) -> str:
    """In the message box while a run works."""
    return f"{agent} is working. Write your next message, and send it when it is done …"


def message_instead(agent: str) -> str:
    """In the message box while something waits."""
    return f"Message {agent} instead of deciding …"


def sending_closes(warning: MessageWarning) -> str:
    """What a message sent now would close."""
    parts = []
    if warning.open_cards:
        parts.append(f"skips {count(len(warning.open_cards), 'card that waits', 'cards that wait')}")
    if warning.approved_not_run:
        tools = ", ".join(card.tool for card in warning.approved_not_run)
        parts.append(f"leaves out what you already approved here ({tools})")
    return f"Sending a message {' and '.join(parts)}."


def no_database_here(why: str) -> str:
    """In place of a part of the page that can't be read just now."""
    return f"{why} This part comes back by itself."


def editor_label(name: str) -> str:
    """What a screen reader calls the editor."""
    return f"Policy editor, {name}"


def config_heading(name: str, number: int, changed: bool) -> str:
    """Over the editor."""
    return f"{name} · v{number} is live" + (" · your changes are not applied yet" if changed else "")


def stale(base: int, live: ConfigVersion) -> str:
    """Somebody applied another version while this one was edited."""
    return (
        f"v{live.number} was applied by {live.by} while you were editing v{base}. Both texts are kept: "
        "choose which one to go on with."
    )


def keep_mine(number: int) -> str:
    """Go on with one's own text."""
    return f"Keep my text, on top of v{number}"


def take_theirs(number: int) -> str:
    """Go on with the newer version."""
    return f"Take v{number}"


def show_version(number: int) -> str:
    """The way to the newer version's text."""
    return f"Show v{number}"


def discard_disk(number: int) -> str:
    """Leave a change on disk out."""
    return f"Put v{number} back on disk"


def invalid(errors: int, number: int) -> str:
    """Over the list of problems."""
    live = f"v{number} stays live until this validates" if number else "nothing is live until this validates"
    return f"{count(errors, 'error', 'errors')}: {live}."


def problem(line: int, message: str) -> str:
    """One problem and its line."""
    return f"Line {line}: {message}"


def more_problems(number: int) -> str:
    """Problems that are not listed."""
    return f"{number} more are marked in the editor."


def applied(number: int) -> str:
    """A version became live."""
    return f"v{number} is live. Your next message follows it."


def not_applied(why: str) -> str:
    """A version did not become live."""
    return f"Not applied. {why}"


def permission(row: GrantRow, given: str, ends: str) -> str:
    """How far a permission reaches, and who gave it."""
    reach = "in this chat" if row.scope == "thread" else "in every chat"
    limits = []
    if row.max_uses is not None:
        limits.append(f"{count(max(row.max_uses - row.uses, 0), 'more use', 'more uses')}")
    if ends:
        limits.append(f"until {ends}")
    return ", ".join([f"{row.agent_title}, {reach}", *limits]) + f". Given by {row.by} at {given}."


def permission_used(row: GrantRow, last: str) -> str:
    """How often a permission was used."""
    return f"Used {count(row.uses, 'time', 'times')}, last at {last}." if row.uses else "Not used yet."


def permissions_over(number: int) -> str:
    """The way to permissions that don't hold any more."""
    return f"{count(number, 'permission', 'permissions')} that no longer hold"


def permission_ended(row: GrantRow, now: datetime) -> str:
    """Why a permission doesn't hold any more."""
    if row.revoked_at is not None:
        return "taken back"
    if row.expires_at is not None and row.expires_at <= now:
        return "its time is over"
    return "used up"


def taken_back(row: GrantRow) -> str:
    """A permission was taken back."""
    return f"{row.tool} asks again about {row.subject.label}."
