"""The engine: the one typed client that the app, the HTTP service and the notebook share.

It only reads and writes the store. Runs happen in a :class:`workbench.runs.worker.Worker`, in this process
or in another one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.agents.results import result_text
from workbench.config import ConfigInvalid, DelegateConfig, Parsed
from workbench.policy import Answer
from workbench.runs.answer_set import AnswerSets
from workbench.runs.answers import Answers
from workbench.runs.cards import Cards
from workbench.runs.desk import ConfigDesk
from workbench.runs.errors import ConversationUnknown
from workbench.runs.permissions import Permissions
from workbench.runs.shelf import ConfigRow, DiskChange, Shelf
from workbench.runs.talk import Talk
from workbench.runs.terms import Terms
from workbench.runs.transcripts import Transcripts
from workbench.runs.views import (
    AnswerOutcome,
    Card,
    ConversationPage,
    ConversationRow,
    ConversationStatus,
    EditPreview,
    FileRow,
    MessageWarning,
    RunView,
    WaitingRow,
)
from workbench.store import (
    ConfigVersion,
    Conversation,
    Door,
    Run,
    Store,
    as_time,
)


class Engine:
    """Conversations, requests and configs of one database.

    Args:
        store: the open database.
        folder: where the config files are.
    """

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.desk = ConfigDesk(store)
        self.shelf = Shelf(store, folder.resolve(), self.desk.mcp)
        self.cards = Cards(store, self.desk)
        self.answers = Answers(store, self.desk, self.cards)
        self.answer_sets = AnswerSets(store, self.answers)
        self.transcripts = Transcripts(store, self.cards)
        self.permissions = Permissions(store)
        self.talk = Talk(store, self.shelf, self.cards, self.answers)

    # -- conversations ----------------------------------------------------------------------

    def conversations(self, search: str = "", limit: int = 200) -> list[ConversationRow]:
        """List conversations, the latest first."""
        counts = self.store.requests.counts()
        working = {run.conversation_id for run in [*self.store.runs.working(), *self.store.runs.queued()]}
        rows = self.store.conversations.list(search=search, limit=limit)
        one_of_each = {(row.config_file, row.entry): row for row in rows}
        agents = {key: self._title(row) for key, row in one_of_each.items()}
        return [
            ConversationRow(
                id=row.id,
                title=row.title or "New conversation",
                updated_at=as_time(row.updated_at),
                waiting=counts.get(row.id, 0),
                working=row.id in working,
                config_name=Path(row.config_file).stem,
                agent_title=agents[row.config_file, row.entry],
            )
            for row in rows
        ]

    def new_conversation(self, config_file: str, *, title: str = "", door: Door = "app") -> str:
        """Open a conversation with the entry of a config and return its id.

        Raises:
            ConfigUnknown: the config has no valid version.
        """
        version = self.shelf.current(config_file)
        return self.store.conversations.create(version.file, title=title, door=door, entry=version.entry).id

    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title."""
        self._conversation(conversation_id)
        self.store.conversations.rename(conversation_id, title.strip()[:200])

    def delete(self, conversation_id: str, *, by: str) -> None:
        """Delete a conversation: its run is stopped, its requests closed, its grants revoked. Its decisions stay."""
        self._conversation(conversation_id)
        with self.store.transaction(durable=True):
            active = self.store.runs.active(conversation_id)
            if active is not None:
                self.store.runs.request_cancel(active.id)
                if active.status == "queued":
                    self.store.runs.set_status(active.id, "cancelled")
            requests = self.store.requests.of_conversation(conversation_id)
            self.store.requests.close(
                [one.id for one in requests if one.status == "open"],
                decision="skipped",
                note="Skipped: the conversation was deleted",
                by=by,
                via="app",
            )
            approved = [one for one in requests if one.decision == "approved"]
            self.store.requests.mark_not_run(
                [one.id for one in approved if self._is_unstarted(one.call_key)],
                note="Not run: the conversation was deleted",
            )
            self.store.grants.revoke_of_conversation(conversation_id, by)
            self.store.conversations.delete(conversation_id)
        self.cards.uploads.sweep()

    def conversation(self, conversation_id: str) -> ConversationPage:
        """Return the head of a conversation.

        Raises:
            ConversationUnknown: there is none with this id, or it was deleted.
        """
        row = self._conversation(conversation_id)
        latest = self.store.runs.latest(row.id)
        pause = self.store.requests.of_pause(latest.id) if latest and latest.status == "paused" else []
        newest = self.store.configs.newest(row.config_file)
        ran_with = self.store.configs.get(latest.config_version_id) if latest else None
        working = latest is not None and latest.status in ("queued", "working")
        return ConversationPage(
            id=row.id,
            title=row.title or "New conversation",
            config_file=row.config_file,
            config_name=Path(row.config_file).stem,
            entry=row.entry,
            agent_title=self._title(row),
            status=_status(latest),
            version_number=ran_with.number if ran_with else 0,
            newest_number=newest.number if newest else 0,
            running_run_id=latest.id if working and latest else None,
            stopping=bool(working and latest and latest.cancel_requested),
            open_cards=tuple(self.cards.of_request(one, pause) for one in pause if one.status == "open"),
            last_error=(latest.error or {}).get("message") if latest and latest.status == "failed" else None,
            last_event_seq=self.store.events.last_seq(row.id),
        )

    def run_views(self, conversation_id: str, *, last: int | None = None) -> list[RunView]:
        """Return the transcript: the runs in order, the last ``last`` of them when given."""
        return self.transcripts.views(conversation_id, last=last)

    def call_result(self, call_key: str) -> str | None:
        """Return the whole result of a call as text, or None while it has none."""
        record = self.store.journal.get(call_key)
        return result_text(record.result) if record is not None and record.result is not None else None

    # -- talking ----------------------------------------------------------------------------

    def send(
        self, conversation_id: str, text: str, *, by: str, via: Door = "app", terms: Terms | None = None
    ) -> str:
        """Send a message; see :meth:`workbench.runs.talk.Talk.send`."""
        return self.talk.send(self._conversation(conversation_id), text, by=by, via=via, terms=terms)

    def open_for_message(self, conversation_id: str) -> MessageWarning:
        """Say what a message sent now would close."""
        return self.talk.open_for_message(conversation_id)

    def stop(self, conversation_id: str, *, by: str, via: Door = "app") -> None:
        """Stop what works or waits; see :meth:`workbench.runs.talk.Talk.stop`."""
        self.talk.stop(self._conversation(conversation_id), by=by, via=via)

    def retry(self, conversation_id: str, *, by: str, via: Door = "app") -> str:
        """Try a failed run again; see :meth:`workbench.runs.talk.Talk.retry`."""
        return self.talk.retry(self._conversation(conversation_id), by=by, via=via)

    # -- requests ---------------------------------------------------------------------------

    def card(self, request_id: str) -> Card:
        """Return a request as a card."""
        return self.cards.of_request(self.store.requests.require(request_id))

    def answer(self, request_id: str, answer: Answer, *, by: str, via: Door = "app") -> AnswerOutcome:
        """Record an answer; see :meth:`workbench.runs.answers.Answers.answer`."""
        return self.answers.answer(request_id, answer, by=by, via=via)

    def add_file(self, request_id: str, name: str, data: bytes) -> FileRow:
        """Take a file for a card that asks for some; see :meth:`workbench.runs.uploads.Uploads.add`."""
        return self.cards.uploads.add(request_id, name, data)

    def drop_file(self, request_id: str, file_id: str) -> None:
        """Take a file back; see :meth:`workbench.runs.uploads.Uploads.drop`."""
        self.cards.uploads.drop(request_id, file_id)

    def preview_edit(self, request_id: str, tool_input: dict[str, Any]) -> EditPreview:
        """Say what an edited call would be; nothing is stored."""
        return self.answers.preview_edit(request_id, tool_input)

    def ask_again(self, request_id: str, *, by: str, via: Door = "app") -> Card:
        """Ask again under the newest config; see :meth:`workbench.runs.answers.Answers.ask_again`."""
        return self.answers.ask_again(request_id, by=by, via=via)

    def waiting(self) -> list[WaitingRow]:
        """List every open request, the longest waiting first."""
        rows = []
        for request in self.store.requests.waiting(limit=500):
            conversation = self.store.conversations.require(request.conversation_id)
            rows.append(
                WaitingRow(
                    request_id=request.id,
                    conversation_id=request.conversation_id,
                    conversation_title=conversation.title or "New conversation",
                    kind=request.kind,
                    tool=request.tool,
                    agent_title=request.agent,
                    created_at=as_time(request.created_at),
                    expires_at=as_time(request.expires_at) if request.expires_at else None,
                )
            )
        return rows

    def draft(self, request_id: str) -> dict[str, Any] | None:
        """Return the half-typed answer to a request."""
        return self.store.drafts.get(request_id)

    def save_draft(self, request_id: str, value: dict[str, Any]) -> None:
        """Keep a half-typed answer."""
        self.store.drafts.set(request_id, value)

    # -- configs ----------------------------------------------------------------------------

    def config_files(self) -> list[ConfigRow]:
        """List the config files, picking up what changed on disk."""
        return self.shelf.rows()

    def current(self, file: str) -> ConfigVersion:
        """Return the newest version of a config."""
        return self.shelf.current(file)

    def examples(self, file: str) -> list[str]:
        """Return things to say in a new conversation with a config."""
        listed = self.desk.open(self.shelf.current(file).id).config.extras.get("x-examples")
        return [str(one) for one in listed] if isinstance(listed, (list, tuple)) else []

    def check(self, file: str, text: str) -> Parsed:
        """Validate a text as if it stood in the file."""
        return self.shelf.check(file, text)

    def apply(
        self, file: str, text: str, *, based_on: int | None, by: str, confirmed: bool = False
    ) -> ConfigVersion:
        """Make a text the newest version; see :meth:`workbench.runs.shelf.Shelf.apply`."""
        return self.shelf.apply(file, text, based_on=based_on, by=by, confirmed=confirmed)

    def disk_change(self, file: str) -> DiskChange | None:
        """Say what keeps a change on disk from being live, if anything does."""
        return self.shelf.sync(Path(file))

    # -- inside -----------------------------------------------------------------------------

    def _conversation(self, conversation_id: str) -> Conversation:
        row = self.store.conversations.get(conversation_id)
        if row is None:
            raise ConversationUnknown("There is no conversation with this id.")
        if row.deleted_at is not None:
            raise ConversationUnknown("This conversation was deleted.")
        return row

    def _is_unstarted(self, call_key: str) -> bool:
        call = self.store.journal.get(call_key)
        return call is not None and call.state in ("proposed", "allowed", "waiting")

    def _title(self, row: Conversation) -> str:
        newest = self.store.configs.newest(row.config_file)
        if newest is None:
            return row.entry
        try:
            config = self.desk.open(newest.id).config
        except ConfigInvalid:
            return row.entry
        entry = config.orchestrations.get(row.entry)
        return config.title_of(entry.entry_name if isinstance(entry, DelegateConfig) else row.entry)


def _status(latest: Run | None) -> ConversationStatus:
    match latest.status if latest else "done":
        case "queued" | "working":
            return "working"
        case "paused":
            return "waiting"
        case "failed":
            return "failed"
        case _:
            return "idle"
