"""Leases: at most one holder drives a conversation at a time, and one that lost it can't write any more."""

from datetime import datetime, timedelta

from workbench.store.clock import as_text
from workbench.store.database import Database, execute
from workbench.store.errors import LeaseLost, TransactionMisuse

# A lease counts as lapsed when its time is over. Also when it seems to have been renewed in a future further off than
# it lasts: then the clock was set back, and a dead holder would keep the conversation until the clock catches up.
LAPSED = "(l.token IS NULL OR l.expires_at <= :now OR l.not_before > :now)"


class Leases:
    """Who drives which conversation."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def take(self, conversation_id: str, holder: str, lease_seconds: float) -> int | None:
        """Take the lease if nobody holds it. Returns its token, higher than any before, or None."""
        now = self._db.clock()
        until, since = _span(now, lease_seconds)
        with self._db.writing() as connection:
            taken = execute(
                connection,
                "INSERT INTO leases AS l (conversation_id, token, holder, expires_at, not_before)"
                " VALUES (:id, 1, :holder, :until, :since) ON CONFLICT (conversation_id) DO UPDATE SET"
                " token = token + 1, holder = excluded.holder, expires_at = excluded.expires_at,"
                f" not_before = excluded.not_before WHERE {LAPSED} RETURNING token",
                {
                    "id": conversation_id,
                    "holder": holder,
                    "until": until,
                    "since": since,
                    "now": as_text(now),
                },
            ).fetchall()
            return int(taken[0][0]) if taken else None

    def renew(self, conversation_id: str, token: int, lease_seconds: float) -> bool:
        """Hold it for longer. False when it is no longer this token's: then stop at once.

        A lease that lapsed and that nobody took meanwhile is still its holder's.
        """
        return (
            self._db.run(
                "UPDATE leases SET expires_at = ?, not_before = ? WHERE conversation_id = ? AND token = ?"
                " AND expires_at <> ''",
                (*_span(self._db.clock(), lease_seconds), conversation_id, token),
            )
            > 0
        )

    def release(self, conversation_id: str, token: int) -> None:
        """Give it back. Does nothing when it is another's by now."""
        self._db.run(
            "UPDATE leases SET expires_at = '', holder = '' WHERE conversation_id = ? AND token = ?",
            (conversation_id, token),
        )

    def check(self, conversation_id: str, token: int, run_id: str = "") -> bool:
        """Raise LeaseLost unless the token still holds the conversation. Returns whether its run was asked to stop.

        To be called inside the transaction whose writes it guards: nobody can take the lease between the two.
        """
        if not self._db.in_transaction:
            raise TransactionMisuse("A lease is checked inside the transaction it guards.")
        held = self._db.one(
            "SELECT coalesce((SELECT cancel_requested FROM runs WHERE id = ?), 0) FROM leases"
            " WHERE conversation_id = ? AND token = ? AND expires_at <> ''",
            (run_id, conversation_id, token),
        )
        if held is None:
            raise LeaseLost(
                "This conversation is driven from elsewhere now; what was being written here was undone."
            )
        return bool(held[0])

    def fence(self, conversation_id: str) -> None:
        """Take the lease from whoever has it, so that a holder thought dead can't write any more."""
        self._db.run(
            "UPDATE leases SET token = token + 1, expires_at = '', holder = '' WHERE conversation_id = ?",
            (conversation_id,),
        )

    def held(self) -> list[tuple[str, int, str]]:
        """Conversation, token and holder of every lease that was taken and not given back, lapsed or not."""
        rows = self._db.all("SELECT conversation_id, token, holder FROM leases WHERE expires_at <> ''", ())
        return [(row[0], int(row[1]), row[2]) for row in rows]

    def expired(self) -> list[str]:
        """The conversations with a run that is working although nobody holds them, the longest waiting first."""
        rows = self._db.all(
            "SELECT DISTINCT r.conversation_id FROM runs r LEFT JOIN leases l ON l.conversation_id = r.conversation_id"
            f" WHERE r.status IN ('queued', 'working') AND r.status = 'working' AND {LAPSED} ORDER BY r.created_at",
            {"now": self._db.now()},
        )
        return [row[0] for row in rows]


def _span(now: datetime, lease_seconds: float) -> tuple[str, str]:
    length = timedelta(seconds=lease_seconds)
    return as_text(now + length), as_text(now - length)
