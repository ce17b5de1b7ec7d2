"""Width: does a grant reach more tables, or more actions, than its holder needs?"""

from __future__ import annotations

from functools import lru_cache

from tablegate.policy import CRITICAL, HIGH, INFO, LOW, MEDIUM, Severity, Verdict, fails, holds, not_applicable, policy
from tablegate.policy.access import (
    HARMLESS,
    Action,
    DocumentRole,
    Grant,
    Holder,
    HolderKind,
    Kind,
    Narrowing,
    Reach,
    Tier,
    actions_of,
    expand,
    is_wildcard,
    known_actions,
    reaches,
    reaches_of,
)
from tablegate_baseline.access.telling import (
    actions_shown,
    element,
    exact,
    holder,
    instead,
    listed,
    statement,
    tables_reached,
    told,
)
from tablegate_baseline.access.weights import EVERYTHING, heaviest, weigh, weigh_all

_GUIDE = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/using-identity-based-policies.html"
_LEAST = "https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege"
_ITEM_ACTIONS = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem")
_ITEMS = frozenset({Kind.ITEM_READ, Kind.ITEM_WRITE, Kind.ITEM_DELETE, Kind.BULK_READ})

_TERRAFORM = """\
statement {
  actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"]
  resources = [aws_dynamodb_table.example.arn, "${aws_dynamodb_table.example.arn}/index/*"]
}"""
_CLOUDFORMATION = """\
- Effect: Allow
  Action: [dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query]
  Resource: [!GetAtt Example.Arn, !Sub "${Example.Arn}/index/*"]"""


@policy(
    "TG501",
    CRITICAL,
    "Nobody must hold every action on every table",
    docs=_LEAST,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def dynamodb_all_actions_all_tables(grant: Grant) -> Verdict:
    """Whoever holds it reads, rewrites and drops every table there is, today's and tomorrow's; one leaked key is the
    loss of all data."""
    if not _is_identity(grant) or grant.managed:
        return not_applicable("only grants of an identity have a width")
    if grant is not _first_of_everything(grant.holder):
        return holds(statement(grant))
    reach = max(reaches(grant), key=lambda item: item.tier)
    severity = weigh(EVERYTHING, reach.tier, grant, _least_narrowed(reach))
    if severity is None:
        return holds(*told(reach))
    note = f"{grant.holder.address} holds every DynamoDB action on every table"
    return _failing(note, severity, reach, _ITEM_ACTIONS)


@policy(
    "TG502",
    CRITICAL,
    "Actions must be granted on named tables",
    docs=_GUIDE,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def actions_on_all_tables(grant: Grant) -> Verdict:
    """A grant on all tables also covers those of other teams, and those that somebody will create next year."""
    if not _is_identity(grant) or grant.managed:
        return not_applicable("only grants of an identity have a width")
    if _in_everything(grant):
        return not_applicable("reported as every action on every table")
    for reach in _widest_first(grant, Tier.ALL):
        actions = frozenset(action for action in reach.actions if action.kind is not Kind.STREAM_READ)
        if _is_backup_role(grant.holder) and reach.scope.table == "*":
            continue
        severity = weigh_all(reach, actions)
        if severity is not None:
            worst = [action for action in actions if action.kind not in HARMLESS]
            note = f"{actions_shown(worst)} on every table, written {grant.document.shown(reach.pattern)!r}"
            return _failing(note, severity, reach, (action.full_name for action in worst))
    return holds(statement(grant))


@policy(
    "TG503",
    HIGH,
    "Only a deploy role must hold every action on a table",
    docs=_LEAST,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def all_actions_one_table(grant: Grant) -> Verdict:
    """With the item actions come DeleteTable, UpdateTable, PutResourcePolicy and exports: a bug in the code can drop
    the table, and whoever takes the code over can copy it."""
    if not _is_identity(grant) or grant.managed:
        return not_applicable("only grants of an identity have a width")
    for reach in reaches(grant):
        if reach.tier is Tier.ONE and is_everything(reach.actions):
            severity = weigh(EVERYTHING, reach.tier, grant, _least_narrowed(reach))
            if severity is not None:
                extra = [action for action in reach.actions if action.kind not in (_ITEMS | HARMLESS)]
                note = f"every action on one table, with it {actions_shown(extra)}"
                return _failing(note, severity, reach, _ITEM_ACTIONS)
    return holds(statement(grant))


@policy(
    "TG504",
    HIGH,
    "Tables must be named whole, not by their beginning",
    docs=_GUIDE,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def table_prefix_wildcard(grant: Grant, *, allowed_prefixes: tuple[str, ...] = ()) -> Verdict:
    """A prefix covers every table that begins so: those of the same application that this holder has no business with,
    and those that come later."""
    if not _is_identity(grant):
        return not_applicable("only grants of an identity have a width")
    for reach in _at(grant, Tier.PREFIX):
        if (reach.scope.table or "").rstrip("*") in allowed_prefixes:
            continue
        severity = weigh_all(reach, reach.actions)
        if severity is not None:
            return _failing(_also_reaches(reach), severity, reach, (action.full_name for action in reach.actions))
    return holds(statement(grant))


@policy(
    "TG505",
    CRITICAL,
    "A table's ARN must end at its name",
    docs=_GUIDE,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def table_name_bleed(grant: Grant) -> Verdict:
    """A star behind a complete name covers Orders-archive and OrdersV2 as well as Orders; its author nearly always
    meant the indexes below the table."""
    if not _is_identity(grant):
        return not_applicable("only grants of an identity have a width")
    for reach in _at(grant, Tier.WEAK):
        weighed = weigh_all(reach, reach.actions)
        if weighed is not None:
            severity = heaviest((weighed, MEDIUM)) if weighed not in (INFO, LOW) else weighed
            return _failing(
                _also_reaches(reach), severity or MEDIUM, reach, (action.full_name for action in reach.actions)
            )
    return holds(statement(grant))


@policy(
    "TG506", LOW, "An ARN must name its own account", docs=_GUIDE, terraform=_TERRAFORM, cloudformation=_CLOUDFORMATION
)
def arn_account_or_region_wildcard(grant: Grant) -> Verdict:
    """An open account works on any account whose table lets this holder in; an open region reaches a table of the same
    name that somebody made elsewhere."""
    if not _is_identity(grant):
        return not_applicable("only grants of an identity have a width")
    for reach in reaches(grant):
        partition, region, account = reach.scope.where
        if reach.tier >= Tier.ALL or reach.scope.global_table or not _says_something(reach):
            continue
        if account in ("*", "") or "*" in partition:
            return _failing(
                f"the ARN leaves its account open: {grant.document.shown(reach.pattern)!r}", LOW, reach, _named(reach)
            )
        if "*" in region and not _is_global(reach):
            return _failing(
                f"the ARN leaves its region open: {grant.document.shown(reach.pattern)!r}", INFO, reach, _named(reach)
            )
    return holds(statement(grant))


@policy(
    "TG507",
    CRITICAL,
    "Actions must be named, not matched by their verb",
    docs=_LEAST,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def verb_wildcard(grant: Grant) -> Verdict:
    """Put* holds PutResourcePolicy beside PutItem, Delete* holds DeleteTable beside DeleteItem, and AWS adds to
    both."""
    if not _is_identity(grant) or grant.managed:
        return not_applicable("only grants of an identity have a width")
    if _in_everything(grant) or _holds_everything(grant):
        return not_applicable("reported as every action")
    mixed = verb_wildcards(grant)
    worst: tuple[Severity, Reach, Action, str] | None = None
    for reach in reaches(grant):
        for text in mixed:
            for action in sorted(expand(text) & reach.actions):
                severity = weigh(action.kind, reach.tier, grant, reach.narrowed(action))
                if severity is not None and (worst is None or heaviest((severity, worst[0])) is not worst[0]):
                    worst = (severity, reach, action, text)
    if worst is None:
        return holds(statement(grant))
    severity, reach, action, text = worst
    note = f"{grant.document.shown(text)} stands for {action.name} too; together {listed(mixed)} mean {actions_shown(_expansion(mixed))}"
    return _failing(note, severity, reach, (item.full_name for item in _expansion(mixed) if item.kind in _ITEMS))


@policy(
    "TG508",
    CRITICAL,
    "An Allow must name its actions, not what it leaves out",
    docs=_LEAST,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def allow_notaction(grant: Grant) -> Verdict:
    """NotAction allows every action of every service that is not listed, also those that do not exist yet."""
    if not _is_identity(grant) or not grant.statement.actions.inverted:
        return not_applicable("no NotAction in an Allow of an identity")
    for reach in _widest_first(grant, Tier.ONE):
        telling = [action for action in reach.actions if action.kind not in HARMLESS]
        severity = weigh(EVERYTHING, reach.tier, grant, _least_narrowed(reach)) if telling else None
        if severity is not None:
            return _failing(
                f"NotAction leaves {len(telling)} DynamoDB actions allowed, {actions_shown(telling)}",
                severity,
                reach,
                _ITEM_ACTIONS,
            )
    return holds(statement(grant))


@policy(
    "TG509",
    CRITICAL,
    "An Allow must name its tables, not what it leaves out",
    docs=_LEAST,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def allow_notresource(grant: Grant) -> Verdict:
    """NotResource allows everything but what is listed: a table that is created tomorrow is allowed too."""
    if not _is_identity(grant) or not grant.statement.resources.inverted:
        return not_applicable("no NotResource in an Allow of an identity")
    actions = actions_of(grant.statement.actions)
    for reach in reaches(grant):
        severity = (
            weigh(EVERYTHING, Tier.EVERYWHERE, grant) if is_everything(actions) else weigh_all(reach, reach.actions)
        )
        if severity is not None:
            return _failing(
                f"NotResource allows {actions_shown(reach.actions)} on every table it does not list",
                severity,
                reach,
                _named(reach),
            )
    return holds(statement(grant))


def is_everything(actions: frozenset[Action]) -> bool:
    """Whether these actions amount to full control of a table."""
    kinds = {action.kind for action in actions}
    return {Kind.DESTRUCTIVE, Kind.PERMISSIONS, Kind.ITEM_READ, Kind.ITEM_WRITE} <= kinds


def verb_wildcards(grant: Grant) -> tuple[str, ...]:
    """The action patterns, not for the whole service, that stand for actions of different sorts."""
    return (
        tuple(text for text in grant.statement.actions.texts if _is_mixed(text))
        if not grant.statement.actions.inverted
        else ()
    )


def silenced(grant: Grant) -> bool:
    """Whether the powerful actions of a statement are reported already: as everything, or under a verb's wildcard."""
    return _in_everything(grant) or _holds_everything(grant) or bool(verb_wildcards(grant))


@lru_cache(maxsize=2048)
def _is_mixed(text: str) -> bool:
    expansion = expand(text)
    if not is_wildcard(text) or not expansion or len(expansion) == len(known_actions()):
        return False
    families = {
        "items" if action.kind in _ITEMS else str(action.kind) for action in expansion if action.kind not in HARMLESS
    }
    harmless = any(action.kind in HARMLESS for action in expansion)
    return len(families) > 1 or (len(families) == 1 and harmless and families != {"stream-read"})


def _expansion(texts: tuple[str, ...]) -> frozenset[Action]:
    return frozenset(action for text in texts for action in expand(text))


def _is_identity(grant: Grant) -> bool:
    return grant.role is DocumentRole.IDENTITY and grant.statement.allows


def _is_backup_role(who: Holder) -> bool:
    return who.kind is HolderKind.SERVICE and "backup.amazonaws.com" in who.services


def _at(grant: Grant, tier: Tier) -> list[Reach]:
    return [reach for reach in reaches(grant) if reach.tier is tier]


def _widest_first(grant: Grant, least: Tier) -> list[Reach]:
    return sorted((reach for reach in reaches(grant) if reach.tier >= least), key=lambda reach: -reach.tier)


def _least_narrowed(reach: Reach) -> Narrowing:
    """The narrowing that holds for every action of the reach."""
    return min((reach.narrowed(action) for action in reach.actions), default=Narrowing.NONE)


def _wide(who: Holder) -> list[Reach]:
    return [reach for reach in reaches_of(who) if reach.tier >= Tier.ALL and _least_narrowed(reach) < Narrowing.ITEMS]


@lru_cache(maxsize=4096)
def _first_of_everything(who: Holder) -> Grant | None:
    """The widest statement of a holder whose statements together amount to everything everywhere."""
    wide = [reach for reach in _wide(who) if not reach.grant.managed]
    union = frozenset(action for reach in wide for action in reach.actions)
    if not is_everything(union):
        return None
    return max(wide, key=lambda reach: (len(reach.actions), -who.grants.index(reach.grant))).grant


def _in_everything(grant: Grant) -> bool:
    first = _first_of_everything(grant.holder)
    return first is not None and any(reach.tier >= Tier.ALL for reach in reaches(grant))


def _holds_everything(grant: Grant) -> bool:
    return any(reach.tier is Tier.ONE and is_everything(reach.actions) for reach in reaches(grant))


def _says_something(reach: Reach) -> bool:
    return any(action.kind not in HARMLESS for action in reach.actions)


def _is_global(reach: Reach) -> bool:
    tables = reach.grant.holder.estate.tables
    return any(table.name.content == reach.scope.table and table.replicas.content for table in tables)


def _named(reach: Reach) -> list[str]:
    return [action.full_name for action in reach.actions]


def _also_reaches(reach: Reach) -> str:
    found = tables_reached(reach.grant, reach.pattern)
    written = reach.grant.document.shown(reach.pattern)
    beyond = f"; of the tables here it reaches {listed(found)}" if found else ""
    return f"{actions_shown(reach.actions)} on every table that matches {written!r}{beyond}"


def _failing(note: str, severity: Severity, reach: Reach, actions: object) -> Verdict:
    names = sorted(set(actions))  # type: ignore[call-overload]  # any iterable of names
    fix = instead(reach.grant, names, exact(reach.grant, reach.pattern))
    evidence = (statement(reach.grant), element(reach.grant, reach.pattern), holder(reach.grant))
    return fails(note, *evidence).weighing(severity).fixed_by(fix)
