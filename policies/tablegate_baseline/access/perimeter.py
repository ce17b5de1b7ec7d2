"""Around a grant: endpoints, DAX roles, permissions boundaries, IAM users, and unread documents."""

from __future__ import annotations

from typing import Annotated

from tablegate.policy import CRITICAL, HIGH, INFO, LOW, MEDIUM, Dialect, Origin, Value, Verdict, fails, policy, unknown
from tablegate.policy.access import (
    READS,
    WRITES,
    DocumentRole,
    Grant,
    Holder,
    HolderForm,
    HolderKind,
    Kind,
    Narrowing,
    Reach,
    Tier,
    Unread,
    actions_of,
    may_concern_dynamodb,
    reaches,
    reaches_of,
    scope_of,
)
from tablegate_baseline.access.relevance import ITEMS, is_checked, is_dax_role, is_full_control, notable_actions
from tablegate_baseline.access.severity import SCALE, Scale
from tablegate_baseline.access.statement_fix import CLOUDFORMATION, TERRAFORM, reduced_statement
from tablegate_baseline.access.unread import unread_at, weight_of, weight_of_managed
from tablegate_baseline.access.wording import (
    HOLDS,
    NOT_APPLICABLE,
    actions_shown,
    reach_violation,
    statement_evidence,
    unless_unknown,
    violation,
)

_ENDPOINT = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/vpc-endpoints-dynamodb.html"
_DAX = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DAX.access-control.html"
_BOUNDARY = "https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html"
_ROLES = "https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#bp-workloads-use-roles"
_POLICIES = "https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html"
_HOW_TO_READ = (
    "write the document out, or refer to a resource of this input: what another stack or a function returns is unknown"
)
# The policy for an endpoint that has none.
_HCL = """\
policy = jsonencode({
  Statement = [{
    Effect    = "Allow"
    Principal = "*"
    Action    = "dynamodb:*"
    Resource  = "*"
    Condition = { StringEquals = { "aws:ResourceAccount" = data.aws_caller_identity.current.account_id } }
  }]
})"""
_TEMPLATE = """\
PolicyDocument:
  Version: "2012-10-17"
  Statement:
    - Effect: Allow
      Principal: "*"
      Action: dynamodb:*
      Resource: "*"
      Condition:
        StringEquals:
          aws:ResourceAccount: !Ref AWS::AccountId"""
_OWN_ACCOUNT_KEYS = frozenset({"aws:resourceaccount", "aws:resourceorgid", "aws:resourceorgpaths"})
_NEEDS_BOUNDARY = frozenset({HolderKind.RUNTIME, HolderKind.DEPLOY, HolderKind.UNKNOWN})


@policy(
    "TG536",
    LOW,
    "A DynamoDB endpoint must allow only your own tables",
    docs=_ENDPOINT,
    terraform="""\
condition {
  test     = "StringEquals"
  variable = "aws:ResourceAccount"
  values   = [data.aws_caller_identity.current.account_id]
}""",
    cloudformation="""\
Condition:
  StringEquals:
    aws:ResourceAccount: !Ref AWS::AccountId""",
)
def vpc_endpoint_unrestricted(holder: Holder) -> Verdict:
    """Over an open endpoint, anything inside the network can write to a table in somebody else's account, past every
    firewall."""
    if holder.form is not HolderForm.ENDPOINT:
        return NOT_APPLICABLE
    if not holder.grants and holder.unread:
        doubt: Value[object] = Value("policy", None, Origin.UNKNOWN, holder.place, holder.unread[0].doubt)
        return unknown("cannot tell what the endpoint allows", doubt).weighing(LOW)
    if not holder.grants:
        fix = _TEMPLATE if holder.estate.dialect is Dialect.CLOUDFORMATION else _HCL
        return fails("the endpoint has no policy, so it allows everything").weighing(INFO).fixed_by(fix)
    if any(grant.statement.denies and _limits_to_own_account(grant, negated=True) for grant in holder.grants):
        return HOLDS
    for grant in sorted(holder.grants, key=_is_uncertain):
        if grant.statement.allows and _passes_all_tables(grant) and not _limits_to_own_account(grant, negated=False):
            verdict = fails("the endpoint allows requests to tables in any account", statement_evidence(grant))
            return unless_unknown(grant, verdict)
    return HOLDS


@policy(
    "TG538",
    CRITICAL,
    "A DAX cluster's role must reach only the tables it caches",
    docs=_DAX,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def dax_role_width(grant: Grant) -> Verdict:
    """Every client of the cluster reaches every table that its role does, with no condition on items in between."""
    if not is_dax_role(grant.holder):
        return _bypasses_key_condition(grant)
    scale = Scale(grant)
    for reach in sorted(reaches(grant), key=lambda reach: -reach.tier):
        everything = is_full_control(reach.actions)
        severity = scale.everything(reach) if everything else scale.highest(reach, notable_actions(reach))
        if severity not in (None, INFO):
            width = "a table" if reach.tier is Tier.ONE else "tables that it does not name"
            note = f"the cluster's role may {actions_shown(notable_actions(reach))} on {width}"
            fix = reduced_statement(grant, [action for action in notable_actions(reach) if action.kind not in ITEMS])
            return reach_violation(reach, severity, note, fix=fix)
    return HOLDS if reaches(grant) else NOT_APPLICABLE


@policy(
    "TG539",
    LOW,
    "A wide role must have a permissions boundary",
    docs=_BOUNDARY,
    on=False,
    terraform="permissions_boundary = aws_iam_policy.boundary.arn",
    cloudformation="PermissionsBoundary: !Ref Boundary",
)
def boundary_expected(holder: Holder) -> Verdict:
    """A boundary limits a role that reaches many tables, even against those who may edit its policies."""
    if holder.form is not HolderForm.ROLE or holder.kind not in _NEEDS_BOUNDARY:
        return NOT_APPLICABLE
    wide = [reach.grant for reach in reaches_of(holder) if reach.tier >= Tier.PREFIX and notable_actions(reach)]
    if not wide:
        return NOT_APPLICABLE
    grant = min(wide, key=_is_uncertain)
    if holder.ceiling_doubt is None and not holder.ceilings:
        verdict = fails(
            "the role reaches tables by pattern, but has no permissions boundary", statement_evidence(grant)
        )
        return unless_unknown(grant, verdict)
    gives = {
        action
        for document in holder.ceilings
        for item in document.statements
        if item.allows
        for action in actions_of(item.actions)
        if action.kind is Kind.PERMISSIONS
    }
    if gives:
        return fails(f"the role's permissions boundary allows {actions_shown(gives)}", statement_evidence(grant))
    return HOLDS


@policy(
    "TG540",
    MEDIUM,
    "Tables must be granted to roles, not to users",
    docs=_ROLES,
    terraform="role = aws_iam_role.example.name",
    cloudformation="Roles: [!Ref Example]",
)
def grant_on_user_or_group(
    grant: Grant, *, allow_groups: Annotated[bool, "accept grants on groups"] = False
) -> Verdict:
    """A user's keys do not expire: they are found in repositories and on old laptops years later, and still open the
    table."""
    form = grant.holder.form
    if not is_checked(grant):
        return NOT_APPLICABLE
    if form not in (HolderForm.USER, HolderForm.GROUP) or (form is HolderForm.GROUP and allow_groups):
        return HOLDS
    for reach in reaches(grant):
        actions = notable_actions(reach)
        if actions:
            severity = MEDIUM if form is HolderForm.USER else INFO
            return reach_violation(reach, severity, f"an IAM {form} may {actions_shown(actions)}", actions=actions)
    return HOLDS


@policy(
    "TG541",
    HIGH,
    "Every policy document about a table must be readable",
    docs=_POLICIES,
    terraform="policy = data.aws_iam_policy_document.example.json",
    cloudformation='PolicyDocument:\n  Version: "2012-10-17"',
)
def policy_not_evaluated(unread: Unread) -> Verdict:
    """An unreadable policy could grant anything. What was read of it tells how much the rest weighs: an unknown
    resource as one table with the actions beside it, an unknown action as everything."""
    if not unread.relevant:
        return NOT_APPLICABLE
    verdicts = map(_verdict_on_unread, unread_at(unread.holder.estate, unread.address))
    return max(verdicts, key=lambda verdict: SCALE.index(verdict.severity or INFO))


def _verdict_on_unread(unread: Unread) -> Verdict:
    value: Value[object] = Value("policy document", None, Origin.UNKNOWN, unread.place, unread.doubt)
    note, severity = "the document could not be read", HIGH
    if unread.elsewhere:
        what, severity = weight_of_managed(unread)
        note = f"a managed policy that lies elsewhere could not be read{what}"
    elif unread.partly:
        what, severity = weight_of(unread)
        note = f"only a part of the document could be read{what}"
    return unknown(note, value).fixed_by(unread.doubt.settle or _HOW_TO_READ).weighing(severity)


def _is_uncertain(grant: Grant) -> bool:
    return grant.statement.unsettled is not None


def _passes_all_tables(grant: Grant) -> bool:
    """Whether a statement allows requests to DynamoDB on tables of any account."""
    actions, resources = grant.statement.actions, grant.statement.resources
    if not actions.inverted and all(may_concern_dynamodb(text) is False for text in actions.texts):
        return False
    scopes = [scope_of(text) for text in resources.texts]
    return resources.inverted or any(scope.tier is not Tier.NONE and "*" in scope.where[2] for scope in scopes)


def _limits_to_own_account(grant: Grant, *, negated: bool) -> bool:
    """Whether a condition limits the statement to tables of the own account or, negated, of others."""
    return any(item.key in _OWN_ACCOUNT_KEYS and item.negated is negated for item in grant.statement.conditions)


def _bypasses_key_condition(grant: Grant) -> Verdict:
    """The verdict on a grant on a DAX cluster beside a condition on keys, which the cluster does not apply."""
    if grant.role is not DocumentRole.IDENTITY or not grant.statement.allows:
        return NOT_APPLICABLE
    named = [text for text in grant.statement.actions.texts if text.lower().startswith("dax:")]
    if not named:
        return NOT_APPLICABLE
    others = (reach for reach in reaches_of(grant.holder) if _is_limited_to_items(reach))
    bound = next(others, None)
    if bound is None:
        return HOLDS
    where = f"statement {bound.grant.label}, which limits it to the caller's own items"
    return violation(grant, HIGH, f"{', '.join(named[:3])} bypasses the condition on keys in {where}")


def _is_limited_to_items(reach: Reach) -> bool:
    data = (action for action in reach.actions if action.kind in READS | WRITES)
    return any(reach.narrowed(action) is Narrowing.ITEMS for action in data)
