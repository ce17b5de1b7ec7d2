"""Policies that fail for one cause are one finding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from support.policies import declared, judge_all
from support.tables import estate, index, table
from tablegate.engine.causes import gathered
from tablegate.engine.settings import PolicySettings, Settings
from tablegate.findings import Finding, Outcome
from tablegate.model import facts
from tablegate.model.value import Origin, Place, Value
from tablegate.policy import CRITICAL, HIGH, LOW, MEDIUM, Index, Policy, Severity, Table, Verdict, fails, holds, unknown

LINE = Place("plan.json", 5)


def failing(id: str, severity: Severity = HIGH, **stated: Any) -> Policy:
    def check(table: Table) -> Verdict:
        return fails(f"{id} fails")

    return replace(declared(check, id, severity=severity, name=id.lower()), cause="x", **stated)


def judged(*policies: Policy, **settings: Any) -> dict[str, list[str]]:
    """The findings by policy, with the policies that each of them lists."""
    indexes = facts.INDEXES.of((index("a"), index("b")))
    findings = judge_all([estate(table(indexes=indexes))], policies, Settings(**settings)).findings
    return {_name(finding): [other.policy for other in finding.also] for finding in findings}


def _name(finding: Finding) -> str:
    return finding.policy.id + "".join(f" {text}" for text in (finding.part or {}).values())


def test_the_most_severe_leads() -> None:
    """The configuration can change which one that is."""
    low, high = failing("TT101", LOW), failing("TT102", HIGH)
    assert judged(low, high) == {"TT102": ["TT101"]}
    assert judged(low, high, policies={"TT101": PolicySettings(severity=CRITICAL)}) == {"TT101": ["TT102"]}


def test_of_equals_the_first_leads_that_does_not_follow() -> None:
    """By id."""
    one, two = failing("TT101"), failing("TT102")
    assert judged(two, one) == {"TT101": ["TT102"]}
    assert judged(failing("TT101", follows=True), two, failing("TT103")) == {"TT102": ["TT103", "TT101"]}


def test_what_is_listed_counts_as_failed() -> None:
    """It has its own severity and message, and blocks no less than its leader."""
    judgement = judge_all([estate(table())], (failing("TT101", MEDIUM), failing("TT102")))
    [finding] = judgement.findings
    assert judgement.counts.failed == 2
    assert finding.blocks
    [other] = finding.also
    assert (other.policy, other.name, other.severity, other.message) == ("TT101", "tt101", "medium", "TT101 fails")


def test_other_causes_other_outcomes_and_other_tables_stay_apart() -> None:
    """Only failures of one cause at one place are gathered."""

    def is_unknown(table: Table) -> Verdict:
        return unknown("who knows")

    doubt = replace(declared(is_unknown, "TT103"), cause="x")
    assert judged(failing("TT101"), doubt) == {"TT101": [], "TT103": []}
    assert judged(failing("TT101"), replace(failing("TT102"), cause="y")) == {"TT101": [], "TT102": []}
    assert judged(failing("TT101"), replace(failing("TT102"), cause=None)) == {"TT101": [], "TT102": []}
    two = [estate(table(address="a")), estate(table(address="b"))]
    findings = judge_all(two, (failing("TT101"), failing("TT102"))).findings
    assert [(finding.address, len(finding.also)) for finding in findings] == [("a", 1), ("b", 1)]


def test_a_finding_on_a_part_joins_one_on_the_whole_that_quotes_the_same_value() -> None:
    """Index a is named by both, index b is not."""
    units = facts.WRITE_CAPACITY.of(0, LINE)

    def whole(table: Table) -> Verdict:
        return fails("no capacity", units)

    def part(index: Index) -> Verdict:
        value = units if index.name.content == "a" else facts.WRITE_CAPACITY.of(0, Place("plan.json", 9))
        return fails("less than the table", value)

    policies = [replace(declared(check, id), cause="x") for check, id in ((whole, "TT101"), (part, "TT102"))]
    assert judged(*policies) == {"TT101": ["TT102"], "TT102 b": []}


def test_findings_of_one_policy_never_gather_each_other() -> None:
    """A policy that fails for two indexes has two findings."""

    def part(index: Index) -> Verdict:
        return fails("hot", facts.BILLING_MODE.of("x", LINE))

    assert judged(replace(declared(part, "TT101"), cause="x")) == {"TT101 a": [], "TT101 b": []}


def test_a_policy_that_holds_is_not_listed() -> None:
    """A leader may stand alone."""

    def check(table: Table) -> Verdict:
        return holds()

    assert judged(replace(declared(check, "TT101"), cause="x"), failing("TT102")) == {"TT102": []}


def test_what_nothing_leads_of_a_policy_that_follows_is_one_for_each_document() -> None:
    """The most severe stands for the others. Statements of other documents at the address stay apart."""
    found = gathered(
        [
            finding("TT102", "a/0", LOW, follows=True),
            finding("TT102", "a/1", HIGH, follows=True),
            finding("TT102", "b/0", LOW, follows=True),
            finding("TT102", "b/1", LOW, follows=True),
            finding("TT101", "b/1", LOW),
            finding("TT103", "a/0", LOW),
        ]
    )
    told = {(one.policy.id, (one.part or {})["statement"]): [other.policy for other in one.also] for one in found}
    assert told == {
        ("TT102", "a/1"): [],
        ("TT101", "b/1"): ["TT102"],
        ("TT103", "a/0"): ["TT102"],
        ("TT102", "b/0"): [],
    }
    (one,) = gathered([finding("TT102", "0", LOW, follows=True), finding("TT102", "1", HIGH, follows=True)])
    assert (one.severity, [other.severity for other in one.also]) == (HIGH, [LOW])


def test_statements_of_one_holder_stay_apart() -> None:
    """Both quote the holder: to mend one of them mends nothing of the other."""
    found = gathered([finding("TT101", "0", HIGH), finding("TT102", "1", LOW)])
    assert [one.also for one in found] == [(), ()]


def finding(id: str, statement: str, severity: Severity, **stated: Any) -> Finding:
    """A finding on a statement, which quotes its holder."""
    holder: Value[object] = Value("holder", "Worker", Origin.SET, LINE)
    return Finding(
        policy=failing(id, severity, **stated),
        severity=severity,
        outcome=Outcome.FAILS,
        blocks=False,
        file="plan.json",
        address="x",
        part={"statement": statement},
        place=None,
        scenario=None,
        message="",
        evidence=(holder,),
        fix=None,
    )
