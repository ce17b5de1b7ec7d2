"""The report for people."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from textwrap import dedent

import pytest

from support.reports import PROTECTION, a_policy, fault, finding, line_of_template, report
from tablegate.findings import Counts, Exit, FaultCode, Finding, GatheredPolicy, Input, Outcome, Report
from tablegate.model import facts
from tablegate.model.value import Doubt, Origin, Place, Value
from tablegate.policy import LOW, Severity
from tablegate.policy.declare import Profile
from tablegate.reporters import REPORTERS
from tablegate.reporters.wording import Detail, ReportView

PLAIN = ReportView(line=line_of_template)
FULL = ReportView(line=line_of_template, detail=Detail.FULL)
BRIEF = ReportView(line=line_of_template, detail=Detail.BRIEF)


def rendered(report: Report, look: ReportView = PLAIN) -> str:
    """The report as a reader sees it."""
    return REPORTERS["text"](report, look)


def in_plan(address: str = "aws_dynamodb_table.orders", **stated: object) -> Finding:
    """The same finding in a plan, where lines say nothing."""
    base = {
        "file": "plan.json",
        "address": address,
        "place": Place("plan.json", path=address),
        "evidence": (facts.RECOVERY.of(False, Place("plan.json", path="point_in_time_recovery[0].enabled")),),
        "fix": "point_in_time_recovery {\n  enabled = true\n}",
    }
    return finding(**(base | stated))


def test_a_failure_in_a_template() -> None:
    """What, where, the line itself, why, the fix, where to read on, the gate, and what to do next."""
    expected = """\
        tablegate 0.1.0 · CloudFormation template · 1 table, 2 indexes · 41 policies checked

        high[TG301 point-in-time-recovery] point-in-time recovery is off
          --> template.yaml:6:37  Orders
           |
         6 |         PointInTimeRecoveryEnabled: false
           |                                     ^^^^^ set here
           |
           = why:   Without it a bad deploy loses every write since the last backup.
           = fix:   PointInTimeRecoverySpecification:
           |          PointInTimeRecoveryEnabled: true
           = more:  tablegate explain TG301   https://docs.example.com/recovery

        blocking: 1 high · 60 checks: 1 failed, 49 passed, 10 not applicable
        gate: blocked (exit 1)
        next: fix what blocks; tablegate explain TG301 shows how
        """
    assert dedent(expected) == rendered(report(finding()))


def test_the_profile_is_named() -> None:
    """The header names another profile than the default, and the counts say what strict would add."""
    strict = rendered(report(finding(), profile=Profile.STRICT))
    assert "· 41 policies checked\n  · profile strict\n" in strict
    assert "\nprofile strict would also check 4 policies\ngate: " in rendered(report(finding(), strict_adds=4))


def test_policies_that_fail_for_the_same_cause_are_named_with_it() -> None:
    """A line each, with the severity."""
    other = GatheredPolicy("TG302", "replica-recovery", LOW, "recovery is off for the replica")
    assert "   = and:   low[TG302 replica-recovery] recovery is off for the replica\n" in rendered(
        report(finding(also=(other,)))
    )


def test_a_failure_in_a_plan() -> None:
    """A plan is one line that a machine made: the address and the attribute's path stand for it."""
    text = rendered(report(in_plan('module.orders["eu"].aws_dynamodb_table.this', part={"index": "by-status"})))
    expected = """\
        high[TG301 point-in-time-recovery] point-in-time recovery is off
          --> plan.json  module.orders["eu"].aws_dynamodb_table.this (index by-status)
           |
           |  point_in_time_recovery[0].enabled: set here
           |
           = why:   Without it a bad deploy loses every write since the last backup.
           = fix:   point_in_time_recovery {
           |          enabled = true
           |        }
        """
    assert dedent(expected) in text


def test_what_cannot_be_known() -> None:
    """The value that is not known comes first, with the reason, what settles it, and why it blocks."""
    doubt = Doubt("data.aws_kms_alias.app.arn is known only after apply", "refer to aws_kms_key.<name>.arn")
    known = facts.DATA_CLASS.of("pii")
    text = rendered(report(in_plan(outcome=Outcome.UNKNOWN, evidence=(known, facts.KEY_OWNER.doubted(doubt)))))
    expected = """\
        unknown[TG301 point-in-time-recovery] point-in-time recovery is off
          --> plan.json  aws_dynamodb_table.orders
           |
           |  owner of the encryption key is unknown: data.aws_kms_alias.app.arn is known only after apply
           |  data class is pii
           |
           = why:   Without it a bad deploy loses every write since the last backup.
           = resolve: refer to aws_kms_key.<name>.arn
           = blocks: high severity, and unknown = "block"
        """
    assert dedent(expected) in text


def test_one_cause_is_one_frame() -> None:
    """Findings of one policy that say the same share a frame, which names five more of them."""
    found = [in_plan(f"aws_dynamodb_table.t{number}") for number in range(9)]
    text = rendered(report(*found))
    assert 1 == text.count("high[TG301")
    assert "= also:  aws_dynamodb_table.t1\n" in text
    assert "|        ... and 3 more with the same cause" in text
    assert "aws_dynamodb_table.t8" in rendered(report(*found), FULL)


def test_different_causes_are_framed_up_to_a_number() -> None:
    """Of one policy five frames are drawn; what blocks beyond them is listed, never dropped."""
    found = [in_plan(message=f"reason {number}", address=f"aws_dynamodb_table.t{number}") for number in range(8)]
    text = rendered(report(*found))
    assert 5 == text.count("high[TG301")
    heading, row = text.split("\n\n")[-2].splitlines()
    assert "Also blocking, in plan.json (-v for details):" == heading
    names = "aws_dynamodb_table.t5, aws_dynamodb_table.t6, …(+1)"
    assert f"  high  TG301 point-in-time-recovery  3  {names}" == row
    assert 8 == rendered(report(*found), FULL).count("high[TG301")


def test_what_does_not_block_is_a_line_each() -> None:
    """A line names the severity, the policy, how many there are, and the first places."""
    found = [finding(policy=PROTECTION, blocks=False, address=f"T{number}") for number in range(5)]
    expected = """\
        tablegate 0.1.0 · CloudFormation template · 1 table, 2 indexes · 41 policies checked

        Not blocking, in template.yaml (-v for details):
          medium  TG304 deletion-protection  5  T0:6, T1:6, T2:6, …(+2)

        not blocking: 5 medium · 60 checks: 5 failed, 45 passed, 10 not applicable
        gate: open (exit 0)
        """
    assert dedent(expected) == rendered(report(*found))


def test_worse_comes_first() -> None:
    """Frames are sorted by severity, then policy, file, line and address."""
    worst = a_policy("TG701", "table_loss", Severity.CRITICAL)
    found = (finding(address="B"), finding(address="A", message="other"), finding(policy=worst))
    heads = re.findall(r"^(\w+)\[\w+", rendered(report(*found)), re.MULTILINE)
    assert ["critical", "high", "high"] == heads
    assert rendered(report(*found)) == rendered(report(*reversed(found)))


def test_all_holds_in_three_quiet_lines() -> None:
    """A passing run says what was read, that it holds, and that the gate is open."""
    expected = """\
        tablegate 0.1.0 · Terraform plan (1.11.4) · 3 tables · 41 policies checked
        all 41 policies pass on 3 tables (123 checks, 13 not applicable)
        gate: open (exit 0)
        """
    counts = Counts(tables=3, policies=41, verdicts=123, held=110, not_applicable=13)
    read = (Input(path="plan.json", kind="terraform-plan", detail="1.11.4", resources=5, tables=3),)
    assert dedent(expected) == rendered(report(inputs=read, counts=counts))


def test_no_dynamodb_in_the_input() -> None:
    """An input that was understood and holds no table is told apart from one that was not read."""
    read = (Input(path="plan.json", kind="terraform-plan", detail="1.11.4", resources=212),)
    expected = """\
        tablegate 0.1.0 · Terraform plan (1.11.4) · 0 tables · 41 policies checked
        Terraform plan: 212 resources, none of them DynamoDB
        gate: open, nothing to check (exit 0)
        """
    assert dedent(expected) == rendered(report(inputs=read, counts=Counts(policies=41)))


def test_an_input_that_could_not_be_read() -> None:
    """A fault is an error with its remedy, and says that nothing was judged."""
    expected = """\
        tablegate 0.1.0 · nothing was read

        error[TG001 unreadable] the file is empty
          --> plan.json
           = do:    terraform show -json tfplan > plan.json

        nothing was checked
        gate: failed, not everything could be checked (exit 3)
        next: correct what is reported as an error; until then the result is not complete
        """
    made = report(inputs=(), faults=(fault(),), counts=Counts(policies=41), exit=Exit.UNREAD)
    assert dedent(expected) == rendered(made)


def test_a_fault_that_does_not_block_is_a_warning() -> None:
    """The word says whether the gate closes for it."""
    made = report(faults=(fault(code=FaultCode.INCOMPLETE, blocks=False, hint=None),))
    assert "warning[TG002 incomplete] the file is empty\n  --> plan.json\n" in rendered(made)


def test_an_internal_fault_has_no_number() -> None:
    """What went wrong inside is not the input's fault."""
    assert "error[internal] the file" in rendered(report(faults=(fault(code=FaultCode.INTERNAL),), exit=Exit.INTERNAL))


@pytest.mark.parametrize(
    ("kind", "number", "said"),
    [
        ("cloudformation", 1, "CloudFormation template: 1 table, not created with these parameters"),
        ("terraform-source", 2, "Terraform source: 2 tables, not created with these variables"),
    ],
)
def test_tables_that_do_not_exist_are_no_absent_ones(kind: str, number: int, said: str) -> None:
    """If a condition or a count leaves no table, the report says so."""
    read = (Input(path="p", kind=kind, resources=3, not_created=number),)
    assert f"{said}\ngate: open, nothing to check (exit 0)\n" in rendered(
        report(inputs=read, counts=Counts(policies=41))
    )


def test_documents_are_counted_by_how_much_of_them_was_read() -> None:
    """Those that nobody could read whole are told apart, where there are any."""
    read = Input(path="p", kind="terraform-plan", tables=1, documents=14, documents_partly=2, documents_unread=1)
    assert "1 table, 14 IAM documents (2 partly read, 1 not read)\n  · 41 policies checked\n" in rendered(
        report(inputs=(read,))
    )
    whole = Input(path="p", kind="terraform-plan", tables=1, documents=1)
    assert "1 table, 1 IAM document · " in rendered(report(inputs=(whole,)))


def test_several_inputs_are_counted_by_kind() -> None:
    """The header adds up what was read."""
    read = tuple(
        Input(path=f"{kind}{number}", kind=kind, tables=2, replicas=1)
        for number, kind in enumerate(["terraform-plan", "cloudformation", "cloudformation"])
    )
    head = rendered(report(inputs=read)).partition("\nall ")[0]
    kinds = "3 inputs: 2 CloudFormation templates, 1 Terraform plan"
    assert f"tablegate 0.1.0 · {kinds} · 6 tables, 3 replicas\n  · 41 policies checked" == head
    assemblies = tuple(Input(path=f"{number}", kind="cdk-assembly") for number in range(2))
    assert "2 inputs: 2 CDK assemblies · " in rendered(report(inputs=assemblies))


def test_brief_and_full() -> None:
    """-q keeps the counts, the gate and the faults; -v draws what does not block too."""
    found = (finding(), finding(policy=PROTECTION, blocks=False))
    brief = rendered(report(*found, faults=(fault(),)), BRIEF)
    assert "[TG301" not in brief
    assert "error[TG001" in brief
    assert brief.endswith("passed, 10 not applicable\ngate: blocked (exit 1)\n")
    assert "medium[TG304 deletion-protection]" in rendered(report(*found), FULL)


def test_waived_findings_are_listed_and_counted() -> None:
    """A waiver hides nothing."""
    text = rendered(report(finding(outcome=Outcome.WAIVED, blocks=False)))
    assert "  waived  TG301 point-in-time-recovery  1  Orders:6\n" in text
    assert "not blocking: 1 waived" in text


def test_a_scenario_is_named() -> None:
    """What fails under some parameters only says under which."""
    assert "= when:  Env = dev, Size = small\n" in rendered(report(finding(scenario={"Size": "small", "Env": "dev"})))


def test_values_elsewhere_are_shown_where_they_stand() -> None:
    """Each value has its own line, in its own file where that is another."""
    here, there = Place("template.yaml", 2, 3, 9), Place("other.yaml", 120, 5)
    values = (facts.RECOVERY.of(False, here), facts.PURPOSE.of("orders", there), facts.RECOVERY_DAYS.unset)
    text = rendered(report(finding(place=here, evidence=values, message="no")))
    expected = """\
        high[TG301 point-in-time-recovery] no
            --> template.yaml:2:3  Orders
             |
           2 |   Orders:
             |   ^^^^^^ point-in-time recovery is off; recovery period in days is not set, so it is 35
            ::: other.yaml:120:5
             |  purpose is orders
             |
        """
    assert dedent(expected) in text


@pytest.mark.parametrize("width", [100, 1000, 100_000])
def test_long_lines_show_what_stands_around_the_value(width: int) -> None:
    """A template on one line is cut on both sides, and the mark still stands under the value."""
    line = "x" * width + "false" + "y" * width
    place = Place("template.yaml", 1, width + 1, width + 6)
    text = rendered(
        report(finding(place=place, evidence=(facts.RECOVERY.of(False, place),))), ReportView(line=lambda *_: line)
    )
    source, marks = text.splitlines()[5:7]
    assert source.index("false") == marks.index("^^^^^ ")
    assert len(source) < 160


def test_marks_stand_under_wide_and_escaped_text() -> None:
    """Characters of two columns, and those that are spelled out, move the mark along."""
    line = "注文\x1b\t: false"
    place = Place("template.yaml", 1, 7, 12)
    found = finding(place=place, evidence=(facts.RECOVERY.of(False, place),))
    source, marks = rendered(report(found), ReportView(line=lambda *_: line)).splitlines()[5:7]
    assert " 1 | 注文\\x1b    : false" == source
    assert "   |               ^^^^^ set here" == marks


def test_a_frame_shows_six_values() -> None:
    """What more there is, is counted."""
    values = tuple(facts.NAME.of(f"table-{number}") for number in range(8))
    assert "|  ... and 2 more\n" in rendered(report(in_plan(evidence=values)))


def test_a_finding_without_evidence_has_a_place() -> None:
    """The subject's place is shown."""
    assert "^^^^^ here\n" in rendered(report(finding(evidence=())))


def test_prose_is_wrapped_to_the_reader_s_width() -> None:
    """A continued line begins with a mark of ours, never with a word of an input."""
    hint = "::error:: " * 20
    text = rendered(report(faults=(fault(hint=hint),)), replace(PLAIN, width=60))
    assert [line for line in text.splitlines() if line.lstrip().startswith("::")] == []
    assert max(map(len, text.splitlines()[2:6])) <= 60


@pytest.mark.parametrize(
    "evil", ["\n::error file=x::y", "\r\n##[error]x", "\x1b[2J", "\u2028::warning::", "\u202e", "\x9b31m"]
)
def test_nothing_in_an_input_becomes_a_line_or_a_command(evil: str) -> None:
    """Names that try to speak to a terminal or a build server are spelled out, wherever they stand."""
    place = Place(evil, 1, 1, 2, evil)
    text = rendered(
        report(
            finding(
                file=evil,
                address=evil,
                part={evil: evil},
                scenario={evil: evil},
                message=evil,
                place=place,
                evidence=(facts.NAME.of(evil, place), facts.KEY.doubted(Doubt(evil, evil), place)),
                outcome=Outcome.UNKNOWN,
                fix=evil,
            ),
            faults=(fault(message=evil, hint=evil, place=place),),
            inputs=(Input(path=evil, kind=evil, detail=evil),),
        ),
        ReportView(line=lambda *_: evil, detail=Detail.FULL),
    )
    assert not re.search(r"^\s*(::|##)|##\w*\[", text, re.MULTILINE)
    assert all(character == "\n" or character.isprintable() for character in text)


def test_no_secret_is_shown() -> None:
    """A secret's copies go from every text, also from the source line."""
    found = finding(
        message="it is swordfish",
        address="swordfish",
        evidence=(facts.NAME.of("swordfish", Place("template.yaml", 1, 1)), facts.KEY.of("other", sensitive=True)),
    )
    text = rendered(report(found, secrets=frozenset({"swordfish"})), ReportView(line=lambda *_: "Default: swordfish"))
    assert ["  --> template.yaml:6:37  swordfish"] == [line for line in text.splitlines() if "swordfish" in line]
    assert "encryption key is (sensitive)" in text
    assert "other" not in text


def test_colour_only_adds_colour() -> None:
    """Without its colours, a coloured report is the plain one; escapes are ours alone."""
    made = report(finding(), finding(policy=PROTECTION, blocks=False), faults=(fault(),))
    coloured = rendered(made, replace(PLAIN, colour=True))
    assert "\x1b[1;31mhigh[TG301 point-in-time-recovery]\x1b[0m" in coloured
    assert rendered(made) == re.sub(r"\x1b\[[\d;]*m", "", coloured)


def test_thousands_of_findings_are_quick() -> None:
    """A plan of a thousand tables is read as fast as a small one: causes are gathered before anything is drawn."""
    low = [a_policy(f"TG9{number:02}", f"policy_{number}", LOW) for number in range(8)]
    found = [
        in_plan(f"aws_dynamodb_table.t{number}", policy=policy, severity=LOW, blocks=False)
        for number in range(1000)
        for policy in low
    ]
    made = report(*found)
    start = time.perf_counter()
    text = rendered(made)
    assert time.perf_counter() - start < 0.5
    assert text.count("\n") < 20


def test_a_run_in_which_a_policy_crashed_does_not_say_that_all_holds() -> None:
    """What was not answered does not hold."""
    made = report(counts=Counts(tables=1, policies=2, verdicts=4, held=3), faults=(fault(),), exit=Exit.INTERNAL)
    assert (
        "\n\n4 checks: 3 passed, 1 without a result\ngate: failed, not everything could be checked (exit 4)\nnext: "
        in rendered(made)
    )


def test_a_finding_without_a_remedy_or_a_page() -> None:
    """Policies written as data may have neither."""
    bare = replace(a_policy("ACME001", "short"), docs="")
    text = rendered(report(finding(policy=bare, fix=None)))
    assert "= fix:" not in text
    assert "= more:  tablegate explain ACME001\n" in text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (facts.RECOVERY.of(True), "point-in-time recovery is on"),
        (facts.RECOVERY.unset, "point-in-time recovery is not set, so it is off"),
        (facts.KEY.unset, "encryption key is not set"),
        (facts.TAGS.unset, "no tags"),
        (facts.NAME.of(None), "table name is none"),
        (facts.NAME.of(""), "table name is empty"),
        (facts.UTILISATION.of(70.0), "target utilisation is 70.0"),
        (facts.ATTRIBUTES.of({"b": "N", "a": "S"}), "attribute definitions are a: S, b: N"),
        (facts.PROJECTED.of(()), "projected attributes are empty"),
        (
            facts.PROJECTED.of(tuple(map(str, range(25)))),
            f"projected attributes are {', '.join(map(str, range(20)))}, …(+5)",
        ),
        (facts.TAGS.of({"a": "b"}), "1 tag"),
        (facts.POLICY.of("{}"), "resource policy has 2 characters"),
        (Value("parts", (object(),)), "parts is 1 entry"),
        (Value("doubtful", None, Origin.UNKNOWN), "doubtful is unknown: it is not visible in this input"),
    ],
)
def test_values_are_said_in_words(value: Value[object], expected: str) -> None:
    """What it is, and whether somebody set it."""
    text = rendered(report(in_plan(evidence=(value,), message="no")))
    assert f" {expected} " in re.sub(r"[ |\n]+", " ", text)


def test_without_its_source_a_template_s_finding_has_its_place() -> None:
    """Whoever renders a report without the sources shows no line of them."""
    text = rendered(report(finding()), ReportView())
    assert "  --> template.yaml:6:37  Orders\n   |\n   |  set here\n" in text


def test_a_long_remedy_is_cut_and_says_so() -> None:
    """The page has all of it."""
    text = rendered(report(finding(fix="\n".join(f"line {number}" for number in range(20)))))
    assert "|        line 11\n   |        ... and 8 more lines\n" in text
