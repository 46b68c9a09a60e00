"""The schema, as the numbered steps that lead to it. A step that was ever released is never edited."""

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite_utils

APPLICATION_ID: Final = 0x574B4248
"""Written into the file's header: this database is a workbench's ("WKBH")."""

MIGRATION_SET: Final = "workbench"

FIRST: Final = """
CREATE TABLE config_versions (
  id INTEGER PRIMARY KEY, file TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, folder TEXT NOT NULL,
  entry TEXT NOT NULL, text TEXT NOT NULL, variables TEXT NOT NULL, sha256 TEXT NOT NULL, "by" TEXT NOT NULL,
  based_on INTEGER, created_at TEXT NOT NULL, UNIQUE (file, number)
) STRICT;

CREATE TABLE config_drafts (
  file TEXT PRIMARY KEY, text TEXT NOT NULL, "by" TEXT NOT NULL, reason TEXT NOT NULL, created_at TEXT NOT NULL
) STRICT;

CREATE TABLE conversations (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, title_folded TEXT NOT NULL, config_file TEXT NOT NULL,
  entry TEXT NOT NULL, door TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT,
  generation INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_updated ON conversations (updated_at);

CREATE TABLE searchable (
  id INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL, text TEXT NOT NULL
) STRICT;
CREATE INDEX searchable_conversation ON searchable (conversation_id);

CREATE TABLE runs (
  id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL, turn_id TEXT NOT NULL, number INTEGER NOT NULL,
  config_version_id INTEGER NOT NULL, kind TEXT NOT NULL, input TEXT NOT NULL, status TEXT NOT NULL, error TEXT,
  usage TEXT, model_ms INTEGER, created_at TEXT NOT NULL, started_at TEXT, finished_at TEXT,
  cancel_requested INTEGER NOT NULL DEFAULT 0, UNIQUE (conversation_id, number)
) STRICT;
CREATE UNIQUE INDEX runs_active ON runs (conversation_id) WHERE status IN ('queued', 'working');

CREATE TABLE leases (
  conversation_id TEXT PRIMARY KEY, token INTEGER NOT NULL, holder TEXT NOT NULL, expires_at TEXT NOT NULL,
  not_before TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  conversation_id TEXT NOT NULL, seq INTEGER NOT NULL, run_id TEXT NOT NULL, type TEXT NOT NULL,
  data TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (conversation_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_run ON events (run_id, seq);

CREATE TABLE held_answers (
  request_id TEXT PRIMARY KEY, pause_id TEXT NOT NULL, answer TEXT NOT NULL, "by" TEXT NOT NULL, via TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX held_answers_pause ON held_answers (pause_id);
CREATE TABLE held_claims (pause_id TEXT PRIMARY KEY, until TEXT NOT NULL) STRICT;

CREATE TABLE seat_messages (
  conversation_id TEXT NOT NULL, seat TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (conversation_id, seat, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE message_bodies (
  id INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL, tracking_id TEXT NOT NULL, hash BLOB NOT NULL,
  body TEXT NOT NULL, UNIQUE (conversation_id, tracking_id, hash)
) STRICT;
CREATE TABLE messages (
  conversation_id TEXT NOT NULL, generation INTEGER NOT NULL, seq INTEGER NOT NULL, body_id INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, generation, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE message_generations (
  conversation_id TEXT NOT NULL, generation INTEGER NOT NULL, parent INTEGER, from_seq INTEGER NOT NULL,
  created_at TEXT NOT NULL, PRIMARY KEY (conversation_id, generation)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, conversation_id TEXT NOT NULL, format INTEGER NOT NULL,
  generation INTEGER NOT NULL, last_message_seq INTEGER NOT NULL, data TEXT NOT NULL, created_at TEXT NOT NULL
) STRICT;
CREATE INDEX checkpoints_conversation ON checkpoints (conversation_id);

CREATE TABLE requests (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, conversation_id TEXT NOT NULL, run_id TEXT NOT NULL,
  turn_id TEXT NOT NULL, pause_id TEXT NOT NULL, config_version_id INTEGER NOT NULL, kind TEXT NOT NULL,
  agent TEXT NOT NULL, agent_path TEXT NOT NULL, tool TEXT NOT NULL, tool_call_id TEXT NOT NULL,
  call_key TEXT NOT NULL, input TEXT NOT NULL, digest TEXT NOT NULL, message TEXT NOT NULL,
  description TEXT NOT NULL, input_schema TEXT, response_schema TEXT, verdict TEXT, subject_key TEXT NOT NULL,
  subject_label TEXT NOT NULL, scopes TEXT NOT NULL, expires_at TEXT, status TEXT NOT NULL DEFAULT 'open',
  decision TEXT, scope TEXT, reason TEXT, answer TEXT, executed_input TEXT, edited INTEGER NOT NULL DEFAULT 0,
  note TEXT, not_run INTEGER NOT NULL DEFAULT 0, "by" TEXT, via TEXT, created_at TEXT NOT NULL, decided_at TEXT,
  metadata TEXT NOT NULL, CHECK ((status = 'open') = (decision IS NULL))
) STRICT;
CREATE INDEX requests_conversation ON requests (conversation_id);
CREATE INDEX requests_pause ON requests (pause_id);
CREATE INDEX requests_call ON requests (call_key);
CREATE INDEX requests_open ON requests (conversation_id) WHERE status = 'open';
CREATE TRIGGER requests_first_answer_wins BEFORE UPDATE OF status, decision, scope, answer, executed_input, "by"
  ON requests WHEN OLD.status = 'decided'
  BEGIN SELECT RAISE(ABORT, 'a decided request keeps its decision'); END;

CREATE TABLE decisions (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, conversation_id TEXT NOT NULL,
  conversation_title TEXT NOT NULL, run_id TEXT NOT NULL, turn_id TEXT NOT NULL, call_key TEXT NOT NULL,
  config_name TEXT, config_number INTEGER, config_version_id INTEGER NOT NULL, kind TEXT NOT NULL,
  agent TEXT NOT NULL, agent_path TEXT NOT NULL, tool TEXT NOT NULL, tool_call_id TEXT NOT NULL,
  input TEXT NOT NULL, message TEXT NOT NULL, description TEXT NOT NULL, verdict TEXT, subject_key TEXT NOT NULL,
  subject_label TEXT NOT NULL, scopes TEXT NOT NULL, asked_at TEXT NOT NULL, expires_at TEXT,
  decision TEXT NOT NULL, scope TEXT, reason TEXT, answer TEXT, executed_input TEXT, edited INTEGER NOT NULL,
  note TEXT, "by" TEXT NOT NULL, via TEXT NOT NULL, decided_at TEXT NOT NULL
) STRICT;
CREATE INDEX decisions_conversation ON decisions (conversation_id);
CREATE TABLE decision_remarks (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL, remark TEXT NOT NULL, at TEXT NOT NULL
) STRICT;
CREATE INDEX decision_remarks_request ON decision_remarks (request_id);
CREATE TRIGGER decisions_are_not_edited BEFORE UPDATE ON decisions
  BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
CREATE TRIGGER decisions_are_not_deleted BEFORE DELETE ON decisions
  BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
CREATE TRIGGER decision_remarks_are_not_edited BEFORE UPDATE ON decision_remarks
  BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
CREATE TRIGGER decision_remarks_are_not_deleted BEFORE DELETE ON decision_remarks
  BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;

CREATE TABLE calls (
  number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, conversation_id TEXT NOT NULL, run_id TEXT NOT NULL,
  turn_id TEXT NOT NULL, config_version_id INTEGER NOT NULL, agent TEXT NOT NULL, agent_path TEXT NOT NULL,
  tool TEXT NOT NULL, kind TEXT NOT NULL, tool_call_id TEXT NOT NULL, input TEXT NOT NULL, digest TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'proposed', verdict TEXT, "by" TEXT, request_id TEXT, grant_id TEXT,
  executed_input TEXT, executed_digest TEXT, result TEXT, result_status TEXT, note TEXT,
  attempts INTEGER NOT NULL DEFAULT 0, proposed_at TEXT NOT NULL, started_at TEXT, finished_at TEXT,
  seats TEXT NOT NULL
) STRICT;
CREATE INDEX calls_conversation ON calls (conversation_id, tool_call_id);
CREATE INDEX calls_turn ON calls (turn_id);
CREATE INDEX calls_open ON calls (conversation_id) WHERE state NOT IN ('finished', 'closed');
CREATE TABLE attempts (
  call_key TEXT NOT NULL, number INTEGER NOT NULL, started_at TEXT NOT NULL, ended_at TEXT, why TEXT,
  PRIMARY KEY (call_key, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, config_name TEXT NOT NULL, agent TEXT NOT NULL,
  tool TEXT NOT NULL, subject_key TEXT NOT NULL, subject_label TEXT NOT NULL, scope TEXT NOT NULL,
  conversation_id TEXT, request_id TEXT UNIQUE, "by" TEXT NOT NULL, via TEXT NOT NULL, created_at TEXT NOT NULL,
  last_used_at TEXT, uses INTEGER NOT NULL DEFAULT 0, max_uses INTEGER, expires_at TEXT, revoked_at TEXT,
  revoked_by TEXT,
  CHECK ((scope = 'thread' AND conversation_id IS NOT NULL) OR (scope = 'always' AND conversation_id IS NULL))
) STRICT;
CREATE INDEX grants_for ON grants (config_name, agent) WHERE revoked_at IS NULL;

CREATE TABLE drafts (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""


UPLOADS: Final = """
CREATE TABLE uploads (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, request_id TEXT NOT NULL, conversation_id TEXT NOT NULL,
  sha256 TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, is_text INTEGER NOT NULL, size INTEGER NOT NULL,
  added_at TEXT NOT NULL
) STRICT;
CREATE INDEX uploads_request ON uploads (request_id);
CREATE INDEX uploads_conversation ON uploads (conversation_id);
CREATE INDEX uploads_content ON uploads (sha256);
"""


def m001_first_release(db: "sqlite_utils.Database") -> None:
    """Everything the first release keeps."""
    _run_all(db, FIRST)


def m002_uploads(db: "sqlite_utils.Database") -> None:
    """The files that people gave."""
    _run_all(db, UPLOADS)


def m003_grants_of_a_process(db: "sqlite_utils.Database") -> None:
    """Permissions that last as long as the process that took them down."""
    _run_all(db, "ALTER TABLE grants ADD COLUMN holder TEXT;")


STEPS: Final = (m001_first_release, m002_uploads, m003_grants_of_a_process)
NAMES: Final = frozenset(step.__name__ for step in STEPS)
RELEASE: Final = len(STEPS)
"""The format's number, kept in the file's header as `user_version`."""


def applied(connection: sqlite3.Connection) -> frozenset[str]:
    """The names of the steps a file has taken, those of newer releases too."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = '_sqlite_migrations'").fetchone() is None:
        return frozenset()
    rows = connection.execute("SELECT name FROM _sqlite_migrations WHERE migration_set = ?", (MIGRATION_SET,))
    return frozenset(row[0] for row in rows)


def ready() -> Callable[[sqlite3.Connection], None]:
    """What takes the steps a file has not taken yet, inside the transaction that is open, and numbers its format.

    To be got before that transaction begins: loading what it needs takes longer than others should have to wait.
    """
    # Imported here: sqlite-utils brings pandas along where there is one, and most starts have nothing to migrate.
    from sqlite_utils import Database, Migrations

    migrations = Migrations(MIGRATION_SET)
    for step in STEPS:
        migrations()(step)

    def take_steps(connection: sqlite3.Connection) -> None:
        migrations.apply(Database(connection, recursive_triggers=False, execute_plugins=False))
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={RELEASE}")

    return take_steps


def _run_all(db: "sqlite_utils.Database", script: str) -> None:
    # Not executescript: that commits what is open, and all the steps are to be one transaction.
    statement = ""
    for part in script.split(";")[:-1]:
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            db.conn.execute(statement)
            statement = ""
