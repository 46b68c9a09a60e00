"""What the transcript says: how calls were decided, how runs ended."""

from collections.abc import Sequence

from workbench.policy import Decision
from workbench.runs.views import CallItem, DecisionLine, RunView
from workbench.ui.words.times import count, lasted, size

YOU = "you"

TRY_AGAIN = "Try again"
TRY_AGAIN_HELP = "Runs the same step again from where it stopped. Calls that already ran are not run again."
CUT = "The text stops here: the run ended before it did."
REASONING = "Reasoning"
REASONING_NOW = ":shimmer[Reasoning]"
RESULT_HEADING = "Result"
DOWNLOAD_RESULT = "Download the whole result"
NOT_DECIDED = "Not decided yet."
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
        said = "allowed by a remembered permission"
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
            unknown = (item.result_text or "").startswith(("Unknown:", "Given up:"))
            return "may have happened" if unknown else "did not run"


def delegated(calls: Sequence[CallItem]) -> str:
    """What a delegate did, in a line: `2 calls, 1 waits for you`."""
    waiting = sum(call.state == "waiting" and call.decision is None for call in calls)
    parts = [count(len(calls), "call", "calls")] if calls else ["answered"]
    if waiting:
        parts.append(f"{waiting} {'waits' if waiting == 1 else 'wait'} for you")
    return ", ".join(parts)


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
