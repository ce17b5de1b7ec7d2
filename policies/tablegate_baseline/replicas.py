"""Replicas: are a table's copies kept and protected like the table itself?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tablegate.policy import (
    MEDIUM,
    LegacyGlobalTable,
    Replica,
    Table,
    Value,
    Verdict,
    all_of,
    fails,
    holds,
    not_applicable,
    policy,
    unknown,
)
from tablegate_baseline.helpers import joined, replica_label, unknown_values, worded
from tablegate_baseline.retention import keeps_resource

Tags = Mapping[str, str | None]


@policy(
    "TG308",
    MEDIUM,
    "A global table must be of the current version, and its replicas retained like the table",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_upgrade.html",
    terraform="""
replica {
  region_name = "eu-west-1"
}
""",
    cloudformation="""
DeletionPolicy: Retain
UpdateReplacePolicy: Retain
""",
)
def legacy_global_table(legacy: LegacyGlobalTable) -> Verdict:
    """A global table of 2017 costs more per write, and lacks features of the current version. A replica that a
    custom resource creates is deleted with that resource, even if the table itself is retained."""
    if not legacy.custom_resource:
        return fails("this is a global table of version 2017.11.29: use a table with replicas")
    deletion_policy = legacy.deletion_policy.shown
    return worded(
        keeps_resource(legacy.deletion_policy) | ~legacy.table_retained.is_true,
        f"{legacy.table or 'the table'} is retained, but its replica's DeletionPolicy is {deletion_policy}",
        f"the replica is retained like {legacy.table or 'the table'}",
    )


@policy(
    "TG309",
    MEDIUM,
    "A table and its replicas must have the same protection",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html",
    terraform="""
replica {
  region_name            = "eu-west-1"
  point_in_time_recovery = true
  propagate_tags         = true
}
""",
    cloudformation="""
- Region: eu-west-1
  DeletionProtectionEnabled: true
  PointInTimeRecoverySpecification:
    PointInTimeRecoveryEnabled: true
""",
)
def replica_parity(table: Table) -> Verdict:
    """Deletion protection, recovery, tags, Contributor Insights and resource policies are set region by region, and
    nothing keeps them in step. A difference is found on the day of the failover."""
    replicas = table.replicas
    if replicas.known and not replicas.content:
        return not_applicable("the table has no replicas")
    if not replicas.known:
        return unknown("cannot tell which replicas the table has", replicas)
    copies = ((replica_label(replica), replica) for replica in replicas.content or ())
    places: tuple[tuple[str, Table | Replica], ...] = (("the table", table), *copies)
    return all_of(
        (
            _same_everywhere("deletion protection is", ((name, place.deletion_protection) for name, place in places)),
            _same_everywhere("point-in-time recovery is", ((name, place.recovery.enabled) for name, place in places)),
            _same_everywhere("Contributor Insights is", ((name, place.insights) for name, place in places)),
            _same_everywhere(
                "a resource policy is", ((name, place.policy) for name, place in places), ("set", "not set")
            ),
            _same_tags(tuple(place.tags for _, place in places)),
        )
    )


def _same_everywhere(
    what: str, places: Iterable[tuple[str, Value[object]]], words: tuple[str, str] = ("on", "off")
) -> Verdict:
    """A protection is on in every place, or in none."""
    named = tuple(places)
    values = tuple(value for _, value in named)
    having = [name for name, value in named if value.known and value.content]
    lacking = [name for name, value in named if value.known and not value.content]
    if having and lacking:
        note = f"{what} {words[0]} for {joined(having)}, but {words[1]} for {joined(lacking)}"
        return fails(note, *(value for value in values if value.known))
    if len(having) + len(lacking) < len(named):
        return unknown(f"cannot tell whether {what} the same everywhere", *unknown_values(*values))
    return holds(*values)


def _same_tags(places: tuple[Value[Tags], ...]) -> Verdict:
    """Every place has the same tags, except those that AWS sets."""
    seen = [tags.content or {} for tags in places if tags.known]
    keys = sorted({key for tags in seen for key in tags if not key.startswith("aws:")})
    different = [key for key in keys if _differs(key, seen)]
    if different:
        names = "" if any(tags.sensitive for tags in places) else f": {', '.join(different)}"
        return fails(f"tags differ between the table and its replicas{names}", *(v for v in places if v.known))
    unknowns = [value for value in places if not value.known or None in (value.content or {}).values()]
    if unknowns:
        return unknown("cannot tell whether the tags are the same everywhere", *unknowns)
    return holds(*places)


def _differs(key: str, places: Iterable[Tags]) -> bool:
    """Whether a place lacks the tag, or has another value. An unknown value differs from no tag alone."""
    values = [tags.get(key, "") if key in tags else "\0" for tags in places]
    return len({text for text in values if text is not None}) > 1 or ("\0" in values and None in values)
