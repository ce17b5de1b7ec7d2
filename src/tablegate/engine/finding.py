"""Verdicts into findings: severity, message, place and fix. Overrides, which change tables and severities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from tablegate.engine.ask import CombinedVerdict
from tablegate.engine.settings import Override, Settings, UnknownMode
from tablegate.engine.subjects import FindingSite
from tablegate.findings import Finding, Outcome
from tablegate.model import facts
from tablegate.model.estate import Callers, Estate, with_tables
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
    """The estate with the declarations of overrides in tables whose tags have none. The last override counts."""
    declaring = [item for item in overrides if item.purpose or item.environment or item.data_class or item.capacity]
    if not declaring:
        return estate
    tables = {id(table): _overridden(table, estate.file, declaring) for table in estate.tables}
    return with_tables(estate, tables)


def addressed(estate: Estate, overrides: Sequence[Override]) -> set[str]:
    """The addresses of overrides that something in the estate matches."""
    wanted = {item.address for item in overrides if item.address is not None}
    if not wanted:
        return wanted
    subjects: Iterable[Any] = chain(
        chain(estate.tables, estate.changes, estate.dax_clusters, estate.legacy_global_tables),
        chain(estate.grants, estate.holders, *(holder.unread for holder in estate.holders)),
    )
    addresses = {subject.address for subject in subjects}
    return {glob for glob in wanted if any(map(_address_pattern(glob).fullmatch, addresses))}


def severity_at(policy: Policy, site: FindingSite, overrides: Sequence[Override]) -> Severity | None:
    """The policy's severity at a site, if an override sets it. The last override counts."""
    for override in reversed(overrides):
        if policy.id in override.severity and _matches(override, site.address, site.file, site.tags):
            return override.severity[policy.id]
    return None


def _overridden(table: Table, file: str, overrides: Sequence[Override]) -> Table:
    declared = table.declared
    for override in reversed(overrides):
        if _matches(override, table.address, file, table.tags):
            declared = Declared(
                purpose=_declared(facts.PURPOSE, declared.purpose, override.purpose),
                environment=_declared(facts.ENVIRONMENT, declared.environment, override.environment),
                data_class=_declared(facts.DATA_CLASS, declared.data_class, override.data_class),
                capacity=_declared(facts.DECLARED_CAPACITY, declared.capacity, override.capacity),
            )
    return table if declared is table.declared else replace(table, declared=declared)


def _declared(fact: Fact[str], tagged: Value[str], text: str | None) -> Value[str]:
    """The override's value if no tag is set. An unknown tag stays unknown: it may have another value."""
    return tagged if text is None or tagged.origin is not Origin.DEFAULT else fact.of(text.strip().lower())


def _matches(override: Override, address: str, file: str, tags: Value[Mapping[str, str | None]] | None) -> bool:
    if override.address is not None and not _address_pattern(override.address).fullmatch(address):
        return False
    if override.path is not None and not path_matches(override.path, file):
        return False
    content: Mapping[str, str | None] = {} if tags is None or tags.content is None else tags.content
    return all(content.get(key) == text for key, text in override.tags.items())


@lru_cache
def _address_pattern(glob: str) -> re.Pattern[str]:
    """A pattern in which ``*`` is any text, and brackets are literal as in Terraform's addresses.

    Each text between stars is taken where it comes first, for good: no number of stars makes it slow.
    """
    first, *others = [re.escape(text) for text in glob.split("*")]
    between = "".join(f"(?>.*?{text})" for text in others[:-1])
    return re.compile(first + between + (f".*{others[-1]}" if others else ""), re.DOTALL)


@lru_cache(maxsize=1 << 12)  # asked about each table of a file
def path_matches(glob: str, path: str) -> bool:
    """Whether a path matches: ``*`` is any text within a name, ``**/`` any folders, and ``?`` one character.

    The places where each piece may end are followed together, so no pattern takes long.
    """
    ends = {0}
    for piece in re.split(r"(\*\*/|\*\*|\*|\?)", glob):
        if not ends:
            return False
        ends = _ends(piece, path, ends)
    return len(path) in ends


def _ends(piece: str, path: str, begins: set[int]) -> set[int]:
    """The places where a piece of a glob ends, if it begins at any of these."""
    first, after = min(begins), len(path) + 1
    match piece:
        case "**":
            return set(range(first, after))
        case "**/":
            return begins | {at for at in range(first + 1, after) if path[at - 1] == "/"}
        case "*":
            ends: set[int] = set()
            for at in range(first, after):
                if at in begins or (at - 1 in ends and path[at - 1] != "/"):
                    ends.add(at)
            return ends
        case "?":
            return {at + 1 for at in begins if path[at : at + 1] not in ("", "/")}
    return {at + len(piece) for at in begins if path.startswith(piece, at)}


# Tags and policy documents may hold anything: messages name them, and never quote them.
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
    """The message of a finding. That of an unknown names each unknown value with the reason."""
    if verdict.truth is None:
        doubts = [value for value in verdict.evidence if not value.known]
        reasons = _joined(doubts) if doubts else ""
        return "; ".join(text for text in (verdict.note, reasons) if text) or "it cannot be known"
    return verdict.note or _joined(verdict.evidence) or "the policy does not hold"


def worded(value: Value[object]) -> str:
    """A value as a clause, such as "stream is off (default)"."""
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


_DOCUMENT = "policy document"
_FAILS, _UNKNOWN, _WAIVED = Outcome.FAILS, Outcome.UNKNOWN, Outcome.WAIVED
_NONE: frozenset[Severity] = frozenset()
_NOT_OF_SIMPLE_TABLES = frozenset(  # properties that SAM's short form lacks
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
    """A function that makes the findings of one policy."""
    own = settings.policies.get(policy.id)
    set_severity = own.severity if own else None
    policy_severity = policy.severity_in(settings.profile)
    failing = _blocking(settings.fail_on)
    unknown = failing if settings.unknown is UnknownMode.BLOCK else _NONE
    unknown_in_source = unknown if settings.unknown_chosen else _NONE

    def make_finding(site: FindingSite, verdict: Verdict, combined: CombinedVerdict | None) -> Finding:
        if verdict.truth is False:
            outcome, blocks = _FAILS, failing
        else:
            outcome = _UNKNOWN
            blocks = unknown_in_source if site.dialect is Dialect.TERRAFORM_SOURCE else unknown
        waived = _acknowledged(policy, site.construct) if site.construct and settings.heeds_acknowledged else None
        overridden = severity_at(policy, site, settings.overrides)
        severity = overridden or set_severity or Severity(verdict.severity or policy_severity)
        if site.sensitive:
            verdict = Verdict(verdict.truth, (_hidden(site.place),), policy.title, severity=verdict.severity)
        message = message_of(verdict)
        if verdict.reason and not (overridden or set_severity):
            message = f"{message}; {severity} because {verdict.reason}"
        return Finding(
            policy=policy,
            severity=severity,
            outcome=outcome if waived is None else _WAIVED,
            blocks=waived is None and severity in blocks,
            file=site.file,
            address=site.address,
            part=site.part,
            place=_place(verdict.evidence, site),
            scenario=combined.scenario if combined else None,
            message=f"{message}; {combined.when}" if combined and combined.when else message,
            evidence=verdict.evidence,
            fix=verdict.fix or _fix(policy, site),
            construct=site.construct,
            waived=waived,
        )

    return make_finding


def as_called(finding: Finding, callers: Callers) -> Finding:
    """The finding as the caller of its module can act on it: at the call, and with its arguments as the fix."""
    if not finding.address.startswith("module."):
        return finding
    moved = {
        id(value): replace(value, place=callers.place(finding.address, value.place))
        for value in finding.evidence
        if value.place is not None
    }
    evidence = tuple([moved.get(id(value), value) for value in finding.evidence])
    first = next((value.place for value in evidence if value.place is not None), None)
    return replace(
        finding,
        place=first or callers.place(finding.address, finding.place, finding.fix),
        evidence=evidence,
        fix=callers.fix(finding.address, finding.fix),
    )


def _hidden(place: Place | None) -> Value[object]:
    """The only evidence of a finding about a sensitive policy document. Its place keeps the line from being shown."""
    return Value(_DOCUMENT, "", place=place, sensitive=True)


def _acknowledged(policy: Policy, construct: Construct) -> str | None:
    """The reason for which the author of a program has acknowledged the policy, if so."""
    rules = construct.acknowledged
    return rules.get(policy.id, rules.get(policy.name))


def _blocking(threshold: Severity | None) -> frozenset[Severity]:
    return frozenset(level for level in Severity if threshold is not None and level.reaches(threshold))


def _place(evidence: tuple[Value[object], ...], site: FindingSite) -> Place | None:
    for value in evidence:
        if value.place is not None:
            return value.place
    return site.place


def _fix(policy: Policy, site: FindingSite) -> str | None:
    """The policy's remedy in the language of the subject. A text that is the same for all languages stays as it is."""
    remedy = policy.remedy.within(site.dialect, site.type)
    if site.spelling is None or remedy is None or remedy == policy.remedy.terraform:
        return remedy
    fix = _in_json(remedy) if site.spelling == "json" else remedy
    if site.type == SIMPLE_TABLE and remedy.partition(":")[0] in _NOT_OF_SIMPLE_TABLES:
        return f"# not supported by {SIMPLE_TABLE}; change the type to {TABLE}:\n{fix}"
    return fix


def _in_json(yaml: str) -> str:
    from tablegate.syntax.yaml import as_json  # imports the reader of YAML, which plans are checked without

    return as_json(yaml)
