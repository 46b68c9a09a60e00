"""Conversations: created, found, renamed, deleted for good."""

from typing import Any

from workbench.store.clock import new_id
from workbench.store.database import Database, execute
from workbench.store.errors import ConversationDeleted, ConversationExists, ConversationNotFound
from workbench.store.records import Conversation, Door

_SELECT = """
SELECT c.id, c.title, c.config_file, c.entry, c.door, c.created_at, c.updated_at, c.deleted_at, c.generation,
  coalesce(
    (SELECT max(m.seq) FROM messages m WHERE m.conversation_id = c.id AND m.generation = c.generation),
    (SELECT g.from_seq - 1 FROM message_generations g
      WHERE g.conversation_id = c.id AND g.generation = c.generation),
    0),
  coalesce((SELECT max(e.seq) FROM events e WHERE e.conversation_id = c.id), 0)
FROM conversations c
"""

_ERASED_WITH_IT = (
    "messages",
    "seat_messages",
    "message_bodies",
    "message_generations",
    "events",
    "checkpoints",
    "searchable",
    "uploads",
)


class Conversations:
    """The conversations, living and deleted."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def create(
        self, config_file: str, *, id: str | None = None, title: str = "", door: Door, entry: str
    ) -> Conversation:
        """A new conversation. Raises ConversationDeleted or ConversationExists when the id was used before."""
        chosen = new_id() if id is None else id
        with self._db.transaction() as connection:
            before = self.get(chosen)
            if before is not None and before.deleted_at is not None:
                raise _deleted()
            if before is not None:
                raise ConversationExists("A conversation with this id is there already; open it instead.")
            now = self._db.now()
            execute(
                connection,
                "INSERT INTO conversations (id, title, title_folded, config_file, entry, door, created_at,"
                " updated_at, generation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)",
                (chosen, title, title.casefold(), config_file, entry, door, now, now),
            )
            return self.require(chosen)

    def get(self, id: str) -> Conversation | None:
        """The conversation, deleted or not; None when there never was one."""
        row = self._db.one(_SELECT + "WHERE c.id = ?", (id,))
        return None if row is None else _conversation(row)

    def require(self, id: str) -> Conversation:
        """The living conversation. Raises ConversationNotFound or ConversationDeleted."""
        conversation = self.get(id)
        if conversation is None:
            raise _not_found()
        if conversation.deleted_at is not None:
            raise _deleted()
        return conversation

    def list(
        self, search: str = "", limit: int | None = None, include_deleted: bool = False
    ) -> list[Conversation]:
        """Conversations, the last used first; with `search`, those whose title or messages contain it."""
        where, params = ["1"], list[Any]()
        if not include_deleted:
            where.append("c.deleted_at IS NULL")
        if search:
            where.append(
                "(c.title_folded LIKE ? ESCAPE '\\' OR EXISTS (SELECT 1 FROM searchable s"
                " WHERE s.conversation_id = c.id AND s.text LIKE ? ESCAPE '\\'))"
            )
            params += [_contains(search.casefold())] * 2
        rows = self._db.all(
            f"{_SELECT} WHERE {' AND '.join(where)} ORDER BY c.updated_at DESC, c.rowid DESC LIMIT ?",
            (*params, -1 if limit is None else limit),
        )
        return [_conversation(row) for row in rows]

    def rename(self, id: str, title: str) -> Conversation:
        """Give a living conversation another title."""
        return self._set(id, "title = ?, title_folded = ?", title, title.casefold())

    def touch(self, id: str, title: str | None = None) -> Conversation:
        """Make it the one last used, and give it a title when one is told."""
        if title is None:
            return self._set(id, "updated_at = ?", self._db.now())
        return self._set(
            id, "updated_at = ?, title = ?, title_folded = ?", self._db.now(), title, title.casefold()
        )

    def delete(self, id: str) -> Conversation:
        """Leave a tombstone: the id is never used again, and what was said is erased.

        Runs, requests and the journal stay, so that a call that is under way can still be recorded; decisions stay
        with their own copy of what they were about. Its lease is taken from whoever holds it. Deleting it again
        changes nothing.
        """
        with self._db.transaction() as connection:
            before = self.get(id)
            if before is None:
                raise _not_found()
            if before.deleted_at is None:
                if (seen := self._db.alive) is not None:
                    seen.discard(id)
                execute(
                    connection, "UPDATE conversations SET deleted_at = ? WHERE id = ?", (self._db.now(), id)
                )
                for table in _ERASED_WITH_IT:
                    execute(connection, f"DELETE FROM {table} WHERE conversation_id = ?", (id,))
                execute(
                    connection,
                    "DELETE FROM drafts WHERE key IN (SELECT id FROM requests WHERE conversation_id = ?)",
                    (id,),
                )
                execute(
                    connection,
                    "UPDATE leases SET token = token + 1, expires_at = '', holder = '' WHERE conversation_id = ?",
                    (id,),
                )
            return self._any(id)

    def _set(self, id: str, assignment: str, *values: str) -> Conversation:
        with self._db.writing() as connection:
            changed = execute(
                connection,
                f"UPDATE conversations SET {assignment} WHERE id = ? AND deleted_at IS NULL",
                (*values, id),
            ).rowcount
            if not changed:
                self.require(id)
            return self._any(id)

    def _any(self, id: str) -> Conversation:
        return _conversation(self._db.one(_SELECT + "WHERE c.id = ?", (id,)))


def check_alive(db: Database, id: str) -> None:
    """Raise ConversationNotFound or ConversationDeleted unless the conversation can be written to."""
    seen = db.alive
    if seen is not None and id in seen:
        return
    row = db.one("SELECT deleted_at FROM conversations WHERE id = ?", (id,))
    if row is None:
        raise _not_found()
    if row[0] is not None:
        raise _deleted()
    if seen is not None:
        seen.add(id)


def _conversation(row: Any) -> Conversation:
    return Conversation(*row)


def _contains(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _not_found() -> ConversationNotFound:
    return ConversationNotFound("There is no conversation with this id. It may belong to another database.")


def _deleted() -> ConversationDeleted:
    return ConversationDeleted("This conversation was deleted. Start a new one; its id is not used again.")
