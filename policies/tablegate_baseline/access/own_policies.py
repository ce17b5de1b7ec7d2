"""A table's own policy: can it be attached, does it work, and does it lock anybody out who must come in?"""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.policy import HIGH, LOW, MEDIUM, Table, Verdict, policy, unknown
from tablegate.policy.access import (
    Action,
    Condition,
    DocumentRole,
    Grant,
    HolderForm,
    Kind,
    actions_of,
    expand,
    intersects,
    is_wildcard,
    known_actions,
)
from tablegate_baseline.access.remedies import CLOUDFORMATION_PRINCIPAL, TERRAFORM_PRINCIPAL
from tablegate_baseline.access.strangers import is_anyone, strangers
from tablegate_baseline.access.telling import FINE, OTHERS, actions_shown, against, unseen

_CONSIDER = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html"
_MAXIMUM = 20 * 1024
_TAKES_BACK = frozenset({"PutResourcePolicy", "DeleteResourcePolicy"})
_REPLICATING = frozenset({Kind.REPLICATION, Kind.ITEM_WRITE, Kind.ITEM_DELETE})
_SERVICES = frozenset(
    {"aws:principalisawsservice", "aws:principalservicename", "aws:principalservicenameslist", "aws:viaawsservice"}
)


@policy(
    "TG533",
    MEDIUM,
    "A table's policy must hold only what can work in it",
    docs=_CONSIDER,
    terraform=TERRAFORM_PRINCIPAL,
    cloudformation=CLOUDFORMATION_PRINCIPAL,
)
def resource_policy_dead_or_rejected(grant: Grant) -> Verdict:
    """DynamoDB refuses some actions in a table's policy when it is attached, and quietly ignores resources that are
    not this table."""
    if not _is_own(grant):
        return OTHERS
    why = next(_refusals(grant), None)
    if why is not None:
        return against(grant, MEDIUM, why, actions=_named(grant))
    dead = next(_dead(grant), None)
    return FINE if dead is None else against(grant, LOW, dead, actions=_named(grant))


@policy(
    "TG534",
    HIGH,
    "A table's Deny must leave its own services in",
    docs=_CONSIDER,
    terraform="""\
condition {
  test     = "Bool"
  variable = "aws:PrincipalIsAWSService"
  values   = ["false"]
}""",
    cloudformation="""\
Condition:
  Bool:
    aws:PrincipalIsAWSService: "false\"""",
)
def resource_policy_lockout(grant: Grant) -> Verdict:
    """A Deny for everybody also stops replication, scaling, and whoever would have to take the Deny away again."""
    if not _is_own(grant) or grant.holder.form is not HolderForm.TABLE:
        return OTHERS
    confirmed = grant.document.gives_up
    if confirmed is not None and grant.statement is grant.document.statements[0]:
        kept = confirmed.is_false
        if kept.truth is not True:
            note = "whoever sets the policy confirms that it may shut them out"
            return kept.because(note).fixed_by("confirm_remove_self_resource_access = false")
    if grant.statement.effect == "Allow":
        return OTHERS
    shut = _shut_out(grant, actions_of(grant.statement.actions))
    if shut is not None and is_anyone(grant):
        return against(grant, HIGH, shut)
    return _hidden_deny(grant, shut)


def _hidden_deny(grant: Grant, shut: str | None) -> Verdict:
    """The verdict on a Deny of which it is not known whom it shuts out, or from what."""
    hidden = grant.statement.actions.doubt
    whom = grant.statement.principals.doubt if grant.statement.principals is not None else None
    perhaps = shut or (_shut_out(grant, frozenset(known_actions())) if hidden is not None else None)
    if perhaps is None or not (whom is not None or is_anyone(grant)):
        return FINE
    evidence = unseen(grant, "Action", hidden) if is_anyone(grant) else unseen(grant, "Principal", whom)
    return unknown(f"cannot tell whether it {perhaps}", evidence)


def _shut_out(grant: Grant, actions: frozenset[Action]) -> str | None:
    """What goes wrong where a statement denies everybody these actions."""
    conditions = grant.statement.conditions
    if any(item.key == "aws:principalarn" and item.negated for item in conditions):
        return None
    if not conditions and _TAKES_BACK & {action.name for action in actions}:
        return "denies everybody the policy itself: nobody can take it back"
    if any(map(_spares_services, conditions)):
        return None
    table = _table(grant)
    if table is not None and table.replicas.content and any(action.kind in _REPLICATING for action in actions):
        return "denies replication too: the replica falls behind, and is split off for good after 20 hours"
    if table is not None and table.scaling and any(action.name == "UpdateTable" for action in actions):
        return "denies autoscaling too: the table stays at the capacity that it has"
    return None


def _is_own(grant: Grant) -> bool:
    return grant.role is DocumentRole.RESOURCE and grant.holder.form in (HolderForm.TABLE, HolderForm.STREAM)


def _refusals(grant: Grant) -> Iterator[str]:
    """Why DynamoDB will not take the policy."""
    if grant.document.size is not None and grant.document.size > _MAXIMUM:
        yield f"the policy has {grant.document.size} bytes, and DynamoDB takes {_MAXIMUM}"
    if "/index/" in (grant.target or ""):
        yield "the policy is attached to an index, and only a table or a stream can have one"
    stream = grant.holder.form is HolderForm.STREAM
    refused = [action for action in _named(grant) if _is_refused(action, stream=stream)]
    if refused:
        yield f"{actions_shown(refused)} cannot stand in a {'stream' if stream else 'table'}'s policy"
    estate = grant.holder.estate
    twins = {
        other.address
        for other in estate.grants
        if other.target == grant.target and other.target and other.role is DocumentRole.RESOURCE
    }
    if len(twins) > 1:
        yield f"{' and '.join(sorted(twins))} are attached to the same resource: one overwrites the other"
    if any(legacy.table == grant.holder.address for legacy in estate.legacy_global_tables):
        yield "a global table of the 2017 version takes no policy of its own"


def _dead(grant: Grant) -> Iterator[str]:
    """Why a statement has no effect."""
    resources, target = grant.statement.resources, grant.target
    if target and resources.texts and not resources.inverted and resources.doubt is None:
        reached = (
            intersects(text, place) is not False for text in resources.texts for place in (target, f"{target}/*")
        )
        if not any(reached):
            yield "no resource of the statement is what the policy is attached to"
    foreign, _ = strangers(grant)
    useless = [action for action in _named(grant) if action.across_accounts is False]
    if foreign and grant.statement.allows and useless:
        yield f"{actions_shown(useless)} does not work across accounts"


def _named(grant: Grant) -> list[Action]:
    """The actions that are written out: a wildcard may hold what has no effect."""
    texts = (text for text in grant.statement.actions.texts if not is_wildcard(text))
    return sorted({action for text in texts for action in expand(text)})


def _is_refused(action: Action, *, stream: bool) -> bool:
    if stream:
        return "stream" not in action.types
    if action.kind is Kind.STREAM_READ:
        return True
    return action.in_resource_policy is False and action.name != "DescribeExport"


def _spares_services(item: Condition) -> bool:
    """Whether a Deny's condition leaves AWS's own services out."""
    if item.key not in _SERVICES:
        return False
    return item.negated or {value.lower() for value in item.values} == {"false"}


def _table(grant: Grant) -> Table | None:
    tables = grant.holder.estate.tables
    return next((table for table in tables if table.address == grant.holder.address), None)
