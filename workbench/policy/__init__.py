"""What asks, what runs, and why: pure functions over plain values.

Nothing here reads a file, a clock or a network, and nothing here knows the agents' framework. The live gate, the
policy table, the simulator and the HTTP services all ask `decide`, and all settle answers with `settle`.
"""

from workbench.policy import notes
from workbench.policy.answer import (
    Answer,
    Answered,
    Approved,
    Denied,
    GaveUp,
    Happened,
    RunAgain,
    Skipped,
    answer_from_dict,
    answer_to_dict,
)
from workbench.policy.call import Call, digest
from workbench.policy.changes import ABSENT, Change, changes
from workbench.policy.covering import whole_tool
from workbench.policy.decide import decide
from workbench.policy.difference import Loosening, loosenings
from workbench.policy.facts import ToolFacts
from workbench.policy.grant import Grant, matching_grant
from workbench.policy.notes import CANCELLED, SKIPPED_BY_MESSAGE, UNKNOWN_CALL, edit_note
from workbench.policy.rule import AgentPolicy, Rule, Subject, SubjectFunction
from workbench.policy.schema_check import SchemaUnusable, field_errors
from workbench.policy.settle import AnswerRefused, RequestFacts, Settlement, edited_subject, settle
from workbench.policy.shown import is_secret_key, masked, one_line, visible
from workbench.policy.verdict import Verdict
from workbench.policy.vocabulary import SCOPES, Because, Decision, Outcome, RequestKind, Scope, ToolKind

__all__ = [
    "ABSENT",
    "CANCELLED",
    "SCOPES",
    "SKIPPED_BY_MESSAGE",
    "UNKNOWN_CALL",
    "AgentPolicy",
    "Answer",
    "AnswerRefused",
    "Answered",
    "Approved",
    "Because",
    "Call",
    "Change",
    "Decision",
    "Denied",
    "GaveUp",
    "Grant",
    "Happened",
    "Loosening",
    "Outcome",
    "RequestFacts",
    "RequestKind",
    "Rule",
    "RunAgain",
    "SchemaUnusable",
    "Scope",
    "Settlement",
    "Skipped",
    "Subject",
    "SubjectFunction",
    "ToolFacts",
    "ToolKind",
    "Verdict",
    "answer_from_dict",
    "answer_to_dict",
    "changes",
    "decide",
    "digest",
    "edit_note",
    "edited_subject",
    "field_errors",
    "is_secret_key",
    "loosenings",
    "masked",
    "matching_grant",
    "notes",
    "one_line",
    "settle",
    "visible",
    "whole_tool",
]
