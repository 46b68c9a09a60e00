"""For the author of a tool that enforces its own approvals: a service that decides, asks and remembers.

An agent and its host carry nothing but a request's id; the service alone makes it mean something. This one keeps its
state in one SQLite file of its own and needs nothing besides Python's standard library.

    SECRET = os.environ["SHOP_SECRET"].encode()          # shared with the host, and with nobody else

    def action_of(tool, arguments):                      # what a call touches; raises for a call that makes no sense
        return Action(
            resource=arguments["store"],
            subject_key=f"store:{arguments['store']}/catalog",
            subject_label=f"catalog changes in {arguments['store']}",
            scopes=("once", "thread"),
            message=f"Update the price of {len(arguments['skus'])} items",
        )

    service = ApprovalService("approvals.db", secret=SECRET, action_of=action_of, permits=may_change)

    @strands.tool(context=True)
    def run_mutation(store: str, skus: list[str], price: float, tool_context: ToolContext):
        '''Set the price of some items.'''
        asker = tool_context.invocation_state["workbench"]
        standing = service.authorize(
            tool_context.tool_use["input"], tool="run_mutation", call_id=tool_context.tool_use["toolUseId"],
            person=asker["person"], conversation=asker["conversation_id"],
        )
        if isinstance(standing, Asked):
            return standing.reply                        # nothing ran; the run pauses, and a person is asked
        return set_prices(store, skus, price)

    # The other side of an authenticated call: the host signed its decisions with the same secret.
    def decisions_arrived(decisions, token):
        service.decide(decisions, token=token)           # raises DecisionRefused: then nothing was decided
"""

from workbench.approval_service.service import ApprovalService
from workbench.approval_service.signature import sign
from workbench.approval_service.values import (
    Action,
    Allowed,
    Asked,
    AuditEntry,
    DecisionRefused,
    Grant,
    NotAuthentic,
    NotPermitted,
    Outcome,
    Scope,
)

__all__ = [
    "Action",
    "Allowed",
    "ApprovalService",
    "Asked",
    "AuditEntry",
    "DecisionRefused",
    "Grant",
    "NotAuthentic",
    "NotPermitted",
    "Outcome",
    "Scope",
    "sign",
]
