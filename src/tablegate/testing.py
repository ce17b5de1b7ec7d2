"""Proves a pack by its cases; the smallest file with a fragment."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import Settings, settings_from
from tablegate.findings import Finding, Outcome, Report
from tablegate.model.record import record
from tablegate.model.table import GLOBAL_TABLE, TABLE, Dialect
from tablegate.policy.declare import Policy, policies_in, policies_of
from tablegate.run.gate import check
from tablegate.syntax.source import Source

_TEMPLATE_PROPERTIES = """\
AttributeDefinitions:
  - AttributeName: id
    AttributeType: S
KeySchema:
  - AttributeName: id
    KeyType: HASH
"""

_REPLICAS = """\
Replicas:
  - Region: us-east-1
"""

_TERRAFORM_ARGUMENTS = """\
name     = "orders"
hash_key = "id"

attribute {
  name = "id"
  type = "S"
}
"""

_RESOURCE_ATTRIBUTES = ("Condition", "DeletionPolicy", "DependsOn", "Metadata", "UpdateReplacePolicy")


def smallest_template(fragment: str = "", type: str = TABLE) -> str:
    """The smallest CloudFormation template with one table, of this type, that holds the fragment.

    The fragment's keys go where they belong: properties of the table, attributes of its resource,
    or resources of their own (those with a ``Type`` of some service). A property that the smallest
    table also has gives way.
    """
    attributes, resources, properties = "", "", ""
    for key, text in _entries(fragment):
        if key in _RESOURCE_ATTRIBUTES:
            attributes += text
        elif re.search(r"^  Type: \w+::", text, re.MULTILINE):
            resources += text
        else:
            properties += text
    usual = _TEMPLATE_PROPERTIES + (_REPLICAS if type == GLOBAL_TABLE else "")
    given = {key for key, _ in _entries(properties)}
    own = "".join(text for key, text in _entries(usual) if key not in given)
    table = f"Table:\n  Type: {type}\n{indent(attributes, '  ')}"
    table += f"  Properties:\n{indent(own + properties, '    ')}"
    return f"Resources:\n{indent(table + resources, '  ')}"


def smallest_terraform(fragment: str = "") -> str:
    """The smallest Terraform file with one table that holds the fragment, beside it where it is a block of its own."""
    text = dedent(fragment).strip("\n")
    if re.match(r"(resource|data|provider|module|locals|variable)\b", text):
        return f"{_terraform_table('')}\n{text}\n"
    return _terraform_table(f"\n{text}\n" if text else "")


def _terraform_table(arguments: str) -> str:
    return f'resource "aws_dynamodb_table" "orders" {{\n{indent(_TERRAFORM_ARGUMENTS + arguments, "  ")}}}\n'


def _entries(fragment: str) -> list[tuple[str, str]]:
    """The fragment's outermost keys, each with all its lines."""
    text = dedent(fragment).strip("\n")
    starts = [(found.group(1), found.start()) for found in re.finditer(r"^([\w:]+):", text, re.MULTILINE)]
    ends = [start for _, start in starts[1:]] + [len(text)]
    return [(key, text[start:end].rstrip() + "\n") for (key, start), end in zip(starts, ends, strict=False)]


OUTCOMES = ("fails", "holds", "unknown", "exempt")
INPUTS = {"template.yaml": "CloudFormation", "template.json": "CloudFormation", "plan.json": "Terraform"}


@record(kw_only=False)
class Case:
    """One input of one case directory, and the policy it is about."""

    policy: Policy
    outcome: str
    input: Path

    def __str__(self) -> str:
        return f"{self.policy.id}-{self.input.parent.name}-{self.input.name}"


def cases(pack: str | Iterable[Policy], directory: str | Path) -> list[Case]:
    """Every input of every case of the pack, in a fixed order."""
    return [case for policy in _policies(pack) for case in cases_of(policy, directory)]


def cases_of(policy: Policy, directory: str | Path) -> list[Case]:
    """Every input of every case of one policy."""
    folders = sorted(path for path in Path(directory, policy.id).glob("*") if path.is_dir())
    return [
        Case(policy, folder.name.partition("-")[0], folder / name)
        for folder in folders
        for name in INPUTS
        if (folder / name).exists()
    ]


def prove(case: Case) -> None:
    """Judge the case twice, and raise AssertionError where it is not what it says."""
    first, second = judged(case), judged(case)
    if first.findings != second.findings or first.counts != second.counts:
        raise AssertionError(f"{case}: the policy does not give the same verdict twice")
    expected = _expected(case)
    blocking = sorted({str(fault.code) for fault in first.faults if fault.blocks})
    _compare(case, "blocking faults", blocking, expected.pop("faults", []))
    _compare(case, "outcome", outcome(first), case.outcome)
    findings = first.findings
    if "findings" in expected:
        _compare(case, "number of findings", len(findings), expected.pop("findings"))
    if expected and not any(_matches(finding, expected) for finding in findings):
        seen = "\n".join(f"  {_shown(finding)}" for finding in findings)
        raise AssertionError(f"{case}: no finding is as expected\n  {expected}\nfound\n{seen}")


def judged(case: Case) -> Report:
    """The report of the case's policy on the case's input."""
    settings, options = _settings(case)
    source = Source(case.input.name, case.input.read_bytes())
    return check((source,), (case.policy,), settings, options)


def outcome(report: Report) -> str:
    """What a report on one policy says: the worst of its verdicts."""
    counts = report.counts
    said = (counts.failed, counts.unknown, counts.held, counts.not_applicable)
    by_outcome = zip(("fails", "unknown", "holds", "exempt"), said, strict=True)
    return next((name for name, count in by_outcome if count), "nothing judged")


def gaps(pack: str | Iterable[Policy], directory: str | Path) -> tuple[str, ...]:
    """What is missing until every policy of the pack is proved: nothing, when all is well."""
    return tuple(gap for policy in _policies(pack) for gap in gaps_of(policy, directory))


def gaps_of(policy: Policy, directory: str | Path) -> tuple[str, ...]:
    """What is missing until one policy is proved."""
    found = cases_of(policy, directory)
    strange = sorted({case.input.parent.name for case in found if case.outcome not in OUTCOMES})
    missing = [f"{policy.id}: {name!r} names no outcome; use one of {', '.join(OUTCOMES)}" for name in strange]
    for language, remedies in _remedies(policy).items():
        proved = {case.outcome for case in found if INPUTS[case.input.name] == language}
        missing += [
            f"{policy.id}: no case in {language} that {word}" for word in ("fails", "holds") if word not in proved
        ]
        missing += [
            f"{policy.id}: the {named} stands in no case that holds"
            for named, remedy in remedies.items()
            if not any(_holds_remedy(case, language, remedy) for case in found)
        ]
    missing += [f"{policy.id}: {gap}" for gap in _smallest_gaps(policy)]
    return tuple(_beyond_proof(policy, missing, _toml(Path(directory, policy.id, "beyond.toml"))))


def _beyond_proof(policy: Policy, missing: list[str], reasons: Mapping[str, Any]) -> Iterable[str]:
    """The gaps that have no good reason, and the reasons that have no gap any more."""
    excused = {f"{policy.id}: {gap}" for gap, reason in reasons.items() if reason}
    yield from (gap for gap in missing if gap not in excused)
    yield from (f"{gap}: beyond.toml excuses what is not missing" for gap in sorted(excused - set(missing)))


def smallest(policy: Policy, *, remedied: bool, type: str = TABLE) -> Report:
    """The report on the smallest template with a table of this type, with or without the policy's remedy for it."""
    remedy = policy.remedy.within(Dialect.CLOUDFORMATION, type) if remedied else None
    text = smallest_template(remedy or "", type)
    source = Source("template.yaml", text.encode())
    return check((source,), (policy,), Settings(select=(policy.id,)), ReadOptions())


def _smallest_gaps(policy: Policy) -> Iterable[str]:
    """Where the smallest table of a type alone breaks the policy, the remedy alone must mend it."""
    for type_ in (TABLE, GLOBAL_TABLE):
        remedy = policy.remedy.within(Dialect.CLOUDFORMATION, type_)
        if remedy and outcome(smallest(policy, remedied=False, type=type_)) == "fails":
            mended = smallest(policy, remedied=True, type=type_)
            if outcome(mended) not in ("holds", "exempt") or mended.faults:
                found = [_shown(finding) for finding in mended.findings]
                yield f"the smallest {type_} with the remedy {outcome(mended)}: {found}"


def _policies(pack: str | Iterable[Policy]) -> tuple[Policy, ...]:
    return policies_in(pack) if isinstance(pack, str) else tuple(pack)


def _remedies(policy: Policy) -> dict[str, dict[str, str]]:
    """The remedies by their languages, each by what a gap calls it."""
    remedy = policy.remedy
    spelled = {
        "Terraform": {"remedy in Terraform": remedy.terraform},
        "CloudFormation": {
            "remedy in CloudFormation": remedy.cloudformation,
            "remedy for a global table": remedy.global_table,
        },
    }
    named = {language: {name: text for name, text in texts.items() if text} for language, texts in spelled.items()}
    return {language: texts for language, texts in named.items() if texts}


def _holds_remedy(case: Case, language: str, remedy: str) -> bool:
    """Whether the case holds every paragraph of the remedy, however it is indented."""
    if case.outcome != "holds" or INPUTS[case.input.name] != language:
        return False
    written = case.input.with_name("main.tf") if language == "Terraform" else case.input
    text = _one_line(written.read_text(encoding="utf-8")) if written.exists() else ""
    return all(_one_line(paragraph) in text for paragraph in remedy.split("\n\n"))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _settings(case: Case) -> tuple[Settings, ReadOptions]:
    written = _toml(case.input.with_name("options.toml"))
    own = {"severity": written["severity"]} if "severity" in written else {}
    document = {
        "select": [case.policy.id],
        "policies": {case.policy.id: {**written.get("options", {}), **own}},
        "overrides": written.get("overrides", []),
    }
    options = ReadOptions(
        parameters=written.get("parameters", {}),
        stack_tags=written.get("stack-tags", {}),
        region=written.get("region"),
        account=written.get("account"),
        allow_partial=written.get("allow-partial", False),
        assume_defaults=written.get("assume-defaults", False),
    )
    return settings_from(document, (case.policy,)), options


def _expected(case: Case) -> dict[str, Any]:
    """What the case expects of its input: what is said of all inputs, then what is said of this one."""
    written = _toml(case.input.with_name("expect.toml"))
    shared = {key: value for key, value in written.items() if key not in INPUTS}
    if case.input.name == "plan.json":
        shared.pop("line", None)  # a plan is one line that no reader ever saw
    return {**shared, **written.get(case.input.name, {})}


def _compare(case: Case, what: str, actual: object, expected: object) -> None:
    if actual != expected:
        raise AssertionError(f"{case}: {what}: expected {expected!r}, found {actual!r}")


def _matches(finding: Finding, expected: Mapping[str, Any]) -> bool:
    seen = _seen(finding)
    message = expected.get("message", "")
    return message in finding.message and all(seen[key] == expected[key] for key in expected if key != "message")


def _seen(finding: Finding) -> dict[str, object]:
    return {
        "address": finding.address,
        "part": None if finding.part is None else dict(finding.part),
        "line": finding.place.line if finding.place else None,
        "scenario": None if finding.scenario is None else dict(finding.scenario),
        "severity": str(finding.severity),
        "outcome": str(finding.outcome),
    }


def _shown(finding: Finding) -> str:
    return f"{finding.message} {_seen(finding)}"


__all__ = [
    "INPUTS",
    "OUTCOMES",
    "Case",
    "Outcome",
    "cases",
    "cases_of",
    "gaps",
    "gaps_of",
    "judged",
    "outcome",
    "policies_of",
    "prove",
    "smallest",
]
