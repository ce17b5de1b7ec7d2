"""How the access family words its findings: who holds what, on which element, and what it reaches today."""

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
NOT_APPLICABLE = not_applicable("not a grant that this policy judges")

_SHOWN = 6
# What nobody should overlook in a long list.
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
    """Action names without their service: of many, those first that a reader should know of."""
    return _actions_shown(frozenset(actions))


@lru_cache(maxsize=256)
def _actions_shown(actions: frozenset[Action]) -> str:
    every = sorted({action.name for action in actions})
    if len(every) <= _SHOWN:
        return ", ".join(every)
    first = sorted(every, key=lambda name: _NOTABLE.index(name) if name in _NOTABLE else len(_NOTABLE))
    return f"{', '.join(first[:_SHOWN])} and {len(every) - _SHOWN} more"


def holder_with_kind(grant: Grant) -> str:
    """Who holds the grant, and what sort of user that is."""
    return f"{holder_label(grant.holder)} ({grant.holder.kind})"


def holder_label(whose: Holder) -> str:
    """What a message calls a holder: by its name, or what names it, where it is not in this input."""
    if not whose.outside:
        return whose.address
    return f"the {whose.form} {whose.name}" if whose.name else f"a {whose.form} that {whose.address} names"


def violation(
    grant: Grant,
    severity: Severity,
    note: str,
    *evidence: Value[object],
    actions: Iterable[Action] = (),
    fix: str | None = None,
) -> Verdict:
    """The verdict that a grant breaks a policy; unknown where it may not be a grant at all.

    It stands at the first of the evidence; without any at the actions that it is about, or at whom it lets in.
    """
    about = tuple(actions)
    told = [*evidence, statement_evidence(grant, about)]
    if grant.role is DocumentRole.IDENTITY:
        told.append(holder_evidence(grant))
    elif grant.statement.principals is not None and grant.statement.principals.doubt is None:
        told.insert(len(told) if evidence or about else 0, principal_evidence(grant))
    return _violation(grant, severity, note, tuple(told), fix)


def _violation(
    grant: Grant, severity: Severity, note: str, told: tuple[Value[object], ...], fix: str | None
) -> Verdict:
    if grant.made_by:
        note = f"{note}, from the {grant.made_by.kind} {grant.made_by.name}"
    if not grant.statement.present:
        note = f"{note}, where the condition around the statement holds"
    if grant.holder.ceiling_doubt is not None:
        note = f"{note}, unless its permissions boundary, which is not in this input, keeps it out"
    return unless_unknown(grant, Verdict(False, told, note, severity=severity, fix=fix))


def unless_unknown(grant: Grant, verdict: Verdict) -> Verdict:
    """The verdict; unknown where the statement's effect, or under which conditions it stands, is not known."""
    doubt = grant.statement.unsettled
    if doubt is None:
        return verdict
    effect: Value[object] = Value("effect and conditions", None, Origin.UNKNOWN, place_of(grant), doubt)
    note = f"{verdict.note}, unless its effect or its conditions turn out otherwise"
    return Verdict(None, (*verdict.evidence, effect), note, severity=verdict.severity)


def reach_violation(
    reach: Reach, severity: Severity, note: str, *, actions: Iterable[Action] = (), fix: str | None = None
) -> Verdict:
    """The same, with the element that decides and the tables that it reaches today.

    It stands at the actions that it is about, or else at the element.
    """
    grant, reached, about = reach.grant, newly_reached(reach), tuple(actions)
    where = resource_evidence(grant, reach.pattern)
    told = [statement_evidence(grant, about), where] if about else [where, statement_evidence(grant)]
    if reached:
        told.append(Value("tables newly reachable", listed(reached)))
    return _violation(grant, severity, note, (*told, holder_evidence(grant)), fix)


def statement_evidence(grant: Grant, about: Iterable[Action] = ()) -> Value[object]:
    """The statement, as evidence: its actions as they are written, those of other services only counted.

    It stands where the first is written that it is about.
    """
    spelled = grant.statement.actions
    name = "NotAction" if spelled.inverted else "Action"
    own = [text for text in spelled.texts if may_concern_dynamodb(text) is not False]
    own = own or [text for text in spelled.texts if text.lower().startswith("kms:")]
    if spelled.inverted or not own:
        own = list(spelled.texts)
    others = len(spelled.texts) - len(own)
    more = [f"{len(own) - _SHOWN} more"] if len(own) > _SHOWN else []
    more += [f"{others} of other services"] if others else []
    text = " and ".join([", ".join(map(grant.document.shown, own[:_SHOWN])), *more])
    meant = frozenset(about)
    matching = (each for each in own if not spelled.inverted and not meant.isdisjoint(expand(each)))
    first = next(matching, None) or next(iter(own), "")
    return Value(name, text or None, place=_place_of(grant, spelled, first))


def action_evidence(grant: Grant, text: str) -> Value[object]:
    """One action, as it is written."""
    return Value("Action", grant.document.shown(text), place=_place_of(grant, grant.statement.actions, text))


def unknown_element(grant: Grant, element: str, doubt: Doubt | None) -> Value[object]:
    """An element of the statement that is not known, as evidence."""
    return Value(element, None, Origin.UNKNOWN, grant.statement.at(element) or grant.place, doubt)


def condition_evidence(grant: Grant, item: Condition) -> Value[object]:
    """One of the statement's conditions, as evidence."""
    text = f"{item.spelled} over {item.written or item.key}"
    return Value("Condition", text, place=grant.statement.at("Condition") or grant.place)


def principal_evidence(grant: Grant) -> Value[object]:
    """Whom the statement lets in, as evidence."""
    spelled = grant.statement.principals
    name = "NotPrincipal" if spelled and spelled.inverted else "Principal"
    texts = (grant.document.shown(item.text) for item in spelled.items) if spelled else ()
    return Value(name, listed(texts) or None, place=grant.statement.at(name) or grant.place)


def resource_evidence(grant: Grant, pattern: str) -> Value[object]:
    """The resource element that decides, as it is written."""
    spelled = grant.statement.resources
    if spelled.inverted:
        place = _place_of(grant, spelled, next(iter(spelled.texts), ""))
        return Value("NotResource", listed(map(grant.document.shown, spelled.texts)), place=place)
    return Value("Resource", spelled_out(grant, pattern), place=_place_of(grant, spelled, pattern))


def holder_evidence(grant: Grant) -> Value[object]:
    """Who holds the grant, and how that is known."""
    whose = grant.holder
    return Value("holder", f"{holder_label(whose)} ({whose.kind}: {whose.why})", place=whose.place)


def place_of(grant: Grant) -> Place | None:
    """Where the statement stands."""
    return grant.statement.place or grant.place


def _place_of(grant: Grant, patterns: Patterns, text: str) -> Place | None:
    return grant.statement.place_of(patterns, text) or grant.place
