"""A pause carried from one database to another: its rows, as JSON values."""

from typing import Any, Final

from workbench.store.database import Connection, Database, execute, insert
from workbench.store.errors import StoreError

_OF_TURN: Final = {
    "runs": "SELECT * FROM runs WHERE conversation_id = :conversation AND turn_id = :turn ORDER BY number",
    "requests": "SELECT * FROM requests WHERE conversation_id = :conversation AND turn_id = :turn ORDER BY number",
    "calls": "SELECT * FROM calls WHERE conversation_id = :conversation AND turn_id = :turn ORDER BY number",
    "attempts": "SELECT a.* FROM attempts a JOIN calls c ON c.key = a.call_key"
    " WHERE c.conversation_id = :conversation AND c.turn_id = :turn ORDER BY a.call_key, a.number",
    "seat_messages": "SELECT * FROM seat_messages WHERE conversation_id = :conversation ORDER BY seat, seq",
    "checkpoints": "SELECT * FROM checkpoints WHERE run_id = :run",
}
_COUNTED_ANEW: Final = {"requests": "number", "calls": "number", "checkpoints": "id"}


class Transfer:
    """Takes a paused turn out of one database and puts it into another."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def take(self, conversation_id: str, turn_id: str, run_id: str) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of a turn that its run `run_id` paused; the conversation's messages are not among them."""
        given = {"conversation": conversation_id, "turn": turn_id, "run": run_id}
        with self._db.transaction() as connection:
            return {table: _rows(connection, sql, given) for table, sql in _OF_TURN.items()}

    def put(
        self,
        rows: dict[str, list[dict[str, Any]]],
        conversation_id: str,
        *,
        config_version_id: int,
        last_message_seq: int,
    ) -> None:
        """Put the rows of a turn into a conversation that has its messages already.

        Raises StoreError when they are another conversation's, or there already.
        """
        with self._db.transaction(durable=True) as connection:
            for table in _OF_TURN:
                known = {row[1] for row in execute(connection, f"PRAGMA table_info({table})").fetchall()} - {
                    _COUNTED_ANEW.get(table)
                }
                for row in rows.get(table, []):
                    if row.get("conversation_id", conversation_id) != conversation_id:
                        raise StoreError("These rows belong to another conversation.")
                    values = {name: value for name, value in row.items() if name in known}
                    if "config_version_id" in values:
                        values["config_version_id"] = config_version_id
                    if table == "checkpoints":
                        values |= {"generation": 1, "last_message_seq": last_message_seq}
                    insert(connection, table, values)


def _rows(connection: Connection, sql: str, params: dict[str, str]) -> list[dict[str, Any]]:
    cursor = execute(connection, sql, params)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
