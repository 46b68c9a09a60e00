"""What a card says."""

from typing import Literal

from workbench.policy import RequestKind, Scope, Verdict, whole_tool
from workbench.runs.views import Card, DecisionLine

PATH_JOINT = " › "
APPROVE = "Approve once"
APPROVE_EDITED = "Approve the edited call once"
EDIT = "Edit…"
DENY = "Deny…"
DENY_NOW = "Deny"
SKIP = "Skip"
BACK = "Back"
SUBMIT = "Submit"
CLOSE_EXPIRED = "Close as expired"
REVEAL = "Show the hidden values"
CONCEAL = "Hide them again"
IT_HAPPENED = "Go on with this result"
APPROVE_HELP = "Runs exactly the call shown here, once. Asks again next time."
APPROVE_EDITED_HELP = "Runs the call with your changes, once. The agent is told that you changed it."
EDIT_HELP = "Change the values before the call runs. You see the difference before you confirm."
DENY_HELP = "The call does not run. You can give the agent a reason."
SKIP_HELP = "The call does not run, and the agent reads that you did not decide."
SKIP_QUESTION_HELP = "The agent reads that you did not answer, and goes on."
SHOW_RULE_HELP = "Open the policy at this line."
ASK_AGAIN_HELP = "Closes this card, runs nothing, and puts the same call to you under the newest policy."
EDITED = "Ran with these changes:"
AGENT_READS = "What the agent reads:"
BEFORE = "Approved with:"
NOW = "Would run with:"
EMPTY_TEXT = "empty text"
EMPTY_LIST = "empty list"
EMPTY_OBJECT = "empty object"
NO_INPUT = "This call has no arguments."
MASKED = "Values that look like secrets are hidden."
ASKED_BEFORE = (
    "This call was approved with other values, and they changed before it ran. Both are shown; nothing ran."
)
LATE = (
    "Approving runs nothing any more. Close it to let the agent go on, or deny it with a reason of your own."
)


def asked(at: str) -> str:
    """When a card was put to the person."""
    return f"asked {at}"


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
    if len(agents) < 2:
        return "".join(agents)
    return f"{', '.join(agents[:-1])} and {agents[-1]}"


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
    offered = " or ".join(reach[scope] for scope in verdict.scopes)
    rule = f" (line {verdict.line})" if verdict.line is not None else ""
    return f"v{number}: asks{rule} about {verdict.subject.label}; you may approve {offered}"


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


def with_key(help: str, shortcut: str | None) -> str:
    """The help on a button, with the key that presses it."""
    return f"{help} Key: {shortcut}." if shortcut else help


def covered(card: Card) -> str:
    """What a remembered decision would be about."""
    return f"every {card.tool}" if is_whole_tool(card) else card.subject.label


def is_whole_tool(card: Card) -> bool:
    """Whether a decision about this card covers its tool altogether."""
    return card.subject.key == whole_tool(card.tool).key


def covers(scope: Scope, card: Card) -> str:
    """What a wider decision would let happen without asking."""
    about = "" if is_whole_tool(card) else f" about {card.subject.label}"
    if scope == "thread":
        return (
            f"“Allow for this chat”: until this chat ends, every {card.tool} call{about} runs without asking."
        )
    return (
        f"“Always allow”: in every chat, until someone takes it back, every {card.tool} call by {card.agent_title}"
        f"{about} runs without asking."
    )


def expired(at: str) -> str:
    """Over a card whose deadline passed."""
    return f"The time to approve this ended at {at}. {LATE}" if at else LATE


def doubt(card: Card) -> str:
    """What is not known about a call."""
    what = card.because_sentence.removeprefix("Asked because ").partition(" while this call was running")[0]
    stopped = what or "the app stopped"
    return (
        f"{stopped[:1].upper()}{stopped[1:]} while {card.tool} was running. It may have happened, and nothing "
        "here can tell. "
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


UNLIMITED = "as long as the button says"
LASTS = "A wider choice lasts"
LASTS_HELP = "When it ends, calls ask again."
LIMITS: dict[str, tuple[int | None, int | None]] = {
    UNLIMITED: (None, None),
    "for the next call": (1, None),
    "for the next 5 calls": (5, None),
    "for an hour": (None, 3600),
    "for a day": (None, 86_400),
}
"""How long a remembered permission may last: uses and seconds."""


def held(line: DecisionLine) -> str:
    """An answer that counts once all of its pause are there."""
    said = {"approved": "approved this", "denied": "said no to this", "skipped": "skipped this"}
    what = said.get(line.decision, "answered this")
    return f"{line.who} {what}. It counts once every card of this pause is answered: they are handed on together."
