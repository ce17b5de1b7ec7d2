"""How much a grant weighs: by who holds it, what it does, and how wide it is. One table for the whole family."""

from __future__ import annotations

from collections.abc import Iterable

from tablegate.policy import CRITICAL, HIGH, INFO, LOW, MEDIUM, Severity
from tablegate.policy.access import Action, Grant, HolderKind, Kind, Narrowing, Reach, Tier

EVERYTHING = "everything"

# One table, a name's beginning, a weak anchor, all tables; for a runtime holder. None: nothing to say.
_Row = tuple[Severity | None, Severity | None, Severity | None, Severity | None]
_TABLE: dict[str, _Row] = {
    Kind.DISCOVERY: (None, None, None, None),
    Kind.METADATA_READ: (None, None, None, None),
    Kind.ITEM_READ: (None, LOW, MEDIUM, HIGH),
    Kind.STREAM_READ: (None, LOW, MEDIUM, HIGH),
    Kind.BULK_READ: (INFO, LOW, MEDIUM, HIGH),
    Kind.ITEM_WRITE: (None, MEDIUM, MEDIUM, HIGH),
    Kind.ITEM_DELETE: (None, MEDIUM, MEDIUM, HIGH),
    Kind.TAGGING: (INFO, LOW, MEDIUM, MEDIUM),
    Kind.PROVISIONING: (MEDIUM, MEDIUM, HIGH, HIGH),
    Kind.PROTECTION_CHANGE: (MEDIUM, HIGH, HIGH, HIGH),
    Kind.DATA_COPY: (MEDIUM, HIGH, HIGH, HIGH),
    Kind.DESTRUCTIVE: (HIGH, HIGH, CRITICAL, CRITICAL),
    Kind.PERMISSIONS: (HIGH, HIGH, CRITICAL, CRITICAL),
    Kind.REPLICATION: (HIGH, HIGH, CRITICAL, CRITICAL),
    Kind.FAULT_INJECTION: (HIGH, HIGH, CRITICAL, CRITICAL),
    EVERYTHING: (HIGH, HIGH, CRITICAL, CRITICAL),
}
_ADMINISTRATION = frozenset(
    {
        Kind.PROVISIONING,
        Kind.PROTECTION_CHANGE,
        Kind.DATA_COPY,
        Kind.DESTRUCTIVE,
        Kind.PERMISSIONS,
        Kind.REPLICATION,
        Kind.FAULT_INJECTION,
        EVERYTHING,
    }
)
_DEPLOYING: _Row = (None, None, LOW, MEDIUM)
_UP = (INFO, LOW, MEDIUM, HIGH, CRITICAL)
PRODUCTION = frozenset({"prod", "production", "live", "prd"})


def weigh(kind: str, tier: Tier, grant: Grant, narrowed: Narrowing = Narrowing.NONE) -> Severity | None:
    """The severity of this kind of action at this width for this grant's holder; None where it is fine."""
    holder = grant.holder
    row = _DEPLOYING if holder.kind is HolderKind.DEPLOY and kind in _ADMINISTRATION else _TABLE[kind]
    base = row[_column(tier)]
    if base is None or narrowed in (Narrowing.TABLES, Narrowing.ITEMS):
        return None
    steps = _by_holder(grant) - (2 if narrowed is Narrowing.ATTRIBUTES else 1 if narrowed is Narrowing.CONTEXT else 0)
    return stepped(base, steps)


def stepped(severity: Severity, steps: int) -> Severity:
    """So many steps up or down, and never off the scale."""
    return _UP[max(0, min(len(_UP) - 1, _UP.index(severity) + steps))]


def heaviest(found: Iterable[Severity | None]) -> Severity | None:
    """The worst of several, None where there is none."""
    return max((severity for severity in found if severity is not None), key=_UP.index, default=None)


def weigh_all(reach: Reach, actions: Iterable[Action]) -> Severity | None:
    """The worst of these actions at this reach, each under the statement's conditions."""
    return heaviest(weigh(action.kind, reach.tier, reach.grant, reach.narrowed(action)) for action in actions)


def in_production(grant: Grant) -> bool:
    """Whether a table of this input is declared to be production."""
    return any(table.declared.environment.content in PRODUCTION for table in grant.holder.estate.tables)


def _column(tier: Tier) -> int:
    return {Tier.ONE: 0, Tier.VARIABLE: 0, Tier.PREFIX: 1, Tier.WEAK: 2}.get(tier, 3)


def _by_holder(grant: Grant) -> int:
    kind = grant.holder.kind
    if kind in (HolderKind.END_USER, HolderKind.CROSS_ACCOUNT):
        return 1
    if kind is HolderKind.HUMAN:
        return 0 if in_production(grant) else -1
    return -1 if kind is HolderKind.UNKNOWN else 0
