"""Policies of AWS and of SAM: what do they grant on tables?"""

from __future__ import annotations

from tablegate.policy import CRITICAL, INFO, MEDIUM, Severity, Verdict, policy
from tablegate.policy.access import (
    Action,
    Grant,
    HolderKind,
    Kind,
    MakerKind,
    ManagedPolicy,
    Tier,
    arn_of,
    expand,
    managed_policies,
    reaches,
)
from tablegate_baseline.access.relevance import is_checked, notable_actions, table_actions
from tablegate_baseline.access.scans import stream_severity
from tablegate_baseline.access.severity import EVERYTHING, DeployRoles, Scale, highest, lower_of
from tablegate_baseline.access.statement_fix import (
    CLOUDFORMATION,
    ITEM_ACTIONS,
    STATEMENT,
    TERRAFORM,
    named_resources,
    replacement_statement,
    spelled_out,
)
from tablegate_baseline.access.wording import HOLDS, NOT_APPLICABLE, actions_shown, reach_violation, violation

_MANAGED = "https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_managed-vs-inline.html"
_TEMPLATES = (
    "https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-policy-templates.html"
)
_READ_ACTIONS = ("dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query")
_STREAM_ACTIONS = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")
# The managed policies that AWS made for one service.
_MADE_FOR = {
    "AWSBackupServiceRolePolicyForBackup": "backup.",
    "AWSBackupServiceRolePolicyForRestores": "backup.",
    "AWSIoTRuleActions": "iot.",
}


@policy(
    "TG517",
    CRITICAL,
    "Tables must be granted by your own policy, not by an AWS managed one",
    docs=_MANAGED,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def wide_managed_policy(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """AWS managed policies name no table: attaching one grants its actions on all of them, and AWS can change it at any
    time."""
    known = managed_policies().get(grant.managed or "")
    if not is_checked(grant) or _comes_with_event(grant):
        return NOT_APPLICABLE
    if known is None or "linked" in known.flags or _is_made_for(grant, known):
        return HOLDS
    scale = Scale(grant, deploy_roles)
    severity = _managed_severity(scale, grant, known)
    if severity is None:
        return HOLDS
    actions = {action for reach in reaches(grant) for action in notable_actions(reach)}
    wide = any(reach.tier >= Tier.ALL for reach in reaches(grant))
    note = f"{known.name} grants {actions_shown(actions)}{' on every table' if wide else ''}"
    return violation(grant, severity, note, fix=f"instead of {known.name}:\n{_own_statement(grant, known)}")


@policy(
    "TG518",
    MEDIUM,
    "A function's policy template must name its table",
    docs=_TEMPLATES,
    terraform=None,
    cloudformation="""\
Policies:
  - DynamoDBCrudPolicy:
      TableName: !Ref Example""",
)
def sam_implicit_or_starred(grant: Grant) -> Verdict:
    """A policy template uses its parameter as it is: with a star as the table's name, one line grants every table.
    A DynamoDB event adds a grant on the streams of all tables, unless the function has a role of its own."""
    if grant.made_by is None or grant.made_by.kind is MakerKind.CONNECTOR:
        return NOT_APPLICABLE
    if _comes_with_event(grant):
        note = f"SAM attaches {grant.managed}, which reads every stream"
        return violation(grant, INFO, note, fix=f"use a Connector, or a Role of its own with:\n{_on_its_stream(grant)}")
    for reach in reaches(grant):
        if reach.tier >= Tier.PREFIX and notable_actions(reach):
            note = f"the template's parameter {grant.document.shown(reach.scope.table or '')!r} is a pattern"
            return reach_violation(reach, MEDIUM, note)
    doubled = [text for text in grant.statement.resources.texts if text.count(":table/") > 1]
    if doubled:
        note = f"{spelled_out(grant, doubled[0])} is an ARN within an ARN and grants nothing"
        return violation(grant, MEDIUM, note)
    return HOLDS


def _on_its_stream(grant: Grant) -> str:
    """A statement on the streams in this input that the function reads, else on one to fill in."""
    tables = grant.holder.estate.tables
    consumed = [table for table in tables if any(one.address == grant.address for one in table.stream.consumers)]
    arns = [f"{arn_of(table, grant.holder.symbols)}/stream/*" for table in consumed]
    return replacement_statement(
        grant,
        _STREAM_ACTIONS,
        arns or named_resources(grant, "*", [action for name in _STREAM_ACTIONS for action in expand(name)]),
    )


def _comes_with_event(grant: Grant) -> bool:
    return grant.made_by is not None and grant.made_by.kind is MakerKind.EVENT


def _managed_severity(scale: Scale, grant: Grant, known: ManagedPolicy) -> Severity | None:
    if known.path == "AdministratorAccess" and scale.kind in (HolderKind.DEPLOY, HolderKind.HUMAN):
        return INFO
    if known.width == "full":
        return scale.of(EVERYTHING, Tier.ALL, pattern="*")
    severity = None
    for reach in reaches(grant):
        streams = [action for action in notable_actions(reach) if action.kind is Kind.STREAM_READ]
        others = [
            action for action in table_actions(reach) if known.width != "data-read" or not _is_replication(action)
        ]
        severity = highest((severity, scale.highest(reach, others), stream_severity(scale, reach, streams)))
    if known.width in ("control-write", "tag") and severity is not None:
        return lower_of(severity, MEDIUM)
    return severity


def _is_replication(action: Action) -> bool:
    """Whether an action is one of replication. A policy that only reads uses it as a read."""
    return action.kind is Kind.REPLICATION


def _is_made_for(grant: Grant, known: ManagedPolicy) -> bool:
    service = _MADE_FOR.get(known.name)
    return service is not None and any(name.startswith(service) for name in grant.holder.services)


def _own_statement(grant: Grant, known: ManagedPolicy) -> str:
    """The statement to write instead of the policy. It only reads where the policy only reads."""
    names = _READ_ACTIONS if known.width == "data-read" else ITEM_ACTIONS
    return replacement_statement(
        grant, names, named_resources(grant, "*", [action for name in names for action in expand(name)])
    )
