"""Width: does a grant have too many tables, too many actions, or more than its holder uses?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from tablegate.policy import CRITICAL, HIGH, INFO, LOW, MEDIUM, Severity, Verdict, policy
from tablegate.policy.access import (
    Action,
    DocumentRole,
    Grant,
    HolderForm,
    HolderKind,
    PrincipalKind,
    Reach,
    Tier,
    is_symbol,
    is_variable,
    reaches,
)
from tablegate_baseline.access.relevance import (
    ITEMS,
    covers_service,
    full_control,
    gives_full_control,
    is_checked,
    is_custom_grant,
    is_full_control,
    is_part_of_full_control,
    notable_actions,
    only_table,
    table_actions,
    tables_reached,
)
from tablegate_baseline.access.severity import DeployRoles, Scale, in_production, lower_of
from tablegate_baseline.access.statement_fix import (
    CLOUDFORMATION,
    IDENTITY,
    LEAST,
    STATEMENT,
    TERRAFORM,
    reduced_statement,
)
from tablegate_baseline.access.wording import (
    HOLDS,
    NOT_APPLICABLE,
    actions_counted,
    actions_shown,
    holder_label,
    listed,
    reach_violation,
)

_DELIMITERS = "-_."
_OWN_ACCOUNT = frozenset({"aws:resourceaccount", "aws:resourceorgid", "aws:resourceorgpaths"})
_MEANINGFUL_LENGTH = 4


@policy(
    "TG501",
    CRITICAL,
    "Nobody must have every action on every table",
    docs=LEAST,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def dynamodb_all_actions_all_tables(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """It reads, rewrites and deletes every table, today's and tomorrow's: one leaked key is the loss of all data."""
    if not is_custom_grant(grant):
        return NOT_APPLICABLE
    wide = full_control(grant.holder)
    reach = _widest(wide) if wide else None
    severity = Scale(grant, deploy_roles).everything(reach) if reach is not None and reach.grant is grant else None
    if reach is None or severity is None:
        return HOLDS
    actions = [action for each in wide for action in notable_actions(each)]
    besides = _besides(reach, wide)
    note = f"{grant.holder.address} has full control of every table{besides} ({actions_counted(actions)})"
    return reach_violation(reach, severity, note, fix=reduced_statement(reach.grant))


@policy(
    "TG502",
    CRITICAL,
    "Actions must be granted on named tables",
    docs=IDENTITY,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def actions_on_all_tables(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """A grant on all tables also covers those of other teams, and those that somebody creates next year."""
    if not is_custom_grant(grant) or grant.statement.resources.inverted or is_part_of_full_control(grant):
        return NOT_APPLICABLE
    scale = Scale(grant, deploy_roles)
    for reach in sorted(reaches(grant), key=lambda reach: -reach.tier):
        actions = table_actions(reach)
        severity = scale.highest(reach, actions) if reach.tier >= Tier.ALL else None
        if severity is not None:
            note = f"{holder_label(grant.holder)} may {actions_shown(actions)} on every table"
            return reach_violation(reach, severity, note, fix=reduced_statement(grant))
    return HOLDS


@policy(
    "TG503",
    CRITICAL,
    "Only a deploy role may have every action on a table",
    docs=LEAST,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def all_actions_one_table(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """Every action includes DeleteTable, UpdateTable, PutResourcePolicy and exports: a bug in the code can delete the
    table, and an attacker who takes over the code can copy it."""
    if not is_custom_grant(grant):
        return NOT_APPLICABLE
    if not gives_full_control(grant):
        return HOLDS
    scale = Scale(grant, deploy_roles)
    for reach in reaches(grant):
        severity = _severity_on_one_table(scale, reach) if reach.tier < Tier.PREFIX else None
        if severity is not None:
            what = "every action" if covers_service(grant) else "full control"
            where = "one table" if reach.scope.itself else "the indexes of one table"
            included = actions_shown(_more_than_items((reach,)))
            note = f"{holder_label(grant.holder)} has {what} on {where}, including {included}"
            fix = reduced_statement(grant, _more_than_items((reach,)))
            return reach_violation(reach, severity, note, actions=notable_actions(reach), fix=fix)
    return HOLDS


@policy(
    "TG504",
    CRITICAL,
    "Tables must be named in full, not by a prefix",
    docs=IDENTITY,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def table_prefix_wildcard(
    grant: Grant,
    *,
    allowed_prefixes: Annotated[tuple[str, ...], "table name prefixes that a wildcard may cover"] = (),
    deploy_roles: DeployRoles = (),
) -> Verdict:
    """A prefix covers every table with such a name: those of the same application that this holder does not need, and
    those that come later."""
    if not is_custom_grant(grant):
        return NOT_APPLICABLE
    scale = Scale(grant, deploy_roles)
    for reach in reaches(grant):
        if _is_prefix(reach) and (reach.scope.table or "").rstrip("*") not in _prefixes(allowed_prefixes):
            severity = _severity_of_pattern(scale, reach, Tier.PREFIX)
            if severity is not None:
                return _too_wide(reach, severity, "every table with this prefix")
    return HOLDS


@policy(
    "TG505",
    CRITICAL,
    "A table's ARN must end with its name",
    docs=IDENTITY,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def table_name_bleed(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """A star after a complete name covers Orders-archive and OrdersV2 as well as Orders. Its author nearly always means
    the indexes of the table."""
    if not is_custom_grant(grant):
        return NOT_APPLICABLE
    scale = Scale(grant, deploy_roles)
    for reach in reaches(grant):
        if reach.tier is Tier.WEAK and not _is_prefix(reach):
            severity = _severity_of_pattern(scale, reach, Tier.WEAK)
            if severity is not None:
                more = (
                    "every other table whose name starts like this"
                    if reach.scope.bleeds
                    else "every table that matches"
                )
                return _too_wide(reach, severity, more)
    return HOLDS


@policy(
    "TG506",
    HIGH,
    "An ARN must name its account and region",
    docs=IDENTITY,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def arn_account_or_region_wildcard(grant: Grant) -> Verdict:
    """An open account reaches the tables of any account that allows this holder. An open region reaches a table of the
    same name that somebody created in another region."""
    if not is_custom_grant(grant):
        return NOT_APPLICABLE
    bound = {item.key for item in grant.statement.conditions if not item.holds_without}
    for reach in reaches(grant):
        if reach.tier >= Tier.ALL or reach.scope.global_table or not notable_actions(reach):
            continue
        opened = _open_part(reach, bound)
        if opened is not None:
            severity, part = opened
            note = f"the ARN has a wildcard as its {part}"
            return reach_violation(reach, severity, note, fix=reduced_statement(grant, closed=True))
    return HOLDS


@policy(
    "TG508",
    CRITICAL,
    "An Allow must name its actions, not those it excludes",
    docs=LEAST,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def allow_notaction(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """NotAction allows every action of every service that is not listed, even those that do not exist yet."""
    if not is_checked(grant):
        return NOT_APPLICABLE
    if not grant.statement.actions.inverted:
        return HOLDS
    scale = Scale(grant, deploy_roles)
    for reach in sorted(reaches(grant), key=lambda reach: -reach.tier):
        severity = _severity(scale, reach)
        if severity is None:
            continue
        if scale.kind is HolderKind.HUMAN and _excludes_iam(grant) and not in_production(grant, reach.pattern):
            severity = lower_of(severity, MEDIUM)
        note = f"NotAction allows {actions_counted(notable_actions(reach), 'DynamoDB actions')}"
        return reach_violation(
            reach, severity, note, actions=notable_actions(reach), fix=reduced_statement(reach.grant)
        )
    return HOLDS


@policy(
    "TG509",
    CRITICAL,
    "An Allow must name its tables, not those it excludes",
    docs=LEAST,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
)
def allow_notresource(grant: Grant, *, deploy_roles: DeployRoles = ()) -> Verdict:
    """NotResource allows everything except what is listed: a table that is created tomorrow is allowed too."""
    if not is_checked(grant):
        return NOT_APPLICABLE
    if not grant.statement.resources.inverted:
        return HOLDS
    scale = Scale(grant, deploy_roles)
    for reach in reaches(grant):
        severity = _severity(scale, reach)
        if severity is not None:
            note = f"NotResource allows {actions_shown(notable_actions(reach))} on every table that it does not list"
            return reach_violation(reach, severity, note, fix=reduced_statement(grant))
    return HOLDS


@policy(
    "TG519",
    LOW,
    "A role must not have more than its integrations call",
    docs=LEAST,
    on=False,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def more_than_integrations_use(grant: Grant) -> Verdict:
    """If only declared integrations use a role, everything that it can ever call is written down. Any other action only
    serves an attacker."""
    needs = grant.holder.needs
    if needs is None or not is_custom_grant(grant):
        return NOT_APPLICABLE
    for reach in reaches(grant):
        unused = [action for action in notable_actions(reach) if action.name not in needs]
        if unused:
            used = f"only {listed(needs)}" if needs else "no action"
            note = f"the role may {actions_shown(unused)}, but what uses it calls {used}"
            return reach_violation(reach, LOW, note, actions=unused, fix=reduced_statement(grant, unused))
    return HOLDS


def _widest(wide: tuple[Reach, ...]) -> Reach:
    """The reach with the most actions, then the widest; the first of equals."""
    return max(wide, key=lambda reach: (len(reach.actions), reach.tier))


def _severity(scale: Scale, reach: Reach) -> Severity | None:
    return scale.everything(reach) if is_full_control(reach.actions) else scale.highest(reach, notable_actions(reach))


def _severity_on_one_table(scale: Scale, reach: Reach) -> Severity | None:
    """The severity on one table: low for its indexes alone, none for its streams alone."""
    if not reach.scope.itself and reach.scope.below == "stream":
        return None
    severity = None if scale.kind is HolderKind.DEPLOY else _severity(scale, reach)
    only_indexes = not reach.scope.itself and reach.scope.below == "index"
    return LOW if severity is not None and only_indexes else severity


def _more_than_items(wide: Iterable[Reach]) -> set[Action]:
    """The notable actions that are not about items."""
    return {action for reach in wide for action in notable_actions(reach) if action.kind not in ITEMS}


def _excludes_iam(grant: Grant) -> bool:
    """Whether a NotAction excludes all of IAM, as permission sets for people do."""
    return any(text.lower() == "iam:*" for text in grant.statement.actions.texts)


def _open_part(reach: Reach, bound: set[str]) -> tuple[Severity, str] | None:
    """The part of the ARN that is a wildcard, and its severity."""
    partition, region, account = reach.scope.where
    if "*" in account and not bound & _OWN_ACCOUNT:
        return (HIGH if _table_admits_others(reach) else LOW), "account"
    if "*" in partition:
        return INFO, "partition"
    if "*" in region and "aws:requestedregion" not in bound and not _all_global(reach):
        return INFO, "region"
    return None


def _all_global(reach: Reach) -> bool:
    tables = tables_reached(reach.grant, reach.pattern)
    return bool(tables) and all(table.replicas.content for table in tables)


def _table_admits_others(reach: Reach) -> bool:
    """Whether the table's own policy admits principals of other accounts."""
    table = only_table(reach.grant, reach.pattern)
    if table is None:
        return False
    own = (
        grant
        for holder in reach.grant.holder.estate.holders
        if holder.form is HolderForm.TABLE and holder.address == table.address
        for grant in holder.grants
    )
    return any(_admits_others(grant) for grant in own if grant.role is DocumentRole.RESOURCE)


def _admits_others(grant: Grant) -> bool:
    principals = grant.statement.principals
    if principals is None or not grant.statement.allows:
        return False
    own = grant.target.split(":")[4] if grant.target and grant.target.count(":") >= 5 else ""
    return principals.inverted or any(
        item.kind is PrincipalKind.ANYONE or (item.kind is PrincipalKind.AWS and own not in item.text)
        for item in principals.items
    )


def _is_prefix(reach: Reach) -> bool:
    """Whether a pattern is meant as the start of names.

    Without a delimiter before the star it may be a complete name. It is taken for a start where tables of this input
    start so, and none has exactly this name.
    """
    if reach.tier is Tier.PREFIX:
        return True
    if reach.tier is not Tier.WEAK or not reach.scope.bleeds:
        return False
    start = (reach.scope.table or "").rstrip("*")
    if len(start) < _MEANINGFUL_LENGTH:
        return False
    names = [table.name.content for table in tables_reached(reach.grant, reach.pattern)]
    return bool(names) and start not in names and None not in names


def _severity_of_pattern(scale: Scale, reach: Reach, tier: Tier) -> Severity | None:
    everything = is_full_control(reach.actions)
    severity = scale.everything(reach, tier) if everything else scale.highest(reach, table_actions(reach), tier)
    if severity is None or not _has_stack_name(reach):
        return severity
    return None if scale.kind is HolderKind.DEPLOY else lower_of(severity, LOW)


def _has_stack_name(reach: Reach) -> bool:
    """Whether a reference, set off by a delimiter, is part of the name: only this stack makes such names."""
    name = reach.scope.table or ""
    characters = zip(" " + name, name, name[1:] + " ", strict=False)
    return any(
        is_symbol(part) and not is_variable(part) and (before in _DELIMITERS or after in _DELIMITERS)
        for before, part, after in characters
    )


def _prefixes(allowed: tuple[str, ...]) -> set[str]:
    return {prefix.rstrip("*") for prefix in allowed}


def _besides(reach: Reach, wide: Iterable[Reach]) -> str:
    """The statements without which a reach is no full control, or those that are full control too, for a message."""
    alone = is_full_control(reach.actions)
    others = (each for each in wide if each.grant is not reach.grant and (not alone or is_full_control(each.actions)))
    names = sorted({_named_from(reach.grant, each.grant) for each in others})
    return f", {'also by' if alone else 'together with'} statement {', '.join(names)}" if names else ""


def _named_from(grant: Grant, other: Grant) -> str:
    """Another statement as a finding on this one names it."""
    return other.label if other.address == grant.address else f"{other.label} of {other.address}"


def _too_wide(reach: Reach, severity: Severity, more: str) -> Verdict:
    note = f"{holder_label(reach.grant.holder)} may {actions_shown(table_actions(reach))} on {more}"
    return reach_violation(reach, severity, note, fix=reduced_statement(reach.grant))
