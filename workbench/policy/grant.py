"""A remembered permission."""

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.policy.vocabulary import Scope


@dataclass(frozen=True)
class Grant:
    """One permission: later calls of this tool about this subject run without asking.

    Which grants are alive here, by config, agent, conversation, expiry and uses, is for the caller to know: a
    policy is handed those and no others.
    """

    id: str
    tool: str
    """One tool's exact name, never a glob."""
    subject_key: str
    scope: Scope
    subject_label: str = ""


def matching_grant(grants: Iterable[Grant], tool: str, subject_key: str) -> Grant | None:
    """The first grant for exactly this tool and this subject, or `None`.

    A grant `once` reaches no other call, and one without a subject covers nothing: neither ever matches.
    """
    for grant in grants:
        if grant.scope == "once" or not grant.subject_key:
            continue
        if grant.tool == tool and grant.subject_key == subject_key:
            return grant
    return None
