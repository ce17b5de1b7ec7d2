"""Bypasses: does a limit on attributes, a Deny or a condition on tags leave another way to do the same?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, NamedTuple

from tablegate.policy import HIGH, INFO, MEDIUM, Estate, Severity, Table, Verdict, policy, unknown
from tablegate.policy.access import (
    HARMLESS,
    READS,
    Action,
    Condition,
    DocumentRole,
    Grant,
    Holder,
    HolderKind,
    Kind,
    Narrowing,
    Reach,
    Tier,
    actions_of,
    by_name,
    can,
    intersects,
    is_suffix,
    reaches,
    reaches_of,
    scope_of,
)
from tablegate_baseline.access.relevance import (
    covers_service,
    is_checked,
    is_dax_role,
    tables_in_scenarios,
    tables_reached,
)
from tablegate_baseline.access.statement_fix import Conditions, conditions_of, reduced_statement, replacement_statement
from tablegate_baseline.access.tenants import ATTRIBUTES
from tablegate_baseline.access.wording import (
    HOLDS,
    NOT_APPLICABLE,
    actions_shown,
    condition_evidence,
    reach_violation,
    unknown_element,
    violation,
)

_FGAC = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html"
_ABAC = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/attribute-based-access-control.html"
_EVALUATION = "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html"
_SENSITIVE_CLASSES = ("confidential", "restricted", "sensitive", "pii", "phi", "pci", "secret")
_REPLACING_ACTIONS = frozenset({"PutItem", "DeleteItem", "BatchWriteItem"})
_SAFE_RETURN_VALUES = frozenset({"NONE", "UPDATED_OLD", "UPDATED_NEW"})
_PROJECTION_CONDITIONS: Conditions = {
    "StringEqualsIfExists": {
        "dynamodb:Select": ("SPECIFIC_ATTRIBUTES",),
        "dynamodb:ReturnValues": ("NONE", "UPDATED_OLD", "UPDATED_NEW"),
    }
}
# Actions that do the same as another one.
_EQUIVALENTS = {
    "DeleteItem": ("BatchWriteItem", "PartiQLDelete", "DeleteTable", "UpdateTimeToLive"),
    "DeleteTable": ("DeleteTableReplica",),
    "GetItem": ("BatchGetItem", "PartiQLSelect", "Query", "Scan", "ExportTableToPointInTime"),
    "PutItem": ("BatchWriteItem", "PartiQLInsert", "UpdateItem"),
    "Query": ("PartiQLSelect", "Scan"),
    "Scan": ("PartiQLSelect", "ExportTableToPointInTime"),
    "UpdateItem": ("PartiQLUpdate",),
}
_RESOURCE_TAG = "aws:resourcetag/"
_ON_INDEXES = ("Query", "Scan", "PartiQLSelect")


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
    """A request that names no attributes gets all of them. A write returns the whole item if asked to. Putting an item
    replaces the protected attributes too."""
    limits = [item for item in grant.statement.conditions if item.key == ATTRIBUTES]
    if not limits or not is_checked(grant):
        return NOT_APPLICABLE
    granted = frozenset(action for reach in reaches(grant) for action in reach.actions)
    leak = _attribute_leak(grant, granted) or _missing_key(grant, limits)
    if leak is None and any(item.unread for item in limits):
        note = "cannot tell whether the listed attributes include the table's key"
        return unknown(note, unknown_element(grant, "Condition", None)).weighing(INFO)
    if leak is None:
        return HOLDS
    replacing = [action for action in granted if action.name in _REPLACING_ACTIONS]
    own = conditions_of(grant, "dynamodb:select", "dynamodb:returnvalues")
    fix = reduced_statement(grant, replacing, conditions={**own, **_PROJECTION_CONDITIONS})
    return violation(grant, MEDIUM, leak, condition_evidence(grant, limits[0]), fix=fix)


@policy(
    "TG525",
    HIGH,
    "A Deny must cover every action with the same effect",
    docs=_EVALUATION,
    terraform="""\
statement {
  effect    = "Deny"
  actions   = ["dynamodb:DeleteItem", "dynamodb:BatchWriteItem", "dynamodb:PartiQLDelete"]
  resources = [aws_dynamodb_table.example.arn]
}""",
    cloudformation="""\
- Effect: Deny
  Action: [dynamodb:DeleteItem, dynamodb:BatchWriteItem, dynamodb:PartiQLDelete]
  Resource: !GetAtt Example.Arn""",
)
def deny_bypass_by_equivalent_action(
    grant: Grant, *, sensitive: Annotated[tuple[str, ...], "data classes that raise the severity"] = _SENSITIVE_CLASSES
) -> Verdict:
    """Denying DeleteItem leaves PartiQLDelete and a batch write: the same loss by another name."""
    if not _may_deny(grant) or grant.statement.actions.inverted or is_dax_role(grant.holder):
        return NOT_APPLICABLE
    denied = {action.name for action in actions_of(grant.statement.actions)}
    severity = HIGH if _protects_sensitive_data(grant, sensitive) else MEDIUM
    for pattern in grant.statement.resources.texts:
        for name in sorted(denied & set(_EQUIVALENTS)):
            left = [same for same in _EQUIVALENTS[name] if same not in denied and _is_allowed(grant, same, pattern)]
            if left:
                note = f"{name} is denied, but {', '.join(left)} can do the same"
                return violation(grant, severity, note, actions=(by_name()[name.lower()],))
        named = () if covers_service(grant) or "*" in pattern else _ON_INDEXES
        exposed = [name for name in named if name in denied and _is_allowed(grant, name, f"{pattern}/index/*")]
        if exposed:
            note = f"{', '.join(exposed)} is denied on the table, but allowed on its indexes"
            return violation(grant, severity, note)
    return _unknown_deny(grant, denied)


@policy(
    "TG526",
    HIGH,
    "A holder limited by tags must not be able to set them",
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
    """A holder that may tag a table can tag it into reach: the condition on tags then stops nobody. Others who may
    tag the table hand it to the holders that the tag limits."""
    if not is_checked(grant):
        return NOT_APPLICABLE
    setting = [(reach, action) for reach in reaches(grant) for action in sorted(reach.actions) if _may_set_tags(action)]
    if not setting:
        return HOLDS if _limits_of(grant.holder) else NOT_APPLICABLE
    for limits, severity in _limits_to_keep(grant):
        opened = [(*each, limit) for each in setting for limit in limits if _opens(*each, limit)]
        if opened:
            reach = opened[0][0]
            free = list(dict.fromkeys(action for own, action, _ in opened if own is reach))
            tags = ", ".join(sorted({limit.tag for _, _, limit in opened}))
            holders = ", ".join(sorted({limit.grant.holder.address for _, _, limit in opened}))
            whose = "the holder's other grants" if severity is HIGH else f"the grants of {holders}"
            note = f"{actions_shown(free)} can set the tag {tags} that limits {whose}"
            names = (action.full_name for action in free)
            fix = replacement_statement(grant, names, [reach.pattern], _with_tag_condition(grant, opened[0][2]))
            return reach_violation(reach, severity, note, actions=free, fix=fix)
    return HOLDS


def _unknown_deny(grant: Grant, denied: set[str]) -> Verdict:
    """The verdict on a Deny with an unknown action or resource, where its holder has such actions."""
    actions, resources = grant.statement.actions, grant.statement.resources
    reached = (action for reach in reaches_of(grant.holder) for action in reach.actions)
    granted = {action.name for action in reached if action.kind not in HARMLESS}
    equivalents = {same for name in denied & set(_EQUIVALENTS) for same in _EQUIVALENTS[name]} - denied
    on_tables = resources.doubt is not None or any(scope_of(text).tier is not Tier.NONE for text in resources.texts)
    note = "cannot tell whether the Deny covers every action with the same effect"
    if actions.doubt is not None and granted and on_tables:
        return unknown(note, unknown_element(grant, "Action", actions.doubt)).weighing(INFO)
    if resources.doubt is not None and granted & equivalents:
        return unknown(note, unknown_element(grant, "Resource", resources.doubt)).weighing(INFO)
    return HOLDS


def _may_deny(grant: Grant) -> bool:
    """Whether a statement denies its holder something, or may do so."""
    return grant.role is DocumentRole.IDENTITY and grant.statement.effect != "Allow"


def _attribute_leak(grant: Grant, granted: frozenset[Action]) -> str | None:
    """How a request gets attributes that are not listed, as a message."""
    replacing = sorted(_REPLACING_ACTIONS & {action.name for action in granted})
    if replacing:
        return f"{', '.join(replacing)} replace whole items, regardless of the listed attributes"
    if any("Select" in action.keys and action.kind in READS for action in granted) and not _allows_only(
        grant, "dynamodb:select", frozenset({"SPECIFIC_ATTRIBUTES"})
    ):
        return (
            "dynamodb:Select is not limited to SPECIFIC_ATTRIBUTES: a read without a projection returns every attribute"
        )
    if any(action.name in ("UpdateItem", "PartiQLUpdate") for action in granted) and not _allows_only(
        grant, "dynamodb:returnvalues", _SAFE_RETURN_VALUES
    ):
        return "dynamodb:ReturnValues is not limited: an update can return the whole item"
    return None


def _allows_only(grant: Grant, key: str, values: frozenset[str]) -> bool:
    """Whether a condition allows these values of a key alone."""
    return any(
        item.key == key and not item.negated and not item.is_null and set(item.values) <= values
        for item in grant.statement.conditions
    )


def _missing_key(grant: Grant, limits: list[Condition]) -> str | None:
    """Key attributes of the table that are not listed, as a message. Without them every call is refused."""
    listed = {value for item in limits for value in item.values}
    if any(item.unread or item.negated or item.patterned for item in limits):
        return None
    for table in _tables(grant):
        missing = [part.attribute for part in table.keys.content or () if part.attribute not in listed]
        if missing:
            return f"the listed attributes lack {', '.join(missing)}, which every request on {table.address} needs"
    return None


def _tables(grant: Grant) -> list[Table]:
    return [table for reach in reaches(grant) for table in tables_reached(grant, reach.pattern)]


def _is_allowed(grant: Grant, name: str, pattern: str) -> bool:
    """Whether the holder's other statements allow the action on something that the pattern reaches."""
    action = by_name()[name.lower()]
    denied = any(
        action in actions_of(other.statement.actions)
        and any(intersects(text, pattern) is not False for text in other.statement.resources.texts)
        for other in grant.holder.denials
    )
    if denied:
        return False
    if "*" not in pattern and not is_suffix(pattern[-1]):
        return can(grant.holder, name, pattern).truth is True
    return any(action in reach.actions and _overlap(reach.pattern, pattern) for reach in reaches_of(grant.holder))


def _overlap(pattern: str, other: str) -> bool:
    """Whether two patterns reach something in common. An unknown suffix of a table's ARN counts as empty."""
    return intersects(_without_suffix(pattern), _without_suffix(other)) is True


def _without_suffix(pattern: str) -> str:
    return pattern[:-1] if is_suffix(pattern[-1]) else pattern


def _protects_sensitive_data(grant: Grant, sensitive: tuple[str, ...]) -> bool:
    """Whether a Deny is about attributes, or about a table that is declared to hold sensitive data."""
    if any(item.key == ATTRIBUTES for item in grant.statement.conditions):
        return True
    tables = (table for text in grant.statement.resources.texts for table in tables_in_scenarios(grant, text))
    return any(table.declared.data_class.content in sensitive for table in tables)


class _Limit(NamedTuple):
    """A grant on the tables of one tag: the condition, and where it is granted."""

    grant: Grant
    item: Condition

    @property
    def tag(self) -> str:
        """The tag, in lower case."""
        return self.item.key.removeprefix(_RESOURCE_TAG)


def _limits_of(holder: Holder) -> list[_Limit]:
    """The tags that the holder's grants require of a table."""
    return [
        _Limit(other, item)
        for other in holder.grants
        if other.gives
        for item in other.statement.conditions
        if item.key.startswith(_RESOURCE_TAG) and not item.holds_without and reaches(other)
    ]


def _limits_to_keep(grant: Grant) -> Iterator[tuple[list[_Limit], Severity]]:
    """The holder's own limits and, unless it is there to set tags, everybody's; with the severity of passing them."""
    yield _limits_of(grant.holder), HIGH
    if grant.holder.kind not in (HolderKind.DEPLOY, HolderKind.HUMAN, HolderKind.SERVICE):
        yield [limit for limit in _limits_in(grant.holder.estate) if limit.grant.holder is not grant.holder], MEDIUM


@lru_cache(maxsize=1)  # every grant of an input that sets tags asks
def _limits_in(estate: Estate) -> list[_Limit]:
    return [limit for holder in estate.holders for limit in _limits_of(holder)]


def _may_set_tags(action: Action) -> bool:
    return action.kind is Kind.TAGGING or action.name == "CreateTable"


def _opens(reach: Reach, action: Action, limit: _Limit) -> bool:
    """Whether the action can set the tag on a table that the limited grant is about, or make one with it."""
    if reach.narrowed(action) >= Narrowing.TABLES or not _sets_tag(action, reach.grant, limit.tag):
        return False
    if action.name == "CreateTable" and (reach.tier is Tier.ONE or limit.grant.holder is not reach.grant.holder):
        return False  # a table of its own holds nobody's items
    return any(_overlap(reach.pattern, other.pattern) for other in reaches(limit.grant))


def _sets_tag(action: Action, grant: Grant, tag: str) -> bool:
    """Whether the action can set the tag on a table, under the statement's conditions."""
    conditions = {item.key: item for item in grant.statement.conditions if not item.negated}
    if action.name == "CreateTable":
        return f"aws:requesttag/{tag}" not in conditions
    allowed = conditions.get("aws:tagkeys")
    return allowed is None or allowed.patterned or tag in {value.lower() for value in allowed.values}


def _with_tag_condition(grant: Grant, limit: _Limit) -> Conditions:
    """The statement's conditions, with the limiting one."""
    values = tuple(map(limit.grant.document.shown, limit.item.values)) or ("VALUE",)
    return {**conditions_of(grant), limit.item.spelled: {limit.item.written or limit.item.key: values}}
