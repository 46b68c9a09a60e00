"""Config versions: every text that was ever applied, and the drafts that were not yet."""

from hashlib import sha256
from typing import Any

from workbench.store.codec import canonical, encodable, encode
from workbench.store.database import Database, execute, insert
from workbench.store.errors import NotFound, StaleBase
from workbench.store.records import ConfigDraft, ConfigVersion
from workbench.store.rows import RowShape

_SHAPE = RowShape(ConfigVersion, json=("variables",))
_KEPT = 64
_SELECT = f"SELECT {_SHAPE.select('v')} FROM config_versions v "


class Configs:
    """The config versions and drafts."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._versions: dict[int, ConfigVersion] = {}
        """Versions read lately; they never change."""

    def save(
        self,
        name: str,
        file: str,
        folder: str,
        text: str,
        variables: dict[str, Any],
        *,
        by: str,
        based_on: int | None = None,
        entry: str,
    ) -> ConfigVersion:
        """Make a text the newest version of its file, durably, and drop the file's draft if it is this text.

        The newest version is returned as it is when nothing differs: text, folder, entry and variables. Raises
        StaleBase when `based_on` names a version that is no longer the newest.
        """
        kept = encodable(text)
        with self._db.transaction(durable=True) as connection:
            execute(connection, "DELETE FROM config_drafts WHERE file = ? AND text = ?", (file, kept))
            newest = self.newest(file)
            if newest is not None:
                same = (newest.text, newest.folder, newest.entry, newest.name) == (kept, folder, entry, name)
                if same and canonical(newest.variables) == canonical(variables):
                    return newest
                if based_on is not None and based_on != newest.number:
                    raise StaleBase(newest, based_on)
            insert(
                connection,
                "config_versions",
                {
                    "file": file,
                    "number": 1 if newest is None else newest.number + 1,
                    "name": name,
                    "folder": folder,
                    "entry": entry,
                    "text": kept,
                    "variables": encode(variables),
                    "sha256": sha256(kept.encode("utf-8")).hexdigest(),
                    "by": by,
                    "based_on": based_on,
                    "created_at": self._db.now(),
                },
            )
            saved = self.newest(file)
            if saved is None:
                raise NotFound("The version that was just saved is not there.")
            return saved

    def newest(self, file: str) -> ConfigVersion | None:
        """The version of a file that the next message uses."""
        row = self._db.one(
            "SELECT v.id FROM config_versions v WHERE v.file = ? ORDER BY v.number DESC LIMIT 1", (file,)
        )
        return None if row is None else self.get(row[0])

    def get(self, id: int) -> ConfigVersion | None:
        """The version with this id."""
        kept = self._versions.get(id)
        if kept is not None:
            return kept
        row = self._db.one(_SELECT + "WHERE v.id = ?", (id,))
        if row is None:
            return None
        version = _SHAPE.of(row)
        # One read inside a transaction may yet be undone, and its number given to another.
        if not self._db.in_transaction:
            if len(self._versions) >= _KEPT:
                self._versions = {}
            self._versions[id] = version
        return version

    def require(self, id: int) -> ConfigVersion:
        """Like `get`, and raises NotFound where there is none."""
        version = self.get(id)
        if version is None:
            raise NotFound("There is no config version with this id.")
        return version

    def list(self, file: str | None = None) -> list[ConfigVersion]:
        """The versions of a file, the newest first; without a file, of every file."""
        rows = self._db.all(
            _SELECT + "WHERE ?1 IS NULL OR v.file = ?1 ORDER BY v.file, v.number DESC", (file,)
        )
        return [_SHAPE.of(row) for row in rows]

    def save_draft(self, file: str, text: str, by: str, reason: str) -> ConfigDraft:
        """Keep a text that is not applied, in place of an earlier draft of the file."""
        draft = ConfigDraft(file, encodable(text), by, reason, self._db.now())
        self._db.run(
            'INSERT OR REPLACE INTO config_drafts (file, text, "by", reason, created_at) VALUES (?, ?, ?, ?, ?)',
            (draft.file, draft.text, draft.by, draft.reason, draft.created_at),
        )
        return draft

    def draft(self, file: str) -> ConfigDraft | None:
        """The file's text that is not applied, if there is one."""
        row = self._db.one(
            'SELECT file, text, "by", reason, created_at FROM config_drafts WHERE file = ?', (file,)
        )
        return None if row is None else ConfigDraft(*row)

    def drop_draft(self, file: str) -> None:
        """Forget the file's draft; it is fine if there is none."""
        self._db.run("DELETE FROM config_drafts WHERE file = ?", (file,))
