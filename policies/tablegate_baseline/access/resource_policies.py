"""Policies of tables and streams themselves: are they public, open to other accounts, refused, or a lockout?"""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.policy import (
    CRITICAL,
    HIGH,
    LOW,
    MEDIUM,
    Doubt,
    Origin,
    Severity,
    Table,
    Value,
    Verdict,
    policy,
    unknown,
)
from tablegate.policy.access import (
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
    known_actions,
)
from tablegate_baseline.access.principals import (
    ORGANISATION,
    TrustedAccounts,
    account_of,
    is_anyone,
    is_own_account,
    is_pinned,
    is_resource_allow,
    is_whole_account,
    open_provider,
    outside_principals,
    principals_in_conditions,
    source_conditions,
    whose_account,
)
from tablegate_baseline.access.statement_fix import CLOUDFORMATION_PRINCIPAL, TERRAFORM_PRINCIPAL
from tablegate_baseline.access.wording import (
    HOLDS,
    NOT_APPLICABLE,
    actions_shown,
    listed,
    statement_evidence,
    unknown_element,
    unknown_principals,
    violation,
)

_PUBLIC = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-bpa-rbp.html"
_CROSS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-cross-account-access.html"
_DEPUTY = "https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html"
_SOURCES = frozenset({"aws:sourcearn", "aws:sourceaccount", "aws:sourceorgid", "aws:sourceorgpaths"})
_ACCOUNT_SOURCES = frozenset({"aws:sourcearn", "aws:sourceaccount"})
_WRITES = frozenset({Kind.ITEM_WRITE, Kind.ITEM_DELETE})
_ADMIN_KINDS = frozenset({Kind.DESTRUCTIVE, Kind.TAGGING, Kind.PROTECTION_CHANGE})

_CONSIDERATIONS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html"
_MAX_BYTES = 20 * 1024
_POLICY_ACTIONS = frozenset({"PutResourcePolicy", "DeleteResourcePolicy"})
_REPLICATING = frozenset({Kind.REPLICATION, Kind.ITEM_WRITE, Kind.ITEM_DELETE})
_SERVICES = frozenset(
    {"aws:principalisawsservice", "aws:principalservicename", "aws:principalservicenameslist", "aws:viaawsservice"}
)


@policy(
    "TG527",
    CRITICAL,
    "A table must not be open to everybody",
    docs=_PUBLIC,
    terraform=TERRAFORM_PRINCIPAL,
    cloudformation=CLOUDFORMATION_PRINCIPAL,
)
def public_resource_policy(grant: Grant) -> Verdict:
    """A public policy makes the table everybody's. DynamoDB refuses it, so the deploy fails at this statement."""
    if not is_resource_allow(grant):
        return NOT_APPLICABLE
    provider = open_provider(grant)
    if not is_anyone(grant) and provider is not None:
        who = f"whoever signs in with {grant.document.shown(provider[0].text)}"
        if provider[1]:
            return violation(grant, CRITICAL, f"{who} has access, by a role of any account")
        return unknown(f"{who} may have access", statement_evidence(grant)).weighing(CRITICAL)
    if not is_anyone(grant):
        return HOLDS if _principals_known(grant) else _unknown_principals(grant, CRITICAL)
    who = "everybody except those it names" if _is_inverted(grant) else "everybody"
    pinning = source_conditions(grant)
    answers = [is_pinned(item) for item in pinning]
    if True in answers:
        return HOLDS
    if None in answers:
        return unknown(
            f"{who} may have access, unless {pinning[0].written} limits it", *unknown_principals(grant)
        ).weighing(CRITICAL)
    if any(_is_path_pattern(item) for item in pinning):
        return violation(grant, MEDIUM, f"{who} whose ARN matches a pattern has access")
    return violation(grant, CRITICAL, f"{who} has access: DynamoDB refuses the policy")


@policy(
    "TG528",
    CRITICAL,
    "Another account must get access by role, and only to read",
    docs=_CROSS,
    terraform=TERRAFORM_PRINCIPAL,
    cloudformation=CLOUDFORMATION_PRINCIPAL,
)
def cross_account_resource_policy(grant: Grant, *, trusted_accounts: TrustedAccounts = ()) -> Verdict:
    """What another account may do here is decided there: its administrators give the right to anybody they like."""
    if not is_resource_allow(grant) or (_is_inverted(grant) and not principals_in_conditions(grant)):
        return NOT_APPLICABLE
    foreign, doubtful = outside_principals(grant, trusted_accounts)
    actions = actions_of(grant.statement.actions)
    severity = _severity(foreign or doubtful, actions)
    if foreign:
        if severity is MEDIUM and _is_in_organisation(grant):
            return HOLDS
        note = f"{grant.document.shown(foreign[0].text)}, in another account, may {actions_shown(actions)}"
        return violation(grant, severity, note)
    if doubtful:
        shown = grant.document.shown(doubtful[0].text)
        note = f"cannot tell whether {shown} is in this account"
        return unknown(note, whose_account(grant), statement_evidence(grant)).weighing(severity)
    return HOLDS if _principals_known(grant) else _unknown_principals(grant, severity)


@policy(
    "TG529",
    HIGH,
    "A service must get access only for your own resources",
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
def service_principal_without_source(grant: Grant, *, trusted_accounts: TrustedAccounts = ()) -> Verdict:
    """A service acts for everybody: without a source, somebody else's resource can make it act on this table."""
    principals = grant.statement.principals
    services = [item for item in principals.items if item.kind is PrincipalKind.SERVICE] if principals else []
    if not services or not is_resource_allow(grant):
        return NOT_APPLICABLE
    shown = listed(grant.document.shown(item.text) for item in services)
    answers = [(_fixes_account(item), item) for item in grant.statement.conditions]
    whose = [_whose_source(grant, item, trusted_accounts) for fixes, item in answers if fixes]
    if True in whose:
        return HOLDS
    if None in whose:
        note = f"cannot tell whether the source that {shown} acts for is in this account"
        return unknown(note, whose_account(grant), statement_evidence(grant)).weighing(HIGH)
    if whose:
        return violation(grant, HIGH, f"{shown} has access for resources of another account")
    for fixes, item in answers:
        if fixes is None:
            note = f"cannot tell whether {item.written} limits {shown} to an account of your own"
            return unknown(note, statement_evidence(grant), _unknown_source(grant, item)).weighing(HIGH)
    return violation(grant, HIGH, f"{shown} has access without an aws:SourceArn or aws:SourceAccount of your own")


@policy(
    "TG533",
    MEDIUM,
    "A table's policy must contain only what works in it",
    docs=_CONSIDERATIONS,
    terraform=TERRAFORM_PRINCIPAL,
    cloudformation=CLOUDFORMATION_PRINCIPAL,
)
def resource_policy_dead_or_rejected(grant: Grant) -> Verdict:
    """DynamoDB refuses a table's policy with some actions, and silently ignores resources that are not this table."""
    if not _is_resource_policy(grant):
        return NOT_APPLICABLE
    why = next(_why_refused(grant), None)
    if why is not None:
        return violation(grant, MEDIUM, why, actions=_literal_actions(grant))
    dead = next(_why_dead(grant), None)
    return HOLDS if dead is None else violation(grant, LOW, dead, actions=_literal_actions(grant))


@policy(
    "TG534",
    HIGH,
    "A Deny in a table's policy must not lock out its own services",
    docs=_CONSIDERATIONS,
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
    """A Deny for everybody also stops replication, scaling, and the people who would have to remove the Deny."""
    if not _is_resource_policy(grant) or grant.holder.form is not HolderForm.TABLE:
        return NOT_APPLICABLE
    confirmed = grant.document.gives_up
    if confirmed is not None and grant.statement is grant.document.statements[0]:
        not_confirmed = confirmed.is_false
        if not_confirmed.truth is not True:
            note = "the policy may lock out its own author: confirm_remove_self_resource_access is set"
            return not_confirmed.because(note).fixed_by("confirm_remove_self_resource_access = false")
    if grant.statement.effect == "Allow":
        return NOT_APPLICABLE
    lockout = _lockout(grant, actions_of(grant.statement.actions))
    if lockout is not None and is_anyone(grant):
        return violation(grant, HIGH, lockout)
    return _unknown_deny(grant, lockout)


def _principals_known(grant: Grant) -> bool:
    principals = grant.statement.principals
    return principals is not None and principals.doubt is None


def _unknown_principals(grant: Grant, severity: Severity) -> Verdict:
    return unknown("cannot tell who gets access", *unknown_principals(grant)).weighing(severity)


def _is_inverted(grant: Grant) -> bool:
    return grant.statement.principals is not None and grant.statement.principals.inverted


def _is_path_pattern(item: Condition) -> bool:
    """Whether a condition on the principal's ARN has wildcards in its path or name only."""
    return item.key == "aws:principalarn" and all(
        value.count(":") >= 5 and "*" not in account_of(value) for value in item.values
    )


def _severity(foreign: list[Principal], actions: frozenset[Action]) -> Severity:
    """The severity by what they may do (manage the table, write, read), and whether a whole account may."""
    if any(action.kind in _ADMIN_KINDS and action.across_accounts is not False for action in actions):
        return CRITICAL
    writes = any(action.kind in _WRITES for action in actions)
    return HIGH if writes or any(map(is_whole_account, foreign)) else MEDIUM


def _is_in_organisation(grant: Grant) -> bool:
    """Whether a condition limits the other account's role to the organisation."""
    return any(item.key in ORGANISATION and is_pinned(item) for item in source_conditions(grant))


def _fixes_account(item: Condition) -> bool | None:
    """Whether a condition limits the source to one account; None where its value may be a pattern for any."""
    if item.key not in _SOURCES or item.holds_without or item.is_null:
        return False
    if item.key != "aws:sourcearn":
        pinned = is_pinned(item)
        return True if pinned is None and not item.patterned else pinned
    answers = [_is_of_one_account(value, patterned=item.patterned) for value in item.values]
    if False in answers:
        return False
    return None if item.patterned and (item.unread or None in answers) else True


def _whose_source(grant: Grant, item: Condition, trusted: tuple[str, ...]) -> bool | None:
    """Whether a source is this account's, or a trusted one's. Of an organisation, or of no known value, it counts as
    the author's own."""
    if item.key not in _ACCOUNT_SOURCES:
        return True
    answers = [is_own_account(Principal(PrincipalKind.AWS, value), grant, trusted) for value in item.values]
    known = [answer for value, answer in zip(item.values, answers, strict=True) if account_of(value).isdigit()]
    return False if False in known else None if None in known else True


def _is_of_one_account(arn: str, *, patterned: bool) -> bool | None:
    """Whether an ARN has one account. If nothing of it is known, it has, unless it may be a pattern."""
    if arn.count(":") >= 5:
        return "*" not in account_of(arn)
    if not has_symbol(arn):
        return False
    return None if patterned else True


def _unknown_source(grant: Grant, item: Condition) -> Value[object]:
    """The condition on a source that is not known, as evidence."""
    doubt = Doubt("its value is not known, and may match every account", "name the account with aws:SourceAccount")
    return Value(item.written, None, Origin.UNKNOWN, grant.statement.place, doubt)


def _unknown_deny(grant: Grant, lockout: str | None) -> Verdict:
    """The verdict on a Deny whose principals or actions are not known."""
    actions_doubt = grant.statement.actions.doubt
    principals_doubt = grant.statement.principals.doubt if grant.statement.principals is not None else None
    possible = lockout or (_lockout(grant, frozenset(known_actions())) if actions_doubt is not None else None)
    if possible is None or not (principals_doubt is not None or is_anyone(grant)):
        return HOLDS
    element, doubt = ("Action", actions_doubt) if is_anyone(grant) else ("Principal", principals_doubt)
    return unknown(f"cannot tell whether it {possible}", unknown_element(grant, element, doubt))


def _lockout(grant: Grant, actions: frozenset[Action]) -> str | None:
    """What a Deny of these actions for everybody breaks, as a message; None where it breaks nothing."""
    conditions = grant.statement.conditions
    if any(item.key == "aws:principalarn" and item.negated for item in conditions):
        return None
    if not conditions and _POLICY_ACTIONS & {action.name for action in actions}:
        return "denies everybody changes to the policy itself: nobody can remove it"
    if any(map(_excepts_services, conditions)):
        return None
    table = _table(grant)
    if table is not None and table.replicas.content and any(action.kind in _REPLICATING for action in actions):
        return "denies replication too: the replica falls behind, and is permanently separated after 20 hours"
    if table is not None and table.scaling and any(action.name == "UpdateTable" for action in actions):
        return "denies autoscaling too: the table stays at its current capacity"
    return None


def _is_resource_policy(grant: Grant) -> bool:
    return grant.role is DocumentRole.RESOURCE and grant.holder.form in (HolderForm.TABLE, HolderForm.STREAM)


def _why_refused(grant: Grant) -> Iterator[str]:
    """Reasons for DynamoDB to refuse the policy."""
    if grant.document.size is not None and grant.document.size > _MAX_BYTES:
        yield f"the policy has {grant.document.size} bytes; the limit is {_MAX_BYTES}"
    if "/index/" in (grant.target or ""):
        yield "the policy is attached to an index; only a table or a stream can have one"
    stream = grant.holder.form is HolderForm.STREAM
    refused = [action for action in _literal_actions(grant) if _is_refused(action, stream=stream)]
    if refused:
        yield f"{actions_shown(refused)} cannot be in a {'stream' if stream else 'table'}'s policy"
    estate = grant.holder.estate
    attached = {
        other.address
        for other in estate.grants
        if other.target == grant.target and other.target and other.role is DocumentRole.RESOURCE
    }
    if len(attached) > 1:
        yield f"{' and '.join(sorted(attached))} are attached to the same resource: one overwrites the other"
    if any(legacy.table == grant.holder.address for legacy in estate.legacy_global_tables):
        yield "a global table of version 2017.11.29 cannot have a policy of its own"


def _why_dead(grant: Grant) -> Iterator[str]:
    """Reasons for a statement to have no effect."""
    resources, target = grant.statement.resources, grant.target
    if target and resources.texts and not resources.inverted and resources.doubt is None:
        reached = (
            intersects(text, place) is not False for text in resources.texts for place in (target, f"{target}/*")
        )
        if not any(reached):
            yield "the statement's resources do not include the one that the policy is attached to"
    foreign, _ = outside_principals(grant)
    useless = [action for action in _literal_actions(grant) if action.across_accounts is False]
    if foreign and grant.statement.allows and useless:
        yield f"{actions_shown(useless)} does not work across accounts"


def _literal_actions(grant: Grant) -> list[Action]:
    """The actions without wildcards: a wildcard may match actions without effect."""
    texts = (text for text in grant.statement.actions.texts if not is_wildcard(text))
    return sorted({action for text in texts for action in expand(text)})


def _is_refused(action: Action, *, stream: bool) -> bool:
    if stream:
        return "stream" not in action.types
    if action.types == ("stream",):
        return True
    return action.in_resource_policy is False and action.name != "DescribeExport"


def _excepts_services(item: Condition) -> bool:
    """Whether a Deny's condition excepts AWS's own services."""
    if item.key not in _SERVICES:
        return False
    return item.negated or {value.lower() for value in item.values} == {"false"}


def _table(grant: Grant) -> Table | None:
    tables = grant.holder.estate.tables
    return next((table for table in tables if table.address == grant.holder.address), None)
