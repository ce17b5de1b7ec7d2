"""Findings and reports: what they end with, what identifies them, and parts as one."""

from __future__ import annotations

import pytest

from support.reports import PROTECTION, RECOVERY, finding, report
from tablegate.findings import (
    NOTHING,
    Counts,
    Exit,
    Fault,
    FaultCode,
    Finding,
    Input,
    Outcome,
    Skipped,
    by_place,
    digest,
    exit_of,
    in_order,
    merged,
    worst,
)
from tablegate.model import facts
from tablegate.model.record import field_names, replace
from tablegate.model.value import Place
from tablegate.policy.declare import Profile

FIRST, SECOND, THIRD = (finding(file=name) for name in ("a.yaml", "b.yaml", "c.yaml"))


@pytest.mark.parametrize(
    "parts", [[(FIRST, SECOND), (THIRD,)], [(THIRD,), (FIRST, SECOND)], [(FIRST, THIRD), (SECOND,)]]
)
def test_parts_of_a_run_are_in_the_order_of_their_files(parts: list[tuple[Finding, ...]]) -> None:
    """Whether they follow one another, come in another order, or are of the same files."""
    assert (FIRST, SECOND, THIRD) == merged([report(*part) for part in parts], ours=True).findings


def test_reports_of_other_runs_are_sorted_anew() -> None:
    """Somebody may have changed what is in them."""
    assert (FIRST, SECOND, THIRD) == merged([report(SECOND, FIRST), report(THIRD)]).findings


BLOCKING, WARNING = Fault(FaultCode.UNREADABLE, "a", Place("a")), Fault(FaultCode.INCOMPLETE, "b", Place("a"), False)
INTERNAL = Fault(FaultCode.INTERNAL, "c", Place("a"))


@pytest.mark.parametrize(
    ("findings", "faults", "code"),
    [
        ((), (), Exit.OPEN),
        ((finding(blocks=False),), (WARNING,), Exit.OPEN),
        ((finding(blocks=False), finding()), (WARNING,), Exit.BLOCKED),
        ((finding(),), (WARNING, BLOCKING), Exit.UNREAD),
        ((), (BLOCKING, INTERNAL, WARNING), Exit.INTERNAL),
        ((), (replace(INTERNAL, blocks=False),), Exit.OPEN),
    ],
)
def test_the_exit_code_is_that_of_the_worst(
    findings: tuple[Finding, ...], faults: tuple[Fault, ...], code: Exit
) -> None:
    """What could not be read comes before what was judged, and what went wrong inside before all."""
    assert exit_of(findings, faults) is code


def test_a_fault_blocks_unless_it_says_otherwise() -> None:
    """One that is made without a word about it keeps the gate shut."""
    assert Fault(FaultCode.INCOMPLETE, "", Place("")).blocks


def test_codes_are_compared_by_what_they_mean() -> None:
    """Not by their numbers: wrong usage comes before what is not read."""
    assert worst([Exit.OPEN, Exit.UNREAD, Exit.USAGE, Exit.BLOCKED]) is Exit.USAGE
    assert worst([Exit.USAGE, Exit.INTERNAL]) is Exit.INTERNAL
    assert worst([Exit.OPEN, Exit.BLOCKED, Exit.OPEN]) is Exit.BLOCKED
    assert worst([Exit.BLOCKED, Exit.UNREAD]) is Exit.UNREAD
    assert worst([Exit.OPEN]) is Exit.OPEN
    assert [("OPEN", 0), ("BLOCKED", 1), ("USAGE", 2), ("UNREAD", 3), ("INTERNAL", 4)] == [
        (code.name, int(code)) for code in Exit
    ]


def test_words_that_reports_show_stay() -> None:
    """Whoever reads a report compares with them."""
    assert ["fails", "unknown", "waived"] == list(Outcome)
    assert ["TG001", "TG002", "TG003", "internal"] == list(FaultCode)
    assert [(code, report(exit=code).gate) for code in Exit] == [
        (Exit.OPEN, "open"),
        (Exit.BLOCKED, "blocked"),
        (Exit.USAGE, "no verdict"),
        (Exit.UNREAD, "no verdict"),
        (Exit.INTERNAL, "no verdict"),
    ]


def test_a_fingerprint_is_of_what_does_not_move() -> None:
    """The policy, the address, the part and the names of facts: baselines of users hold it, so it is pinned."""
    one = finding()
    assert one.fingerprint == "133d1bf5ad4c2799"
    moved = finding(
        file="b.yaml",
        place=None,
        message="other",
        fix=None,
        scenario={"Stage": "prod"},
        evidence=(facts.RECOVERY.of(True), facts.RECOVERY.of(False)),
    )
    assert moved.fingerprint == one.fingerprint
    others = [
        finding(policy=PROTECTION),
        finding(address="Carts"),
        finding(part={"index": "by-day"}),
        finding(part={"index": "by-night"}),
        finding(part={"replica": "by-day"}),
        finding(evidence=()),
        finding(evidence=(facts.RECOVERY.of(False), facts.KEY.unset)),
        finding(evidence=(facts.KEY.unset,)),
    ]
    assert len({one.fingerprint, *(other.fingerprint for other in others)}) == 9
    assert all(len(other.fingerprint) == 16 for other in others)


def test_a_fingerprint_does_not_depend_on_an_order() -> None:
    """Neither of parts nor of evidence."""
    parts = [{"index": "a", "replica": "b"}, {"replica": "b", "index": "a"}]
    values = [(facts.RECOVERY.unset, facts.KEY.unset), (facts.KEY.unset, facts.RECOVERY.unset)]
    assert len({finding(part=part, evidence=evidence).fingerprint for part in parts for evidence in values}) == 1
    assert digest("\ud800") == digest("\ud800") != digest("?")


def test_a_fingerprint_that_was_read_is_kept() -> None:
    """A report hides part of the evidence that it was made of."""
    assert finding(known_fingerprint="0123").fingerprint == "0123"
    assert finding().with_evidence((facts.KEY.unset,)).evidence == (facts.KEY.unset,)


def test_findings_are_sorted_by_file_line_address_part_and_policy() -> None:
    """In this order; what has no line comes first."""
    expected = (
        finding(file="a", place=None, address="Z"),
        finding(file="a", place=Place("a", 0), address="ZZ"),
        finding(file="a", place=Place("a", 1), address="A", part=None),
        finding(file="a", place=Place("a", 1), address="A", part={"index": "a"}),
        finding(file="a", place=Place("a", 1), address="A", part={"index": "b"}),
        finding(file="a", place=Place("a", 1), address="B", policy=RECOVERY),
        finding(file="a", place=Place("a", 1), address="B", policy=PROTECTION),
        finding(file="a", place=Place("a", 2), address="A"),
        finding(file="b", place=None),
    )
    for order in (expected[::-1], expected[4:] + expected[:4]):
        assert tuple(sorted(order, key=by_place)) == expected


def test_faults_are_listed_once_in_order() -> None:
    """By file, line and message."""
    expected = (
        Fault(FaultCode.UNREADABLE, "b", Place("a")),
        Fault(FaultCode.UNREADABLE, "c", Place("a")),
        Fault(FaultCode.UNREADABLE, "a", Place("a", 1)),
        Fault(FaultCode.UNREADABLE, "a", Place("a", 2)),
        Fault(FaultCode.UNREADABLE, "a", Place("b")),
    )
    assert in_order([*reversed(expected), *expected]) == expected


def test_a_report_of_parts_has_all_of_each() -> None:
    """Inputs by path, sums of counts, secrets and addresses of any, and the stricter profile."""
    one = replace(
        report(),
        inputs=(Input(path="c", kind="template"), Input(path="a", kind="template")),
        faults=(BLOCKING,),
        counts=Counts(tables=1, policies=7, verdicts=5, held=1, failed=2, unknown=1, not_applicable=3, waived=4),
        exit=Exit.USAGE,
        secrets=frozenset({"s"}),
        skipped=(Skipped("why", 4, ("d", "b", "f", "e")), Skipped("other", 1, ("z",))),
        profile=Profile.STRICT,
        strict_adds=0,
        addressed=frozenset({"x"}),
    )
    other = replace(
        one,
        inputs=(Input(path="b", kind="template"),),
        faults=(WARNING, BLOCKING),
        counts=Counts(tables=10, policies=6, verdicts=50, held=10, failed=20, unknown=10, not_applicable=30, waived=40),
        exit=Exit.OPEN,
        secrets=frozenset({"t"}),
        skipped=(Skipped("why", 2, ("a", "c")),),
        profile=Profile.STANDARD,
        strict_adds=3,
        addressed=frozenset({"y"}),
    )
    for parts in ([one, other], [other, one]):
        both = merged(parts)
        assert [item.path for item in both.inputs] == ["a", "b", "c"]
        assert (both.faults, both.exit) == ((BLOCKING, WARNING), Exit.USAGE)
        assert both.counts == Counts(
            tables=11, policies=7, verdicts=55, held=11, failed=22, unknown=11, not_applicable=33, waived=44
        )
        assert (both.secrets, both.addressed) == (frozenset("st"), frozenset("xy"))
        assert both.skipped == (Skipped("other", 1, ("z",)), Skipped("why", 6, ("a", "b", "c", "d", "e")))
        assert (both.profile, both.strict_adds) == (Profile.STRICT, 3)


def test_faults_of_parts_decide_together() -> None:
    """A part that says nothing of its exit code cannot open the gate."""
    assert merged([replace(report(), faults=(BLOCKING,), exit=Exit.OPEN)]).exit is Exit.UNREAD
    assert merged([replace(report(finding()), exit=Exit.OPEN)]).exit is Exit.BLOCKED


def test_nothing_is_a_report_too() -> None:
    """With nothing in it, and no reason to block."""
    assert (merged([]), NOTHING.gate, NOTHING.counts) == (NOTHING, "open", Counts())
    assert all(getattr(Counts(), name) == 0 for name in field_names(Counts))
    empty = Input(path="a", kind="template")
    assert [name for name in field_names(Input) if getattr(empty, name)] == ["path", "kind"]
    assert (NOTHING.profile, NOTHING.strict_adds, NOTHING.skipped) == (Profile.STANDARD, 0, ())


def test_a_fault_has_the_subjects_of_all_parts() -> None:
    """A policy that crashes in several processes is told once."""
    faults = [Fault(FaultCode.INTERNAL, "m", Place("acme.py", 3), subjects=names) for names in (("B", "C"), ("A", "B"))]
    (fault,) = in_order(faults)
    assert fault.subjects == ("A", "B", "C")
