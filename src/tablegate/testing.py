"""Proves the policies of a pack by cases: inputs in folders whose names say what the policy must return.

It also makes the smallest file with a remedy in it.
"""

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
    """The smallest CloudFormation template with one table of this type and the fragment.

    Each key of the fragment goes where it belongs: it is a property of the table, an attribute of its resource, or
    a resource of its own if it has a ``Type``. It replaces the same property of the smallest table.
    """
    attributes, resources, properties = "", "", ""
    for key, text in _entries(fragment):
        if key in _RESOURCE_ATTRIBUTES:
            attributes += text
        elif re.search(r"^  Type: \w+::", text, re.MULTILINE):
            resources += text
        else:
            properties += text
    smallest = _TEMPLATE_PROPERTIES + (_REPLICAS if type == GLOBAL_TABLE else "")
    replaced = {key for key, _ in _entries(properties)}
    own = "".join(text for key, text in _entries(smallest) if key not in replaced)
    table = f"Table:\n  Type: {type}\n{indent(attributes, '  ')}"
    table += f"  Properties:\n{indent(own + properties, '    ')}"
    return f"Resources:\n{indent(table + resources, '  ')}"


def smallest_terraform(fragment: str = "") -> str:
    """The smallest Terraform file with one table and the fragment: in the table, or beside it if it is a block."""
    text = dedent(fragment).strip("\n")
    if re.match(r"(resource|data|provider|module|locals|variable)\b", text):
        return f"{_terraform_table('')}\n{text}\n"
    return _terraform_table(f"\n{text}\n" if text else "")


def _terraform_table(arguments: str) -> str:
    return f'resource "aws_dynamodb_table" "orders" {{\n{indent(_TERRAFORM_ARGUMENTS + arguments, "  ")}}}\n'


def _entries(fragment: str) -> list[tuple[str, str]]:
    """The fragment's outermost keys, each with all its lines."""
    text = dedent(fragment).strip("\n")
    starts = [(match.group(1), match.start()) for match in re.finditer(r"^([\w:]+):", text, re.MULTILINE)]
    ends = [start for _, start in starts[1:]] + [len(text)]
    return [(key, text[start:end].rstrip() + "\n") for (key, start), end in zip(starts, ends, strict=False)]


OUTCOMES = ("fails", "holds", "unknown", "exempt")
INPUTS = {"template.yaml": "CloudFormation", "template.json": "CloudFormation", "plan.json": "Terraform"}


@record(kw_only=False)
class Case:
    """One input of a case, and the policy that it proves."""

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
    """Check the case twice. AssertionError if the outcome is not the expected one."""
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
        raise AssertionError(f"{case}: no finding matches\n  {expected}\nthe findings are\n{seen}")


def judged(case: Case) -> Report:
    """The report of the policy on the input."""
    settings, options = _settings(case)
    source = Source(case.input.name, case.input.read_bytes())
    return check((source,), (case.policy,), settings, options)


def outcome(report: Report) -> str:
    """The worst verdict in a report on one policy."""
    counts = report.counts
    by_severity = (counts.failed, counts.unknown, counts.held, counts.not_applicable)
    by_outcome = zip(("fails", "unknown", "holds", "exempt"), by_severity, strict=True)
    return next((name for name, count in by_outcome if count), "nothing checked")


def gaps(pack: str | Iterable[Policy], directory: str | Path) -> tuple[str, ...]:
    """What is missing before every policy of the pack is proved."""
    return tuple(gap for policy in _policies(pack) for gap in gaps_of(policy, directory))


def gaps_of(policy: Policy, directory: str | Path) -> tuple[str, ...]:
    """What is missing before one policy is proved."""
    cases = cases_of(policy, directory)
    unnamed = sorted({case.input.parent.name for case in cases if case.outcome not in OUTCOMES})
    missing = [
        f"{policy.id}: {name!r} does not begin with an outcome: use one of {', '.join(OUTCOMES)}" for name in unnamed
    ]
    for language, remedies in _remedies(policy).items():
        proved = {case.outcome for case in cases if INPUTS[case.input.name] == language}
        missing += [
            f"{policy.id}: no case in {language} that {word}" for word in ("fails", "holds") if word not in proved
        ]
        missing += [
            f"{policy.id}: the {named} is in no case that holds"
            for named, remedy in remedies.items()
            if not any(_holds_remedy(case, language, remedy) for case in cases)
        ]
    missing += [f"{policy.id}: {gap}" for gap in _smallest_gaps(policy)]
    return tuple(_beyond_proof(policy, missing, _toml(Path(directory, policy.id, "beyond.toml"))))


def _beyond_proof(policy: Policy, missing: list[str], reasons: Mapping[str, Any]) -> Iterable[str]:
    """The gaps that ``beyond.toml`` gives no reason for, and the reasons that belong to no gap."""
    excused = {f"{policy.id}: {gap}" for gap, reason in reasons.items() if reason}
    yield from (gap for gap in missing if gap not in excused)
    yield from (f"{gap}: beyond.toml gives a reason, but nothing is missing" for gap in sorted(excused - set(missing)))


def smallest(policy: Policy, *, remedied: bool, type: str = TABLE) -> Report:
    """The report on the smallest template with a table of this type, with or without the policy's remedy."""
    remedy = policy.remedy.within(Dialect.CLOUDFORMATION, type) if remedied else None
    text = smallest_template(remedy or "", type)
    source = Source("template.yaml", text.encode())
    return check((source,), (policy,), Settings(select=(policy.id,)), ReadOptions())


def _smallest_gaps(policy: Policy) -> Iterable[str]:
    """If the smallest table of a type fails, the remedy alone must fix it."""
    for type_ in (TABLE, GLOBAL_TABLE):
        remedy = policy.remedy.within(Dialect.CLOUDFORMATION, type_)
        if remedy and outcome(smallest(policy, remedied=False, type=type_)) == "fails":
            fixed = smallest(policy, remedied=True, type=type_)
            if outcome(fixed) not in ("holds", "exempt") or fixed.faults:
                findings = [_shown(finding) for finding in fixed.findings]
                yield f"the smallest {type_} with the remedy {outcome(fixed)}: {findings}"


def _policies(pack: str | Iterable[Policy]) -> tuple[Policy, ...]:
    return policies_in(pack) if isinstance(pack, str) else tuple(pack)


def _remedies(policy: Policy) -> dict[str, dict[str, str]]:
    """The remedies by language, each by its name in a gap."""
    remedy = policy.remedy
    by_language = {
        "Terraform": {"remedy in Terraform": remedy.terraform},
        "CloudFormation": {
            "remedy in CloudFormation": remedy.cloudformation,
            "remedy for a global table": remedy.global_table,
        },
    }
    named = {language: {name: text for name, text in texts.items() if text} for language, texts in by_language.items()}
    return {language: texts for language, texts in named.items() if texts}


def _holds_remedy(case: Case, language: str, remedy: str) -> bool:
    """Whether the case holds and has every paragraph of the remedy, with any indentation."""
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
    """The expectations for the input: those for all inputs of the case, then its own."""
    written = _toml(case.input.with_name("expect.toml"))
    shared = {key: value for key, value in written.items() if key not in INPUTS}
    if case.input.name == "plan.json":
        shared.pop("line", None)  # a plan is one line
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
