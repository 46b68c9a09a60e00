"""Talking: a message, Stop, another try; and what each of them closes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.policy.notes import CANCELLED, NOT_RUN_MOVED_ON, SKIPPED_BY_MESSAGE, UNKNOWN_CALL
from workbench.runs.answers import Answers
from workbench.runs.cards import Cards
from workbench.runs.errors import Busy, MessageRefused, NothingToDo
from workbench.runs.shelf import Shelf
from workbench.runs.terms import KEY, Terms
from workbench.runs.views import MessageWarning
from workbench.store import Conversation, ConversationBusy, Door, Request, Run, Store

LONGEST_MESSAGE = 200_000
"""Characters of one message; a longer one is refused, with its length."""
_TITLE_LENGTH = 60


class Talk:
    """Queues runs for what a person says."""

    def __init__(self, store: Store, shelf: Shelf, cards: Cards, answers: Answers) -> None:
        self._store = store
        self._shelf = shelf
        self._cards = cards
        self._answers = answers

    def send(
        self,
        row: Conversation,
        text: str,
        *,
        by: str,
        via: Door = "app",
        terms: Terms | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> str:
        """Send a message and return the id of the run that will answer it.

        What waits is closed: open requests as skipped, and what was approved in the same pause does not run.

        Args:
            terms: what the door brings along; by default what its name says.
            more: what else the run's input is to hold.

        Raises:
            MessageRefused: it is empty or too long.
            Busy: a run is working; nothing is queued.
        """
        check_message(text)
        version = self._shelf.current(row.config_file)
        with self._store.transaction(durable=True):
            latest = self._store.runs.latest(row.id)
            if latest is not None and latest.status in ("queued", "working"):
                raise Busy(f"{row.entry} is still working. Stop it, or wait until it is done.")
            closed = self._move_on(latest, by=by, via=via)
            run = self._store.runs.queue(
                row.id,
                config_version_id=version.id,
                kind="message",
                input={
                    "text": text,
                    "by": by,
                    "via": via,
                    **({KEY: terms.to_dict()} if terms else {}),
                    **(more or {}),
                },
            )
            self._store.conversations.touch(row.id, title=None if row.title else _title_of(text))
        self._answers.sets.tell_closed(closed)
        return run.id

    def _move_on(
        self, latest: Run | None, *, by: str, via: Door, note: str = SKIPPED_BY_MESSAGE
    ) -> list[Request]:
        """Close every open request of a conversation's latest run, and mark what was approved and will not run."""
        if latest is None or latest.status != "paused":
            return []
        pause = self._store.requests.of_pause(latest.id)
        self._store.held.drop(latest.id)
        doubts = [one.id for one in pause if one.status == "open" and one.kind == "doubt"]
        others = [one.id for one in pause if one.status == "open" and one.kind != "doubt"]
        closed = self._store.requests.close(others, decision="skipped", note=note, by=by, via=via)
        closed += self._store.requests.close(doubts, decision="unknown", note=UNKNOWN_CALL, by=by, via=via)
        self._store.requests.mark_not_run(
            [one.id for one in pause if one.decision == "approved"],
            note=NOT_RUN_MOVED_ON if note == SKIPPED_BY_MESSAGE else note,
        )
        for request in closed:
            self._answers.announce(request)
        return closed

    def open_for_message(self, conversation_id: str) -> MessageWarning:
        """Say what a message sent now would close."""
        latest = self._store.runs.latest(conversation_id)
        if latest is None or latest.status != "paused":
            return MessageWarning()
        pause = self._store.requests.of_pause(latest.id)
        return MessageWarning(
            open_cards=tuple(self._cards.of_request(one, pause) for one in pause if one.status == "open"),
            approved_not_run=tuple(
                self._cards.of_request(one, pause) for one in pause if one.decision == "approved"
            ),
        )

    def stop(self, row: Conversation, *, by: str, via: Door = "app") -> None:
        """Stop what works or waits in a conversation; it can go on with another message.

        Raises:
            NothingToDo: nothing works and nothing waits.
        """
        with self._store.transaction(durable=True):
            active = self._store.runs.active(row.id)
            if active is not None:
                self._store.runs.request_cancel(active.id)
                return
            latest = self._store.runs.latest(row.id)
            if latest is None or latest.status != "paused":
                raise NothingToDo("Nothing is working or waiting here.")
            closed = self._move_on(latest, by=by, via=via, note=CANCELLED)
            self._store.runs.queue(
                row.id,
                turn_id=latest.turn_id,
                config_version_id=latest.config_version_id,
                kind="stop",
                input={"by": by, "via": via},
            )
        self._answers.sets.tell_closed(closed)

    def retry(self, row: Conversation, *, by: str, via: Door = "app") -> str:
        """Try a failed run again from where it failed, under the newest config, and return the new run's id.

        Raises:
            NothingToDo: the last run did not fail.
            Busy: a run is working.
        """
        version = self._shelf.current(row.config_file)
        latest = self._store.runs.latest(row.id)
        if latest is None or latest.status != "failed":
            raise NothingToDo("The last run did not fail.")
        try:
            return self._store.runs.queue(
                row.id,
                turn_id=latest.turn_id,
                config_version_id=version.id,
                kind="retry",
                input={"by": by, "via": via},
            ).id
        except ConversationBusy:
            raise Busy(f"{row.entry} is already at work again.") from None


def check_message(text: str) -> None:
    """Raise MessageRefused for a message that is empty or too long."""
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise MessageRefused("This message is empty. Type something first.")
    if len(text) > LONGEST_MESSAGE:
        raise MessageRefused(
            f"This message has {len(text):,} characters; the limit is {LONGEST_MESSAGE:,}. Nothing was sent."
        )


def _title_of(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1].rstrip() + "…"
