"""What the pieces need of the engine. The engine is one; so is a test's fake."""

from typing import Any, Protocol

from workbench.policy import Answer
from workbench.runs.views import AnswerOutcome, Card, EditPreview, FileRow


class Desk(Protocol):
    """Where cards are decided."""

    def answer(self, request_id: str, answer: Answer, *, by: str, via: Any = "app") -> AnswerOutcome:
        """Records an answer. Raises `AnswerRefused` with a sentence when it can't be taken."""

    def add_file(self, request_id: str, name: str, data: bytes) -> FileRow:
        """Takes a file for a card that asks for some. Raises `FileRefused` with a sentence when it can't."""

    def drop_file(self, request_id: str, file_id: str) -> None:
        """Takes a file back from a card that is not answered yet."""

    def preview_edit(self, request_id: str, tool_input: dict[str, Any]) -> EditPreview:
        """What an edited call would be. Changes nothing."""

    def ask_again(self, request_id: str, *, by: str) -> Card:
        """Closes an open request as superseded and raises it anew under the newest config."""

    def draft(self, request_id: str) -> dict[str, Any] | None:
        """The half-typed answer to a request, if there is one."""

    def save_draft(self, request_id: str, value: dict[str, Any]) -> None:
        """Keeps a half-typed answer."""
