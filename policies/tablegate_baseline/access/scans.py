"""Scans and streams: does a holder read more of a table than a request needs?"""

from __future__ import annotations

from typing import Annotated

from tablegate.policy import HIGH, INFO, LOW, MEDIUM, Severity, Verdict, policy
from tablegate.policy.access import (
    PARTITION_KEYS,
    Action,
    Grant,
    HolderKind,
    Kind,
    Narrowing,
    Reach,
    Tier,
    expand,
    has_symbol,
    is_wildcard,
    reaches,
    reaches_of,
)
from tablegate_baseline.access.dangerous_actions import is_already_reported
from tablegate_baseline.access.relevance import copies_tables, is_custom_grant, notable_actions, tables_reached
from tablegate_baseline.access.severity import PRODUCTION, Scale, in_production, shifted
from tablegate_baseline.access.statement_fix import CLOUDFORMATION, STATEMENT, TERRAFORM, reduced_statement
from tablegate_baseline.access.wording import (
    HOLDS,
    NOT_APPLICABLE,
    actions_shown,
    holder_label,
    holder_with_kind,
    reach_violation,
)

_SCANS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-query-scan.html"
_STREAMS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html"
_PARTIQL = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-iam.html"
_REQUESTS = frozenset({HolderKind.RUNTIME, HolderKind.UNKNOWN, HolderKind.END_USER, HolderKind.CROSS_ACCOUNT})
_EXPOSED = frozenset({HolderKind.END_USER, HolderKind.CROSS_ACCOUNT})
_NO_SCAN = {"Bool": {"dynamodb:FullTableScan": ("false",)}}
_COUNTERPARTS = {"PartiQLDelete": "DeleteItem", "PartiQLInsert": "PutItem", "PartiQLUpdate": "UpdateItem"}


@policy(
    "TG514",
    MEDIUM,
    "A request path must query, not scan",
    docs=_SCANS,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
    cause=STATEMENT,
    follows=True,
)
def scan_granted(
    grant: Grant,
    *,
    production: Annotated[tuple[str, ...], "environments that are production"] = PRODUCTION,
    small_tables: Annotated[tuple[str, ...], "names of tables that are small enough to scan"] = (),
) -> Verdict:
    """A scan reads and bills the whole table, and starves everybody else of capacity while it runs."""
    if not is_custom_grant(grant) or grant.holder.kind not in _REQUESTS or copies_tables(grant.holder):
        return NOT_APPLICABLE
    first = _first_scan(grant)
    if first is None:
        return HOLDS
    tables = tables_reached(grant, first.pattern)
    if tables and all(table.name.content in small_tables for table in tables):
        return HOLDS
    scans = [action for action in first.actions if _can_scan(first, action)]
    if {action.name for action in scans} <= (grant.holder.needs or frozenset()):
        return HOLDS
    severity = _scan_severity(first, production)
    fix = reduced_statement(grant, scans) if set(notable_actions(first)) - set(scans) else _with_query(grant, scans)
    note = f"{holder_with_kind(grant)} may {actions_shown(scans)}"
    return reach_violation(first, severity, note, actions=scans, fix=fix)


@policy(
    "TG515",
    HIGH,
    "A stream's reader must be limited to one table",
    docs=_STREAMS,
    terraform="""\
statement {
  actions   = ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"]
  resources = ["${aws_dynamodb_table.example.arn}/stream/*"]
}""",
    cloudformation="""\
- Effect: Allow
  Action: [dynamodb:DescribeStream, dynamodb:GetRecords, dynamodb:GetShardIterator]
  Resource: !Sub "${Example.Arn}/stream/*\"""",
    cause=STATEMENT,
)
def stream_scope(grant: Grant) -> Verdict:
    """A stream has every change of a table, with old and new items: to read all streams is to read all tables."""
    if not is_custom_grant(grant) or is_already_reported(grant):
        return NOT_APPLICABLE
    scale = Scale(grant)
    for reach in reaches(grant):
        reads = [action for action in notable_actions(reach) if action.kind is Kind.STREAM_READ]
        severity = stream_severity(scale, reach, reads)
        if severity is not None:
            which = "every table" if reach.tier >= Tier.ALL else "more than one table"
            note = f"{holder_label(grant.holder)} may {actions_shown(reads)} on the streams of {which}"
            return reach_violation(reach, severity, note, fix=reduced_statement(grant))
        if reads and _names_old_stream(reach):
            note = "the stream's label changes when the stream is enabled again: the grant then stops working"
            return reach_violation(reach, INFO, note)
    return HOLDS


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
    cause=STATEMENT,
)
def partiql_unguarded(grant: Grant) -> Verdict:
    """SELECT without a key is a scan: it undoes the care of an author who granted Query and left out Scan."""
    if not is_custom_grant(grant) or is_already_reported(grant) or grant.holder.kind not in _REQUESTS:
        return NOT_APPLICABLE
    names = {action.name for reach in reaches_of(grant.holder) for action in reach.actions}
    severity = HIGH if grant.holder.kind is HolderKind.END_USER else LOW
    for reach in reaches(grant):
        select = [action for action in reach.actions if action.name == "PartiQLSelect"]
        if select and "Scan" not in names and reach.narrowed(select[0]) < Narrowing.ITEMS:
            fix = reduced_statement(grant, only=lambda action: action.name == "PartiQLSelect", conditions=_NO_SCAN)
            note = "PartiQLSelect can scan, but Scan is not granted"
            return reach_violation(reach, severity, note, actions=select, fix=fix)
        partiql = [action for action in sorted(reach.actions) if _COUNTERPARTS.get(action.name, "") not in {"", *names}]
        if partiql and names & set(_COUNTERPARTS.values()):
            meant = actions_shown(partiql)
            note = f"{meant} can do what is not granted: {_counterparts(partiql)}"
            return reach_violation(reach, severity, note, actions=partiql, fix=reduced_statement(grant, partiql))
    return HOLDS


def stream_severity(scale: Scale, reach: Reach, reads: list[Action]) -> Severity | None:
    """The severity of reading streams. It is one step lower for all tables: the usual grant of a stream's function."""
    severity = scale.highest(reach, reads) if reach.tier > Tier.ONE else None
    return shifted(severity, -1) if severity is not None and reach.tier >= Tier.ALL else severity


def _first_scan(grant: Grant) -> Reach | None:
    """The first reach of a statement with a scan, unless it is for all tables, which other policies report."""
    if _has_key_condition(grant) or is_already_reported(grant):
        return None
    scanned = (reach for reach in reaches(grant) if any(_can_scan(reach, action) for action in reach.actions))
    return next((reach for reach in scanned if reach.tier < Tier.ALL), None)


def _can_scan(reach: Reach, action: Action) -> bool:
    if action.kind is not Kind.BULK_READ and action.name != "PartiQLSelect":
        return False
    return reach.narrowed(action) < Narrowing.ITEMS


def _has_key_condition(grant: Grant) -> bool:
    """Whether the statement has a condition on keys: TG521 reports a scan under it."""
    return any(item.key.removeprefix("dynamodb:") in PARTITION_KEYS for item in grant.statement.conditions)


def _scan_severity(reach: Reach, production: tuple[str, ...]) -> Severity:
    kind = reach.grant.holder.kind
    if kind in _EXPOSED:
        return MEDIUM
    if not in_production(reach.grant, reach.pattern, production):
        return INFO
    return MEDIUM if kind is HolderKind.RUNTIME else LOW


def _with_query(grant: Grant, scans: list[Action]) -> str:
    """The statement with Query in place of its scans."""
    texts = (text for text in grant.statement.actions.texts if expand(text) & set(scans))
    return reduced_statement(grant, renamed=dict.fromkeys(texts, ("dynamodb:Query",)))


def _names_old_stream(reach: Reach) -> bool:
    """Whether a stream of a table that is not in this input is named by its current label."""
    label = reach.pattern.rpartition("/stream/")[2] if "/stream/" in reach.pattern else ""
    plain = bool(label) and not is_wildcard(label) and not has_symbol(label)
    return plain and not tables_reached(reach.grant, reach.pattern)


def _counterparts(partiql: list[Action]) -> str:
    return ", ".join(sorted({_COUNTERPARTS[action.name] for action in partiql}))
