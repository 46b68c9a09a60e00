"""Requests as cards."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from workbench.agents.builder import CannotBuild
from workbench.agents.tools import ToolLoadError
from workbench.config import Config, ConfigInvalid, DelegateConfig, annotation_facts
from workbench.policy import AgentPolicy, Call, Grant, Subject, ToolFacts, Verdict, answer_from_dict, decide
from workbench.policy.answer import Answered, Happened
from workbench.runs.answer_words import answered_words, asked_of
from workbench.runs.desk import ConfigDesk, LiveConfig
from workbench.runs.sentences import because_sentence
from workbench.runs.uploads import Uploads
from workbench.runs.views import Card, ConfigChange, DecisionLine
from workbench.store import ConfigVersion, Request, Store, as_time


class Cards:
    """Draws requests as cards."""

    def __init__(self, store: Store, desk: ConfigDesk) -> None:
        self._store = store
        self._desk = desk
        self.uploads = Uploads(store)
        self._decided: dict[tuple[str, bool], Card] = {}

    def of_request(self, request: Request, pause: Sequence[Request] | None = None) -> Card:
        """Return the card of a request.

        Args:
            pause: every request of its pause, when the caller has them at hand.
        """
        kept = self._decided.get((request.id, request.not_run))
        if kept is not None and request.status == "decided" and pause is None:
            return kept
        card = self._draw(
            request, pause if pause is not None else self._store.requests.of_pause(request.pause_id)
        )
        if request.status == "decided":
            self._decided[request.id, request.not_run] = card
        return card

    def _draw(self, request: Request, pause: Sequence[Request]) -> Card:
        version = self._store.configs.get(request.config_version_id)
        live = self._live(version)
        verdict = Verdict.from_dict(request.verdict) if request.verdict else None
        standing = [one for one in pause if one.decision != "superseded"]
        ids = [one.id for one in standing]
        expires_at = as_time(request.expires_at) if request.expires_at else None
        return Card(
            id=request.id,
            kind=request.kind,
            conversation_id=request.conversation_id,
            run_id=request.run_id,
            agent=request.agent,
            agent_title=_title(live, request.agent),
            agent_path=tuple(_title(live, name) for name in request.agent_path),
            tool=request.tool,
            tool_title=str(request.metadata.get("title") or _tool_title(live, request.tool)),
            description=request.description,
            message=request.message,
            input=asked_of(request) if request.kind == "question" else request.input,
            input_schema=request.input_schema,
            response_schema=request.response_schema,
            subject=Subject(request.subject_key, request.subject_label),
            scopes=("once",) if request.metadata.get("door") == "agui" else tuple(request.scopes),
            verdict=verdict,
            because_sentence=_because(request, verdict),
            rule_line=verdict.line if verdict else None,
            config_number=version.number if version else 0,
            config_file=version.file if version else "",
            created_at=as_time(request.created_at),
            expires_at=expires_at,
            expired=expires_at is not None and self._store.now() > expires_at,
            config_changed=self._change(request, version) if request.status == "open" else None,
            status=request.status,
            decision=_decision(request),
            files=self.uploads.rows(request),
            answer_text=_answer_text(request),
            executed_input=request.executed_input,
            edited=request.edited,
            not_run=request.not_run,
            note=request.note or "",
            held=self._held(request),
            notice=self._notice(request),
            also_shown=request.metadata.get("also_shown"),
            position=(ids.index(request.id) + 1 if request.id in ids else 1, max(len(ids), 1)),
            left=sum(one.status == "open" for one in standing),
        )

    def _held(self, request: Request) -> DecisionLine | None:
        """The answer that waits for the others of its pause, so that a host hears them together."""
        held = self._store.held.get(request.id) if request.status == "open" else None
        if held is None:
            return None
        # An answer's kind is the word of the decision that it becomes.
        return DecisionLine(
            decision=held.answer["kind"], by="person", who=held.by, at=as_time(held.at), via=held.via
        )

    def _notice(self, request: Request) -> str:
        if request.status != "open":
            return ""
        refused = self._store.settings.get(f"refused:{request.pause_id}")
        said = (
            [f"The last answers were not accepted: {refused} Nothing ran; decide again."] if refused else []
        )
        return " ".join([*said, *request.metadata.get("warnings", ())])

    def _live(self, version: ConfigVersion | None) -> LiveConfig | None:
        if version is None:
            return None
        try:
            return self._desk.open(version.id)
        except ConfigInvalid:
            return None

    def _change(self, request: Request, version: ConfigVersion | None) -> ConfigChange | None:
        """Say what the newest config version makes of a request that waits under an older one."""
        newest = self._store.configs.newest(version.file) if version else None
        if version is None or newest is None or newest.id == version.id or request.kind != "approval":
            return None
        verdict = self.verdict_under(request, newest.id)
        if verdict is None:
            says = f"has no agent {request.agent!r} with the tool {request.tool!r} any more"
        elif verdict.outcome == "run":
            says = "would run this call without asking"
        else:
            says = "would ask too"
        return ConfigChange(
            newest_number=newest.number,
            verdict_now=verdict,
            sentence=f"Asked under v{version.number}. The newest config, v{newest.number}, {says}. "
            "Your answer decides, whatever the config says now.",
        )

    def verdict_under(self, request: Request, version_id: int) -> Verdict | None:
        """Return the verdict of another config version on a request's call, or None without its agent or tool."""
        try:
            live = self._desk.open(version_id)
            facts = self._tool_facts(live, request)
        except (ConfigInvalid, CannotBuild, ToolLoadError):
            return None
        policy = live.policy(request.agent)
        if policy is None or facts is None:
            return None
        rows = self._store.grants.live(live.version.file, request.agent, request.conversation_id)
        grants = [Grant(row.id, row.tool, row.subject_key, row.scope, row.subject_label) for row in rows]
        return decide(Call(request.tool, request.input), policy, grants, facts)

    def _tool_facts(self, live: LiveConfig, request: Request) -> ToolFacts | None:
        local = live.blueprint(request.agent).facts.get(request.tool)
        if _is_delegate(live.config, request.agent, request.tool):
            return ToolFacts(kind="delegate")
        return local or self._desk.mcp.known_facts(live.config, request.agent).get(request.tool)

    def policy(self, request: Request) -> AgentPolicy | None:
        """Return the policy a request was raised under, or None when its config no longer loads here."""
        live = self._live(self._store.configs.get(request.config_version_id))
        return live.policy(request.agent) if live else None

    def facts(self, request: Request) -> ToolFacts:
        """Return what the config of a request says of its tool."""
        live = self._live(self._store.configs.get(request.config_version_id))
        if live is None:
            return ToolFacts()
        if _is_delegate(live.config, request.agent, request.tool):
            return ToolFacts(kind="delegate")
        known = (
            self._desk.mcp.known_facts(live.config, request.agent)
            if request.agent in live.config.agents
            else {}
        )
        return known.get(request.tool) or annotation_facts(live.config, request.tool)


def _is_delegate(config: Config, agent: str, tool: str) -> bool:
    """Whether an agent coordinates somebody of this name."""
    return any(
        isinstance(team, DelegateConfig)
        and team.entry_name == agent
        and any(connection.agent == tool for connection in team.connections)
        for team in config.orchestrations.values()
    )


def _because(request: Request, verdict: Verdict | None) -> str:
    match request.kind, request.metadata.get("why"):
        case "question", _:
            return f"{request.agent} asked you."
        case "tool_approval", _:
            return f"{request.tool} asked for this approval itself (tool_approvals)."
        case "doubt", "lost":
            return f"Asked because the connection to {request.tool} broke while this call was running."
        case "doubt", _:
            return "Asked because the app stopped while this call was running."
        case _, "changed":
            return "Asked again because the arguments changed after you approved them."
        case _, "withdrawn":
            return "Asked because the permission that allowed it was revoked or used up."
        case _, "again":
            return "Asked again under the newest config."
        case "tool_interrupt", _:
            return f"{request.tool} asked for this itself."
        case _:
            return because_sentence(verdict) if verdict else ""


def _decision(request: Request) -> DecisionLine | None:
    if request.decision is None:
        return None
    return DecisionLine(
        decision=request.decision,
        by="deadline" if request.decision == "expired" else "person",
        who=request.by or "",
        scope=request.scope,
        reason=request.reason or "",
        at=as_time(request.decided_at) if request.decided_at else None,
        via=request.via or "",
    )


def _answer_text(request: Request) -> str:
    answer = answer_from_dict(request.answer) if request.answer else None
    match answer:
        case Answered() if request.kind == "question":
            return answered_words(request)
        case Answered(value=value):
            return repr(value) if not isinstance(value, str) else value
        case Happened(result=result):
            return result
        case _:
            return ""


def _title(live: LiveConfig | None, agent: str) -> str:
    config = live.config.agents.get(agent) if live else None
    return (config.stream.title if config and config.stream else None) or agent


def _tool_title(live: LiveConfig | None, tool: str) -> str:
    return (annotation_facts(live.config, tool).title if live else None) or tool


def timed(text: str | None) -> datetime | None:
    """Return a stored time, or None."""
    return as_time(text) if text else None
