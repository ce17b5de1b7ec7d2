"""Names: does a resource pattern cover more tables than the one that was meant?"""

from __future__ import annotations

from tablegate.policy import CRITICAL, HIGH, INFO, LOW, Severity, Verdict, policy
from tablegate.policy.access import (
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
from tablegate_baseline.access.judged import is_everything, is_written, on_tables, telling
from tablegate_baseline.access.remedies import CLOUDFORMATION, IDENTITY, TERRAFORM
from tablegate_baseline.access.replacing import replaced
from tablegate_baseline.access.tables_here import only_table, tables_reached
from tablegate_baseline.access.telling import FINE, OTHERS, actions_shown, against_reach
from tablegate_baseline.access.weights import Scale, lightest

_DELIMITERS = "-_."
_OWN_ACCOUNT = frozenset({"aws:resourceaccount", "aws:resourceorgid", "aws:resourceorgpaths"})
_ANCHOR = 4


@policy(
    "TG504",
    CRITICAL,
    "Tables must be named whole, not by their beginning",
    docs=IDENTITY,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def table_prefix_wildcard(
    grant: Grant, *, allowed_prefixes: tuple[str, ...] = (), deploy_roles: tuple[str, ...] = ()
) -> Verdict:
    """A beginning covers every table that begins so: those of the same application that this holder has no business
    with, and those that come later."""
    if not is_written(grant):
        return OTHERS
    scale = Scale(grant, deploy_roles)
    for reach in reaches(grant):
        if _is_prefix(reach) and (reach.scope.table or "").rstrip("*") not in _prefixes(allowed_prefixes):
            severity = _weight(scale, reach, Tier.PREFIX)
            if severity is not None:
                return _failing(reach, severity, "every table whose name begins so")
    return FINE


@policy(
    "TG505",
    CRITICAL,
    "A table's ARN must end at its name",
    docs=IDENTITY,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def table_name_bleed(grant: Grant, *, deploy_roles: tuple[str, ...] = ()) -> Verdict:
    """A star behind a complete name covers Orders-archive and OrdersV2 as well as Orders; its author nearly always
    meant the indexes below the table."""
    if not is_written(grant):
        return OTHERS
    scale = Scale(grant, deploy_roles)
    for reach in reaches(grant):
        if reach.tier is Tier.WEAK and not _is_prefix(reach):
            severity = _weight(scale, reach, Tier.WEAK)
            if severity is not None:
                more = "every other table whose name begins so" if reach.scope.bleeds else "every table that matches"
                return _failing(reach, severity, more)
    return FINE


@policy(
    "TG506",
    HIGH,
    "An ARN must name its own account",
    docs=IDENTITY,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def arn_account_or_region_wildcard(grant: Grant) -> Verdict:
    """An open account works on any account whose table lets this holder in; an open region reaches a table of the same
    name that somebody made elsewhere."""
    if not is_written(grant):
        return OTHERS
    bound = {item.key for item in grant.statement.conditions if not item.holds_without}
    for reach in reaches(grant):
        if reach.tier >= Tier.ALL or reach.scope.global_table or not telling(reach):
            continue
        opened = _opened(reach, bound)
        if opened is not None:
            severity, part = opened
            note = f"the ARN leaves its {part} open"
            return against_reach(reach, severity, note, fix=replaced(grant, closed=True))
    return FINE


def _opened(reach: Reach, bound: set[str]) -> tuple[Severity, str] | None:
    """The part of the ARN that is left open, and how much that matters."""
    partition, region, account = reach.scope.where
    if ("*" in account or not account) and not bound & _OWN_ACCOUNT:
        return (HIGH if _lets_strangers_in(reach) else LOW), "account"
    if "*" in partition:
        return INFO, "partition"
    if "*" in region and "aws:requestedregion" not in bound and not _is_global(reach):
        return INFO, "region"
    return None


def _is_global(reach: Reach) -> bool:
    found = tables_reached(reach.grant, reach.pattern)
    return bool(found) and all(table.replicas.content for table in found)


def _lets_strangers_in(reach: Reach) -> bool:
    """Whether a table of this name lets in somebody else's principals by its own policy."""
    table = only_table(reach.grant, reach.pattern)
    if table is None:
        return False
    own = (
        grant
        for holder in reach.grant.holder.estate.holders
        if holder.form is HolderForm.TABLE and holder.address == table.address
        for grant in holder.grants
    )
    return any(_names_stranger(grant) for grant in own if grant.role is DocumentRole.RESOURCE)


def _names_stranger(grant: Grant) -> bool:
    principals = grant.statement.principals
    if principals is None or not grant.statement.allows:
        return False
    own = grant.target.split(":")[4] if grant.target and grant.target.count(":") >= 5 else ""
    return principals.inverted or any(
        item.kind is PrincipalKind.ANYONE or (item.kind is PrincipalKind.AWS and own not in item.text)
        for item in principals.items
    )


def _is_prefix(reach: Reach) -> bool:
    """Whether a pattern is meant as a name's beginning.

    Without a delimiter before the star it may be a complete name: it is taken for a beginning where tables of this
    input begin so, and none of them ends there.
    """
    if reach.tier is Tier.PREFIX:
        return True
    if reach.tier is not Tier.WEAK or not reach.scope.bleeds:
        return False
    head = (reach.scope.table or "").rstrip("*")
    if len(head) < _ANCHOR:
        return False
    names = [table.name.content for table in tables_reached(reach.grant, reach.pattern)]
    return bool(names) and head not in names and None not in names


def _weight(scale: Scale, reach: Reach, tier: Tier) -> Severity | None:
    everything = is_everything(reach.actions)
    found = scale.everything(reach, tier) if everything else scale.heaviest(reach, on_tables(reach), tier)
    if found is None or not _is_of_this_stack(reach):
        return found
    return None if scale.kind is HolderKind.DEPLOY else lightest(found, LOW)


def _is_of_this_stack(reach: Reach) -> bool:
    """Whether the pattern holds a name that only this stack, or its framework, makes: set off by a delimiter."""
    name = reach.scope.table or ""
    pieces = zip(" " + name, name, name[1:] + " ", strict=False)
    return any(
        is_symbol(part) and not is_variable(part) and (before in _DELIMITERS or after in _DELIMITERS)
        for before, part, after in pieces
    )


def _prefixes(allowed: tuple[str, ...]) -> set[str]:
    return {prefix.rstrip("*") for prefix in allowed}


def _failing(reach: Reach, severity: Severity, more: str) -> Verdict:
    actions = on_tables(reach)
    note = f"{actions_shown(actions)} on {more}"
    return against_reach(reach, severity, note, fix=replaced(reach.grant))
