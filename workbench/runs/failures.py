"""What is said of a run that failed: a code for programs, a sentence for people."""

from __future__ import annotations

import traceback
from dataclasses import dataclass

from strands.types.exceptions import (
    ContextWindowOverflowException,
    EventLoopException,
    MaxTokensReachedException,
    ModelThrottledException,
)

from workbench.agents.builder import CannotBuild
from workbench.agents.inside import UnsafeMiddleware
from workbench.agents.models import ModelUnavailable
from workbench.agents.tools import ToolLoadError
from workbench.agents.transcript_rule import TranscriptBroken
from workbench.config import ConfigInvalid, ImportSpecError
from workbench.config.loader import PREFIX
from workbench.config.prompt import PromptUnreadable
from workbench.policy.shown import visible
from workbench.runs.errors import TORN, TeamFailed, TeamTorn, Unanswerable

_LONGEST_DETAIL = 600


@dataclass(frozen=True)
class Failure:
    """Why a run failed."""

    code: str
    message: str


def describe(error: BaseException) -> Failure:
    """Turn an exception into what the person reads; never a traceback."""
    while isinstance(error, EventLoopException) and error.original_exception is not None:
        error = error.original_exception
    match error:
        case ModelUnavailable():
            return Failure("model_unavailable", str(error))
        case ToolLoadError() | ImportSpecError():
            return Failure("tool_unavailable", str(error))
        case CannotBuild() | PromptUnreadable() | UnsafeMiddleware() | Unanswerable():
            return Failure("cannot_build", str(error))
        case TeamFailed():
            return Failure("team_failed", f"The team could not finish: {visible(str(error))}")
        case TeamTorn():
            return Failure(TORN, str(error))
        case ConfigInvalid():
            return Failure("config_invalid", f"This config version no longer loads here: {error}")
        case TranscriptBroken():
            return Failure(
                "transcript_broken",
                f"Nothing was sent to the model, because the transcript would have been refused: {error}",
            )
        case ContextWindowOverflowException():
            return Failure(
                "window_full",
                "The last turn alone is larger than the model's window. Start a new "
                "conversation, or send less.",
            )
        case MaxTokensReachedException():
            return Failure(
                "max_tokens",
                "The model stopped at its token limit. Raise max_tokens in the model's "
                "params, or send a message to go on.",
            )
        case ModelThrottledException():
            return Failure(
                "model_throttled", f"The model's provider is refusing calls for now: {_detail(error)}"
            )
        case _:
            place = _own_code(error)
            if place is not None:
                return Failure("code_failed", f"Code of the config failed, {place}: {_detail(error)}")
            return Failure("model_failed", f"The model failed: {_detail(error)}")


def _own_code(error: BaseException) -> str | None:
    """Say where the config's own code (a hook, a model, a condition) raised this, if it did."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        package, _, module = str(frame.f_globals.get("__name__", "")).partition(".")
        if package.startswith(PREFIX):
            found = f"{module.replace('.', '/')}.py line {line}"
    return found


def _detail(error: BaseException) -> str:
    text = visible(str(error)).strip() or "no reason given"
    name = type(error).__name__
    if len(text) > _LONGEST_DETAIL:
        text = text[:_LONGEST_DETAIL] + "…"
    return f"{text} ({name})"
