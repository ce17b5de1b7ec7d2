"""Findings about grants: their messages, and the statement, resource and holder as evidence."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from tablegate.policy import Doubt, Origin, Place, Severity, Value, Verdict, holds, not_applicable
from tablegate.policy.access import (
    Action,
    Condition,
    DocumentRole,
    Grant,
    Holder,
    Patterns,
    Reach,
    expand,
    may_concern_dynamodb,
)
from tablegate_baseline.access.relevance import newly_reached
from tablegate_baseline.access.statement_fix import spelled_out

HOLDS = holds()
NOT_APPLICABLE = not_applicable("not a grant that this policy checks")

_SHOWN = 6
# Actions that come first in a list that is cut.
_NOTABLE = (
    "DeleteTable",
    "PutResourcePolicy",
    "ExportTableToPointInTime",
    "UpdateTable",
    "UpdateContinuousBackups",
    "UpdateTimeToLive",
    "DeleteBackup",
    "DeleteResourcePolicy",
    "CreateTable",
    "Scan",
    "DeleteItem",
    "PutItem",
)


def listed(names: Iterable[str]) -> str:
    """Some of the names, and how many more there are."""
    return _listed(tuple(names))


@lru_cache(maxsize=256)  # all the tables of an input are reached by many
def _listed(names: tuple[str, ...]) -> str:
    every = sorted(set(names))
    more = len(every) - _SHOWN
    return ", ".join(every[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def actions_shown(actions: Iterable[Action]) -> str:
    """Action names without their service. A long list starts with the notable ones."""
    return _actions_shown(frozenset(actions))


@lru_cache(maxsize=256)
def _actions_shown(actions: frozenset[Action]) -> str:
    if len(actions) <= _SHOWN:
        return ", ".join(sorted(action.name for action in actions))
    return f"{', '.join(_by_notability(actions)[:_SHOWN])} and {len(actions) - _SHOWN} more"


def _by_notability(actions: frozenset[Action]) -> list[str]:
    names = sorted(action.name for action in actions)
    return sorted(names, key=lambda name: _NOTABLE.index(name) if name in _NOTABLE else len(_NOTABLE))


def actions_counted(actions: Iterable[Action], noun: str = "actions") -> str:
    """The number of actions, and the notable ones: ``38 actions, among them DeleteTable``."""
    distinct = frozenset(actions)
    if len(distinct) <= _SHOWN:
        return _actions_shown(distinct)
    return f"{len(distinct)} {noun}, among them {', '.join(_by_notability(distinct)[:_SHOWN])}"


def holder_with_kind(grant: Grant) -> str:
    """The grant's holder and its kind, for messages."""
    return f"{holder_label(grant.holder)} ({grant.holder.kind})"


def holder_label(holder: Holder) -> str:
    """The holder in messages: its address, or its name where it is not in this input."""
    if not holder.outside:
        return holder.address
    return f"the {holder.form} {holder.name}" if holder.name else f"a {holder.form} that {holder.address} names"


def violation(
    grant: Grant,
    severity: Severity,
    note: str,
    *evidence: Value[object],
    actions: Iterable[Action] = (),
    fix: str | None = None,
) -> Verdict:
    """The verdict that a grant violates a policy; unknown where it may not grant anything.

    Its place is that of the first evidence: the one given, else the actions that it is about, else the principals.
    """
    actions = tuple(actions)
    values = [*evidence, statement_evidence(grant, actions)]
    if grant.role is DocumentRole.IDENTITY:
        values.append(holder_evidence(grant))
    elif grant.statement.principals is not None and grant.statement.principals.doubt is None:
        values.insert(len(values) if evidence or actions else 0, principal_evidence(grant))
    return _violation(grant, severity, note, tuple(values), fix)


def _violation(
    grant: Grant, severity: Severity, note: str, evidence: tuple[Value[object], ...], fix: str | None
) -> Verdict:
    if grant.made_by:
        note = f"{note} (from the {grant.made_by.kind} {grant.made_by.name})"
    if not grant.statement.present:
        note = f"{note}, if the condition around the statement is true"
    if grant.holder.ceiling_doubt is not None:
        note = f"{note}, unless its permissions boundary, which is not in this input, prevents it"
    return unless_unknown(grant, Verdict(False, evidence, note, severity=severity, fix=fix))


def unless_unknown(grant: Grant, verdict: Verdict) -> Verdict:
    """The verdict; unknown where the statement's effect or conditions are not known."""
    doubt = grant.statement.unsettled
    if doubt is None:
        return verdict
    effect: Value[object] = Value("effect or condition", None, Origin.UNKNOWN, place_of(grant), doubt)
    note = f"{verdict.note}, unless its effect or conditions prevent it"
    return Verdict(None, (*verdict.evidence, effect), note, severity=verdict.severity)


def reach_violation(
    reach: Reach, severity: Severity, note: str, *, actions: Iterable[Action] = (), fix: str | None = None
) -> Verdict:
    """The verdict that a reach violates a policy, with its resource pattern and the tables that it reaches.

    Its place is that of the actions that it is about, else of the pattern.
    """
    grant, tables, actions = reach.grant, newly_reached(reach), tuple(actions)
    resource = resource_evidence(grant, reach.pattern)
    values = [statement_evidence(grant, actions), resource] if actions else [resource, statement_evidence(grant)]
    if tables:
        values.append(Value("tables newly reachable", listed(tables)))
    return _violation(grant, severity, note, (*values, holder_evidence(grant)), fix)


def statement_evidence(grant: Grant, about: Iterable[Action] = ()) -> Value[object]:
    """The statement's action patterns as evidence. Those of other services are only counted.

    Its place is that of the first pattern that matches one of the actions it is about.
    """
    patterns = grant.statement.actions
    name = "NotAction" if patterns.inverted else "Action"
    own = [text for text in patterns.texts if may_concern_dynamodb(text) is not False]
    own = own or [text for text in patterns.texts if text.lower().startswith("kms:")]
    if patterns.inverted or not own:
        own = list(patterns.texts)
    others = len(patterns.texts) - len(own)
    more = [f"{len(own) - _SHOWN} more"] if len(own) > _SHOWN else []
    more += [f"{others} of other services"] if others else []
    text = " and ".join([", ".join(map(grant.document.shown, own[:_SHOWN])), *more])
    actions = frozenset(about)
    matching = (each for each in own if not patterns.inverted and not actions.isdisjoint(expand(each)))
    first = next(matching, None) or next(iter(own), "")
    return Value(name, text or None, place=_place_of(grant, patterns, first))


def action_evidence(grant: Grant, text: str) -> Value[object]:
    """One action pattern as evidence."""
    return Value("Action", grant.document.shown(text), place=_place_of(grant, grant.statement.actions, text))


def unknown_element(grant: Grant, element: str, doubt: Doubt | None) -> Value[object]:
    """An element of the statement that is not known, as evidence."""
    return Value(element, None, Origin.UNKNOWN, grant.statement.at(element) or grant.place, doubt)


def unknown_principals(grant: Grant) -> tuple[Value[object], ...]:
    """Principals that are not known, and the statement, as evidence."""
    principals = grant.statement.principals
    return (
        unknown_element(grant, "Principal", principals.doubt if principals else None),
        statement_evidence(grant),
    )


def condition_evidence(grant: Grant, item: Condition) -> Value[object]:
    """One of the statement's conditions as evidence."""
    text = f"{item.spelled} over {item.written or item.key}"
    return Value("Condition", text, place=grant.statement.at("Condition") or grant.place)


def principal_evidence(grant: Grant) -> Value[object]:
    """The statement's principals as evidence."""
    principals = grant.statement.principals
    name = "NotPrincipal" if principals and principals.inverted else "Principal"
    texts = (grant.document.shown(item.text) for item in principals.items) if principals else ()
    return Value(name, listed(texts) or None, place=grant.statement.at(name) or grant.place)


def resource_evidence(grant: Grant, pattern: str) -> Value[object]:
    """The resource pattern that decides, or the NotResource, as evidence."""
    resources = grant.statement.resources
    if resources.inverted:
        place = _place_of(grant, resources, next(iter(resources.texts), ""))
        return Value("NotResource", listed(map(grant.document.shown, resources.texts)), place=place)
    return Value("Resource", spelled_out(grant, pattern), place=_place_of(grant, resources, pattern))


def holder_evidence(grant: Grant) -> Value[object]:
    """The grant's holder, its kind and how that is known, as evidence."""
    holder = grant.holder
    return Value("holder", f"{holder_label(holder)} ({holder.kind}: {holder.why})", place=holder.place)


def place_of(grant: Grant) -> Place | None:
    """The place of the statement, or of its document."""
    return grant.statement.place or grant.place


def _place_of(grant: Grant, patterns: Patterns, text: str) -> Place | None:
    return grant.statement.place_of(patterns, text) or grant.place
