"""Which grants does which chapter judge, and which are reported whole elsewhere? One cause, one finding."""

from __future__ import annotations

from functools import lru_cache

from tablegate.policy.access import (
    HARMLESS,
    Action,
    Grant,
    Holder,
    Kind,
    Narrowing,
    Reach,
    Tier,
    expand,
    is_wildcard,
    known_actions,
    reaches,
    reaches_of,
)

ITEMS = frozenset({Kind.ITEM_READ, Kind.ITEM_WRITE, Kind.ITEM_DELETE, Kind.BULK_READ})
# Services that copy tables for a living, whatever else they may be.
_COPIERS = ("osis-pipelines.", "redshift", "glue.", "backup.", "export.dynamodb.", "dms.")
_FULL = frozenset({Kind.DESTRUCTIVE, Kind.PERMISSIONS, Kind.ITEM_READ, Kind.ITEM_WRITE})


def is_judged(grant: Grant) -> bool:
    """Whether this grants anything on tables to somebody who is judged by more than TG538 alone."""
    return bool(reaches(grant)) and not is_dax_role(grant.holder)


def is_written(grant: Grant) -> bool:
    """The same, and somebody wrote the statement: it does not come with a policy of AWS's own."""
    return grant.managed is None and is_judged(grant)


def is_dax_role(holder: Holder) -> bool:
    """Whether a role is a cache's."""
    return bool(holder.services) and any(service.startswith("dax.") for service in holder.services)


@lru_cache(maxsize=2048)
def copies_tables(holder: Holder) -> bool:
    """Whether copying tables is the work of every service behind a role."""
    return bool(holder.services) and all(service.startswith(_COPIERS) for service in holder.services)


@lru_cache(maxsize=2048)
def is_everything(actions: frozenset[Action]) -> bool:
    """Whether these actions amount to full control of a table."""
    return {action.kind for action in actions} >= _FULL


def telling(reach: Reach) -> tuple[Action, ...]:
    """The actions on tables that do more than look at what there is."""
    return _telling(reach.actions)


def on_tables(reach: Reach) -> tuple[Action, ...]:
    """The same, less the reading of streams: that is TG515's to judge."""
    return _on_tables(reach.actions)


def verb_wildcards(grant: Grant) -> tuple[str, ...]:
    """The action patterns, not for the whole service, that stand for actions of different sorts."""
    return tuple(text for text in grant.statement.actions.texts if is_mixed(text))


def takes_all(grant: Grant) -> bool:
    """Whether a statement is about the whole service, by a wildcard or by what it leaves out."""
    return grant.statement.actions.inverted or any(map(is_service, grant.statement.actions.texts))


def holds_everything(grant: Grant) -> bool:
    """Whether one statement gives full control, by anything but a verb's wildcards: those are reported as such."""
    if takes_all(grant):
        return True
    return not verb_wildcards(grant) and any(is_everything(reach.actions) for reach in reaches(grant))


def in_everything(grant: Grant) -> bool:
    """Whether a statement is part of what gives its holder full control of all tables."""
    return any(map(_is_wide, reaches(grant))) and bool(full_control(grant.holder))


@lru_cache(maxsize=64)
def full_control(holder: Holder) -> tuple[Reach, ...]:
    """The widest reaches of a holder, where together they amount to full control of all tables; else nothing."""
    wide = tuple(reach for reach in reaches_of(holder) if reach.grant.managed is None and _is_wide(reach))
    return wide if is_everything(frozenset().union(*(reach.actions for reach in wide))) else ()


# Many statements hold the same actions: what is asked of those alone is answered once.


@lru_cache(maxsize=2048)
def _telling(actions: frozenset[Action]) -> tuple[Action, ...]:
    return tuple(sorted(item for item in actions if item.kind not in HARMLESS and not item.account_level))


@lru_cache(maxsize=2048)
def _on_tables(actions: frozenset[Action]) -> tuple[Action, ...]:
    return tuple(action for action in _telling(actions) if action.kind is not Kind.STREAM_READ)


@lru_cache(maxsize=2048)
def is_mixed(text: str) -> bool:
    """Whether an action pattern, not for the whole service, stands for actions of different sorts."""
    expansion = expand(text)
    if not is_wildcard(text) or is_service(text):
        return False
    sorts = {
        "items" if action.kind in ITEMS else str(action.kind) for action in expansion if action.kind not in HARMLESS
    }
    harmless = any(action.kind in HARMLESS for action in expansion)
    return len(sorts) > 1 or (harmless and bool(sorts) and sorts != {"stream-read"})


@lru_cache(maxsize=2048)
def is_service(text: str) -> bool:
    """Whether an action pattern stands for the whole service."""
    return len(expand(text)) == len(known_actions())


def _is_wide(reach: Reach) -> bool:
    if reach.tier < Tier.ALL:
        return False
    tagged = (action for action in reach.actions if "table" in action.types)
    return any(reach.narrowed(action) < Narrowing.ITEMS for action in tagged)
