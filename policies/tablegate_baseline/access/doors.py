"""Doors: whom do a table and its stream let in by themselves?"""

from __future__ import annotations

from tablegate.policy import CRITICAL, HIGH, MEDIUM, Doubt, Origin, Severity, Value, Verdict, policy, unknown
from tablegate.policy.access import Action, Condition, Grant, Kind, Principal, PrincipalKind, actions_of, has_symbol
from tablegate_baseline.access.remedies import CLOUDFORMATION_PRINCIPAL, TERRAFORM_PRINCIPAL
from tablegate_baseline.access.strangers import (
    ORGANISATION,
    account_of,
    is_anyone,
    is_pinned,
    is_whole_account,
    lets_in,
    pins,
    strangers,
    whose_account,
)
from tablegate_baseline.access.telling import FINE, OTHERS, actions_shown, against, listed, statement

_PUBLIC = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-bpa-rbp.html"
_CROSS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-cross-account-access.html"
_DEPUTY = "https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html"
_SOURCES = frozenset({"aws:sourcearn", "aws:sourceaccount", "aws:sourceorgid", "aws:sourceorgpaths"})
_WRITES = frozenset({Kind.ITEM_WRITE, Kind.ITEM_DELETE})
_RULES = frozenset({Kind.DESTRUCTIVE, Kind.TAGGING, Kind.PROTECTION_CHANGE})


@policy(
    "TG527",
    CRITICAL,
    "A table must not be open to everybody",
    docs=_PUBLIC,
    terraform=TERRAFORM_PRINCIPAL,
    cloudformation=CLOUDFORMATION_PRINCIPAL,
)
def public_resource_policy(grant: Grant) -> Verdict:
    """A policy that lets anybody in makes the table everybody's; DynamoDB refuses it, so the deploy fails at this
    statement."""
    if not lets_in(grant):
        return OTHERS
    if not is_anyone(grant):
        return FINE if _principals_known(grant) else _not_known(grant, CRITICAL)
    who = "everybody but those it names" if _is_inverted(grant) else "everybody"
    pinning = pins(grant)
    answers = [is_pinned(item) for item in pinning]
    if True in answers:
        return FINE
    if None in answers:
        return unknown(f"lets {who} in, unless {pinning[0].written} pins it", *_evidence(grant)).weighing(CRITICAL)
    if any(_is_path_pattern(item) for item in pinning):
        return against(grant, MEDIUM, f"lets {who} in whose ARN matches a pattern")
    return against(grant, CRITICAL, f"lets {who} in: DynamoDB refuses the policy")


@policy(
    "TG528",
    CRITICAL,
    "Another account must be let in by role, and to read",
    docs=_CROSS,
    terraform=TERRAFORM_PRINCIPAL,
    cloudformation=CLOUDFORMATION_PRINCIPAL,
)
def cross_account_resource_policy(grant: Grant, *, trusted_accounts: tuple[str, ...] = ()) -> Verdict:
    """What another account may do here is decided there: its administrators hand the right to whom they like."""
    if not lets_in(grant) or _is_inverted(grant):
        return OTHERS
    foreign, doubtful = strangers(grant, trusted_accounts)
    actions = actions_of(grant.statement.actions)
    severity = _weight(foreign or doubtful, actions)
    if foreign:
        if severity is MEDIUM and _is_bound(grant):
            return FINE
        note = f"{actions_shown(actions)} for {grant.document.shown(foreign[0].text)}, which is another account's"
        return against(grant, severity, note)
    if doubtful:
        shown = grant.document.shown(doubtful[0].text)
        note = f"cannot tell whether {shown} is of this account"
        return unknown(note, whose_account(grant), statement(grant)).weighing(severity)
    return FINE if _principals_known(grant) else _not_known(grant, severity)


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
    if not services or not lets_in(grant):
        return OTHERS
    shown = listed(grant.document.shown(item.text) for item in services)
    answers = [(_fixes_account(item), item) for item in grant.statement.conditions]
    if any(fixes for fixes, _ in answers):
        return FINE
    for fixes, item in answers:
        if fixes is None:
            note = f"cannot tell whether {item.written} holds {shown} to an account of your own"
            return unknown(note, statement(grant), _open_source(grant, item)).weighing(HIGH)
    return against(grant, HIGH, f"lets {shown} in without an aws:SourceArn or aws:SourceAccount of your own")


def _principals_known(grant: Grant) -> bool:
    principals = grant.statement.principals
    return principals is not None and principals.doubt is None


def _not_known(grant: Grant, severity: Severity) -> Verdict:
    return unknown("cannot tell whom the statement lets in", *_evidence(grant)).weighing(severity)


def _evidence(grant: Grant) -> tuple[Value[object], ...]:
    principals = grant.statement.principals
    doubt = principals.doubt if principals else None
    where = grant.statement.at("Principal") or grant.place
    return (Value("Principal", None, Origin.UNKNOWN, where, doubt), statement(grant))


def _is_inverted(grant: Grant) -> bool:
    return grant.statement.principals is not None and grant.statement.principals.inverted


def _is_path_pattern(item: Condition) -> bool:
    """Whether a principal's ARN is left open in its path or name only."""
    return item.key == "aws:principalarn" and all(
        value.count(":") >= 5 and "*" not in account_of(value) for value in item.values
    )


def _weight(foreign: list[Principal], actions: frozenset[Action]) -> Severity:
    """By what they may do: rule the table, write, or read; and whether a role or a whole account may."""
    if any(action.kind in _RULES and action.across_accounts is not False for action in actions):
        return CRITICAL
    writes = any(action.kind in _WRITES for action in actions)
    return HIGH if writes or any(map(is_whole_account, foreign)) else MEDIUM


def _is_bound(grant: Grant) -> bool:
    """Whether the other account's role is of the organisation, by a condition."""
    return any(item.key in ORGANISATION and is_pinned(item) for item in pins(grant))


def _fixes_account(item: Condition) -> bool | None:
    """Whether a condition on the source holds it to one account; None where its value may be a pattern for any."""
    if item.key not in _SOURCES or item.holds_without or item.is_null:
        return False
    if item.key != "aws:sourcearn":
        pinned = is_pinned(item)
        return True if pinned is None and not item.patterned else pinned
    answers = [_is_of_one_account(value, patterned=item.patterned) for value in item.values]
    if False in answers:
        return False
    return None if item.patterned and (item.unread or None in answers) else True


def _is_of_one_account(arn: str, *, patterned: bool) -> bool | None:
    """Whether an ARN names its account; where nothing of it is known, it is a single one unless it is a pattern."""
    if arn.count(":") >= 5:
        return "*" not in account_of(arn)
    if not has_symbol(arn):
        return False
    return None if patterned else True


def _open_source(grant: Grant, item: Condition) -> Value[object]:
    """A source of which nothing is known, as evidence."""
    doubt = Doubt("its value is not known here, and may match every account", "name the account: aws:SourceAccount")
    return Value(item.written, None, Origin.UNKNOWN, grant.statement.place, doubt)
