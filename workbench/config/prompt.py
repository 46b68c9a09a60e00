"""Instructions kept in a file beside the config."""

from pathlib import Path

from workbench.config.inside import Outside, file_inside

LONGEST_PROMPT = 1024 * 1024
"""In bytes."""


class PromptUnreadable(ValueError):
    """A `system_prompt_file` that gives no instructions; the message says why."""

    def __init__(self, message: str, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.suggestion = suggestion


def read_prompt(folder: Path, written: str) -> str:
    """The text of a `system_prompt_file`; variables are not filled in there. Raises PromptUnreadable."""
    try:
        path = file_inside(folder, written)
        data = path.read_bytes()
    except Outside as error:
        raise PromptUnreadable(str(error), error.suggestion) from None
    except OSError as error:
        raise PromptUnreadable(f"{written!r} can't be read: {error.strerror}") from None
    if len(data) > LONGEST_PROMPT:
        raise PromptUnreadable(f"{written!r} is {len(data):,} bytes long; {LONGEST_PROMPT:,} are the limit")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PromptUnreadable(f"{written!r} is not UTF-8 text (byte {error.start})") from None
