"""Price: does the table pay for the class that suits its traffic?"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

from tablegate.policy import LOW, Table, Value, Verdict, fails, holds, not_applicable, policy, unknown
from tablegate_baseline.capacity import ON_DEMAND, PROVISIONED
from tablegate_baseline.parts import undecided

_STANDARD, _INFREQUENT = "STANDARD", "STANDARD_INFREQUENT_ACCESS"
_HOURS = 730
_MILLION_SECONDS = _HOURS * 3600 / 1_000_000


class _Rates(NamedTuple):
    """US dollars a month for one GB, and for one read and one write unit in every second."""

    storage: float
    read: float
    write: float

    def of(self, figures: _Rates) -> float:
        """What a table with these figures costs a month."""
        return sum(rate * figure for rate, figure in zip(self, figures, strict=True))


# https://aws.amazon.com/dynamodb/pricing/ for us-east-1. Prices differ between regions, their ratios hardly do.
_RATES = {
    (ON_DEMAND, _STANDARD): _Rates(0.25, 0.125 * _MILLION_SECONDS, 0.625 * _MILLION_SECONDS),
    (ON_DEMAND, _INFREQUENT): _Rates(0.10, 0.155 * _MILLION_SECONDS, 0.78 * _MILLION_SECONDS),
    (PROVISIONED, _STANDARD): _Rates(0.25, 0.00013 * _HOURS, 0.00065 * _HOURS),
    (PROVISIONED, _INFREQUENT): _Rates(0.10, 0.00016 * _HOURS, 0.00081 * _HOURS),
}
_FIGURES = r"(?P<table>\S+): *(?P<gb>[\d.]+) GB, *(?P<reads>[\d.]+) reads/s, *(?P<writes>[\d.]+) writes/s"


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
def table_class(table: Table, *, figures: tuple[str, ...] = ()) -> Verdict:
    """The infrequent-access class stores at less than half the price and serves at a quarter more: which of the two
    is cheaper depends on figures that no template holds.

    They are declared as ``figures``, a line for each table: ``orders-*: 500 GB, 20 reads/s, 5 writes/s``.
    """
    line = next((line for line in figures if _is_about(table, line)), None)
    if line is None:
        return not_applicable("no storage and traffic are declared for the table")
    declared = _read(line)
    if declared is None:
        return unknown(f"the figures {line!r} are not of the form 'NAME: 1 GB, 1 reads/s, 1 writes/s'")
    mode, own = table.billing_mode, table.table_class
    if not mode.known or not own.known:
        return undecided(mode, own)
    return _cheaper(mode, own, declared)


def _is_about(table: Table, line: str) -> bool:
    pattern = line.partition(":")[0].strip()
    return any(fnmatchcase(name, pattern) for name in (table.name.content, table.label) if name is not None)


@lru_cache
def _read(line: str) -> _Rates | None:
    found = re.fullmatch(_FIGURES, line.strip())
    try:
        return found and _Rates(*(float(found[name]) for name in ("gb", "reads", "writes")))
    except ValueError:
        return None


def _cheaper(mode: Value[str], own: Value[str], declared: _Rates) -> Verdict:
    other = _INFREQUENT if own.content == _STANDARD else _STANDARD
    now, then = (_RATES.get((str(mode.content), str(name))) for name in (own.content, other))
    if now is None or then is None:
        return not_applicable(f"no price is known for class {own.shown} under {mode.shown}", own, mode)
    if now.of(declared) <= then.of(declared):
        return holds(own)
    return fails(
        f"table class {own.shown} costs about {now.of(declared):.0f} USD a month for the declared figures,"
        f" {other} {then.of(declared):.0f}",
        own,
    )
