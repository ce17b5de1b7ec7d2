"""The report for people: what blocks in full, the rest in a line each, and the gate last."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tablegate.findings import Finding, Report
from tablegate.model.value import Place
from tablegate.reporters.causes import Cause, causes, in_order
from tablegate.reporters.frames import Frames
from tablegate.reporters.look import Detail, Look
from tablegate.reporters.paint import SEVERITIES, Paint, Style
from tablegate.reporters.safe import Shower, Shown, joined, own
from tablegate.reporters.summary import footer, header
from tablegate.reporters.words import listed, number, subject, where

FRAMES = 5  # of one policy; its further causes are listed
NAMED = 3  # addresses in a line of the list

Locate = Callable[[list[Finding]], Shown]


def render(report: Report, look: Look) -> str:
    """The whole report. The same report gives the same bytes."""
    show = Shower(report.secrets)
    paint = Paint(colour=look.colour)
    blocks = list(_blocks(report, look, paint, show))
    lines = [header(report, show)]
    for block in blocks:
        lines += [own(""), *block]
    if blocks:
        lines.append(own(""))
    lines += footer(report, show, paint)
    return "\n".join(lines) + "\n"


def _blocks(report: Report, look: Look, paint: Paint, show: Shower) -> Iterator[list[Shown]]:
    frames = Frames(look, paint, show)
    for fault in report.faults:
        yield list(frames.fault(fault))
    if look.detail is Detail.BRIEF:
        return
    full, further, rest = _sorted_out(causes(report.findings), look)
    for cause in full:
        yield list(frames.cause(cause))
    located = _located_among(report, show)
    for heading, causes_left in (("blocking too", further), ("not blocking", rest)):
        if causes_left:
            lead = paint(Style.QUIET, joined(own(heading), own("; -v shows each in full")))
            yield [lead, *_table(causes_left, paint, show, located)]


def _sorted_out(found: tuple[Cause, ...], look: Look) -> tuple[list[Cause], list[Cause], list[Cause]]:
    """What is shown in full, what blocks and is listed because there is much of it, and what does not block."""
    if look.detail is Detail.FULL:
        return list(found), [], []
    full: list[Cause] = []
    further: list[Cause] = []
    seen: dict[str, int] = {}
    for cause in found:
        if cause.first.blocks:
            policy = cause.first.policy.id
            seen[policy] = seen.get(policy, 0) + 1
            (full if seen[policy] <= FRAMES else further).append(cause)
    return full, further, [cause for cause in found if not cause.first.blocks]


def _table(found: list[Cause], paint: Paint, show: Shower, located: Locate) -> Iterator[Shown]:
    """A line for each policy and outcome: how many, and the first of their addresses."""
    rows: dict[tuple[str, str, str], list[Finding]] = {}
    for cause in found:
        policy = cause.first.policy
        rows.setdefault((cause.word, policy.id, policy.name), []).extend(cause.findings)
    names = [joined(show(id_), own(" "), show(name)) for _, id_, name in rows]
    words = max(len(word) for word, _, _ in rows)
    widest = max(map(len, names))
    most = max(len(number(len(found))) for found in rows.values())
    for ((word, _, _), findings), name in zip(rows.items(), names, strict=True):
        lead = paint(SEVERITIES[word], Shown(f"{word:<{words}}"))
        count = Shown(f"{number(len(findings)):>{most}}")
        yield listed((own(""), lead, Shown(f"{name:<{widest}}"), count, located(findings)), "  ")


def _located_among(report: Report, show: Shower) -> Locate:
    """How findings are named in a line: a few by their subject, or one by its file too, where there are several."""
    several = len(report.inputs) > 1

    def one(finding: Finding) -> Shown:
        line = finding.place.line if finding.place else None
        if several:
            return joined(subject(finding, show), own(" in "), where(Place(finding.file, line), show))
        return joined(subject(finding, show), *([own(":"), Shown(str(line))] if line is not None else []))

    def located(findings: list[Finding]) -> Shown:
        most = 1 if several else NAMED
        named = [one(finding) for finding in sorted(findings, key=in_order)[:most]]
        more = [joined(own("…(+"), number(len(findings) - most), own(")"))] if len(findings) > most else []
        return listed(named + more)

    return located
