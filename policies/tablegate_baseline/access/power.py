"""Power: does somebody hold an action that can drop, copy, or give away a table?"""

from __future__ import annotations

from collections.abc import Iterable

from tablegate.policy import CRITICAL, HIGH, INFO, LOW, MEDIUM, Severity, Verdict, fails, holds, not_applicable, policy
from tablegate.policy.access import (
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
    managed_policies,
    narrowing,
    reaches,
    reaches_of,
)
from tablegate_baseline.access.telling import (
    actions_shown,
    exact,
    holder,
    instead,
    statement,
    told,
)
from tablegate_baseline.access.weights import EVERYTHING, heaviest, in_production, weigh, weigh_all
from tablegate_baseline.access.width import silenced

_RESOURCE_LEVEL = "https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html"
_LEAST = "https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege"
_STREAMS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html"
_PARTIQL = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-iam.html"
_MANAGED = "https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_managed-vs-inline.html"

_TERRAFORM = """\
statement {
  actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"]
  resources = [aws_dynamodb_table.example.arn, "${aws_dynamodb_table.example.arn}/index/*"]
}"""
_CLOUDFORMATION = """\
- Effect: Allow
  Action: [dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query]
  Resource: [!GetAtt Example.Arn, !Sub "${Example.Arn}/index/*"]"""
_STREAM_TERRAFORM = """\
statement {
  actions   = ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"]
  resources = ["${aws_dynamodb_table.example.arn}/stream/*"]
}"""
_STREAM_CLOUDFORMATION = """\
- Effect: Allow
  Action: [dynamodb:DescribeStream, dynamodb:GetRecords, dynamodb:GetShardIterator]
  Resource: !Sub "${Example.Arn}/stream/*\""""

_EFFECTS = {
    "UpdateContinuousBackups": "can switch point-in-time recovery off",
    "UpdateTimeToLive": "can make items expire",
    "UpdateTable": "can switch deletion protection, streams and indexes off, and change the key",
    "DisableKinesisStreamingDestination": "can cut change capture",
    "UpdateGlobalTable": "can drop regions",
    "PurchaseReservedCapacityOfferings": "spends money",
    "InjectError": "injects faults",
}


@policy(
    "TG510",
    CRITICAL,
    "Only a deploy role must be able to drop a table",
    docs=_RESOURCE_LEVEL,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def destructive_action(grant: Grant) -> Verdict:
    """Code that runs all day needs no way to delete a table or its backups; a stolen credential that has one can."""
    guarded = frozenset({"DeleteBackup"}) if _is_service(grant.holder, "backup") else frozenset[str]()
    found = _hits(grant, {Kind.DESTRUCTIVE}, guarded)
    if isinstance(found, Verdict):
        return found
    severity, reach, actions = found
    also = (
        " and UpdateTable, which can switch deletion protection off"
        if any(a.name == "UpdateTable" for a in reach.actions)
        else ""
    )
    if _makes_tables(grant.holder):
        severity = MEDIUM
    return _failing(f"{actions_shown(actions)}{also} in the hands of {_who(grant)}", severity, reach, actions)


@policy(
    "TG511",
    HIGH,
    "Only a deploy role must be able to change a table's settings",
    docs=_RESOURCE_LEVEL,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def table_admin_action(grant: Grant) -> Verdict:
    """Whoever can update a table can switch its recovery off, let its data expire, or cut its streams, without deleting
    anything that an alarm watches."""
    guarded = _SCALING if _is_scaler(grant.holder) else frozenset[str]()
    found = _hits(grant, {Kind.PROTECTION_CHANGE, Kind.PROVISIONING}, guarded)
    if isinstance(found, Verdict):
        return found
    severity, reach, actions = found
    if _only_scales(reaches(grant)) or _leases(grant):
        severity = LOW
    told_effects = [
        f"{name} {_EFFECTS[name]}" for name in sorted(action.name for action in actions) if name in _EFFECTS
    ]
    return _failing(
        "; ".join([f"{actions_shown(actions)} in the hands of {_who(grant)}", *told_effects]), severity, reach, actions
    )


@policy(
    "TG512",
    CRITICAL,
    "Only a deploy role must be able to change who may reach a table",
    docs=_RESOURCE_LEVEL,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def resource_policy_control(grant: Grant) -> Verdict:
    """The holder can let itself, or another account, do anything to the table, past everybody's identity policies."""
    found = _hits(grant, {Kind.PERMISSIONS})
    if isinstance(found, Verdict):
        return found
    severity, reach, actions = found
    return _failing(f"{actions_shown(actions)} in the hands of {_who(grant)}", severity, reach, actions)


@policy(
    "TG513",
    HIGH,
    "Only a backup or pipeline role must be able to copy a table",
    docs=_RESOURCE_LEVEL,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def data_copy_action(grant: Grant) -> Verdict:
    """An export writes the whole table to a bucket, which may be another account's, and costs no read capacity that
    anybody would notice."""
    if any(_is_service(grant.holder, name) for name in _COPIERS):
        return not_applicable("copying tables is this service's work")
    found = _hits(grant, {Kind.DATA_COPY})
    if isinstance(found, Verdict):
        return found
    severity, reach, actions = found
    if {action.name for action in actions} == {"CreateBackup"} and reach.tier is Tier.ONE:
        severity = INFO
    elif _can_export_anywhere(grant.holder, actions):
        severity = heaviest((severity, HIGH)) or HIGH
    return _failing(f"{actions_shown(actions)} in the hands of {_who(grant)}", severity, reach, actions)


@policy(
    "TG514",
    MEDIUM,
    "A request path must query, not scan",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-query-scan.html",
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def scan_granted(grant: Grant) -> Verdict:
    """A scan reads and bills the whole table, and starves everybody else of its capacity while it does."""
    if not _is_identity(grant) or grant.managed or grant is not _first_scan(grant):
        return not_applicable("no scan granted here, or reported at another statement of this document")
    if silenced(grant) or _open_to_all_items(grant):
        return not_applicable("reported with what else the statement opens")
    for reach in reaches(grant):
        scans = [action for action in reach.actions if action.kind is Kind.BULK_READ]
        if scans and reach.tier < Tier.ALL and grant.holder.kind not in (HolderKind.DEPLOY, HolderKind.SERVICE):
            return _failing(f"Scan in the hands of {_who(grant)}", _scan_severity(grant), reach, scans)
    return holds(statement(grant))


@policy(
    "TG515",
    HIGH,
    "A stream's reader must be bound to one table",
    docs=_STREAMS,
    terraform=_STREAM_TERRAFORM,
    cloudformation=_STREAM_CLOUDFORMATION,
)
def stream_scope(grant: Grant) -> Verdict:
    """A stream carries every change of a table, old and new items included: who reads all streams reads all tables."""
    if not _is_identity(grant) or grant.managed or silenced(grant):
        return not_applicable("no stream grant of its own")
    for reach in reaches(grant):
        reads = [action for action in reach.actions if action.kind is Kind.STREAM_READ]
        severity = weigh_all(reach, reads) if reach.tier > Tier.ONE else None
        if severity is not None and not _reported_wide(reach):
            fix = instead(
                grant,
                (action.full_name for action in reads),
                [f"{arn}/stream/*" for arn in exact(grant, reach.pattern)[::2]],
            )
            return (
                fails(f"{actions_shown(reads)} on the streams of more than one table", *told(reach))
                .weighing(severity)
                .fixed_by(fix)
            )
    return holds(statement(grant))


@policy(
    "TG516",
    HIGH,
    "A PartiQL grant must not allow a full scan",
    docs=_PARTIQL,
    on=False,
    terraform="""\
condition {
  test     = "Bool"
  variable = "dynamodb:FullTableScan"
  values   = ["false"]
}""",
    cloudformation="""\
Condition:
  Bool:
    dynamodb:FullTableScan: "false\"""",
)
def partiql_unguarded(grant: Grant) -> Verdict:
    """SELECT without a key is a scan: it undoes the care of an author who granted Query and left Scan out."""
    if not _is_identity(grant) or grant.managed or silenced(grant):
        return not_applicable("no PartiQL grant of its own")
    if grant.holder.kind not in (HolderKind.RUNTIME, HolderKind.END_USER, HolderKind.UNKNOWN):
        return not_applicable("not a request path")
    names = {action.name for reach in reaches_of(grant.holder) for action in reach.actions}
    for reach in reaches(grant):
        select = [action for action in reach.actions if action.name == "PartiQLSelect"]
        if select and "Scan" not in names and narrowing(grant.statement.conditions, select[0]) < Narrowing.ITEMS:
            severity = HIGH if grant.holder.kind is HolderKind.END_USER else LOW
            fix = instead(
                grant,
                ["dynamodb:PartiQLSelect"],
                exact(grant, reach.pattern),
                '{"Bool": {"dynamodb:FullTableScan": "false"}}',
            )
            return (
                fails("PartiQLSelect can scan, though Scan is not granted", *told(reach))
                .weighing(severity)
                .fixed_by(fix)
            )
    return holds(statement(grant))


@policy(
    "TG517",
    CRITICAL,
    "A policy of your own must grant tables, not an AWS managed one",
    docs=_MANAGED,
    terraform=_TERRAFORM,
    cloudformation=_CLOUDFORMATION,
)
def wide_managed_policy(grant: Grant) -> Verdict:
    """AWS managed policies name no table: attaching one grants its actions on all of them, and AWS changes what it
    holds."""
    known = managed_policies().get(grant.managed or "")
    if known is None or not _is_identity(grant):
        return not_applicable("not an AWS managed policy that grants tables")
    if known.width == "metadata-only" or "linked" in known.flags or _expected(grant.holder, known.name):
        return not_applicable(f"{known.name} is fine here")
    severity = _managed_severity(grant, known.width, known.path)
    if severity is None:
        return holds(statement(grant))
    widest = max(reaches(grant), key=lambda reach: reach.tier, default=None)
    actions = frozenset(action for reach in reaches(grant) for action in reach.actions)
    note = f"{known.name} grants {actions_shown(actions)}" + (
        " on every table" if widest and widest.tier >= Tier.ALL else ""
    )
    fix = instead(grant, _ITEM_ACTIONS, exact(grant, "*"))
    return fails(note, statement(grant), holder(grant)).weighing(severity).fixed_by(fix)


_ITEM_ACTIONS = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem")
_SCALING = frozenset({"UpdateTable", "DescribeTable"})
_COPIERS = ("osis-pipelines", "redshift", "glue", "backup", "export.dynamodb", "dms")
_EXPECTED = {
    "backup": ("AWSBackupServiceRolePolicyForBackup", "AWSBackupServiceRolePolicyForRestores"),
    "iot": ("AWSIoTRuleActions",),
}


def _is_identity(grant: Grant) -> bool:
    return grant.role is DocumentRole.IDENTITY and grant.statement.allows


def _hits(
    grant: Grant, kinds: set[Kind], guarded: frozenset[str] = frozenset()
) -> Verdict | tuple[Severity, Reach, list[Action]]:
    """The worst reach at which the statement grants actions of these kinds, or the verdict that there is none."""
    if not _is_identity(grant) or grant.managed or silenced(grant):
        return not_applicable("no grant of this sort, or reported with the whole statement")
    worst: tuple[Severity, Reach, list[Action]] | None = None
    for reach in reaches(grant):
        actions = sorted(action for action in reach.actions if action.kind in kinds and action.name not in guarded)
        severity = weigh_all(reach, actions)
        if severity is not None and (worst is None or heaviest((severity, worst[0])) is not worst[0]):
            worst = (severity, reach, actions)
    return holds(statement(grant)) if worst is None else worst


def _failing(note: str, severity: Severity, reach: Reach, taken: Iterable[Action]) -> Verdict:
    """Fails, and shows the statement without what was taken exception to."""
    left = sorted(action.full_name for action in reach.actions - frozenset(taken))
    fix = instead(
        reach.grant,
        left or _ITEM_ACTIONS,
        [reach.pattern] if reach.tier is Tier.ONE else exact(reach.grant, reach.pattern),
    )
    return fails(note, *told(reach)).weighing(severity).fixed_by(fix)


def _who(grant: Grant) -> str:
    who = grant.holder
    return f"{who.address} ({who.kind})"


def _is_service(who: Holder, name: str) -> bool:
    return who.kind is HolderKind.SERVICE and any(service.startswith(f"{name}.") for service in who.services)


def _is_scaler(who: Holder) -> bool:
    return any("application-autoscaling" in service for service in who.services)


def _only_scales(found: Iterable[Reach]) -> bool:
    """Whether a statement grants nothing but what scheduled scaling needs."""
    return {action.name for reach in found for action in reach.actions} <= _SCALING


def _leases(grant: Grant) -> bool:
    """Whether the holder looks like a stream consumer that keeps its leases in a table of its own."""
    names = {action.name for action in actions_of(grant.statement.actions)}
    streams = any(
        "GetRecords" in {a.name for a in actions_of(other.statement.actions)} for other in grant.holder.grants
    )
    kinesis = any(
        text.lower().startswith("kinesis:get")
        for other in grant.holder.grants
        for text in other.statement.actions.texts
    )
    return {"CreateTable", "GetItem", "PutItem"} <= names and (streams or kinesis)


def _makes_tables(who: Holder) -> bool:
    names = {action.name for reach in reaches_of(who) for action in reach.actions}
    return "CreateTable" in names and "custom resource" in who.why


def _can_export_anywhere(who: Holder, actions: Iterable[Action]) -> bool:
    exports = any(action.name == "ExportTableToPointInTime" for action in actions)
    writes = any(
        "s3:putobject" in {text.lower() for text in grant.statement.actions.texts}
        and "*" in grant.statement.resources.texts
        for grant in who.grants
        if grant.statement.allows
    )
    return exports and writes


def _first_scan(grant: Grant) -> Grant | None:
    """The first statement of the same document that grants Scan."""
    scan = next(iter(expand("dynamodb:Scan")))
    same = (other for other in grant.holder.grants if other.document is grant.document and other.statement.allows)
    return next((other for other in same if any(scan in reach.actions for reach in reaches(other))), None)


def _open_to_all_items(grant: Grant) -> bool:
    """Whether a condition on keys is there that Scan slips past: reported as such."""
    return any(
        condition.key in ("dynamodb:leadingkeys", "dynamodb:firstpartitionkeyvalues")
        for condition in grant.statement.conditions
    )


def _scan_severity(grant: Grant) -> Severity:
    if grant.holder.kind in (HolderKind.END_USER, HolderKind.CROSS_ACCOUNT):
        return MEDIUM
    runtime = grant.holder.kind in (HolderKind.RUNTIME, HolderKind.UNKNOWN)
    return MEDIUM if runtime and in_production(grant) else INFO


def _reported_wide(reach: Reach) -> bool:
    """Whether a stream grant rides on a statement that is reported for its other actions' width."""
    others = [action for action in reach.actions if action.kind is not Kind.STREAM_READ]
    return reach.tier >= Tier.ALL and weigh_all(reach, others) is not None


def _expected(who: Holder, name: str) -> bool:
    return any(_is_service(who, service) and name in names for service, names in _EXPECTED.items())


def _managed_severity(grant: Grant, width: str, path: str) -> Severity | None:
    if path == "AdministratorAccess" and grant.holder.kind in (HolderKind.DEPLOY, HolderKind.HUMAN):
        return INFO
    if width == "full":
        return weigh(EVERYTHING, Tier.ALL, grant)
    if width in ("control-write", "tag"):
        return MEDIUM if grant.holder.kind is not HolderKind.DEPLOY else None
    return heaviest(weigh_all(reach, reach.actions) for reach in reaches(grant))
