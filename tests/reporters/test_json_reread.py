"""A report that was written as JSON, read again: nothing that any format shows is lost, and nothing untrue believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.reports import fault, finding, report
from support.tables import index
from tablegate.findings import Exit, Finding, Outcome, Report, Shard, Skipped
from tablegate.model import facts
from tablegate.model.table import Construct
from tablegate.model.value import Doubt, Place, Value
from tablegate.reporters import REPORTERS
from tablegate.reporters.json_reread import reread
from tablegate.reporters.wording import Detail, ReportView
from tablegate.syntax.node import ParseError

PROJECTS = Path(__file__).parents[2] / "fixtures" / "projects"
UNKNOWN = facts.RECOVERY.doubted(Doubt("it is known only after the apply", "set it"))
FINDINGS = (
    finding(),
    finding(part={"index": "by-status"}, scenario={"Env": "dev"}, place=None, fix=None),
    finding(outcome=Outcome.UNKNOWN, evidence=(UNKNOWN,), blocks=False),
    finding(
        outcome=Outcome.WAIVED, waived="they know", construct=Construct(path="App/Orders", place=Place("app.ts", 3, 5))
    ),
    finding(evidence=(facts.TAGS.of({"a": "b"}), facts.TAGS.unset, facts.RECOVERY.unset)),
    finding(evidence=(Value("secret", "hunter2", sensitive=True), Value("strange", "x" * 9))),
    finding(evidence=(Value("indexes", (index(),)), Value("nothing", None), Value("price", 0.5))),
)


def written(one: Report) -> bytes:
    """The report as JSON."""
    return REPORTERS["json"](one, ReportView()).encode()


def whole(*findings: Finding) -> Report:
    """A report with all that one can hold, and counts that add up."""
    outcomes = [item.outcome for item in findings]
    base = report(*findings)
    numbers = {"failed": Outcome.FAILS, "unknown": Outcome.UNKNOWN, "waived": Outcome.WAIVED}
    given = {name: outcomes.count(outcome) for name, outcome in numbers.items()}
    held = base.counts.verdicts - base.counts.not_applicable - sum(given.values())
    return report(
        *findings,
        faults=(
            fault(subjects=("A in t.yaml", "B in t.yaml")),
            fault(place=Place("plan.json", 3, 7, path="$.a"), hint=None, blocks=False),
        ),
        exit=Exit.UNREAD,
        counts=type(base.counts)(tables=1, policies=41, verdicts=60, held=held, not_applicable=10, **given),
        skipped=(Skipped("no input", 2, ("a", "b")),),
        shard=Shard(1, 2, 9, "ab"),
    )


@pytest.mark.parametrize("form", REPORTERS)
@pytest.mark.parametrize("detail", list(Detail))
def test_every_format_is_written_from_it(form: str, detail: Detail) -> None:
    """The report that was read gives the same bytes as the report that was written."""
    made = whole(*FINDINGS)
    again = reread(written(made))
    assert REPORTERS[form](made, ReportView(detail=detail)) == REPORTERS[form](again, ReportView(detail=detail))
    assert (made.exit, made.gate) == (again.exit, again.gate)


@pytest.mark.parametrize("path", sorted(PROJECTS.glob("*/report.json")), ids=lambda path: path.parent.name)
def test_reports_of_whole_runs_are_read_again(path: Path) -> None:
    """Byte for byte."""
    data = path.read_bytes()
    assert data == written(reread(data))


def test_what_was_hidden_keeps_its_name() -> None:
    """A finding is known by its fingerprint, also where its part may not be told."""
    made = report(finding(part={"index": "hunter2"}), secrets=frozenset({"hunter2"}))
    again = reread(written(made))
    assert {"index": "(sensitive)"} == again.findings[0].part
    assert made.findings[0].fingerprint == again.findings[0].fingerprint
    assert written(made) == written(again)


def changed(**members: Any) -> bytes:
    """A report that somebody had their hands on."""
    return json.dumps(json.loads(written(whole(*FINDINGS))) | members).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty (0 bytes)"),
        (b"[]", "not a report of tablegate"),
        (b'{"version": 1}', "not a report of tablegate"),
        (b'{"Resources": {}}', "not a report of tablegate"),
        (changed(version=2), "a report of another version, where 1 is known"),
        (changed(version="1"), "a report of another version, where 1 is known"),
        (changed(exit=7), "not a whole report of version 1"),
        (changed(findings=[{}]), "not a whole report of version 1: `$.findings[0]`"),
        (changed(findings=[]), "the report's counts are not those of its findings"),
        (changed(policies=[]), "the report says nothing of the policy TG301"),
        (written(whole(*FINDINGS))[:-3], "unexpected end of file (truncated?)"),
    ],
)
def test_what_is_no_report_is_refused(data: bytes, message: str) -> None:
    """Also one of which a part was taken away."""
    with pytest.raises(ParseError) as refused:
        reread(data)
    assert message == refused.value.message


def test_a_report_is_no_better_than_its_findings() -> None:
    """An exit code that somebody made milder is not believed; a graver one is."""
    assert Exit.UNREAD is reread(changed(exit=0)).exit
    assert Exit.INTERNAL is reread(changed(exit=4)).exit
