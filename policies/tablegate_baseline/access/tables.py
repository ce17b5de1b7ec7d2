"""Resource policies: whom does a table, or its stream, let in by itself?"""

from __future__ import annotations

from tablegate.policy import (
    CRITICAL,
    HIGH,
    LOW,
    MEDIUM,
    Severity,
    Verdict,
    fails,
    holds,
    not_applicable,
    policy,
    unknown,
)
from tablegate.policy.access import (
    READS,
    Action,
    Condition,
    DocumentRole,
    Grant,
    HolderForm,
    Kind,
    Principal,
    PrincipalKind,
    actions_of,
    expand,
    has_symbol,
    intersects,
    is_wildcard,
)
from tablegate_baseline.access.telling import actions_shown, statement

_RESOURCE_BASED = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/access-control-resource-based.html"
_CONSIDER = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html"
_CROSS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-cross-account-access.html"
_PUBLIC = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-bpa-rbp.html"
_DEPUTY = "https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html"

_TERRAFORM = """\
principals {
  type        = "AWS"
  identifiers = [aws_iam_role.reader.arn]
}"""
_CLOUDFORMATION = """\
Principal:
  AWS: !GetAtt Reader.Arn"""

# Block Public Access takes a policy that one of these pins, with plain values, for non-public.
_PINNING = frozenset(
    f"aws:{key}"
    for key in (
        "principalaccount",
        "principalarn",
        "principalorgid",
        "principalorgpaths",
        "sourceaccount",
        "sourcearn",
        "sourcevpc",
        "sourcevpce",
        "userid",
        "principalservicename",
        "principalservicenameslist",
        "principalisawsservice",
        "ec2instancesourcevpc",
        "sourceorgid",
        "sourceorgpaths",
    )
)
_SOURCES = frozenset({"aws:sourcearn", "aws:sourceaccount", "aws:sourceorgid", "aws:sourceorgpaths"})
_MAXIMUM = 20 * 1024


@policy(
    "TG527",
    CRITICAL,
    "A table must not be open to everybody",
    docs=_PUBLIC,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def public_resource_policy(grant: Grant) -> Verdict:
    """A policy that lets anybody in makes the table everybody's; DynamoDB refuses it, so the deploy fails at this
    statement."""
    if not _opens(grant):
        return not_applicable("not an Allow of a table's own policy")
    principals = grant.statement.principals
    if principals is None:
        return unknown("the statement names no principal", statement(grant))
    anyone = principals.inverted or any(
        item.kind is PrincipalKind.ANYONE or _is_open(item) for item in principals.items
    )
    if not anyone:
        return (
            holds(statement(grant))
            if principals.doubt is None
            else unknown("who is let in is not known", statement(grant))
        )
    pins = [
        item for item in grant.statement.conditions if item.key in _PINNING and not item.negated and not item.if_exists
    ]
    if any(_is_plain(item) for item in pins):
        return holds(statement(grant))
    who = "everybody but those it names" if principals.inverted else "everybody"
    if pins:
        return fails(f"lets {who} in whose {pins[0].key} matches a pattern", statement(grant)).weighing(MEDIUM)
    return fails(f"lets {who} in: DynamoDB will refuse the policy", statement(grant))


@policy(
    "TG528",
    CRITICAL,
    "Another account must be let in by role, and to read",
    docs=_CROSS,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def cross_account_resource_policy(grant: Grant, *, trusted_accounts: tuple[str, ...] = ()) -> Verdict:
    """What another account may do here is decided there: its administrators hand the right to whom they like."""
    principals = grant.statement.principals
    if not _opens(grant) or principals is None or principals.inverted:
        return not_applicable("not an Allow of a table's own policy that names its principals")
    foreign = [
        (item, _is_own(item, grant, trusted_accounts)) for item in principals.items if item.kind is PrincipalKind.AWS
    ]
    strangers = [item for item, own in foreign if own is False]
    if not strangers:
        doubtful = [item for item, own in foreign if own is None]
        if not doubtful:
            return (
                holds(statement(grant))
                if principals.doubt is None
                else unknown("who is let in is not known", statement(grant))
            )
        shown = grant.document.shown(doubtful[0].text)
        return unknown(f"whether {shown} is this account is not known", statement(grant)).fixed_by(_SETTLE)
    actions = actions_of(grant.statement.actions)
    note = f"{actions_shown(actions)} for {grant.document.shown(strangers[0].text)}, which is another account's"
    return fails(note, statement(grant)).weighing(_foreign_severity(strangers, actions))


@policy(
    "TG529",
    HIGH,
    "A service must be let in for resources of your own only",
    docs=_DEPUTY,
    terraform="""\
condition {
  test     = "StringEquals"
  variable = "aws:SourceAccount"
  values   = [data.aws_caller_identity.current.account_id]
}""",
    cloudformation="""\
Condition:
  StringEquals:
    aws:SourceAccount: !Ref AWS::AccountId""",
)
def service_principal_without_source(grant: Grant) -> Verdict:
    """A service acts for whoever asks it: without a source, somebody else's resource can have it act on this table."""
    principals = grant.statement.principals
    services = [item for item in principals.items if item.kind is PrincipalKind.SERVICE] if principals else []
    if not _opens(grant) or not services:
        return not_applicable("no service principal in a table's own policy")
    if any(
        item.key in _SOURCES and not item.if_exists and not item.negated and _fixes_account(item)
        for item in grant.statement.conditions
    ):
        return holds(statement(grant))
    return fails(
        f"{grant.document.shown(services[0].text)} is let in without aws:SourceArn or aws:SourceAccount",
        statement(grant),
    )


@policy(
    "TG533",
    MEDIUM,
    "A table's policy must hold only what can work in it",
    docs=_CONSIDER,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def resource_policy_dead_or_rejected(grant: Grant) -> Verdict:
    """DynamoDB refuses some actions in a table's policy when it is attached, and quietly ignores resources that are not
    this table."""
    if grant.role is not DocumentRole.RESOURCE or grant.holder.form not in (HolderForm.TABLE, HolderForm.STREAM):
        return not_applicable("not a table's own policy")
    if grant.document.size is not None and grant.document.size > _MAXIMUM:
        return fails(f"the policy has {grant.document.size} bytes, and DynamoDB takes {_MAXIMUM}", statement(grant))
    stream = grant.holder.form is HolderForm.STREAM
    for text in grant.statement.actions.texts:
        refused = [action for action in expand(text) if not is_wildcard(text) and _is_refused(action, stream=stream)]
        if refused:
            what = "stream's" if stream else "table's"
            return fails(f"{refused[0].name} cannot stand in a {what} policy: the deploy fails", statement(grant))
    if grant.target and grant.statement.resources.texts and not grant.statement.resources.inverted:
        if all(
            intersects(text, grant.target) is False and intersects(text, f"{grant.target}/*") is False
            for text in grant.statement.resources.texts
        ):
            return fails("no resource of this statement is the table it is attached to", statement(grant)).weighing(LOW)
    return holds(statement(grant))


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
    principals = grant.statement.principals
    if (
        grant.role is not DocumentRole.RESOURCE
        or grant.holder.form is not HolderForm.TABLE
        or not grant.statement.denies
        or principals is None
    ):
        return not_applicable("not a Deny of a table's own policy")
    everybody = principals.inverted or any(item.kind is PrincipalKind.ANYONE for item in principals.items)
    if not everybody or any(item.key in _EXCEPTING for item in grant.statement.conditions):
        return holds(statement(grant))
    actions = actions_of(grant.statement.actions)
    if (
        any(action.name in ("PutResourcePolicy", "DeleteResourcePolicy") for action in actions)
        and not grant.statement.conditions
    ):
        return fails("denies everybody the policy itself: nobody can take it back", statement(grant))
    tables = [table for table in grant.holder.estate.tables if table.address == grant.holder.address]
    replicated = any(table.replicas.content for table in tables)
    if replicated and any(action.kind in _REPLICATING for action in actions):
        return fails(
            "denies replication too: the replica falls behind, and is split off for good after 20 hours",
            statement(grant),
        )
    scaled = any(table.scaling for table in tables)
    if scaled and any(action.name == "UpdateTable" for action in actions):
        return fails("denies autoscaling too: the table stays at the capacity it has", statement(grant))
    return holds(statement(grant))


_SETTLE = "give --account, or write the account as the one this stack is deployed to"
_EXCEPTING = frozenset(
    {"aws:principalisawsservice", "aws:principalservicename", "aws:principalarn", "aws:viaawsservice"}
)
_REPLICATING = frozenset({Kind.REPLICATION, Kind.ITEM_WRITE, Kind.ITEM_DELETE})


def _opens(grant: Grant) -> bool:
    forms = (HolderForm.TABLE, HolderForm.STREAM)
    return grant.role is DocumentRole.RESOURCE and grant.holder.form in forms and grant.statement.allows


def _is_open(item: Principal) -> bool:
    """Whether a principal's ARN leaves its account open, which IAM refuses and its author meant as everybody."""
    parts = item.text.split(":")
    return item.kind is PrincipalKind.AWS and len(parts) > 4 and parts[4] == "*"


def _is_plain(item: Condition) -> bool:
    """Whether a pinning condition's values hold no wildcard."""
    return bool(item.values) and not any(is_wildcard(value) for value in item.values)


def _is_own(item: Principal, grant: Grant, trusted: tuple[str, ...]) -> bool | None:
    account = item.text.split(":")[4] if item.text.count(":") >= 5 else item.text
    own = grant.target.split(":")[4] if grant.target and grant.target.count(":") >= 5 else ""
    if account in trusted or (own and account == own):
        return True
    if not own or has_symbol(own) or has_symbol(account):
        return None
    return False if account.isdigit() else None


def _foreign_severity(strangers: list[Principal], actions: frozenset[Action]) -> Severity:
    if any(action.kind in (Kind.DESTRUCTIVE, Kind.TAGGING) or action.name == "UpdateTable" for action in actions):
        return CRITICAL
    whole = any(item.text.endswith(":root") or item.text.isdigit() for item in strangers)
    return (
        HIGH
        if whole
        or any(action.kind not in READS and action.across_accounts for action in actions if action.kind in _WRITING)
        else MEDIUM
    )


_WRITING = frozenset({Kind.ITEM_WRITE, Kind.ITEM_DELETE})


def _fixes_account(item: Condition) -> bool:
    """Whether a source condition's values leave the account open."""
    if item.unread and not item.values:
        return True
    if item.key != "aws:sourcearn":
        return _is_plain(item)
    return bool(item.values) and all(value.count(":") >= 5 and "*" not in value.split(":")[4] for value in item.values)


def _is_refused(action: Action, *, stream: bool) -> bool:
    reads_streams = action.kind is Kind.STREAM_READ
    if stream:
        return "stream" not in action.types
    return reads_streams or (action.in_resource_policy is False and action.name != "DescribeExport")
