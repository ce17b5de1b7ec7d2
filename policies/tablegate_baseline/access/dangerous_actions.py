"""Dangerous actions: who may drop, change, copy, replicate or share a table, by name or by a verb wildcard?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, NamedTuple

from tablegate.policy import CRITICAL, HIGH, INFO, LOW, MEDIUM, Severity, Verdict, policy
from tablegate.policy.access import (
    Action,
    DocumentRole,
    Grant,
    Holder,
    Kind,
    PrincipalKind,
    Reach,
    Tier,
    actions_of,
    expand,
    matches,
    reaches,
    reaches_of,
)
from tablegate_baseline.access.relevance import (
    ITEMS,
    copies_tables,
    covers_service,
    gives_full_control,
    is_custom_grant,
    is_part_of_full_control,
    notable_actions,
    tables_in_scenarios,
    verb_wildcards,
)
from tablegate_baseline.access.severity import DeployRoles, Scale, highest, shifted
from tablegate_baseline.access.statement_fix import (
    CLOUDFORMATION,
    LEAST,
    REFERENCE,
    STATEMENT,
    TERRAFORM,
    reduced_statement,
)
from tablegate_baseline.access.wording import (
    HOLDS,
    NOT_APPLICABLE,
    actions_shown,
    holder_with_kind,
    listed,
    reach_violation,
    violation,
)


class _WildcardAction(NamedTuple):
    """The action with the highest severity in a statement with a verb wildcard."""

    severity: Severity
    reach: Reach
    action: Action


_REPLICATION = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/globaltables-security.html"
_TEMPORARY = ("ephemeral", "temporary")
_TEMPORARY_NAMES = ("*-test-*", "*-tmp-*", "*-temp-*", "*-ephemeral-*")

_EFFECTS = {
    "DisableKinesisStreamingDestination": "can cut change capture",
    "InjectError": "injects faults",
    "PurchaseReservedCapacityOfferings": "spends money",
    "UpdateContinuousBackups": "can switch point-in-time recovery off",
    "UpdateGlobalTable": "can drop regions",
    "UpdateTable": "can switch deletion protection, streams and indexes off, and change the key",
    "UpdateTimeToLive": "can make items expire",
}
_SCALING_ACTIONS = frozenset({"DescribeTable", "UpdateTable"})
_LEASE_ACTIONS = frozenset({"CreateTable", "GetItem", "PutItem"})


class _DangerousReach(NamedTuple):
    """A reach with the highest severity, and the dangerous actions that it has."""

    severity: Severity
    reach: Reach
    actions: list[Action]


@policy(
    "TG507",
    CRITICAL,
    "Actions must be named, not matched by a verb wildcard",
    docs=LEAST,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def verb_wildcard(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """Put* covers PutResourcePolicy as well as PutItem, Delete* covers DeleteTable as well as DeleteItem, and AWS keeps
    adding to both."""
    if not is_custom_grant(grant) or is_part_of_full_control(grant) or covers_service(grant):
        return NOT_APPLICABLE
    texts = verb_wildcards(grant)
    worst = _worst_of_wildcards(grant, texts, deploy_roles) if texts else None
    if worst is None:
        return HOLDS
    severity, reach, action = worst
    matched = frozenset(item for text in texts for item in expand(text))
    shown = listed(map(grant.document.shown, texts))
    by_kind = _by_kind(matched & reach.actions)
    kinds = "; ".join(f"{kind}: {actions_shown(actions)}" for kind, actions in by_kind.items())
    named = f", in addition to {action.name}" if action not in matched else ""
    about = (action,) if action in matched else matched
    return reach_violation(
        reach,
        severity,
        f"{shown} {'covers' if len(texts) == 1 else 'cover'} {kinds}{named}",
        actions=about,
        fix=reduced_statement(grant),
    )


@policy(
    "TG510",
    CRITICAL,
    "Only a deploy role may delete a table",
    docs=REFERENCE,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def destructive_action(
    grant: Grant,
    *,
    deploy_roles: DeployRoles = (),
    temporary_tables: Annotated[tuple[str, ...], "name patterns of tables that may be deleted"] = _TEMPORARY_NAMES,
) -> Verdict:
    """Code that runs all day does not need to delete a table or its backups, and a stolen credential that may, can."""
    if not is_custom_grant(grant) or is_already_reported(grant, deploy_roles):
        return NOT_APPLICABLE
    worst = _most_dangerous(grant, frozenset({Kind.DESTRUCTIVE}), deploy_roles)
    if worst is None or _is_temporary(worst.reach, temporary_tables):
        return HOLDS
    severity, reach, actions = worst
    note = _may(grant, actions)
    if any(action.name == "UpdateTable" for action in reach.actions):
        note += ", and UpdateTable, which can switch deletion protection off"
    if _is_table_provider(grant.holder):
        return _too_powerful(worst._replace(severity=MEDIUM), note)
    if _lacks_deletion_protection(reach) and any(action.name == "DeleteTable" for action in actions):
        return _too_powerful(
            worst._replace(severity=shifted(severity, 1)), f"{note}; the table has no deletion protection"
        )
    return _too_powerful(worst, note)


@policy(
    "TG511",
    CRITICAL,
    "Only a deploy role may change a table's settings",
    docs=REFERENCE,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def table_admin_action(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """A holder that can update a table can switch its recovery off, let its data expire, or cut its streams, without
    deleting anything that an alarm watches."""
    if not is_custom_grant(grant) or is_already_reported(grant, deploy_roles):
        return NOT_APPLICABLE
    kinds = frozenset({Kind.PROTECTION_CHANGE, Kind.PROVISIONING, Kind.FAULT_INJECTION})
    worst = _most_dangerous(grant, kinds, deploy_roles)
    if worst is None:
        return HOLDS
    severity, reach, actions = worst
    if reach.tier is Tier.ONE and (_only_scales(grant) or _is_lease_keeper(grant)):
        severity = LOW
    effects = [f"{action.name} {_EFFECTS[action.name]}" for action in actions if action.name in _EFFECTS]
    note = "; ".join([_may(grant, actions), *effects])
    return _too_powerful(worst._replace(severity=severity), note)


@policy(
    "TG512",
    CRITICAL,
    "Only a deploy role may change who has access to a table",
    docs=REFERENCE,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def resource_policy_control(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """The holder can allow itself, or another account, anything on the table, past all identity policies."""
    if not is_custom_grant(grant) or is_already_reported(grant, deploy_roles):
        return NOT_APPLICABLE
    worst = _most_dangerous(grant, frozenset({Kind.PERMISSIONS}), deploy_roles)
    return HOLDS if worst is None else _too_powerful(worst, _may(grant, worst.actions))


@policy(
    "TG513",
    CRITICAL,
    "Only a backup or pipeline role may copy a table",
    docs=REFERENCE,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def data_copy_action(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """An export writes the whole table to a bucket, even in another account, and uses no read capacity that anybody
    would notice."""
    if not is_custom_grant(grant) or is_already_reported(grant, deploy_roles) or copies_tables(grant.holder):
        return NOT_APPLICABLE
    worst = _most_dangerous(grant, frozenset({Kind.DATA_COPY}), deploy_roles)
    if worst is None:
        return HOLDS
    names = {action.name for action in worst.actions}
    if names <= (grant.holder.needs or frozenset()):
        return HOLDS
    note = _may(grant, worst.actions)
    if names == {"CreateBackup"} and worst.reach.tier is Tier.ONE:
        return _too_powerful(worst._replace(severity=INFO), note)
    beyond = _exit_path(grant.holder, names)
    if beyond:
        return _too_powerful(worst._replace(severity=highest((worst.severity, HIGH)) or HIGH), f"{note} {beyond}")
    return _too_powerful(worst, note)


@policy(
    "TG542",
    CRITICAL,
    "Only the replication service may have replication actions",
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
def replication_plane_to_people(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """ReadDataForReplication reads a whole table, and is in nobody's list of actions that read."""
    if grant.role is DocumentRole.RESOURCE:
        return _in_resource_policy(grant)
    if not is_custom_grant(grant) or is_already_reported(grant, deploy_roles):
        return NOT_APPLICABLE
    worst = _most_dangerous(grant, frozenset({Kind.REPLICATION}), deploy_roles)
    return HOLDS if worst is None else _too_powerful(worst, _may(grant, worst.actions))


def is_already_reported(grant: Grant, deploy_roles: DeployRoles = ()) -> bool:
    """Whether a statement's dangerous actions are reported already: as full control, or by TG507."""
    if gives_full_control(grant) or is_part_of_full_control(grant):
        return True
    texts = verb_wildcards(grant)
    return bool(texts) and _worst_of_wildcards(grant, texts, deploy_roles) is not None


def _worst_of_wildcards(grant: Grant, texts: tuple[str, ...], deploy_roles: tuple[str, ...]) -> _WildcardAction | None:
    """The action with the highest severity, where a verb wildcard matches an action with any severity."""
    scale = Scale(grant, deploy_roles)
    by_wildcard = frozenset(action for text in texts for action in expand(text))
    worst: _WildcardAction | None = None
    is_wildcards = False
    for reach in reaches(grant):
        for action in notable_actions(reach):
            severity = scale.highest(reach, (action,))
            is_wildcards = is_wildcards or (severity is not None and action in by_wildcard)
            if severity is not None and (worst is None or highest((severity, worst.severity)) is not worst.severity):
                worst = _WildcardAction(severity, reach, action)
    return worst if is_wildcards else None


def _by_kind(actions: frozenset[Action]) -> dict[str, list[Action]]:
    by_kind: dict[str, list[Action]] = {}
    for action in sorted(actions):
        by_kind.setdefault("items" if action.kind in ITEMS else str(action.kind), []).append(action)
    return dict(sorted(by_kind.items()))


def _in_resource_policy(grant: Grant) -> Verdict:
    principals = grant.statement.principals
    wholesale = any(text in ("*", "dynamodb:*") for text in grant.statement.actions.texts)
    named = sorted(action for action in actions_of(grant.statement.actions) if action.kind is Kind.REPLICATION)
    if not grant.statement.allows or not named or wholesale or principals is None:
        return NOT_APPLICABLE
    others = [
        item.text
        for item in principals.items
        if item.kind is not PrincipalKind.SERVICE or not item.text.startswith("replication.dynamodb.")
    ]
    if not others and not principals.inverted:
        return HOLDS
    shown = grant.document.shown(others[0]) if others else "everybody except those it names"
    return violation(grant, HIGH, f"{shown} may {actions_shown(named)}", actions=named)


@lru_cache(maxsize=1024)
def _of_kinds(actions: frozenset[Action], kinds: frozenset[Kind]) -> tuple[Action, ...]:
    return tuple(sorted(action for action in actions if action.kind in kinds))


def _most_dangerous(grant: Grant, kinds: frozenset[Kind], deploy_roles: tuple[str, ...]) -> _DangerousReach | None:
    """The reach with the highest severity for actions of these kinds."""
    scale = Scale(grant, deploy_roles)
    worst: _DangerousReach | None = None
    for reach in reaches(grant):
        actions = list(_of_kinds(reach.actions, kinds))
        severity = scale.highest(reach, actions)
        if severity is not None and (worst is None or highest((severity, worst.severity)) is not worst.severity):
            worst = _DangerousReach(severity, reach, actions)
    return worst


def _too_powerful(worst: _DangerousReach, note: str) -> Verdict:
    """The violation, with the statement without these actions as its fix."""
    fix = reduced_statement(worst.reach.grant, worst.actions)
    return reach_violation(worst.reach, worst.severity, note, actions=worst.actions, fix=fix)


def _may(grant: Grant, actions: Iterable[Action]) -> str:
    return f"{holder_with_kind(grant)} may {actions_shown(actions)}"


def _is_temporary(reach: Reach, patterns: tuple[str, ...]) -> bool:
    """Whether the one table reached is temporary, by its declared purpose or its name."""
    if reach.tier is not Tier.ONE:
        return False
    tables = list(tables_in_scenarios(reach.grant, reach.pattern))
    if tables and all(table.declared.purpose.content in _TEMPORARY for table in tables):
        return True
    return any(matches(pattern, f"{reach.scope.table}-") is True for pattern in patterns)


def _lacks_deletion_protection(reach: Reach) -> bool:
    tables = tables_in_scenarios(reach.grant, reach.pattern) if reach.tier is Tier.ONE else ()
    return any(table.deletion_protection.is_false.truth is True for table in tables)


def _is_table_provider(holder: Holder) -> bool:
    """Whether the holder is a custom resource that creates tables, and so deletes them."""
    names = {action.name for reach in reaches_of(holder) for action in reach.actions}
    return "CreateTable" in names and "custom resource" in holder.why


def _only_scales(grant: Grant) -> bool:
    """Whether a statement grants only what scheduled scaling needs."""
    return {action.name for reach in reaches(grant) for action in reach.actions} <= _SCALING_ACTIONS


def _is_lease_keeper(grant: Grant) -> bool:
    """Whether the holder looks like a stream consumer with a table for its leases."""
    if not {action.name for reach in reaches(grant) for action in reach.actions} >= _LEASE_ACTIONS:
        return False
    allows = [other for other in grant.holder.grants if other.statement.allows]
    kinesis = any(text.lower().startswith("kinesis:") for other in allows for text in other.statement.actions.texts)
    return kinesis or any(
        action.kind is Kind.STREAM_READ for reach in reaches_of(grant.holder) for action in reach.actions
    )


def _exit_path(holder: Holder, names: Iterable[str]) -> str | None:
    """How a copy gets out of reach of the table's own grants, as the end of a message."""
    allows = [grant.statement for grant in holder.grants if grant.statement.allows]
    writing = [statement for statement in allows if any(_puts_objects(text) for text in statement.actions.texts)]
    if "ExportTableToPointInTime" in names and any(
        statement.resources.inverted or {"*", "arn:aws:s3:::*"} & set(statement.resources.texts)
        for statement in writing
    ):
        return "and s3:PutObject on every bucket"
    wide = (reach for reach in reaches_of(holder) if reach.tier >= Tier.PREFIX)
    creating = {action.name for reach in wide for action in reach.actions}
    if any(name.startswith("Restore") for name in names) and "CreateTable" in creating:
        return "and CreateTable on names that its other grants cover"
    return None


def _puts_objects(text: str) -> bool:
    return matches(text.lower(), "s3:putobject") is True
