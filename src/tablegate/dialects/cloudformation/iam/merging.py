"""The holders of one stack over its scenarios: what only some of them give is there perhaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from tablegate.iam.grants import Grant
from tablegate.iam.holders import Holder
from tablegate.model.estate import Estate
from tablegate.model.record import replace

_Holders: TypeAlias = tuple[tuple[Holder, ...], tuple[Grant, ...]]


def merged(estates: Sequence[Estate]) -> _Holders:
    """Each holder once, with its grants, and every grant in the order of its address. The symbols must be shared."""
    gathered: dict[tuple[object, ...], list[Holder]] = {}
    for holder in (holder for estate in estates for holder in estate.holders):
        gathered.setdefault((holder.address, holder.form, holder.name), []).append(holder)
    holders = tuple(_one(several, len(estates)) for several in gathered.values())
    own = {_identity(grant) for estate in estates for grant in estate.grants}
    grants = [grant for holder in holders for grant in holder.grants if _identity(grant) in own]
    return holders, tuple(sorted(grants, key=lambda it: (it.address, it.statement.index, it.label, it.holder.address)))


def _one(holders: Sequence[Holder], scenarios: int) -> Holder:
    first = holders[0]
    return replace(
        first,
        grants=tuple(_grants(holders, scenarios)),
        ceilings=first.ceilings if all(it.ceilings == first.ceilings for it in holders) else (),
        ceiling_doubt=next((it.ceiling_doubt for it in holders if it.ceiling_doubt is not None), None),
        unread=tuple({(it.address, it.place, it.doubt): it for holder in holders for it in holder.unread}.values()),
    )


def _grants(holders: Iterable[Holder], scenarios: int) -> Iterator[Grant]:
    found: dict[tuple[object, ...], Grant] = {}
    times: Counter[tuple[object, ...]] = Counter()
    for holder in holders:
        here = {_likeness(grant): grant for grant in holder.grants}
        found = {**here, **found}
        times.update(here.keys())
    for likeness, grant in found.items():
        certain = times[likeness] == scenarios
        yield replace(grant, statement=grant.statement if certain else replace(grant.statement, present=False))


def _likeness(grant: Grant) -> tuple[object, ...]:
    """What two grants have in common that say the same."""
    return (grant.address, grant.role, grant.statement, grant.managed, grant.target)


def _identity(grant: Grant) -> tuple[object, ...]:
    """Which of a holder's grants it answers for: those of its groups are the groups'."""
    return (grant.holder.address, grant.holder.form, grant.address, grant.statement.index, grant.label)
