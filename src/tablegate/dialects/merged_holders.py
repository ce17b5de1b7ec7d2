"""The holders and grants of one stack, over its scenarios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from tablegate.iam.grants import Grant
from tablegate.iam.holders import Holder
from tablegate.model.estate import Estate
from tablegate.model.record import replace

_ORDER_OF_ALL = attrgetter("address", "statement.index", "statement.label", "holder.address")


def merged_scenarios(estates: Sequence[Estate]) -> tuple[tuple[Holder, ...], tuple[Grant, ...]]:
    """The holders and grants of one stack over its scenarios: a grant of only some of them is there perhaps.

    The estates must share their symbols.
    """
    holders_by_key: dict[tuple[object, ...], list[Holder]] = {}
    for holder in (holder for estate in estates for holder in estate.holders):
        holders_by_key.setdefault((holder.address, holder.form, holder.name), []).append(holder)
    holders = tuple(_one_holder(forms, len(estates)) for forms in holders_by_key.values())
    own = {_identity(grant) for estate in estates for grant in estate.grants}
    grants = [grant for holder in holders for grant in holder.grants if _identity(grant) in own]
    return holders, tuple(sorted(grants, key=_ORDER_OF_ALL))


def _one_holder(forms: Sequence[Holder], scenarios: int) -> Holder:
    first = forms[0]
    return replace(
        first,
        grants=tuple(_merged_grants(forms, scenarios)),
        ceilings=first.ceilings if all(form.ceilings == first.ceilings for form in forms) else (),
        ceiling_doubt=next((form.ceiling_doubt for form in forms if form.ceiling_doubt is not None), None),
        unread=tuple({(each.address, each.place, each.doubt): each for form in forms for each in form.unread}.values()),
    )


def _merged_grants(forms: Iterable[Holder], scenarios: int) -> Iterator[Grant]:
    grants: dict[tuple[object, ...], Grant] = {}
    times: Counter[tuple[object, ...]] = Counter()
    for form in forms:
        here = {_content(grant): grant for grant in form.grants}
        grants = {**here, **grants}
        times.update(here.keys())
    for content, grant in grants.items():
        always = times[content] == scenarios
        yield replace(grant, statement=grant.statement if always else replace(grant.statement, present=False))


def _content(grant: Grant) -> tuple[object, ...]:
    return grant.address, grant.role, grant.statement, grant.managed, grant.target


def _identity(grant: Grant) -> tuple[object, ...]:
    """Which of a holder's grants it answers for: those of its groups are the groups'."""
    return grant.holder.address, grant.holder.form, grant.address, grant.statement.index, grant.label
