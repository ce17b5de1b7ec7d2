"""Capacity: is a table's billing mode deliberate, its cost bounded, and its table class the cheaper one?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Annotated, NamedTuple

from tablegate.policy import (
    HIGH,
    LOW,
    MEDIUM,
    Doubt,
    Index,
    Replica,
    Table,
    Units,
    Value,
    Verdict,
    all_of,
    any_of,
    fails,
    holds,
    not_applicable,
    policy,
    unknown,
    when,
)
from tablegate_baseline.autoscaling import all_scaled
from tablegate_baseline.helpers import (
    ON_DEMAND,
    PROVISIONED,
    every_part,
    inherits_billing,
    not_known,
    not_seen,
    part_label,
    units_of,
    unknown_collection,
    unknown_fact,
)

COPIED = "the billing mode is that of the table that it copies"
_CAPACITY_TAG = "tablegate:capacity"
_IGNORES_INDEXES = "aws_dynamodb_table"
_PROVISIONED_UNITS = "an on-demand table must not set provisioned capacity: it is set for"
_ON_DEMAND_UNITS = "on-demand maximums have no effect with provisioned billing: they are set for"
_SetUnits = tuple[str, Table | Index | Replica, Value[int]]
_STANDARD, _INFREQUENT = "STANDARD", "STANDARD_INFREQUENT_ACCESS"
_HOURS = 730
_MILLION_SECONDS = _HOURS * 3600 / 1_000_000


class _Rates(NamedTuple):
    """US dollars a month for one GB, and for one read and one write unit per second."""

    storage: float
    read: float
    write: float

    def of(self, figures: _Rates) -> float:
        """The monthly cost of a table with these figures."""
        return sum(rate * figure for rate, figure in zip(self, figures, strict=True))


# https://aws.amazon.com/dynamodb/pricing/ for us-east-1. Prices differ between regions, their ratios hardly.
_RATES = {
    (ON_DEMAND, _STANDARD): _Rates(0.25, 0.125 * _MILLION_SECONDS, 0.625 * _MILLION_SECONDS),
    (ON_DEMAND, _INFREQUENT): _Rates(0.10, 0.155 * _MILLION_SECONDS, 0.78 * _MILLION_SECONDS),
    (PROVISIONED, _STANDARD): _Rates(0.25, 0.00013 * _HOURS, 0.00065 * _HOURS),
    (PROVISIONED, _INFREQUENT): _Rates(0.10, 0.00016 * _HOURS, 0.00081 * _HOURS),
}
_FIGURES = r"(?P<table>\S+): *(?P<gb>[\d.]+) GB, *(?P<reads>[\d.]+) reads/s, *(?P<writes>[\d.]+) writes/s"


@policy(
    "TG101",
    HIGH,
    "Billing must be on demand unless provisioned capacity is required",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/capacity-mode.html",
    terraform='billing_mode = "PAY_PER_REQUEST"',
    cloudformation="BillingMode: PAY_PER_REQUEST",
    state_locks=False,
    cause="billing mode",
)
def on_demand_billing(
    table: Table,
    *,
    provisioned_when: Annotated[tuple[str, ...], "tags, as KEY=VALUE, that allow provisioned capacity"] = (
        "tablegate:capacity=provisioned",
    ),
) -> Verdict:
    """Provisioned capacity throttles the first peak that nobody planned, and costs money in every quiet hour.

    If you know the traffic well enough to provision for it, say so with a tag or in the configuration.
    """
    mode = table.billing_mode
    if mode.content == ON_DEMAND:
        return holds(mode)
    if inherits_billing(table):
        return not_applicable(COPIED)
    mode = mode.at(table.place)
    required = any_of(_has_tag(table.tags, selector) for selector in provisioned_when) | _is_declared_provisioned(table)
    verdict = _not_on_demand(mode) | required
    return verdict if verdict.truth is True else _weighed_by_scaling(verdict, table)


@policy(
    "TG104",
    LOW,
    "On-demand capacity must have a maximum",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode-max-throughput.html",
    terraform="""
on_demand_throughput {
  max_read_request_units  = 4000
  max_write_request_units = 1000
}
""",
    cloudformation="""
OnDemandThroughput:
  MaxReadRequestUnits: 4000
  MaxWriteRequestUnits: 1000
""",
    global_table="""
WriteOnDemandThroughputSettings:
  MaxWriteRequestUnits: 1000

Replicas:
  - Region: us-east-1
    ReadOnDemandThroughputSettings:
      MaxReadRequestUnits: 4000
""",
    on="strict",
    state_locks=False,
)
def on_demand_ceiling(table: Table) -> Verdict:
    """On demand, a client caught in a loop is served as fast as it asks, and every request is billed.

    A maximum turns the runaway bill into throttled requests.
    """
    return when(table.billing_mode.equals(ON_DEMAND), lambda: _capped(table), "the table is not on demand")


@policy(
    "TG105",
    HIGH,
    "Capacity settings must match the billing mode",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CreateTable.html",
    terraform='billing_mode = "PAY_PER_REQUEST"',
    cloudformation="BillingMode: PAY_PER_REQUEST",
    cause="capacity of an index",
)
def capacity_contradiction(table: Table) -> Verdict:
    """Settings of the other billing mode make the deploy fail, or do nothing while everybody counts on them.

    The worst is provisioned billing without capacity: some tools then set one unit, and traffic stops.
    """
    mode = table.billing_mode
    if inherits_billing(table):
        return not_applicable(COPIED)
    if not mode.known:
        return not_known(mode)
    return all_of(_conflicts_with_on_demand(table) if mode.content == ON_DEMAND else _conflicts_with_provisioned(table))


@policy(
    "TG109",
    LOW,
    "The table class must be the cheaper one for the declared figures",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.TableClasses.html",
    terraform='table_class = "STANDARD_INFREQUENT_ACCESS"',
    cloudformation="TableClass: STANDARD_INFREQUENT_ACCESS",
    global_table="""
Replicas:
  - Region: us-east-1
    TableClass: STANDARD_INFREQUENT_ACCESS
""",
    on=False,
)
def table_class(
    table: Table,
    *,
    figures: Annotated[tuple[str, ...], "storage and traffic, as NAME: 500 GB, 20 reads/s, 5 writes/s"] = (),
) -> Verdict:
    """The infrequent-access class stores data for less than half the price and serves it for a quarter more. Which one
    is cheaper depends on figures that no template has.

    Declare them as ``figures``, a line for each table: ``orders-*: 500 GB, 20 reads/s, 5 writes/s``.
    """
    line = next((line for line in figures if _is_for(table, line)), None)
    if line is None:
        return not_applicable("no storage and traffic figures are declared for the table")
    declared = _parsed(line)
    if declared is None:
        return unknown(f"the figures {line!r} must have the form 'NAME: 1 GB, 1 reads/s, 1 writes/s'")
    mode, own = table.billing_mode, table.table_class
    if not mode.known or not own.known:
        return not_known(mode, own)
    return _is_cheaper(mode, own, declared)


def _not_on_demand(mode: Value[str]) -> Verdict:
    if not mode.known:
        return mode.equals(ON_DEMAND)
    return fails(f"billing mode is {mode.shown}, and neither a tag nor the configuration allows it", mode)


def _weighed_by_scaling(verdict: Verdict, table: Table) -> Verdict:
    """The verdict, less severe if all capacity scales. Its message names what does not."""
    scaled = all_scaled(table)
    if scaled.truth is True:
        return verdict.weighing(MEDIUM, "all of its capacity scales")
    return verdict.because(f"{verdict.note}; {scaled.note}") if verdict.note and scaled.note else verdict


def _has_tag(tags: Value[Mapping[str, str | None]], selector: str) -> Verdict:
    """A tag has the selector's key and, if the selector has one, its value: ``KEY`` or ``KEY=VALUE``."""
    key, _, wanted = selector.lower().partition("=")
    if not tags.known:
        return not_known(tags)
    values = {name.lower(): text for name, text in (tags.content or {}).items()}
    if wanted and key in values and values[key] is None:
        return Verdict(None, (unknown_fact(f"tag {key}", Doubt("the tag's value is not known")).at(tags.place),))
    return Verdict(key in values and wanted in ("", (values[key] or "").strip().lower()), (tags,))


def _is_declared_provisioned(table: Table) -> Verdict:
    """The configuration declares provisioned capacity. The table's own tag, if it has one, is not looked at here."""
    if any(name.lower() == _CAPACITY_TAG for name in table.tags.content or ()):
        return Verdict(False)
    return table.declared.capacity.equals("provisioned")


def _capped(table: Table) -> Verdict:
    lacking = [
        (f"{kind} of {part_label(part)}", value.at_least(1))
        for kind, part, value in units_of(table, lambda part: part.on_demand)
        if value.content is None or value.content < 1
    ]
    return every_part("no maximum for", (*lacking, *unknown_collection(table.indexes)))


def _conflicts_with_on_demand(table: Table) -> Iterator[Verdict]:
    units = list(_set_units(table, lambda part: part.capacity, lambda replica: replica.read_capacity))
    ignored = [each for each in units if isinstance(each[1], Index)] if table.type == _IGNORES_INDEXES else []
    refused = [each for each in units if each not in ignored]
    if refused:
        yield _set_for(_PROVISIONED_UNITS, refused, table.billing_mode)
    for target in table.scaling:
        yield fails(f"scaling target {target.address} has nothing to scale: the table is on demand", target.maximum)
    if table.scaling_doubt:
        yield not_seen("scaling targets", table.scaling_doubt)
    yield from _unknown_collections(table)
    if ignored:
        verdict = _set_for(_PROVISIONED_UNITS, ignored, table.billing_mode)
        yield verdict.weighing(LOW, "Terraform ignores the capacity of the indexes of an on-demand table")


def _conflicts_with_provisioned(table: Table) -> Iterator[Verdict]:
    mode = table.billing_mode
    limits = list(_set_units(table, lambda part: part.on_demand, lambda replica: replica.max_read))
    if limits:
        yield _set_for(_ON_DEMAND_UNITS, limits, mode)
    unusable = [
        (f"{kind} of {part_label(part)}", usable)
        for kind, part, value in _units_to_state(table)
        if (usable := value.at_least(1)).truth is not True
    ]
    if unusable:
        yield every_part("provisioned billing needs a capacity of at least 1 for", unusable, mode)
    yield from _unknown_collections(table)


def _set_units(
    table: Table, pair: Callable[[Table | Index], Units], of_replica: Callable[[Replica], Value[int]]
) -> Iterator[_SetUnits]:
    """Each number that is set or may be, with "reads" or "writes" and the part that it is set for."""
    replicas = [("reads", replica, of_replica(replica)) for replica in table.replicas.content or ()]
    return (each for each in (*units_of(table, pair), *replicas) if each[2].content or not each[2].known)


def _set_for(message: str, units: Iterable[_SetUnits], mode: Value[str]) -> Verdict:
    """Fails for each number that is set, and is unknown for one that may be."""
    labelled = [
        (f"{kind} of {_label(part)}", value.satisfies(lambda content: not content)) for kind, part, value in units
    ]
    return every_part(message, labelled, mode)


def _label(part: Table | Index | Replica) -> str:
    return f"the replica in {part.region.shown}" if isinstance(part, Replica) else part_label(part)


def _unknown_collections(table: Table) -> list[Verdict]:
    return [not_known(collection) for collection in (table.indexes, table.replicas) if not collection.known]


def _units_to_state(table: Table) -> Iterator[tuple[str, Table | Index, Value[int]]]:
    """The capacities that must be set. A table with autoscaling settings of its own has limits in their place."""
    inline = {(target.index, f"{target.dimension}s") for target in table.scaling if target.address == table.address}
    for kind, part, value in units_of(table, lambda part: part.capacity):
        index = part.name.content if isinstance(part, Index) else None
        if (index, kind) not in inline:
            yield kind, part, value


def _is_for(table: Table, line: str) -> bool:
    pattern = line.partition(":")[0].strip()
    return any(fnmatchcase(name, pattern) for name in (table.name.content, table.label) if name is not None)


@lru_cache
def _parsed(line: str) -> _Rates | None:
    match = re.fullmatch(_FIGURES, line.strip())
    try:
        return match and _Rates(*(float(match[name]) for name in ("gb", "reads", "writes")))
    except ValueError:
        return None


def _is_cheaper(mode: Value[str], own: Value[str], declared: _Rates) -> Verdict:
    other = _INFREQUENT if own.content == _STANDARD else _STANDARD
    own_rates, other_rates = (_RATES.get((str(mode.content), str(name))) for name in (own.content, other))
    if own_rates is None or other_rates is None:
        return not_applicable(f"no price is known for class {own.shown} under {mode.shown}", own, mode)
    own_cost, other_cost = own_rates.of(declared), other_rates.of(declared)
    if own_cost <= other_cost:
        return holds(own)
    return fails(
        f"table class {own.shown} costs about {own_cost:.0f} USD a month for the declared figures,"
        f" {other} about {other_cost:.0f}",
        own,
    )
