"""Every sentence the pieces put on screen, in one place and in one voice.

Plain text in, plain text out: whoever shows a sentence in a place that reads Markdown escapes it there
(:func:`workbench.ui.text.label`).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Literal

from workbench.policy import Decision, RequestKind, Scope, Verdict, whole_tool
from workbench.runs.views import CallItem, Card, ConversationRow, DecisionLine, RunView, WaitingRow

PATH_JOINT = " › "
YOU = "you"

# Buttons: verbs.
APPROVE = "Approve once"
APPROVE_EDITED = "Approve the edited call once"
EDIT = "Edit…"
DENY = "Deny…"
DENY_NOW = "Deny"
SKIP = "Skip"
BACK = "Back"
SUBMIT = "Submit"
CLOSE_EXPIRED = "Close as expired"
TRY_AGAIN = "Try again"
REVEAL = "Show the hidden values"
CONCEAL = "Hide them again"

# Help on buttons.
APPROVE_HELP = "Runs exactly the call shown here, once. Asks again next time."
APPROVE_EDITED_HELP = "Runs the call with your changes, once. The agent is told that you changed it."
EDIT_HELP = "Change the values before the call runs. You see the difference before you confirm."
DENY_HELP = "The call does not run. You can give the agent a reason."
SKIP_HELP = "The call does not run, and the agent reads that you did not decide."
SKIP_QUESTION_HELP = "The agent reads that you did not answer, and goes on."
SHOW_RULE_HELP = "Open the policy at this line."

# Labels of fields.
REASON = "Reason (optional)"
REASON_PLACEHOLDER = "What should the agent know? It reads this."
OTHER = "Other…"
OTHER_FIELD = "Your own answer"
FREE_ANSWER = "Your answer"
SEND_AS = "Send as"
RESULT = "What did the call return?"
RESULT_PLACEHOLDER = "The agent reads this as the call's result."

# Forms.
NULL = "no value (null)"
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
PLACEHOLDERS: dict[str, str] = {"number": "12.50", "integer": "12", "date": "2026-03-31"}

RESET = "Start over"
SEVERAL = "Choose one or more."
AS_TEXT = "Text"
AS_JSON = "JSON"
SEND_AS_HELP = "Text is sent as you typed it. JSON is for true, 12, null or a whole object."
CORRECT_FIRST = "Correct what is marked first."
NOTHING_ENTERED = "Nothing is entered yet."
IT_HAPPENED = "Go on with this result"
ASK_AGAIN_HELP = "Closes this card, runs nothing, and puts the same call to you under the newest policy."
TRY_AGAIN_HELP = "Runs the same step again from where it stopped. Calls that already ran are not run again."
CUT = "The text stops here: the run ended before it did."
REASONING = "Reasoning"
REASONING_NOW = ":shimmer[Reasoning]"
RESULT_HEADING = "Result"
DOWNLOAD_RESULT = "Download the whole result"
NOT_DECIDED = "Not decided yet."
NOT_THERE = "nothing"
EDITED = "Ran with these changes:"
AGENT_READS = "What the agent reads:"
BEFORE = "Approved with:"
NOW = "Would run with:"

EMPTY_TEXT = "empty text"
EMPTY_LIST = "empty list"
EMPTY_OBJECT = "empty object"
NO_INPUT = "This call has no arguments."
MASKED = "Values that look like secrets are hidden."
UNCHANGED = "Nothing is changed yet. The values are as the agent asked."
DIFFERENCE = "What you changed"
LOOK_FIRST = "Look at the difference first: your last change was not shown yet. Nothing ran."
ASKED_BEFORE = (
    "This call was approved with other values, and they changed before it ran. Both are shown; nothing ran."
)
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

LATE = (
    "Approving came too late for this one: the deadline has passed, so the call will not run. "
    "Close it to let the agent go on, or say no in your own words."
)


def count(number: int, one: str, many: str) -> str:
    """`1 thing`, `3 things`."""
    return f"{number:,} {one if number == 1 else many}"


def when(at: datetime, now: datetime, zone: tzinfo | None) -> str:
    """A moment as a person says it: the time today, otherwise the day with it."""
    local, today = at.astimezone(zone), now.astimezone(zone).date()
    clock = f"{local:%H:%M}"
    if local.date() == today:
        return clock
    if local.date() == today - timedelta(days=1):
        return f"yesterday {clock}"
    day = f"{local.day} {local:%b}"
    return f"{day} {clock}" if local.year == today.year else f"{day} {local.year} {clock}"


def day(at: datetime, now: datetime, zone: tzinfo | None) -> str:
    """The heading a conversation is listed under."""
    age = (now.astimezone(zone).date() - at.astimezone(zone).date()).days
    if age <= 0:
        return "Today"
    if age == 1:
        return "Yesterday"
    if age < 7:
        return "This week"
    return f"{at.astimezone(zone):%B %Y}"


def time_left(expires_at: datetime, now: datetime) -> str:
    """How long a card can still be approved."""
    seconds = int((expires_at - now).total_seconds())
    if seconds <= 0:
        return "Time is up"
    if seconds < 3600:
        return f"{seconds // 60}:{seconds % 60:02d} left"
    if seconds < 86_400:
        return f"{seconds // 3600} h {seconds % 3600 // 60} min left"
    return f"{count(seconds // 86_400, 'day', 'days')} left"


def lasted(seconds: float) -> str:
    """A length of time."""
    if seconds < 0.05:
        return "under 0.1 s"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def size(characters: int) -> str:
    """How long a text is."""
    return count(characters, "character", "characters")


def path(agent_path: tuple[str, ...]) -> str:
    """`coordinator › analyst`."""
    return PATH_JOINT.join(agent_path)


def asks(kind: RequestKind) -> str:
    """What stands between the agent's name and the tool's."""
    match kind:
        case "approval":
            return "wants to run"
        case "tool_approval":
            return "needs your approval for"
        case "tool_interrupt":
            return "needs something from you for"
        case "question":
            return "asks you"
        case "doubt":
            return "was running"


def needs_you(number: int, agent: str) -> str:
    """The heading over the cards of one pause."""
    things = "1 thing needs" if number == 1 else f"{number} things need"
    return f"{things} you before {agent} can go on"


def progress(left: int, total: int) -> str:
    """How far one is with the cards of a pause."""
    if left == total:
        return f"Decide them in any order; {agent_goes_on()}"
    return f"{total - left} of {total} decided, {left} left. What you decided is kept."


def goes_on(agents: tuple[str, ...]) -> str:
    """Who waits: one agent by name, several by their names."""
    if len(agents) == 1:
        return agents[0]
    return f"{', '.join(agents[:-1])} and {agents[-1]}"


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


def show_line(line: int) -> str:
    """The way from a card to the rule that asked."""
    return f"Line {line}"


def ask_again(number: int) -> str:
    """Raises a request anew."""
    return f"Ask again under v{number}"


def verdict_under(number: int, verdict: Verdict | None) -> str:
    """What one config version says of a call."""
    if verdict is None:
        return f"v{number}: this tool is not there any more"
    if verdict.outcome == "run":
        return f"v{number}: would run without asking"
    reach = {"once": "once", "thread": "for this chat", "always": "always"}
    offered = ", ".join(reach[scope] for scope in verdict.scopes)
    rule = f" (line {verdict.line})" if verdict.line is not None else ""
    return f"v{number}: asks{rule}, about “{verdict.subject.label}”; you may approve {offered}"


def reason(text: str) -> str:
    """Why a person said no."""
    return f"Reason: {text}"


def agent_goes_on() -> str:
    """When a run continues."""
    return "the run goes on when all are decided."


def allow(scope: Scope, card: Card) -> str:
    """A button's label: the scope and, in the same breath, what it covers."""
    start = "Allow for this chat" if scope == "thread" else "Always allow"
    return f"{start}: {covered(card)}"


def covered(card: Card) -> str:
    """What a remembered decision would be about."""
    return f"every {card.tool}" if is_whole_tool(card) else card.subject.label


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


def is_whole_tool(card: Card) -> bool:
    """Whether a decision about this card covers its tool altogether."""
    return card.subject.key == whole_tool(card.tool).key


def covers(scope: Scope, card: Card) -> str:
    """What a wider decision would let happen without asking."""
    about = "" if is_whole_tool(card) else f" about “{card.subject.label}”"
    calls = f"every {card.tool} call{about}"
    if scope == "thread":
        return f"“Allow for this chat” lets {calls} run without asking, until this chat ends."
    return (
        f"“Always allow” lets {calls} by {card.agent_title} run without asking, in every chat, "
        "until someone takes it back."
    )


def expired(card: Card, at: str) -> str:
    """Over a card whose deadline passed."""
    return f"The time to approve this ended at {at}. {LATE}" if at else LATE


def doubt(card: Card, started: str) -> str:
    """What is not known about a call."""
    begun = f" It started at {started}." if started else ""
    return (
        f"The app stopped while {card.tool} was running. It may have happened, and nothing here can tell.{begun} "
        "Look where its effect would show, then choose."
    )


def doubt_choice(choice: Literal["happened", "run_again", "gave_up"], card: Card) -> tuple[str, str]:
    """A choice about a doubt: what the button says, and what follows."""
    match choice:
        case "happened":
            return (
                "It happened…",
                "The call is not run again. You say what it returned, and the agent goes on from there.",
            )
        case "run_again":
            return (
                "Run it again",
                f"{card.tool} runs once more with the same values. If it had happened, it happens twice.",
            )
        case "gave_up":
            return (
                "Give up",
                "The call is not run again. The agent reads that nobody knows whether it happened.",
            )


DECIDED: dict[Decision, str] = {
    "answered": "answered",
    "approved": "approved",
    "denied": "denied",
    "skipped": "skipped",
    "expired": "expired",
    "superseded": "asked again",
    "happened": "confirmed as happened",
    "run_again": "run again",
    "gave_up": "given up",
    "unknown": "left unknown",
}

ICONS: dict[Decision, str] = {
    "answered": ":material/chat:",
    "approved": ":material/check_circle:",
    "denied": ":material/block:",
    "skipped": ":material/skip_next:",
    "expired": ":material/timer_off:",
    "superseded": ":material/autorenew:",
    "happened": ":material/task_alt:",
    "run_again": ":material/replay:",
    "gave_up": ":material/flag:",
    "unknown": ":material/help:",
}


def decided(line: DecisionLine, *, edited: bool, not_run: bool, at: str) -> str:
    """`approved once by tester at 14:02, edited`: who decided what, and when."""
    reach = {"once": " once", "thread": " for this chat", "always": " always"}.get(line.scope or "", "")
    said = DECIDED[line.decision] + (reach if line.decision == "approved" else "")
    if line.by == "permission":
        said = (
            f"allowed by a remembered permission of {line.who}"
            if line.who
            else "allowed by a remembered permission"
        )
    elif line.by == "deadline" or line.decision == "expired":
        said = f"expired, answered late by {line.who}" if line.who else "expired"
    elif line.who:
        said += f" by {line.who}"
    parts = [f"{said} at {at}" if at else said]
    if edited:
        parts.append("edited")
    if not_run:
        parts.append("did not run: the person moved on")
    return ", ".join(parts)


def call_state(item: CallItem) -> str:
    """What stands beside a tool's name in the transcript."""
    match item.state:
        case "proposed":
            return "about to be decided"
        case "waiting":
            return "waits for you"
        case "running":
            return "running"
        case "finished":
            return "ran"
        case "failed":
            return "failed"
        case "closed":
            return "did not run"


def question_state(item: CallItem) -> str:
    """What stands beside a question in the transcript."""
    if item.decision is not None:
        return f"{DECIDED[item.decision.decision]} by {item.decision.who}".removesuffix(" by ")
    return "waits for your answer" if item.state == "waiting" else call_state(item)


def sentence(text: str) -> str:
    """A phrase as a sentence of its own."""
    return f"{text[:1].upper()}{text[1:]}."


def result_part(shown: int, whole: int) -> str:
    """Over the first part of a long result."""
    return f"Result: the first {shown:,} of {size(whole)}"


def show_earlier(some: int, hidden: int) -> str:
    """The way to older runs of a long conversation."""
    rest = "" if some == hidden else f" of {hidden:,}"
    return f"Show {some}{rest} earlier"


def run_state(view: RunView) -> str:
    """How a run ended, when it did not simply finish; empty otherwise."""
    match view.status:
        case "cancelled":
            return "Stopped here. Nothing more of this run will happen."
        case "failed":
            return "The run stopped here. What happened before it is kept."
        case "queued":
            return "About to start."
        case "working" | "paused" | "done":
            return ""


def figures(view: RunView) -> str:
    """Time and tokens of a run, in one line."""
    parts = [] if view.seconds is None else [lasted(view.seconds)]
    if view.usage is not None:
        parts.append(f"{view.usage.input_tokens:,} tokens in, {view.usage.output_tokens:,} out")
    if view.config_number:
        parts.append(f"v{view.config_number}")
    return " · ".join(parts)


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


UNTITLED = "New conversation"


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
