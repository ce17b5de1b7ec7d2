"""Tenants: does a condition that should keep users apart really do so?"""

from __future__ import annotations

from tablegate.policy import CRITICAL, HIGH, INFO, MEDIUM, Verdict, fails, holds, not_applicable, policy
from tablegate.policy.access import (
    HARMLESS,
    PARTITION_KEYS,
    READS,
    WRITES,
    Action,
    Condition,
    DocumentRole,
    Grant,
    HolderKind,
    Kind,
    Narrowing,
    Tier,
    actions_of,
    closed_by_null,
    is_variable,
    reaches,
    reaches_of,
)
from tablegate_baseline.access.telling import actions_shown, holder, instead, statement, told

_FGAC = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html"
_ABAC = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/attribute-based-access-control.html"
_SETS = "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html"

_OWN_ITEMS = '{"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${cognito-identity.amazonaws.com:sub}"]}}'
_TERRAFORM = """\
condition {
  test     = "ForAllValues:StringEquals"
  variable = "dynamodb:LeadingKeys"
  values   = ["&{cognito-identity.amazonaws.com:sub}"]
}"""
_CLOUDFORMATION = """\
Condition:
  ForAllValues:StringEquals:
    dynamodb:LeadingKeys: ["${cognito-identity.amazonaws.com:sub}"]"""
_KEY_SPELLINGS = frozenset(f"dynamodb:{name}" for name in PARTITION_KEYS)
_DATA = READS | WRITES
_DELIMITERS = frozenset("#|/:")
_MISSPELT = ("leadingkey", "leading", "partitionkey")


@policy(
    "TG520",
    CRITICAL,
    "An end user must reach only items of their own",
    docs=_FGAC,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def end_user_without_item_scope(grant: Grant) -> Verdict:
    """Credentials in a browser or a phone are the user's to use as they like: without a condition on the key, every user
    reads and writes everybody's items."""
    if not _is_identity(grant) or grant.holder.kind is not HolderKind.END_USER:
        return not_applicable("the holder is no end user")
    for reach in reaches(grant):
        open_to_all = sorted(
            action for action in reach.actions if action.kind in _DATA and not _own_items(grant, action)
        )
        if open_to_all and not _keyed(grant):
            severity = CRITICAL if "unauthenticated" in grant.holder.why else HIGH
            fix = instead(
                grant, (a.full_name for a in open_to_all if "LeadingKeys" in a.keys), [reach.pattern], _OWN_ITEMS
            )
            return (
                fails(f"{actions_shown(open_to_all)} on everybody's items", *told(reach))
                .weighing(severity)
                .fixed_by(fix)
            )
    return holds(statement(grant))


@policy(
    "TG521",
    CRITICAL,
    "A condition on keys must cover every action it stands over",
    docs=_FGAC,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def fgac_fails_open(grant: Grant) -> Verdict:
    """ForAllValues is true where the key is absent, and Scan, streams, exports and table actions never carry it: for
    them the condition is not there."""
    if not _is_identity(grant) or not _set_conditions(grant):
        return not_applicable("no condition on keys over a set of values")
    severity = CRITICAL if grant.holder.kind is HolderKind.END_USER else HIGH
    for reach in reaches(grant):
        slipping = sorted(action for action in reach.actions if _slips(grant, action))
        if slipping:
            kept = (
                action.full_name
                for action in reach.actions
                if not _slips(grant, action) and action.kind not in HARMLESS
            )
            return (
                fails(
                    f"{actions_shown(slipping)} carry no such key, so they are allowed without any condition",
                    *told(reach),
                )
                .weighing(severity)
                .fixed_by(instead(grant, kept, [reach.pattern], _OWN_ITEMS))
            )
    return holds(statement(grant))


@policy(
    "TG522",
    HIGH,
    "A condition on keys must use the right operator",
    docs=_SETS,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def fgac_operator_wrong(grant: Grant) -> Verdict:
    """LeadingKeys holds one value for each item of a request: with the wrong operator one key of the user's own opens
    the rest, or the condition never holds at all."""
    if not _is_identity(grant):
        return not_applicable("not a grant of an identity")
    concerned = [item for item in grant.statement.conditions if item.key in _KEY_SPELLINGS or _misspelt(item)]
    if not concerned or not _grants_items(grant):
        return not_applicable("no condition on keys")
    wrong = next((why for why in (_wrong(item, grant) for item in concerned) if why), None)
    if wrong is None:
        return holds(statement(grant))
    fix = instead(grant, _item_actions(grant), _patterns(grant), _OWN_ITEMS)
    return fails(wrong, statement(grant), holder(grant)).fixed_by(fix)


@policy(
    "TG523",
    HIGH,
    "A tenant's prefix must end at a delimiter",
    docs=_FGAC,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def tenant_prefix_bleed(grant: Grant) -> Verdict:
    """A star right behind the tenant's name lets tenant 1 read the items of tenant 10."""
    if not _is_identity(grant):
        return not_applicable("not a grant of an identity")
    likes = [
        item for item in grant.statement.conditions if item.key in _KEY_SPELLINGS and "like" in item.operator.lower()
    ]
    if not likes:
        return not_applicable("no pattern over keys")
    bleeding = next((value for item in likes for value in item.values if _bleeds(value)), None)
    if bleeding is None:
        return holds(statement(grant))
    shown = grant.document.shown(bleeding)
    if "cognito-identity.amazonaws.com:sub" in shown:
        severity = INFO
    else:
        severity = HIGH if grant.holder.kind is HolderKind.END_USER else MEDIUM
    note = f"{shown!r} also matches keys of tenants whose name begins with another's"
    fixed = shown.removesuffix("*") + "#*"
    fix = instead(
        grant,
        _item_actions(grant),
        _patterns(grant),
        f'{{"ForAllValues:StringLike": {{"dynamodb:LeadingKeys": ["{fixed}"]}}}}',
    )
    return fails(note, statement(grant), holder(grant)).weighing(severity).fixed_by(fix)


@policy(
    "TG524",
    MEDIUM,
    "A limit on attributes must also limit what is returned",
    docs=_FGAC,
    terraform="""\
condition {
  test     = "StringEqualsIfExists"
  variable = "dynamodb:Select"
  values   = ["SPECIFIC_ATTRIBUTES"]
}""",
    cloudformation="""\
StringEqualsIfExists:
  dynamodb:Select: SPECIFIC_ATTRIBUTES""",
)
def attribute_scope_leaks(grant: Grant) -> Verdict:
    """A request that names no attributes gets all of them; a write returns the whole item when asked to; putting an item
    replaces the attributes that were not to be touched."""
    limits = [item for item in grant.statement.conditions if item.key == "dynamodb:attributes"]
    if not _is_identity(grant) or not limits:
        return not_applicable("no condition on attributes")
    granted = frozenset(action for reach in reaches(grant) for action in reach.actions)
    leaks = _leaks(grant, granted)
    if leaks is None:
        return holds(statement(grant))
    return fails(leaks, statement(grant), holder(grant))


@policy(
    "TG525",
    HIGH,
    "A Deny must cover every action that does the same",
    docs="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html",
    terraform="""\
statement {
  effect    = "Deny"
  actions   = ["dynamodb:DeleteItem", "dynamodb:BatchWriteItem", "dynamodb:PartiQLDelete", "dynamodb:PutItem"]
  resources = [aws_dynamodb_table.example.arn]
}""",
    cloudformation="""\
- Effect: Deny
  Action: [dynamodb:DeleteItem, dynamodb:BatchWriteItem, dynamodb:PartiQLDelete, dynamodb:PutItem]
  Resource: !GetAtt Example.Arn""",
)
def deny_bypass_by_equivalent_action(grant: Grant) -> Verdict:
    """Denying DeleteItem leaves PartiQLDelete, a batch write and an overwrite: the same loss by another name."""
    if grant.role is not DocumentRole.IDENTITY or not grant.statement.denies or grant.statement.actions.inverted:
        return not_applicable("not a Deny of named actions")
    denied = {action.name for action in actions_of(grant.statement.actions)}
    everywhere = {
        a.name for other in grant.holder.grants if other.statement.denies for a in actions_of(other.statement.actions)
    }
    allowed = {action.name for reach in reaches_of(grant.holder) for action in reach.actions}
    for what, members in _EQUIVALENT.items():
        left = sorted((members & allowed) - everywhere)
        if denied & members and denied & members & _ALONE[what] and left:
            note = f"{', '.join(sorted(denied & members))} is denied, but {', '.join(left)} can {what} all the same"
            return fails(note, statement(grant), holder(grant)).weighing(MEDIUM)
    return holds(statement(grant))


@policy(
    "TG526",
    HIGH,
    "A holder bound by tags must not set them",
    docs=_ABAC,
    terraform="""\
condition {
  test     = "StringEquals"
  variable = "aws:ResourceTag/app"
  values   = ["orders"]
}""",
    cloudformation="""\
Condition:
  StringEquals:
    aws:ResourceTag/app: orders""",
)
def tag_scope_self_escalation(grant: Grant) -> Verdict:
    """Whoever may tag any table can tag it into reach: the condition on tags is then their own to meet."""
    bound = {
        item.key
        for other in grant.holder.grants
        for item in other.statement.conditions
        if item.key.startswith("aws:resourcetag/")
    }
    if not _is_identity(grant) or not bound:
        return not_applicable("no grant of this holder is bound by tags")
    for reach in reaches(grant):
        taggers = [
            action
            for action in reach.actions
            if action.kind is Kind.TAGGING and reach.narrowed(action) is not Narrowing.TABLES
        ]
        if taggers and reach.tier > Tier.ONE:
            note = f"{actions_shown(taggers)} on {grant.document.shown(reach.pattern)!r} lets the holder tag any table into reach"
            return fails(note, *told(reach))
    return holds(statement(grant))


_EQUIVALENT = {
    "read": frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "PartiQLSelect"}),
    "delete": frozenset({"DeleteItem", "BatchWriteItem", "PartiQLDelete", "DeleteTable", "UpdateTimeToLive"}),
    "write": frozenset({"PutItem", "UpdateItem", "BatchWriteItem", "PartiQLInsert", "PartiQLUpdate"}),
    "drop": frozenset({"DeleteTable", "DeleteTableReplica"}),
}
# The members whose denial says that the deed itself is unwanted.
_ALONE = {
    "read": frozenset({"GetItem", "Query"}),
    "delete": frozenset({"DeleteItem"}),
    "write": frozenset({"PutItem", "UpdateItem"}),
    "drop": frozenset({"DeleteTable"}),
}


def _is_identity(grant: Grant) -> bool:
    return grant.role is DocumentRole.IDENTITY and grant.statement.allows


def _own_items(grant: Grant, action: Action) -> bool:
    """Whether a condition binds this action to items of the caller's own."""
    return any(
        item.key in _KEY_SPELLINGS
        and "LeadingKeys" in action.keys
        and any(is_variable(c) for value in item.values for c in value)
        for item in grant.statement.conditions
    )


def _keyed(grant: Grant) -> bool:
    """Whether the statement has a condition on keys at all: what slips past it is TG521's to say."""
    return any(item.key in _KEY_SPELLINGS for item in grant.statement.conditions)


def _set_conditions(grant: Grant) -> list[Condition]:
    named = (*_KEY_SPELLINGS, "dynamodb:attributes")
    return [
        item
        for item in grant.statement.conditions
        if item.key in named
        and item.qualifier == "forallvalues"
        and not closed_by_null(grant.statement.conditions, item.key)
    ]


def _slips(grant: Grant, action: Action) -> bool:
    """Whether the action carries none of the keys, does something that matters, and nothing else narrows it."""
    if action.kind in HARMLESS or action.name == "SearchVectors":
        return False
    carried = {f"dynamodb:{key.lower()}" for key in action.keys}
    conditions = _set_conditions(grant)
    keys = {("dynamodb:leadingkeys" if item.key in _KEY_SPELLINGS else item.key) for item in conditions}
    if not keys.isdisjoint(carried):
        return False
    others = tuple(item for item in grant.statement.conditions if item not in conditions)
    return not any(item.key.startswith("aws:resourcetag/") for item in others)


def _misspelt(item: Condition) -> bool:
    name = item.key.removeprefix("dynamodb:")
    return item.key.startswith("dynamodb:") and name not in PARTITION_KEYS and name in _MISSPELT


def _wrong(item: Condition, grant: Grant) -> str | None:
    written = f"{item.operator} over {item.key}"
    if _misspelt(item):
        return f"there is no condition key {item.key!r}: the condition never sees a value"
    if item.qualifier == "foranyvalue":
        return f"ForAnyValue:{written} lets a whole batch through for one key of the caller's own"
    if item.if_exists:
        return f"{written} with IfExists holds wherever the key is absent"
    if item.qualifier is None and item.operator.lower() != "null" and not item.negated:
        return f"{written} has no ForAllValues, though the key holds several values"
    return _wrong_value(item, grant, written)


def _wrong_value(item: Condition, grant: Grant, written: str) -> str | None:
    equals = item.operator.lower().startswith("stringequals")
    if equals and any("*" in value or "?" in value for value in item.values):
        return f"{written} takes a star for a plain character: only the key that holds one matches"
    if any("${" in value for value in item.values) and grant.document.version != "2012-10-17":
        return f"{written} has a variable, which only version 2012-10-17 of the language fills in"
    if item.wide_open:
        return f"{written} with the value * lets every key through"
    return None


def _bleeds(value: str) -> bool:
    """Whether a variable stands right before the closing star."""
    head = value.removesuffix("*")
    return value.endswith("*") and bool(head) and is_variable(head[-1]) and head[-1] not in _DELIMITERS


def _leaks(grant: Grant, granted: frozenset[Action]) -> str | None:
    keys = {item.key for item in grant.statement.conditions}
    replacing = sorted(action.name for action in granted if action.name in ("PutItem", "DeleteItem", "BatchWriteItem"))
    if replacing:
        return f"{', '.join(replacing)} replace whole items, whatever the attributes listed"
    if any(action.kind in READS and "Select" in action.keys for action in granted) and "dynamodb:select" not in keys:
        return (
            "dynamodb:Select is not bound to SPECIFIC_ATTRIBUTES: a read without a projection returns every attribute"
        )
    if any(action.name == "UpdateItem" for action in granted) and "dynamodb:returnvalues" not in keys:
        return "dynamodb:ReturnValues is not bound: an update can return the whole item"
    return None


def _grants_items(grant: Grant) -> bool:
    return any(action.kind in _DATA for reach in reaches(grant) for action in reach.actions)


def _item_actions(grant: Grant) -> list[str]:
    return [action.full_name for reach in reaches(grant) for action in reach.actions if "LeadingKeys" in action.keys]


def _patterns(grant: Grant) -> list[str]:
    return [reach.pattern for reach in reaches(grant)]
