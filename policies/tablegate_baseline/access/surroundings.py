"""Surroundings: what stands around a grant: endpoints, keys, caches, boundaries, users, and what could not be read."""

from __future__ import annotations

from tablegate.policy import (
    CRITICAL,
    HIGH,
    INFO,
    LOW,
    MEDIUM,
    KeyOwner,
    Value,
    Verdict,
    fails,
    holds,
    not_applicable,
    policy,
    unknown,
)
from tablegate.policy.access import (
    HARMLESS,
    DocumentRole,
    Grant,
    Holder,
    HolderForm,
    HolderKind,
    Kind,
    PrincipalKind,
    Tier,
    actions_of,
    reaches,
    reaches_of,
)
from tablegate_baseline.access.telling import actions_shown, exact, holder, instead, statement, told
from tablegate_baseline.access.weights import weigh_all
from tablegate_baseline.access.width import is_everything

_ENDPOINT = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/vpc-endpoints-dynamodb.html"
_KMS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html"
_DAX = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DAX.access-control.html"
_BOUNDARY = "https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html"
_ROLES = "https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#bp-workloads-use-roles"
_REPLICATION = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/globaltables-security.html"
_OWN = frozenset({"aws:resourceaccount", "aws:resourceorgid", "aws:resourceorgpaths"})


@policy(
    "TG536",
    LOW,
    "A DynamoDB endpoint must let only your own tables through",
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
def vpc_endpoint_unrestricted(holder_: Holder) -> Verdict:
    """Over an open endpoint anything inside the network can write to a table of somebody else's account, past every
    firewall."""
    if holder_.form is not HolderForm.ENDPOINT:
        return not_applicable("not a VPC endpoint")
    if not holder_.grants:
        if holder_.unread:
            return unknown("the endpoint's policy could not be read")
        return fails("the endpoint has no policy, so everything may pass").weighing(INFO)
    for grant in holder_.grants:
        statement_ = grant.statement
        wide = any(set(text) <= {"*"} for text in statement_.resources.texts) or statement_.resources.inverted
        if statement_.allows and wide and not any(item.key in _OWN for item in statement_.conditions):
            return fails("the endpoint lets requests to anybody's tables pass", statement(grant))
    return holds()


@policy(
    "TG537",
    HIGH,
    "A table's key must be used for DynamoDB, and by this account",
    docs=_KMS,
    terraform="""\
condition {
  test     = "StringLike"
  variable = "kms:ViaService"
  values   = ["dynamodb.*.amazonaws.com"]
}""",
    cloudformation="""\
Condition:
  StringLike:
    kms:ViaService: dynamodb.*.amazonaws.com""",
)
def kms_pairing(grant: Grant) -> Verdict:
    """Decrypt on every key opens every other store too; a key that others may use protects nothing; and a table under
    the key that AWS manages cannot be read from another account at all."""
    if grant.holder.form is HolderForm.KEY:
        return _key_policy(grant)
    if grant.holder.form is HolderForm.TABLE:
        return _across_accounts(grant)
    if grant.role is not DocumentRole.IDENTITY or not grant.statement.allows or not _decrypts(grant):
        return not_applicable("no grant on keys beside a grant on tables")
    wide = any(set(text) <= {"*"} or text.endswith(":key/*") for text in grant.statement.resources.texts)
    bound = any(item.key == "kms:viaservice" for item in grant.statement.conditions)
    if not wide or bound or not reaches_of(grant.holder):
        return holds(statement(grant))
    return fails("kms:Decrypt on every key, for whatever service", statement(grant), holder(grant)).weighing(MEDIUM)


@policy(
    "TG538",
    CRITICAL,
    "A DAX cluster's role must reach only the tables it caches",
    docs=_DAX,
    terraform="""\
statement {
  actions   = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"]
  resources = [aws_dynamodb_table.example.arn, "${aws_dynamodb_table.example.arn}/index/*"]
}""",
    cloudformation="""\
- Effect: Allow
  Action: [dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:Query, dynamodb:PutItem, dynamodb:UpdateItem]
  Resource: [!GetAtt Example.Arn, !Sub "${Example.Arn}/index/*"]""",
)
def dax_role_width(grant: Grant) -> Verdict:
    """Whoever reaches the cluster reaches every table its role does, with no condition on items in between."""
    if not is_dax_role(grant.holder) or grant.role is not DocumentRole.IDENTITY:
        return not_applicable("not the role of a DAX cluster")
    for reach in reaches(grant):
        severity = (
            CRITICAL if is_everything(reach.actions) and reach.tier >= Tier.WEAK else weigh_all(reach, reach.actions)
        )
        if severity is not None and reach.tier > Tier.ONE:
            fix = instead(grant, [a.full_name for a in reach.actions if a.kind in _ITEMS], exact(grant, reach.pattern))
            return (
                fails(
                    f"the cluster's role holds {actions_shown(reach.actions)} on more than named tables", *told(reach)
                )
                .weighing(severity)
                .fixed_by(fix)
            )
    return holds(statement(grant))


@policy(
    "TG539",
    LOW,
    "A wide role must have a permissions boundary",
    docs=_BOUNDARY,
    on=False,
    terraform="permissions_boundary = aws_iam_policy.boundary.arn",
    cloudformation="PermissionsBoundary: !Ref Boundary",
)
def boundary_expected(holder_: Holder) -> Verdict:
    """A boundary keeps a role that reaches many tables from being given more by whoever may edit its policies."""
    if holder_.form is not HolderForm.ROLE or holder_.kind not in (
        HolderKind.RUNTIME,
        HolderKind.DEPLOY,
        HolderKind.UNKNOWN,
    ):
        return not_applicable("not a runtime or deploy role")
    wide = [
        reach
        for reach in reaches_of(holder_)
        if reach.tier >= Tier.PREFIX and any(a.kind not in HARMLESS for a in reach.actions)
    ]
    if not wide:
        return not_applicable("it reaches named tables only")
    if holder_.ceilings or holder_.ceiling_doubt:
        return holds()
    return fails("the role reaches tables by pattern and has no boundary", statement(wide[0].grant))


@policy(
    "TG540",
    MEDIUM,
    "Tables must be granted to roles, not to users",
    docs=_ROLES,
    terraform="role = aws_iam_role.example.name",
    cloudformation="Roles: [!Ref Example]",
)
def grant_on_user_or_group(grant: Grant) -> Verdict:
    """A user's keys do not expire: they are found in repositories and old laptops years later, and still open the
    table."""
    if grant.holder.form not in (HolderForm.USER, HolderForm.GROUP):
        return not_applicable("not held by a user or a group")
    telling = sorted({action for reach in reaches(grant) for action in reach.actions if action.kind not in HARMLESS})
    if not telling:
        return holds(statement(grant))
    severity = MEDIUM if grant.holder.form is HolderForm.USER else INFO
    return fails(
        f"{actions_shown(telling)} held by {grant.holder.address}, an IAM {grant.holder.form}", statement(grant)
    ).weighing(severity)


@policy(
    "TG541",
    HIGH,
    "Every document about a table must be readable",
    docs="https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html",
    terraform="policy = data.aws_iam_policy_document.example.json",
    cloudformation="PolicyDocument: {Version: 2012-10-17, Statement: []}",
)
def policy_not_evaluated(holder_: Holder) -> Verdict:
    """A policy that nobody could read may hold anything: it is said so, and not passed over."""
    relevant = [unread for unread in holder_.unread if unread.relevant]
    if not relevant:
        return holds() if holder_.grants else not_applicable("no document to read")
    first = relevant[0]
    part = "partly read" if first.partly else "not read"
    value: Value[object] = Value("policy document", None, place=first.place)
    return unknown(f"{part}: {first.doubt.reason}", value).fixed_by(first.doubt.settle)


@policy(
    "TG542",
    HIGH,
    "Only the replication service must hold replication actions",
    docs=_REPLICATION,
    terraform="""\
principals {
  type        = "Service"
  identifiers = ["replication.dynamodb.amazonaws.com"]
}""",
    cloudformation="""\
Principal:
  Service: replication.dynamodb.amazonaws.com""",
)
def replication_plane_to_people(grant: Grant) -> Verdict:
    """ReadDataForReplication reads a whole table, and stands in nobody's list of actions that read."""
    if not grant.statement.allows or grant.holder.kind is HolderKind.DEPLOY:
        return not_applicable("not an Allow for anybody but a deploy role")
    named = sorted(
        action
        for text in grant.statement.actions.texts
        for action in actions_of(grant.statement.actions)
        if action.kind is Kind.REPLICATION and text.lower() == action.full_name.lower()
    )
    if not named:
        return not_applicable("no replication action by name")
    principals = grant.statement.principals
    if principals and all(
        item.kind is PrincipalKind.SERVICE and "replication.dynamodb" in item.text for item in principals.items
    ):
        return holds(statement(grant))
    return fails(f"{actions_shown(named)} in the hands of {grant.holder.address}", statement(grant), holder(grant))


_ITEMS = frozenset({Kind.ITEM_READ, Kind.ITEM_WRITE, Kind.ITEM_DELETE, Kind.BULK_READ})


def is_dax_role(who: Holder) -> bool:
    """Whether a role is a cache's: it is judged by TG538 alone."""
    return "dax.amazonaws.com" in who.services


def _decrypts(grant: Grant) -> bool:
    return any(text.lower() in ("kms:*", "kms:decrypt", "*") for text in grant.statement.actions.texts)


def _key_policy(grant: Grant) -> Verdict:
    principals = grant.statement.principals
    if not grant.statement.allows or principals is None:
        return not_applicable("not an Allow of a key's policy")
    anyone = principals.inverted or any(item.kind is PrincipalKind.ANYONE for item in principals.items)
    bound = {item.key for item in grant.statement.conditions} & {
        "kms:calleraccount",
        "aws:principalaccount",
        "aws:principalorgid",
    }
    if anyone and not bound:
        return fails("the table's key may be used by everybody", statement(grant))
    return holds(statement(grant))


def _across_accounts(grant: Grant) -> Verdict:
    tables = [table for table in grant.holder.estate.tables if table.address == grant.holder.address]
    if not any(table.encryption.owner.content is KeyOwner.AWS_MANAGED for table in tables):
        return not_applicable("not under the key that AWS manages")
    principals = grant.statement.principals.items if grant.statement.principals else ()
    own = grant.target.split(":")[4] if grant.target and grant.target.count(":") >= 5 else ""
    foreign = [
        item
        for item in principals
        if item.kind is PrincipalKind.AWS
        and own.isdigit()
        and own not in item.text
        and any(c.isdigit() for c in item.text)
    ]
    if grant.statement.allows and foreign:
        return fails(
            "the table is under aws/dynamodb, which no other account can use: the grant will not work", statement(grant)
        ).weighing(MEDIUM)
    return holds(statement(grant))
