"""The approval service."""

import json
import secrets
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from workbench.approval_service import audit
from workbench.approval_service.database import Database, as_moment_or_none, as_text, encodable, insert
from workbench.approval_service.deciding import Heard, judged, what_it_allows
from workbench.approval_service.request import Request, find
from workbench.approval_service.signature import SHORTEST_SECRET, call_hash, decision_hash, is_signed
from workbench.approval_service.values import (
    SCOPES,
    Action,
    ActionOf,
    Allowed,
    Asked,
    AuditEntry,
    DecisionRefused,
    Grant,
    NotAuthentic,
    NotPermitted,
    Outcome,
    Permits,
)

_ID_BYTES: Final = 24
_LONGEST_ID: Final = 200
_NOT_THAT_CALL: Final = (
    "The call on the card, or what it was edited into, is none that this request can allow."
)


class ApprovalService:
    """Decides whether a call may run, asks when it may not, and remembers what a person allowed.

    Several objects, threads and processes may work on one file. No method keeps an argument of a call: a call is
    known by its keyed hash, and everything else in the file is an id or a label.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        secret: bytes,
        action_of: ActionOf,
        permits: Permits,
        remember_for: timedelta = timedelta(days=30),
        use_within: timedelta = timedelta(days=1),
        answer_within: timedelta | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """See the class.

        Args:
            path: the service's file, which is made when it isn't there.
            secret: what the service shares with the host and with nobody else, 16 bytes or more. Under another
                secret no open approval matches its call any more: the call is asked for again.
            action_of: says what a call touches.
            permits: says whether a person may do that at all. Asked at every call, approved or not.
            remember_for: how long a grant lives.
            use_within: how long an approval of one call waits for that call.
            answer_within: how long a person has to approve; without it a request waits for ever.
            clock: the time, with a zone.

        Raises:
            ValueError: the secret is too short, or the path leads to some other database or to no file.
            sqlite3.Error: the file can't be used.
        """
        if len(secret) < SHORTEST_SECRET:
            raise ValueError(f"A secret has at least {SHORTEST_SECRET} bytes.")
        self._secret = secret
        self._action_of = action_of
        self._permits = permits
        self._remember_for = remember_for
        self._use_within = use_within
        self._answer_within = answer_within
        self._clock = clock
        self._database = Database(path)

    def authorize(
        self, arguments: Mapping[str, Any], *, tool: str, person: str, conversation: str, call_id: str = ""
    ) -> Allowed | Asked:
        """Say whether a call may run now; ask for it when not. Call this right before the call's effect.

        An approval of the call itself is used up by this, so it runs once however often the answer is asked for; a
        call that fails afterwards has to be approved again. A pending request, an expired or revoked grant and an
        approval of any other call allow nothing.

        Args:
            arguments: the call's arguments, JSON, as they were sent (a strands tool has them in
                `tool_context.tool_use["input"]`).
            tool: the tool's name.
            person: whose call it is.
            conversation: where it was made.
            call_id: the call's own id where the tool knows it; an approval then serves that one call, even if an
                equal one follows.

        Raises:
            NotPermitted: the person may not do this, approved or not; or person or conversation is missing.
            Exception: whatever `action_of` raises of a call that makes no sense; TypeError for arguments that are
                not JSON; sqlite3.Error when the file can't be used. The call must not run then.
        """
        if not (_named(person) and _named(conversation)):
            raise NotPermitted("A call needs a person and a conversation that it belongs to.")
        action, exact = self._judge(tool, arguments)
        # By identity: what an asynchronous function returns is true, and no answer.
        if self._permits(person, action) is not True:
            raise NotPermitted(f"{person} has no right to this: {action.subject_label}.")
        asker = {"person": person, "conversation": conversation, "tool": tool, "call_id": call_id}
        with self._database.transaction() as connection:
            return (
                self._by_approval(connection, asker, action, exact)
                or self._by_grant(connection, asker, action)
                or self._ask(connection, asker, action, exact)
            )

    def decide(self, decisions: Sequence[Mapping[str, Any]], *, token: str) -> list[Outcome]:
        """Take a host's decisions: all of them, or none.

        Each is a mapping with `request` (the id from the reply; without one it is not for this service),
        `conversation_id`, `by` (the person who decided), `decision` (`approved`, `denied`, `skipped` or `expired`),
        `scope`, `tool_input` (the call as the card showed it) and `edited_input` (as the person edited it, or `None`).
        More keys do no harm, as long as they are signed too.

        The first decision about a request counts. The same one again changes nothing. A later, different approval is
        refused; a later no is no decision, but takes back what is left of the approval. Unknown requests are ignored.

        Args:
            decisions: the whole set, in the order it was signed in.
            token: `sign(decisions, secret)`.

        Returns:
            What became of each decision that carries a request, in order.

        Raises:
            NotAuthentic: the token is not the host's for these decisions.
            DecisionRefused: an approval can't be honoured: it is another person's or conversation's, too wide, too
                late, of another call, or edited into another subject. Its message is for the person.
        """
        if not is_signed(decisions, self._secret, token):
            raise NotAuthentic("These decisions are not signed by the host.")
        heard = [self._hear(decision) for decision in decisions if decision.get("request") is not None]
        outcomes: list[Outcome] = []
        try:
            with self._database.transaction() as connection:
                for one in heard:
                    outcomes.append(self._settle(connection, one))
                refused = tuple(outcome for outcome in outcomes if outcome.status == "refused")
                if refused:
                    raise DecisionRefused(refused)
        except DecisionRefused:
            with self._database.transaction() as connection:
                for one, outcome in zip(heard, outcomes, strict=True):
                    if outcome.status == "refused":
                        self._note(connection, outcome, one)
            raise
        return outcomes

    def grants(self, person: str | None = None, *, live: bool = True) -> list[Grant]:
        """The remembered approvals, newest first: of one person or of all, those in force or all there ever were."""
        now = as_text(self._clock())
        with self._database.transaction() as connection:
            rows = connection.execute(
                "SELECT * FROM grants WHERE (?1 IS NULL OR person = ?1)"
                " AND (NOT ?2 OR (revoked_at IS NULL AND expires_at > ?3)) ORDER BY created_at DESC, id",
                (person, live, now),
            ).fetchall()
        return [_grant(row) for row in rows]

    def revoke(self, grant_id: str, *, by: str) -> bool:
        """Take a grant back, with immediate effect, and with it what is left of the approval it came from.

        Returns:
            Whether it was in force until now.
        """
        now = as_text(self._clock())
        with self._database.transaction() as connection:
            row = connection.execute("SELECT * FROM grants WHERE id = ?", (grant_id,)).fetchone()
            if row is None or row["revoked_at"] is not None:
                return False
            self._withdraw(connection, row["request"], now)
            audit.note(
                connection,
                self._clock(),
                "revoked",
                row["request"],
                grant=grant_id,
                scope=row["scope"],
                by=by,
            )
            return bool(row["expires_at"] > now)

    def audit(self, request: str | None = None) -> list[AuditEntry]:
        """Everything that was asked, decided, used and revoked, oldest first; of one request or of all."""
        with self._database.transaction() as connection:
            return audit.entries(connection, request)

    # -- may it run? ------------------------------------------------------------------------

    def _judge(self, tool: str, arguments: Mapping[str, Any]) -> tuple[Action, str]:
        action = self._action_of(tool, arguments)
        if not isinstance(action, Action):
            raise TypeError(f"action_of returned {action!r} and not an Action")
        exact = arguments if action.arguments is None else action.arguments
        return action, call_hash(self._secret, tool, action.resource, exact)

    def _by_approval(
        self, connection: sqlite3.Connection, asker: Mapping[str, str], action: Action, exact: str
    ) -> Allowed | None:
        now = as_text(self._clock())
        row = connection.execute(
            "SELECT id, scope FROM requests WHERE allowed_hash = :exact AND decision = 'approved'"
            " AND used_at IS NULL AND withdrawn_at IS NULL AND usable_until > :now AND subject_key = :subject"
            " AND person = :person AND conversation = :conversation AND tool = :tool AND call_id = :call_id"
            " ORDER BY decided_at, id LIMIT 1",
            {**asker, "exact": exact, "now": now, "subject": action.subject_key},
        ).fetchone()
        if row is None:
            return None
        connection.execute("UPDATE requests SET used_at = ? WHERE id = ?", (now, row["id"]))
        audit.note(connection, self._clock(), "used", row["id"], scope=row["scope"])
        return Allowed("approval", row["id"])

    def _by_grant(
        self, connection: sqlite3.Connection, asker: Mapping[str, str], action: Action
    ) -> Allowed | None:
        row = connection.execute(
            "SELECT id, request, scope FROM grants WHERE person = :person AND tool = :tool"
            " AND resource = :resource AND subject_key = :subject AND revoked_at IS NULL AND expires_at > :now"
            " AND (conversation IS NULL OR conversation = :conversation) ORDER BY expires_at DESC LIMIT 1",
            {
                **asker,
                "resource": action.resource,
                "subject": action.subject_key,
                "now": as_text(self._clock()),
            },
        ).fetchone()
        if row is None:
            return None
        audit.note(
            connection,
            self._clock(),
            "used",
            row["request"],
            grant=row["id"],
            scope=row["scope"],
            conversation=asker["conversation"],
        )
        return Allowed("grant", row["id"])

    def _ask(
        self, connection: sqlite3.Connection, asker: Mapping[str, str], action: Action, exact: str
    ) -> Asked:
        now = self._clock()
        request = f"apr_{secrets.token_urlsafe(_ID_BYTES)}"
        expires_at = None if self._answer_within is None else as_text(now + self._answer_within)
        insert(
            connection,
            "requests",
            id=request,
            **asker,
            resource=action.resource,
            call_hash=exact,
            subject_key=action.subject_key,
            subject_label=action.subject_label,
            scopes=json.dumps(action.offered),
            message=action.message,
            created_at=as_text(now),
            expires_at=expires_at,
        )
        audit.note(connection, self._clock(), "asked", request)
        reply: dict[str, Any] = {
            "request": request,
            "subject": {"key": action.subject_key, "label": action.subject_label},
            "scopes": list(action.offered),
            "message": action.message,
        }
        if expires_at is not None:
            reply["expiresAt"] = expires_at
        return Asked(request, {"kaboo_approval": reply})

    # -- what was decided? ------------------------------------------------------------------

    def _hear(self, decision: Mapping[str, Any]) -> Heard:
        # Judged before the transaction: `action_of` may take its time, and the locks of another database.
        scope = (decision.get("scope") or "once") if decision.get("decision") == "approved" else None
        shown, edited = decision.get("tool_input"), decision.get("edited_input")
        given, by = decision["request"], decision.get("by")
        name = encodable(given if isinstance(given, str) else repr(given))[:_LONGEST_ID]
        with self._database.transaction() as connection:
            request = find(connection, name)
        allows, trouble = None, ""
        if request is not None and request.decision is None and scope is not None:
            allows, trouble = what_it_allows(request, decision.get("tool"), shown, edited, self._judge)
        return Heard(
            request=name,
            conversation=decision.get("conversation_id"),
            by=by if isinstance(by, str) else None,
            decision=decision.get("decision"),
            scope=scope,
            hash=decision_hash(self._secret, scope, shown, edited),
            allows=allows,
            trouble=trouble,
        )

    def _settle(self, connection: sqlite3.Connection, heard: Heard) -> Outcome:
        request = find(connection, heard.request)
        outcome = judged(request, heard, self._clock())
        match outcome.status:
            case "taken":
                assert request is not None
                self._take(connection, request, heard)
            case "withdrawn":
                self._withdraw(connection, heard.request, as_text(self._clock()))
                self._note(connection, outcome, heard)
            case "repeated" | "ignored":
                self._note(connection, outcome, heard)
            case "refused":
                pass  # noted once the set is undone
        return outcome

    def _take(self, connection: sqlite3.Connection, request: Request, heard: Heard) -> None:
        now = self._clock()
        connection.execute(
            "UPDATE requests SET decision = ?, scope = ?, decided_by = ?, decided_at = ?, decision_hash = ?,"
            " allowed_hash = ?, usable_until = ? WHERE id = ? AND decision IS NULL",
            (
                heard.decision,
                heard.scope,
                heard.by,
                as_text(now),
                heard.hash,
                heard.allows,
                as_text(now + self._use_within),
                request.id,
            ),
        )
        grant = None
        if heard.scope in ("thread", "always"):
            grant = f"grt_{secrets.token_urlsafe(_ID_BYTES)}"
            insert(
                connection,
                "grants",
                id=grant,
                request=request.id,
                person=request.person,
                conversation=request.conversation if heard.scope == "thread" else None,
                tool=request.tool,
                resource=request.resource,
                subject_key=request.subject_key,
                subject_label=request.subject_label,
                scope=heard.scope,
                created_at=as_text(now),
                expires_at=as_text(now + self._remember_for),
            )
        audit.note(connection, now, heard.decision, request.id, grant=grant, scope=heard.scope, by=heard.by)

    @staticmethod
    def _withdraw(connection: sqlite3.Connection, request: str, now: str) -> None:
        connection.execute(
            "UPDATE requests SET withdrawn_at = ? WHERE id = ? AND withdrawn_at IS NULL", (now, request)
        )
        connection.execute(
            "UPDATE grants SET revoked_at = ? WHERE request = ? AND revoked_at IS NULL", (now, request)
        )

    def _note(self, connection: sqlite3.Connection, outcome: Outcome, heard: Heard) -> None:
        """Write down a decision that is not taken."""
        assert outcome.status != "taken"
        scope = heard.scope if heard.scope in SCOPES else None
        # What `action_of` says of a call may quote its arguments, which the file must not hold.
        why = _NOT_THAT_CALL if outcome.why and outcome.why == heard.trouble else outcome.why
        audit.note(
            connection,
            self._clock(),
            outcome.status,
            heard.request,
            scope=scope,
            by=heard.by,
            why=why,
        )


def _named(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _grant(row: sqlite3.Row) -> Grant:
    held = dict(row)
    for name in ("created_at", "expires_at", "revoked_at"):
        held[name] = as_moment_or_none(held[name])
    return Grant(**held)
