"""Verbs: does a wildcard behind a verb hold more than its author meant?"""

from __future__ import annotations

from typing import NamedTuple

from tablegate.policy import CRITICAL, Severity, Verdict, policy
from tablegate.policy.access import Action, Grant, Reach, expand, reaches
from tablegate_baseline.access.judged import (
    ITEMS,
    holds_everything,
    in_everything,
    is_written,
    takes_all,
    telling,
    verb_wildcards,
)
from tablegate_baseline.access.remedies import CLOUDFORMATION, LEAST, TERRAFORM
from tablegate_baseline.access.replacing import replaced
from tablegate_baseline.access.telling import FINE, OTHERS, actions_shown, against_reach, listed
from tablegate_baseline.access.weights import Scale, heaviest


class _Held(NamedTuple):
    """The strongest action that a verb's wildcard brings along, and where."""

    severity: Severity
    reach: Reach
    action: Action


@policy(
    "TG507",
    CRITICAL,
    "Actions must be named, not matched by their verb",
    docs=LEAST,
    terraform=TERRAFORM,
    cloudformation=CLOUDFORMATION,
)
def verb_wildcard(grant: Grant, *, deploy_roles: tuple[str, ...] = ()) -> Verdict:
    """Put* holds PutResourcePolicy beside PutItem, Delete* holds DeleteTable beside DeleteItem, and AWS adds to
    both."""
    if not is_written(grant) or in_everything(grant) or takes_all(grant):
        return OTHERS
    texts = verb_wildcards(grant)
    strongest = _strongest(grant, texts, deploy_roles) if texts else None
    if strongest is None:
        return FINE
    severity, reach, action = strongest
    meant = frozenset(item for text in texts for item in expand(text))
    shown = listed(map(grant.document.shown, texts))
    kinds = "; ".join(f"{kind}: {actions_shown(found)}" for kind, found in _by_kind(meant & reach.actions).items())
    named = f", beside the {action.name} that it names" if action not in meant else ""
    brought = (action,) if action in meant else meant
    return against_reach(reach, severity, f"{shown} holds {kinds}{named}", actions=brought, fix=replaced(grant))


def silenced(grant: Grant, deploy_roles: tuple[str, ...] = ()) -> bool:
    """Whether the powerful actions of a statement are reported already: as everything, or with a verb's wildcard."""
    if holds_everything(grant) or in_everything(grant):
        return True
    texts = verb_wildcards(grant)
    return bool(texts) and _strongest(grant, texts, deploy_roles) is not None


def _strongest(grant: Grant, texts: tuple[str, ...], deploy_roles: tuple[str, ...]) -> _Held | None:
    """What weighs most in a statement, where one of its verb wildcards brings along something that weighs."""
    scale = Scale(grant, deploy_roles)
    meant = frozenset(action for text in texts for action in expand(text))
    worst: _Held | None = None
    brought = False
    for reach in reaches(grant):
        for action in telling(reach):
            severity = scale.heaviest(reach, (action,))
            brought = brought or (severity is not None and action in meant)
            if severity is not None and (worst is None or heaviest((severity, worst.severity)) is not worst.severity):
                worst = _Held(severity, reach, action)
    return worst if brought else None


def _by_kind(actions: frozenset[Action]) -> dict[str, list[Action]]:
    found: dict[str, list[Action]] = {}
    for action in sorted(actions):
        found.setdefault("items" if action.kind in ITEMS else str(action.kind), []).append(action)
    return dict(sorted(found.items()))
