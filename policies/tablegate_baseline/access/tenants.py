"""Tenants: do conditions on keys and attributes keep users and tenants apart?"""

from __future__ import annotations

from typing import Annotated

from tablegate.policy import CRITICAL, HIGH, INFO, MEDIUM, Verdict, policy, unknown
from tablegate.policy.access import (
    HARMLESS,
    PARTITION_KEYS,
    READS,
    WRITES,
    Action,
    Condition,
    Grant,
    HolderKind,
    Kind,
    Narrowing,
    Reach,
    closed_by_null,
    is_symbol,
    is_variable,
    reaches,
    service_keys,
)
from tablegate_baseline.access.relevance import is_checked, tables_reached
from tablegate_baseline.access.statement_fix import STATEMENT, Conditions, conditions_of, reduced_statement
from tablegate_baseline.access.wording import (
    HOLDS,
    NOT_APPLICABLE,
    actions_shown,
    condition_evidence,
    reach_violation,
    resource_evidence,
    unknown_element,
    violation,
)
from tablegate_baseline.helpers import most_similar

KEYS = frozenset(f"dynamodb:{name}" for name in PARTITION_KEYS)
ATTRIBUTES = "dynamodb:attributes"
# Policy variables that differ between users.
PER_USER = (
    ":sub}",
    ":user_id}",
    "facebook.com:id}",
    "${aws:principaltag/",
    "${aws:userid}",
    "${aws:username}",
    "${aws:sourceidentity}",
)
_DELIMITERS = frozenset("#|/:")
_SIMILARITY = 0.8

_FGAC = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html"
_SETS = (
    "https://docs.aws.amazon.com/IAM/latest/UserGuide/"
    "reference_policies_condition-single-vs-multi-valued-context-keys.html"
)
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
_DATA = READS | WRITES


@policy(
    "TG520",
    CRITICAL,
    "An end user must reach only their own items",
    docs=_FGAC,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
    cause=STATEMENT,
)
def end_user_without_item_scope(
    grant: Grant, *, public_tables: Annotated[tuple[str, ...], "names of tables whose items every user may read"] = ()
) -> Verdict:
    """Users can do what they like with credentials in a browser or a phone: without a condition on the key, every user
    reads and writes everybody's items."""
    if grant.holder.kind is not HolderKind.END_USER or not is_checked(grant):
        return NOT_APPLICABLE
    severity = CRITICAL if "unauthenticated" in grant.holder.why else HIGH
    for reach in reaches(grant):
        shared = [
            action for action in sorted(reach.actions) if action.kind in _DATA and _reaches_others_items(reach, action)
        ]
        if shared and not _is_public(reach, shared, public_tables):
            fix = reduced_statement(grant, only=_is_keyed, conditions=_corrected_conditions(grant))
            one = all(reach.narrowed(action) is Narrowing.ITEMS for action in shared) and _is_one_partition(grant)
            whose = "on the items of one shared partition" if one else "on everybody's items"
            return reach_violation(
                reach, MEDIUM if one else severity, f"end users may {actions_shown(shared)} {whose}", fix=fix
            )
    return HOLDS


@policy(
    "TG521",
    CRITICAL,
    "A condition on keys must limit every action of its statement",
    docs=_FGAC,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def fgac_fails_open(grant: Grant) -> Verdict:
    """ForAllValues is true if the key is absent, and Scan, streams, exports and table actions never have it: the
    condition does not limit them."""
    sets = _set_conditions(grant)
    if not sets or not is_checked(grant):
        return NOT_APPLICABLE
    unclosed = [item for item in sets if not closed_by_null(grant.statement.conditions, item.key)]
    if not unclosed:
        return HOLDS
    severity = CRITICAL if grant.holder.kind is HolderKind.END_USER else HIGH
    for reach in reaches(grant):
        unlimited = [action for action in sorted(reach.actions) if _lacks_keys(reach, action, unclosed)]
        if not unlimited:
            continue
        exempt = [action for action in unlimited if action.kind not in HARMLESS]
        keys = ", ".join(sorted({item.written or item.key for item in unclosed}))
        note = f"requests for {actions_shown(exempt or unlimited)} have no {keys}, so the condition does not limit them"
        severity = severity if exempt else INFO
        return reach_violation(
            reach, severity, note, actions=exempt or unlimited, fix=reduced_statement(grant, unlimited)
        )
    return HOLDS


@policy(
    "TG522",
    HIGH,
    "A condition on keys must use the right operator",
    docs=_SETS,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def fgac_operator_wrong(grant: Grant) -> Verdict:
    """LeadingKeys has one value for each item of a request: with the wrong operator, one key of the user's own opens
    the rest, or the condition is never met."""
    concerned = [item for item in grant.statement.conditions if item.key in KEYS or is_misspelt(item)]
    if (
        not concerned
        or not is_checked(grant)
        or not any(_is_keyed(action) for reach in reaches(grant) for action in reach.actions)
    ):
        return NOT_APPLICABLE
    reasons = ((item, why_wrong(item, grant)) for item in concerned)
    item, wrong = next(((item, why) for item, why in reasons if why), (None, None))
    if item is None or wrong is None:
        return HOLDS
    fix = reduced_statement(grant, only=_is_keyed, conditions=_corrected_conditions(grant))
    return violation(
        grant, HIGH, wrong, condition_evidence(grant, item), resource_evidence(grant, _patterns(grant)[0]), fix=fix
    )


@policy(
    "TG523",
    HIGH,
    "A tenant's prefix must end at a delimiter",
    docs=_FGAC,
    terraform="""\
condition {
  test     = "ForAllValues:StringLike"
  variable = "dynamodb:LeadingKeys"
  values   = ["&{aws:PrincipalTag/tenant}#*"]
}""",
    cloudformation="""\
Condition:
  ForAllValues:StringLike:
    dynamodb:LeadingKeys: ["${aws:PrincipalTag/tenant}#*"]""",
)
def tenant_prefix_bleed(grant: Grant) -> Verdict:
    """A star right after the tenant's name lets tenant 1 read the items of tenant 10."""
    likes = [item for item in keys_of(grant) if "like" in item.operator.lower() and not item.negated]
    if not likes or not is_checked(grant):
        return NOT_APPLICABLE
    severity = HIGH if grant.holder.kind is HolderKind.END_USER else MEDIUM
    bleeding = next(((item, value) for item in likes for value in item.values if _ends_in_name(value)), None)
    if bleeding is None:
        hidden = any(item.unread or any(map(_may_end_in_name, item.values)) for item in likes)
        note = "cannot tell whether a tenant's prefix ends at a delimiter"
        return unknown(note, unknown_element(grant, "Condition", None)).weighing(severity) if hidden else HOLDS
    item, value = bleeding
    shown = grant.document.shown(value)
    if "cognito-identity.amazonaws.com:sub" in shown:
        severity = INFO  # of fixed length and form: none is the beginning of another
    note = f"{shown!r} also matches the keys of tenants with a longer name"
    bound: Conditions = {item.spelled: {item.written or item.key: (f"{shown.removesuffix('*')}#*",)}}
    fix = reduced_statement(grant, only=_is_keyed, conditions=bound)
    return violation(
        grant, severity, note, condition_evidence(grant, item), resource_evidence(grant, _patterns(grant)[0]), fix=fix
    )


def keys_of(grant: Grant) -> list[Condition]:
    """The statement's conditions on the partition key."""
    return [item for item in grant.statement.conditions if item.key in KEYS and not item.is_null]


def is_delimiter(character: str) -> bool:
    """Whether a character separates a tenant's name from what follows it."""
    return character in _DELIMITERS


def is_misspelt(item: Condition) -> bool:
    """Whether a key is not one of the service, and similar to one for partition keys."""
    service, _, name = item.key.partition(":")
    if service != "dynamodb" or name in PARTITION_KEYS or name in service_keys():
        return False
    return most_similar(name, sorted(PARTITION_KEYS), _SIMILARITY) is not None


def why_wrong(item: Condition, grant: Grant) -> str | None:
    """Why a condition on keys is open or never met, as a message; None where it is right."""
    key, written = item.written or item.key, f"{item.spelled} over {item.written or item.key}"
    if is_misspelt(item):
        return f"there is no condition key {key}: no request has it"
    if item.is_null:
        return None
    if item.negated:
        return f"{written} allows every key except those that it lists"
    if item.qualifier == "foranyvalue":
        batch = any(_takes_several_keys(action) for reach in reaches(grant) for action in reach.actions)
        return f"{written} allows a whole batch for one key of the caller's own" if batch else None
    if item.if_exists and item.qualifier is None:
        return f"{written} is met by every request without the key"
    if item.qualifier is None:
        return f"{written} needs ForAllValues, because the key has several values"
    return _why_wrong_value(item, grant, written)


def _takes_several_keys(action: Action) -> bool:
    return action.name.startswith(("Batch", "PartiQL"))


def _why_wrong_value(item: Condition, grant: Grant, written: str) -> str | None:
    if not item.patterned and any("*" in value or "?" in value for value in item.values):
        return f"{written} takes a wildcard literally: only a key with this character matches"
    if any("${" in value for value in item.values) and grant.document.version != "2012-10-17":
        return f"{written} has a variable, which only Version 2012-10-17 replaces"
    if item.wide_open:
        return f"{written} with the value * allows every key"
    return None


def _reaches_others_items(reach: Reach, action: Action) -> bool:
    """Whether this action reaches other users' items. What a condition per user does not limit is TG521's."""
    if reach.narrowed(action) is Narrowing.NEVER or any(map(is_variable, reach.pattern)):
        return False
    conditions = (item for item in reach.grant.statement.conditions if not item.is_null and not item.negated)
    limiting = [item for item in conditions if item.key in KEYS or item.key.startswith("aws:resourcetag/")]
    own = any(_is_per_user(reach.grant, item) for item in limiting if not item.wide_open)
    return not own and not _is_limited_by_deny(reach, action)


def _is_one_partition(grant: Grant) -> bool:
    """Whether a condition names the partition keys, which are the same for every user."""
    return any(
        not item.negated and not item.unread and not any(map(_is_open_value, item.values)) for item in keys_of(grant)
    )


def _is_open_value(value: str) -> bool:
    return "*" in value or "?" in value or any(map(is_symbol, value))


def _is_limited_by_deny(reach: Reach, action: Action) -> bool:
    """Whether a Deny of the holder limits the action to the user's own keys."""
    denies = [
        grant for grant in reach.grant.holder.denials if any(_is_per_user(grant, item) for item in keys_of(grant))
    ]
    return bool(denies) and reach.narrowed(action) is Narrowing.ITEMS


def _is_per_user(grant: Grant, item: Condition) -> bool:
    shown = (grant.document.shown(value).lower() for value in item.values)
    return any(word in value for value in shown for word in PER_USER)


def _is_public(reach: Reach, actions: list[Action], public: tuple[str, ...]) -> bool:
    """Whether these tables are public, and the grant only reads them."""
    tables = tables_reached(reach.grant, reach.pattern)
    names = [table.name.content for table in tables] or [reach.scope.table]
    return all(name in public for name in names) and all(action.kind in READS for action in actions)


def _set_conditions(grant: Grant) -> list[Condition]:
    """ForAllValues conditions on keys or attributes: an empty set meets them."""
    return [
        item
        for item in grant.statement.conditions
        if (item.key in KEYS or item.key == ATTRIBUTES) and item.qualifier == "forallvalues"
    ]


def _lacks_keys(reach: Reach, action: Action, unclosed: list[Condition]) -> bool:
    """Whether requests for the action have none of the keys, so that these conditions do not limit it."""
    if action.account_level or reach.narrowed(action) is Narrowing.NEVER or action.kind is Kind.DISCOVERY:
        return False
    carried = {f"dynamodb:{key.lower()}" for key in action.keys}
    return not any("dynamodb:leadingkeys" in carried if item.key in KEYS else item.key in carried for item in unclosed)


def _ends_in_name(value: str) -> bool:
    """Whether a name, literal or a variable, ends right before the final star."""
    start = value.removesuffix("*")
    if not value.endswith("*") or not start or is_delimiter(start[-1]):
        return False
    return is_variable(start[-1]) or (start[-1].isalnum() and not is_symbol(start[-1]))


def _may_end_in_name(value: str) -> bool:
    """Whether the part before the final star is not known."""
    last = value.removesuffix("*")[-1:]
    return last != "" and is_symbol(last) and not is_variable(last)


def _corrected_conditions(grant: Grant) -> Conditions:
    """The statement's conditions, with a correct one on keys."""
    others = conditions_of(grant, *KEYS)
    values = tuple(
        grant.document.shown(value) for item in keys_of(grant) for value in item.values if _is_per_user(grant, item)
    )
    keys = {"dynamodb:LeadingKeys": values or ("${cognito-identity.amazonaws.com:sub}",)}
    return {**others, "ForAllValues:StringEquals": {**others.get("ForAllValues:StringEquals", {}), **keys}}


def _is_keyed(action: Action) -> bool:
    return "LeadingKeys" in action.keys


def _patterns(grant: Grant) -> list[str]:
    return [reach.pattern for reach in reaches(grant)]
