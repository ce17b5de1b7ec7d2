"""Verdict into finding: words, severity, overrides."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache

from tablegate.engine.ask import CombinedVerdict
from tablegate.engine.settings import Override, Settings, UnknownMode
from tablegate.engine.subjects import FindingSite
from tablegate.findings import Finding, Outcome
from tablegate.model import facts
from tablegate.model.estate import Estate, with_tables
from tablegate.model.facts import Fact
from tablegate.model.record import replace
from tablegate.model.table import (
    SIMPLE_TABLE,
    TABLE,
    Construct,
    Declared,
    Dialect,
    Index,
    KeyPart,
    Replica,
    Table,
    VectorIndex,
)
from tablegate.model.value import Origin, Place, Value, Verdict
from tablegate.policy.declare import Policy, Severity


def overridden(estate: Estate, overrides: Sequence[Override]) -> Estate:
    """The estate, with what the overrides declare of its tables where no tag says it. The last one counts."""
    speaking = [item for item in overrides if item.purpose or item.environment or item.data_class or item.capacity]
    if not speaking:
        return estate
    tables = {id(table): _overridden(table, estate.file, speaking) for table in estate.tables}
    return with_tables(estate, tables)


def severity_at(policy: Policy, site: FindingSite, overrides: Sequence[Override]) -> Severity | None:
    """How hard the policy weighs at the site, if an override says so. The last one counts."""
    for override in reversed(overrides):
        if policy.id in override.severity and _matches(override, site.address, site.file, site.tags):
            return override.severity[policy.id]
    return None


def _overridden(table: Table, file: str, overrides: Sequence[Override]) -> Table:
    declared = table.declared
    for override in reversed(overrides):
        if _matches(override, table.address, file, table.tags):
            declared = Declared(
                purpose=_said(facts.PURPOSE, declared.purpose, override.purpose),
                environment=_said(facts.ENVIRONMENT, declared.environment, override.environment),
                data_class=_said(facts.DATA_CLASS, declared.data_class, override.data_class),
                capacity=_said(facts.DECLARED_CAPACITY, declared.capacity, override.capacity),
            )
    return table if declared is table.declared else replace(table, declared=declared)


def _said(fact: Fact[str], tagged: Value[str], text: str | None) -> Value[str]:
    """A tag that is not known may say otherwise, so it stays unknown."""
    return tagged if text is None or tagged.origin is not Origin.DEFAULT else fact.of(text.strip().lower())


def _matches(override: Override, address: str, file: str, tags: Value[Mapping[str, str | None]] | None) -> bool:
    if override.address is not None and not _address_pattern(override.address).fullmatch(address):
        return False
    if override.path is not None and not _path_pattern(override.path).fullmatch(file):
        return False
    content: Mapping[str, str | None] = {} if tags is None or tags.content is None else tags.content
    return all(content.get(key) == text for key, text in override.tags.items())


@lru_cache
def _address_pattern(glob: str) -> re.Pattern[str]:
    """``*`` is any text. Brackets are just brackets: they belong to Terraform's addresses."""
    return re.compile(".*".join(re.escape(text) for text in glob.split("*")), re.DOTALL)


@lru_cache
def _path_pattern(glob: str) -> re.Pattern[str]:
    """``*`` is any text within a name, ``**/`` any folders, ``?`` one character."""
    spelled = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(spelled.get(piece, re.escape(piece)) for piece in pieces), re.DOTALL)


# Tags and policy documents hold what people write into them: they are named, never quoted.
_PRIVATE = frozenset({facts.TAGS.name, facts.POLICY.name, facts.STREAM_POLICY.name})
_FACTS = frozenset(fact.name for fact in vars(facts).values() if isinstance(fact, facts.Fact))
_PUBLIC = (_FACTS | facts.STATEMENT) - _PRIVATE

_PLURAL = frozenset(
    fact.name
    for fact in vars(facts).values()
    if isinstance(fact, facts.Fact) and isinstance(fact.default, (tuple, dict))
)

_MANY = 5


def message_of(verdict: Verdict) -> str:
    """What a finding says. An unknown always says which value is not known, and why."""
    if verdict.truth is None:
        doubts = [value for value in verdict.evidence if not value.known]
        reasons = _joined(doubts) if doubts else ""
        return "; ".join(text for text in (verdict.note, reasons) if text) or "it cannot be known"
    return verdict.note or _joined(verdict.evidence) or "the policy does not hold"


def worded(value: Value[object]) -> str:
    """One value as a statement."""
    verb = "are" if value.name in _PLURAL else "is"
    if value.origin is Origin.UNKNOWN:
        reason = value.doubt.reason if value.doubt else "it cannot be seen here"
        known = f", but one of {value.shown}" if value.candidates and value.name in _PUBLIC else ""
        return f"{value.name} {verb} unknown{known}: {reason}"
    if value.content is None:
        return f"{value.name} {verb} not set"
    return f"{value.name} {verb} {_content(value)}{' (default)' if value.origin is Origin.DEFAULT else ''}"


def _joined(values: tuple[Value[object], ...] | list[Value[object]]) -> str:
    texts = list(dict.fromkeys(worded(value) for value in values))
    more = [f"{len(texts) - _MANY} more"] if len(texts) > _MANY else []
    return "; ".join(texts[:_MANY] + more)


def _content(value: Value[object]) -> str:
    content = value.content
    if content is True or content is False:
        return "on" if content else "off"
    if value.sensitive:
        return "(sensitive)"
    if value.name not in _PUBLIC and not isinstance(content, (int, float)):
        return "not what it must be"
    if isinstance(content, (tuple, list)):
        return ", ".join(_item(item) for item in content[:_MANY]) or "empty"
    return _item(content)


def _item(item: object) -> str:
    if isinstance(item, KeyPart):
        return f"{item.attribute} ({item.role})"
    if isinstance(item, (Index, VectorIndex)):
        return str(item.name.content)
    if isinstance(item, Replica):
        return str(item.region.content)
    if isinstance(item, dict):
        return f"{len(item)} in number"
    return str(item)


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


def finding_maker(
    policy: Policy, settings: Settings
) -> Callable[[FindingSite, Verdict, CombinedVerdict | None], Finding]:
    """What makes the findings of one policy."""
    own = settings.policies.get(policy.id)
    set_severity = own.severity if own else None
    usual = set_severity or policy.severity
    failing = _blocking(settings.fail_on)
    doubtful = failing if settings.unknown is UnknownMode.BLOCK else _NONE
    doubtful_in_source = doubtful if settings.unknown_chosen else _NONE

    def find(site: FindingSite, verdict: Verdict, among: CombinedVerdict | None) -> Finding:
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


def _place(evidence: tuple[Value[object], ...], site: FindingSite) -> Place | None:
    for value in evidence:
        if value.place is not None:
            return value.place
    return site.place


def _fix(policy: Policy, site: FindingSite) -> str | None:
    """The remedy in the language that the subject is written in. One text for all languages is none of them."""
    said = policy.remedy.within(site.dialect, site.type)
    if site.spelling is None or said is None or said == policy.remedy.terraform:
        return said
    fix = _in_json(said) if site.spelling == "json" else said
    return f"# {SIMPLE_TABLE} cannot say this, {TABLE} can:\n{fix}" if _is_beyond(said, site.type) else fix


def _in_json(said: str) -> str:
    # Imported here: it reads YAML, which no other language needs.
    from tablegate.syntax.yaml import pasted

    return pasted(said)


def _is_beyond(said: str, type: str | None) -> bool:
    """Whether a remedy begins with a property that a table of this type does not have."""
    return type == SIMPLE_TABLE and said.partition(":")[0] in _BEYOND_SIMPLE
