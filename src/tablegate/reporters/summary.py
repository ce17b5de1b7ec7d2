"""The first line of a text report and its last: what was read, what was found, and what the gate does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tablegate import __version__
from tablegate.findings import Exit, Finding, Outcome, Report
from tablegate.policy.declare import Severity
from tablegate.reporters.paint import SEVERITIES, Paint, Style
from tablegate.reporters.safe import Shower, Shown, joined, own
from tablegate.reporters.words import counted, listed, number, plural

DOT = " · "
_FAILS = Outcome.FAILS
UNREAD = "unread"  # the kind of an input that nobody could read


def header(report: Report, show: Shower) -> Shown:
    """The tool, what it read, and how many policies it asked."""
    asked = counted(report.counts.policies, "policy")
    return listed([own(f"tablegate {__version__}"), *_read(report, show), asked], DOT)


def _read(report: Report, show: Shower) -> Iterator[Shown]:
    read = [item for item in report.inputs if item.kind != UNREAD]
    if not read:
        yield own("nothing was read")
        return
    if len(report.inputs) == 1:
        only = report.inputs[0]
        yield joined(_kind(only.kind, show), *([own(" ("), show(only.detail), own(")")] if only.detail else []))
    else:
        yield joined(counted(len(report.inputs), "input"), own(": "), listed(_kinds(report, show)))
    yield listed(_seen(report))


def _kinds(report: Report, show: Shower) -> Iterator[Shown]:
    kinds = Counter(item.kind for item in report.inputs)
    for kind in sorted(kinds, key=lambda kind: (kind == UNREAD, kind)):
        name = own("not read") if kind == UNREAD else _kind(kind, show)
        if kinds[kind] > 1 and kind != UNREAD:
            name = Shown(plural(name))
        yield joined(number(kinds[kind]), own(" "), name)


def _kind(kind: str, show: Shower) -> Shown:
    return show("cloudformation template" if kind == "cloudformation" else kind.replace("-", " "))


def _seen(report: Report) -> Iterator[Shown]:
    yield counted(sum(item.tables for item in report.inputs), "table")
    indexes, replicas = (sum(getattr(item, name) for item in report.inputs) for name in ("indexes", "replicas"))
    if indexes:
        yield counted(indexes, "index")
    if replicas:
        yield counted(replicas, "replica")
    documents = sum(item.documents for item in report.inputs)
    if documents:
        yield joined(counted(documents, "policy document"), *_unread(report))


def _unread(report: Report) -> Iterator[Shown]:
    """How many of the documents could not be read wholly."""
    partly, unread = (
        sum(getattr(item, name) for item in report.inputs) for name in ("documents_partly", "documents_unread")
    )
    told = [
        joined(number(count), own(what)) for count, what in ((partly, " partly read"), (unread, " not read")) if count
    ]
    if told:
        yield joined(own(" ("), listed(told), own(")"))


def footer(report: Report, show: Shower, paint: Paint) -> Iterator[Shown]:
    """The counts, and the gate."""
    yield from _counts(report, show, paint)
    style = Style.GOOD if report.exit is Exit.OPEN else Style.BAD
    yield joined(own("gate: "), paint(style, own(report.gate)), own(" (exit "), number(report.exit), own(")"))


def _counts(report: Report, show: Shower, paint: Paint) -> Iterator[Shown]:
    counts = report.counts
    if report.findings:
        yield listed(_found(report, paint), DOT)
    elif not counts.verdicts:
        yield from _nothing(report, show)
    elif counts.held + counts.not_applicable == counts.verdicts:
        everywhere = joined(own("all "), counted(counts.policies, "policy"), own(" hold on "))
        apart = joined(own(", "), number(counts.not_applicable), own(" of them not applicable"))
        told = joined(counted(counts.verdicts, "verdict"), apart if counts.not_applicable else own(""))
        yield joined(everywhere, counted(counts.tables, "table"), own(DOT), told)
    else:
        yield _verdicts(report)


def _nothing(report: Report, show: Shower) -> Iterator[Shown]:
    if report.faults or not report.inputs:
        yield own("nothing was judged")
        return
    resources = sum(item.resources for item in report.inputs)
    kinds = listed(_kind(kind, show) for kind in sorted({item.kind for item in report.inputs}))
    yield joined(kinds, own(" understood: "), counted(resources, "resource"), own(", none of them DynamoDB"))


def _found(report: Report, paint: Paint) -> Iterator[Shown]:
    for blocks, lead in ((True, "blocking: "), (False, "not blocking: ")):
        words = Counter([_word(finding) for finding in report.findings if finding.blocks is blocks])
        order = [*Severity, *Outcome]
        each = [
            paint(SEVERITIES[word], joined(number(words[word]), own(" "), own(word))) for word in order if words[word]
        ]
        if each:
            yield joined(own(lead), listed(each))
    yield _verdicts(report)


def _word(finding: Finding) -> Severity | Outcome:
    return finding.severity if finding.outcome is _FAILS else finding.outcome


def _verdicts(report: Report) -> Shown:
    counts = report.counts
    apart = joined(own(", "), number(counts.not_applicable), own(" not applicable"))
    held = joined(number(counts.held), own(" of "), counted(counts.verdicts, "verdict"), own(" hold"))
    return joined(held, apart) if counts.not_applicable else held
