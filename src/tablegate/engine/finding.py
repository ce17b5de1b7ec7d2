"""A verdict that a person should read, as a finding."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from tablegate.engine.overrides import severity_at
from tablegate.engine.scenarios import Merged
from tablegate.engine.settings import Settings, UnknownMode
from tablegate.engine.subjects import Site
from tablegate.engine.wording import message_of
from tablegate.findings import Finding, Outcome
from tablegate.model.table import SIMPLE_TABLE, TABLE, Construct, Dialect
from tablegate.model.value import Place, Value, Verdict
from tablegate.policy.declare import Policy, Severity

_FAILS, _UNKNOWN, _WAIVED = Outcome.FAILS, Outcome.UNKNOWN, Outcome.WAIVED
_NONE: frozenset[Severity] = frozenset()
_BEYOND_SIMPLE = frozenset(  # properties of a table that SAM's short form has not
    {
        "AttributeDefinitions",
        "BillingMode",
        "ContributorInsightsSpecification",
        "DeletionProtectionEnabled",
        "GlobalSecondaryIndexes",
        "ImportSourceSpecification",
        "KeySchema",
        "KinesisStreamSpecification",
        "LocalSecondaryIndexes",
        "OnDemandThroughput",
        "ResourcePolicy",
        "StreamSpecification",
        "TableClass",
        "TimeToLiveSpecification",
        "VectorIndexes",
        "WarmThroughput",
    }
)


def finder(policy: Policy, settings: Settings) -> Callable[[Site, Verdict, Merged | None], Finding]:
    """What makes the findings of one policy."""
    own = settings.policies.get(policy.id)
    set_severity = own.severity if own else None
    usual = set_severity or policy.severity
    failing = _blocking(settings.fail_on)
    doubtful = failing if settings.unknown is UnknownMode.BLOCK else _NONE
    doubtful_in_source = doubtful if settings.unknown_chosen else _NONE

    def find(site: Site, verdict: Verdict, among: Merged | None) -> Finding:
        if verdict.truth is False:
            outcome, blocks = _FAILS, failing
        else:
            outcome = _UNKNOWN
            blocks = doubtful_in_source if site.dialect is Dialect.TERRAFORM_SOURCE else doubtful
        waived = _acknowledged(policy, site.construct) if site.construct and settings.heeds_acknowledged else None
        severity = usual
        if settings.overrides or verdict.severity:
            said = severity_at(policy, site, settings.overrides)
            severity = said or set_severity or Severity(verdict.severity or policy.severity)
        message = (verdict.note if verdict.truth is False else None) or message_of(verdict)
        return Finding(
            policy=policy,
            severity=severity,
            outcome=outcome if waived is None else _WAIVED,
            blocks=waived is None and severity in blocks,
            file=site.file,
            address=site.address,
            part=site.part,
            place=_place(verdict.evidence, site),
            scenario=among.scenario if among else None,
            message=f"{message}; {among.when}" if among and among.when else message,
            evidence=verdict.evidence,
            fix=verdict.fix or _fix(policy, site),
            construct=site.construct,
            waived=waived,
        )

    return find


def _acknowledged(policy: Policy, construct: Construct) -> str | None:
    """Why the author of the program that made the subject has acknowledged the policy there."""
    rules = construct.acknowledged
    return rules.get(policy.id, rules.get(policy.name))


@cache
def _blocking(threshold: Severity | None) -> frozenset[Severity]:
    return frozenset(level for level in Severity if threshold is not None and level.reaches(threshold))


def _place(evidence: tuple[Value[object], ...], site: Site) -> Place | None:
    for value in evidence:
        if value.place is not None:
            return value.place
    return site.place


def _fix(policy: Policy, site: Site) -> str | None:
    """The remedy in the language that the subject is written in. One text for all languages is none of them."""
    said = policy.remedy.within(site.dialect, site.type)
    if site.spelling is None or said is None or said == policy.remedy.terraform:
        return said
    fix = _in_json(said) if site.spelling == "json" else said
    return f"# {SIMPLE_TABLE} cannot say this, {TABLE} can:\n{fix}" if _is_beyond(said, site.type) else fix


def _in_json(said: str) -> str:
    # Imported here: it reads YAML, which no other language needs.
    from tablegate.syntax.pasted import pasted

    return pasted(said)


def _is_beyond(said: str, type: str | None) -> bool:
    """Whether a remedy begins with a property that a table of this type does not have."""
    return type == SIMPLE_TABLE and said.partition(":")[0] in _BEYOND_SIMPLE
