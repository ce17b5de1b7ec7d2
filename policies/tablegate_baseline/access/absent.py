"""Absent tables: does a grant name one that is not there?"""

from __future__ import annotations

from tablegate.policy import INFO, LOW, ChangeKind, Verdict, policy
from tablegate.policy.access import Grant, Reach, Tier, has_symbol, reaches
from tablegate_baseline.access.judged import is_written
from tablegate_baseline.access.remedies import IDENTITY
from tablegate_baseline.access.tables_here import only_table
from tablegate_baseline.access.telling import FINE, OTHERS, against, element

_ALIKE = 0.85
_ENDING = (ChangeKind.DELETE, ChangeKind.REPLACE)


@policy(
    "TG535",
    LOW,
    "A table that is named must be there",
    docs=IDENTITY,
    on=False,
    terraform="resources = [aws_dynamodb_table.example.arn]",
    cloudformation="Resource: !GetAtt Example.Arn",
)
def arn_not_in_plan(grant: Grant, *, closed_world: bool = False) -> Verdict:
    """A name that is written by hand can be misspelt, or outlive its table: the grant is then empty, or waits for
    whoever makes a table of that name."""
    if not is_written(grant) or not grant.holder.estate.tables:
        return OTHERS
    for reach in reaches(grant):
        if reach.scope.tier is not Tier.ONE or only_table(grant, reach.pattern) is not None:
            continue
        name = reach.scope.table or ""
        if has_symbol(name):
            continue
        likely = _likely(reach, name) or _outlived(reach, name)
        if likely is not None:
            return against(grant, LOW, f"there is no table {name!r} here{likely}", element(grant, reach.pattern))
        if closed_world:
            return against(grant, INFO, f"there is no table {name!r} here", element(grant, reach.pattern))
    return FINE


def _likely(reach: Reach, name: str) -> str | None:
    """Why a name looks like a slip: nearly a table of this input, or that table somewhere else."""
    known = sorted({table.name.content for table in reach.grant.holder.estate.tables if table.name.content})
    if name in known:
        return f", but there is one in another {_other_part(reach, name)}"
    near = next((other for other in known if other.lower() == name.lower()), None)
    import difflib  # for findings alone

    near = near or next(iter(difflib.get_close_matches(name, known, n=1, cutoff=_ALIKE)), None)
    if near is not None:
        return f": {near!r} is, and names are case-sensitive" if near.lower() == name.lower() else f": {near!r} is"
    return None


def _outlived(reach: Reach, name: str) -> str | None:
    """What becomes of a table of this name that was here so far."""
    for change in reach.grant.holder.estate.changes:
        before = change.before if change.kind in _ENDING else None
        if before is not None and before.name.content == name:
            return f" any more: {change.address} {'goes' if change.after is None else 'gets another name'}"
    return None


def _other_part(reach: Reach, name: str) -> str:
    tables = [table for table in reach.grant.holder.estate.tables if table.name.content == name]
    region = reach.scope.where[1]
    return "account" if any(table.region.content == region for table in tables) else "region"
