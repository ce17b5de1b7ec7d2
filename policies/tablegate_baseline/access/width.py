"""Width: does a grant reach more tables, or more actions, than its holder can need?"""

from __future__ import annotations

from collections.abc import Iterable

from tablegate.policy import CRITICAL, LOW, MEDIUM, Severity, Verdict, policy
from tablegate.policy.access import Action, Grant, HolderKind, Reach, Tier, reaches
from tablegate_baseline.access.judged import (
    ITEMS,
    full_control,
    holds_everything,
    in_everything,
    is_everything,
    is_judged,
    is_written,
    on_tables,
    takes_all,
    telling,
)
from tablegate_baseline.access.remedies import CLOUDFORMATION, IDENTITY, LEAST, TERRAFORM
from tablegate_baseline.access.replacing import replaced
from tablegate_baseline.access.telling import FINE, OTHERS, actions_shown, against_reach
from tablegate_baseline.access.weights import Scale, in_production, lightest


@policy(
    "TG501",
    CRITICAL,
    "Nobody must hold every action on every table",
    docs=LEAST,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def dynamodb_all_actions_all_tables(grant: Grant, *, deploy_roles: tuple[str, ...] = ()) -> Verdict:
    """Whoever holds it reads, rewrites and drops every table there is, today's and tomorrow's: one leaked key is the
    loss of all data."""
    if not is_written(grant):
        return OTHERS
    wide = full_control(grant.holder)
    reach = _widest(wide) if wide else None
    severity = Scale(grant, deploy_roles).everything(reach) if reach is not None and reach.grant is grant else None
    if reach is None or severity is None:
        return FINE
    others = sorted({other.grant.label for other in wide if other.grant is not grant})
    together = f", together with statement {', '.join(others)}" if not is_everything(reach.actions) else ""
    note = f"{grant.holder.address} holds full control of every table{together}: {actions_shown(_beyond_items(wide))}"
    return against_reach(reach, severity, note, fix=replaced(reach.grant))


@policy(
    "TG502",
    CRITICAL,
    "Actions must be granted on named tables",
    docs=IDENTITY,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def actions_on_all_tables(grant: Grant, *, deploy_roles: tuple[str, ...] = ()) -> Verdict:
    """A grant on all tables also covers those of other teams, and those that somebody will create next year."""
    if not is_written(grant) or grant.statement.resources.inverted or in_everything(grant):
        return OTHERS
    scale = Scale(grant, deploy_roles)
    for reach in sorted(reaches(grant), key=lambda reach: -reach.tier):
        actions = on_tables(reach)
        severity = scale.heaviest(reach, actions) if reach.tier >= Tier.ALL else None
        if severity is not None:
            note = f"{actions_shown(actions)} on every table"
            return against_reach(reach, severity, note, fix=replaced(grant))
    return FINE


@policy(
    "TG503",
    CRITICAL,
    "Only a deploy role must hold every action on a table",
    docs=LEAST,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def all_actions_one_table(grant: Grant, *, deploy_roles: tuple[str, ...] = ()) -> Verdict:
    """With the item actions come DeleteTable, UpdateTable, PutResourcePolicy and exports: a bug in the code can drop
    the table, and whoever takes the code over can copy it."""
    if not is_written(grant):
        return OTHERS
    if not holds_everything(grant):
        return FINE
    scale = Scale(grant, deploy_roles)
    for reach in reaches(grant):
        severity = _on_one_table(scale, reach) if reach.tier < Tier.PREFIX else None
        if severity is not None:
            what = "every action" if takes_all(grant) else "full control"
            where = "one table" if reach.scope.itself else "the indexes of one table"
            note = f"{what} on {where}, with it {actions_shown(_beyond_items((reach,)))}"
            fix = replaced(grant, _beyond_items((reach,)))
            return against_reach(reach, severity, note, actions=telling(reach), fix=fix)
    return FINE


@policy(
    "TG508",
    CRITICAL,
    "An Allow must name its actions, not what it leaves out",
    docs=LEAST,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def allow_notaction(grant: Grant, *, deploy_roles: tuple[str, ...] = ()) -> Verdict:
    """NotAction allows every action of every service that is not listed, also those that do not exist yet."""
    if not is_judged(grant):
        return OTHERS
    if not grant.statement.actions.inverted:
        return FINE
    scale = Scale(grant, deploy_roles)
    for reach in sorted(reaches(grant), key=lambda reach: -reach.tier):
        severity = _weight(scale, reach)
        if severity is None:
            continue
        if scale.kind is HolderKind.HUMAN and _keeps_identities(grant) and not in_production(grant, reach.pattern):
            severity = lightest(severity, MEDIUM)
        beyond = actions_shown(_beyond_items((reach,)))
        note = f"NotAction leaves {len(telling(reach))} DynamoDB actions allowed, among them {beyond}"
        return against_reach(reach, severity, note, actions=telling(reach), fix=replaced(reach.grant))
    return FINE


@policy(
    "TG509",
    CRITICAL,
    "An Allow must name its tables, not what it leaves out",
    docs=LEAST,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def allow_notresource(grant: Grant, *, deploy_roles: tuple[str, ...] = ()) -> Verdict:
    """NotResource allows everything but what is listed: a table that is created tomorrow is allowed too."""
    if not is_judged(grant):
        return OTHERS
    if not grant.statement.resources.inverted:
        return FINE
    scale = Scale(grant, deploy_roles)
    for reach in reaches(grant):
        severity = _weight(scale, reach)
        if severity is not None:
            note = f"NotResource allows {actions_shown(telling(reach))} on every table that it does not list"
            return against_reach(reach, severity, note, fix=replaced(grant))
    return FINE


def _widest(wide: tuple[Reach, ...]) -> Reach:
    """Of several, the one that holds most; of equals, the first."""
    return max(wide, key=lambda reach: (len(reach.actions), reach.tier))


def _weight(scale: Scale, reach: Reach) -> Severity | None:
    return scale.everything(reach) if is_everything(reach.actions) else scale.heaviest(reach, telling(reach))


def _on_one_table(scale: Scale, reach: Reach) -> Severity | None:
    """Everything on a table's indexes is little; on its streams it is reading, which a table's reader may."""
    if not reach.scope.itself and reach.scope.below == "stream":
        return None
    found = None if scale.kind is HolderKind.DEPLOY else _weight(scale, reach)
    return LOW if found is not None and not reach.scope.itself and reach.scope.below == "index" else found


def _beyond_items(found: Iterable[Reach]) -> set[Action]:
    """What comes along beside the items."""
    return {action for reach in found for action in telling(reach) if action.kind not in ITEMS}


def _keeps_identities(grant: Grant) -> bool:
    """Whether a NotAction leaves out the managing of identities, as sets of rights for people do."""
    return any(text.lower() == "iam:*" for text in grant.statement.actions.texts)
