"""Many inputs on one screen."""

from __future__ import annotations

from support.reports import PROTECTION, fault, finding, report
from tablegate.findings import NO_INPUT, Exit, Fault, FaultCode, Finding, Input, Report, Skipped
from tablegate.model.value import Place
from tablegate.reporters import REPORTERS
from tablegate.reporters.text import FEW_INPUTS, MAX_FAULTS, MAX_INPUTS
from tablegate.reporters.wording import Detail, ReportView


def many(*findings: Finding, **stated: object) -> Report:
    """A report of more inputs than are shown one by one."""
    inputs = tuple(Input(path=f"{number:02}.yaml", kind="cloudformation", tables=1) for number in range(FEW_INPUTS + 1))
    return report(*findings, inputs=inputs, **stated)


def lines(one: Report, detail: Detail = Detail.USUAL) -> list[str]:
    """What a reader sees between the first line and the counts."""
    text = REPORTERS["text"](one, ReportView(detail=detail))
    return text.partition("\n\n")[2].rpartition("\n\n")[0].splitlines()


def in_file(number: int, **stated: object) -> Finding:
    """A finding in one of the inputs."""
    return finding(file=f"{number:02}.yaml", place=Place(f"{number:02}.yaml", 6), **stated)


def test_a_policy_is_a_line() -> None:
    """How often, in how many inputs, and where first; what blocks comes first, and what is broken most."""
    found = [in_file(1), in_file(1, address="Carts"), in_file(2), in_file(3, policy=PROTECTION, blocks=False)]
    assert [
        "Blocking (tablegate explain POLICY shows the fix, -v every finding):",
        "  high  TG301 point-in-time-recovery  3 in 2 inputs  Orders in 01.yaml:6",
        "",
        "Not blocking:",
        "  medium  TG304 deletion-protection  1 in 1 input  Orders in 03.yaml:6",
        "",
        "Inputs with the most blocking findings:",
        "  2  01.yaml",
        "  1  02.yaml",
    ] == lines(many(*found))


def test_the_list_of_the_worst_ends() -> None:
    """And says how many more there are."""
    shown = lines(many(*(in_file(number) for number in range(MAX_INPUTS + 2))))
    assert f"  1  {MAX_INPUTS - 1:02}.yaml" in shown
    assert "  ... and 2 more" == shown[-1]


def test_faults_are_told_by_what_is_wrong() -> None:
    """Alike ones once, those that block first; of very many kinds, the most frequent."""
    alike = [fault(place=Place(f"{number}.json")) for number in range(6)]
    note = Fault(FaultCode.UNREADABLE, "a link out of the folder", Place("link"), blocks=False)
    assert [
        "error[TG001 unreadable] the file is empty",
        "  --> 0.json",
        "   = do:    terraform show -json tfplan > plan.json",
        "   = also:  1.json, 2.json, 3.json, …(+2)",
        "",
        "warning[TG001 unreadable] a link out of the folder",
        "  --> link",
    ] == lines(many(faults=(*alike, note), exit=Exit.UNREAD))
    kinds = [fault(message=f"what {number}") for number in range(MAX_FAULTS + 3)]
    assert (
        "... and 3 more that could not be read or checked (-v for all)"
        == lines(many(faults=tuple(kinds), exit=Exit.UNREAD))[-1]
    )


def test_what_was_not_judged_is_told() -> None:
    """With the reason and some names; of a few inputs, only what one may have expected to be judged."""
    skipped = (Skipped("left out", 2, ("a", "b")), Skipped(NO_INPUT, 7, ("c", "d", "e", "f")))
    left, other = "  2 files: left out: a, b", "  7 files: not a plan, a template or Terraform source: c, d, e, …(+4)"
    assert ["Skipped:", left, other] == lines(many(skipped=skipped))
    assert ["Skipped:", left] == lines(report(skipped=skipped))
    assert ["Skipped:", left, other] == lines(report(skipped=skipped), Detail.FULL)
    assert [] == lines(report(skipped=skipped), Detail.BRIEF)


def test_every_finding_is_shown_to_who_asks() -> None:
    """Frames in full, however many inputs there are."""
    assert 2 == sum("-->" in line for line in lines(many(in_file(1), in_file(2)), Detail.FULL))
