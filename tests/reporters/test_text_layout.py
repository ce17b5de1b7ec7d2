"""What a report says once, how wide it is, and how it guides the eye."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.reports import PROTECTION, a_policy, finding, line_of_template, report
from tablegate.findings import Fault, FaultCode, Finding, Input, Outcome, Report, Skipped
from tablegate.model import facts
from tablegate.model.table import Construct
from tablegate.model.value import Doubt, Place
from tablegate.policy import Severity
from tablegate.reporters import REPORTERS
from tablegate.reporters.wording import SEVERITIES, Detail, ReportView, Style

PLAIN = ReportView(line=line_of_template)
FULL = ReportView(line=line_of_template, detail=Detail.FULL)
BRIEF = ReportView(line=line_of_template, detail=Detail.BRIEF)
TERRAFORM = "point_in_time_recovery {\n  enabled = true\n}"


def rendered(report: Report, look: ReportView = PLAIN) -> str:
    """The report as a reader sees it."""
    return REPORTERS["text"](report, look)


def in_plan(address: str = "aws_dynamodb_table.orders", **stated: object) -> Finding:
    """The same finding in a plan, where lines say nothing."""
    place = Place("plan.json", path=address)
    return finding(**({"file": "plan.json", "address": address, "place": place, "fix": TERRAFORM} | stated))


def test_the_reason_the_page_and_the_fix_are_told_once() -> None:
    """Each policy's, and each fix; in full, each finding has its own."""
    found = [in_plan(message=f"reason {number}", address=f"aws_dynamodb_table.t{number}") for number in range(3)]
    made = report(*found, in_plan(message="reason 4", fix="other"))
    text = rendered(made)
    assert (1, 1) == (text.count("= why:"), text.count("= more:"))
    assert (2, 1) == (text.count("= fix:   as above, for TG301\n"), text.count("= fix:   other\n"))
    assert (4, 4, 0) == tuple(rendered(made, FULL).count(word) for word in ("= why:", "= more:", "as above"))


def test_one_cause_in_several_files_is_one_frame() -> None:
    """Each further one with its file and, if a program made it, with its construct."""
    there = Place("z.yaml", 9, 3)
    construct = Construct(path="App/Carts", place=Place("app.ts", 12, 5))
    made = report(finding(), finding(file="z.yaml", place=there, address="Carts", construct=construct))
    assert "= also:  Carts  z.yaml:9:3  App/Carts  (app.ts:12:5)\n" in rendered(made)
    assert 2 == rendered(made, FULL).count("high[TG301")
    unplaced = finding(file="z.json", place=Place("z.json", path="x"), address="Carts")
    assert "= also:  Carts  z.json\n" in rendered(report(finding(), unplaced))


def test_another_fix_is_another_frame() -> None:
    """What is written in one language helps nobody who writes the other."""
    assert 2 == rendered(report(finding(), in_plan())).count("high[TG301")


def test_a_list_names_the_files_of_its_lines() -> None:
    """Once for all of them, or each."""
    alone = finding(policy=PROTECTION, blocks=False)
    other = finding(policy=PROTECTION, blocks=False, place=Place("module.tf", 3), address="B")
    assert "Not blocking, in template.yaml (-v for details):\n" in rendered(report(alone))
    text = rendered(report(alone, other))
    assert "Not blocking (-v for details):\n" in text
    assert "  B in module.tf:3, Orders in template.yaml:6\n" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_report_keeps_to_the_width(width: int) -> None:
    """Only what cannot be broken is longer: the line of a source is cut, code of a fix and addresses are whole."""
    place = Place("template.yaml", 1, 30, 36)
    words = "words of a long message " * 12
    doubt = Doubt(words, words)
    found = finding(
        place=place,
        message=words,
        evidence=(facts.RECOVERY.doubted(doubt, place), facts.NAME.of("n" * 20, Place("other.yaml", 7))),
        outcome=Outcome.UNKNOWN,
        scenario={f"Parameter{number}": "value" for number in range(9)},
        construct=Construct(path="App/" + "Stack/" * 6, place=Place("app.ts", 12)),
        address='module.orders["eu"].aws_dynamodb_table.this',
    )
    listed = [
        finding(policy=PROTECTION, blocks=False, address=f"module.a_{number}.aws_dynamodb_table.orders")
        for number in range(9)
    ]
    inputs = tuple(
        Input(path=f"{kind}", kind=kind, tables=2, replicas=1) for kind in ("terraform-plan", "cloudformation")
    )
    made = report(found, *listed, inputs=inputs, skipped=(Skipped("left out " * 9, 2, ("a", "b")),))
    text = rendered(made, ReportView(width=width, line=lambda *_: "word " * 60))
    assert [] == [line for line in text.splitlines() if len(line) > width]
    assert all(line[:1] != " " or line.lstrip()[0] in "|-=^~\u00b7:0123456789mu" for line in text.splitlines())


def test_a_mark_is_under_its_value_if_the_label_is_not_beside_it() -> None:
    """The label begins a line of its own."""
    line = " " * 70 + "false"
    place = Place("template.yaml", 1, 71, 76)
    found = finding(place=place, evidence=(facts.RECOVERY.of(False, place),), message="no")
    text = rendered(report(found), ReportView(width=80, line=lambda *_: line))
    assert f"\n 1 | {line}\n   | {' ' * 70}^^^^^\n   | point-in-time recovery is off\n" in text


def test_severities_and_marks_are_told_apart_by_colour() -> None:
    """The worst is not like the second worst, and what only explains is not like the cause."""
    codes = [SEVERITIES[str(severity)] for severity in Severity]
    assert len(set(codes)) == len(codes)
    here, there = Place("template.yaml", 6, 37, 42), Place("template.yaml", 3, 11, 20)
    found = finding(place=here, evidence=(facts.RECOVERY.of(False, here), facts.PURPOSE.of("orders", there)))
    text = rendered(report(found), replace(PLAIN, colour=True))
    assert f"\x1b[{SEVERITIES['high']}m^^^^^ set here" in text
    assert f"\x1b[{Style.RULE}m--------- purpose is orders" in text


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (("high", "critical", "high"), "next: fix what blocks; tablegate explain TG001 shows how"),
        (("high", "high"), "next: fix what blocks; tablegate explain TG000 shows how"),
        (("unknown",), "next: resolve the unknown values, or let them pass with --unknown warn"),
    ],
)
def test_the_last_line_says_what_to_do_next(outcomes: tuple[str, ...], expected: str) -> None:
    """About the worst that blocks; nothing if the gate is open."""
    found = [
        finding(policy=a_policy(f"TG{number % 2:03}", f"p{number % 2}"), severity=Severity(word))
        if word != "unknown"
        else finding(outcome=Outcome.UNKNOWN)
        for number, word in enumerate(outcomes)
    ]
    assert expected == rendered(report(*found)).splitlines()[-1]
    assert "next:" not in rendered(report(finding(blocks=False)))
    assert "next:" not in rendered(report(*found), BRIEF)


def test_a_crash_of_a_policy_is_told_with_its_line_and_its_subjects() -> None:
    """Some of them, and how many more."""
    names = tuple(f"T{number} in t.yaml" for number in range(7))
    crash = Fault(FaultCode.INTERNAL, "policy A (b) raised X", Place("acme.py", 3), hint="correct it", subjects=names)
    expected = """\
error[internal] policy A (b) raised X
  --> acme.py:3
   = at:    T0 in t.yaml
   |        T1 in t.yaml
   |        T2 in t.yaml
   |        T3 in t.yaml
   |        T4 in t.yaml
   |        ... and 2 more
   = do:    correct it
"""
    assert expected in rendered(report(faults=(crash,)))
