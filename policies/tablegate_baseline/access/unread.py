"""Documents that were read in part: how much does what is missing weigh?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from tablegate.policy import HIGH, INFO, MEDIUM, Estate, Severity
from tablegate.policy.access import (
    Grant,
    HolderForm,
    HolderKind,
    Reach,
    Scope,
    Tier,
    Unread,
    actions_of,
    known_actions,
    managed_policies,
    scope_of,
)
from tablegate_baseline.access.relevance import is_full_control
from tablegate_baseline.access.severity import SCALE, Scale

_WITH_OWN_POLICY = (HolderForm.TABLE, HolderForm.STREAM)
_OF_OTHER_SERVICES = (HolderForm.KEY, HolderForm.ENDPOINT)
_ITEMS_OF_ALL_TABLES = ("data-read", "data-read-write", "data-write", "full")
_ONE_TABLE = Scope(Tier.ONE, below="*")


def unread_at(estate: Estate, address: str) -> list[Unread]:
    """What could not be read at an address and may be about a table, of all that hold it."""
    return _unread_by_address(estate)[address]


def weight_of(unread: Unread) -> tuple[str, Severity]:
    """What a document that was read in part may grant besides, as a message, and how severe that would be."""
    if unread.holder.form in _OF_OTHER_SERVICES:
        return "", INFO
    grants = [grant for grant in unread.holder.grants if grant.address == unread.address and grant.statement.doubts]
    if any(grant.document.doubt is not None for grant in unread.holder.grants if grant.address == unread.address):
        return ": a statement of it is not known", HIGH
    weights = [weight for grant in grants if grant.statement.allows for weight in _weights(grant)]
    return max(weights, key=lambda weight: SCALE.index(weight[1]), default=("", INFO))


def weight_of_managed(unread: Unread) -> tuple[str, Severity]:
    """What a managed policy that is not in the input is by default, as a message, and how severe that would be."""
    for path in unread.usual:
        policy = managed_policies()[path]
        if policy.width in _ITEMS_OF_ALL_TABLES and unread.holder.kind not in (HolderKind.DEPLOY, HolderKind.HUMAN):
            return f": by default it is {policy.name}, which grants every table", HIGH
    return "", MEDIUM


def _weights(grant: Grant) -> Iterator[tuple[str, Severity]]:
    """What each unknown part of a statement may add. The effect and the conditions are asked about by each policy."""
    actions, resources = grant.statement.actions, grant.statement.resources
    scale = Scale(grant)
    own = grant.holder.form in _WITH_OWN_POLICY  # whatever its resources are, it is about one table
    if actions.doubt is not None:
        texts = (*resources.texts, *resources.usual)
        scopes = [_ONE_TABLE] if own or resources.doubt is not None else []
        scopes += [] if own else [scope_of("*")] if resources.inverted else map(scope_of, texts)
        for scope in scopes:
            if scope.tier is not Tier.NONE:
                reach = Reach(grant, "", scope, frozenset(known_actions()))
                yield ": an unknown action may be any", HIGH if own else scale.everything(reach) or INFO
    elif resources.doubt is not None or resources.usual:
        listed = actions_of(actions)
        scopes = [_ONE_TABLE, *([] if own else map(scope_of, resources.usual))]
        for scope in scopes:
            reach = Reach(grant, "", scope, listed)
            severity = scale.everything(reach) if is_full_control(listed) else scale.highest(reach, listed)
            wide = scope.tier > Tier.ONE
            yield ": by default it reaches more than one table" if wide else "", severity or INFO


@lru_cache(maxsize=1)
def _unread_by_address(estate: Estate) -> dict[str, list[Unread]]:
    found: dict[str, list[Unread]] = {}
    for holder in estate.holders:
        for unread in holder.unread:
            if unread.relevant:
                found.setdefault(unread.address, []).append(unread)
    return found
