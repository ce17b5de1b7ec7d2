"""The report for people: what blocks in full, the rest in a line each, and the gate last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tablegate.findings import Report
from tablegate.reporters.look import Detail, Look
from tablegate.reporters.overview import MANY, Overview, not_judged, notable
from tablegate.reporters.paint import Paint, Style
from tablegate.reporters.safe import Shower, Shown, joined, own
from tablegate.reporters.summary import footer, header

if TYPE_CHECKING:
    from tablegate.reporters.causes import Cause

FRAMES = 5  # of one policy; its further causes are listed


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
    if look.detail is Detail.USUAL and len(report.inputs) > MANY:
        yield from Overview(look, paint, show).blocks(report)
        return
    # Imported here: many inputs are summed up, and nothing is shown in full or listed.
    from tablegate.reporters.causes import causes
    from tablegate.reporters.frames import Frames
    from tablegate.reporters.listing import Listing

    frames = Frames(look, paint, show)
    for fault in report.faults:
        yield list(frames.fault(fault))
    if look.detail is Detail.BRIEF:
        return
    full, further, rest = _sorted_out(causes(report.findings), look)
    for cause in full:
        yield list(frames.cause(cause))
    listing = Listing(paint, show, width=look.width, several=len(report.inputs) > 1)
    for heading, causes_left in (("blocking too", further), ("not blocking", rest)):
        if causes_left:
            lead = paint(Style.QUIET, joined(own(heading), own("; -v shows each in full")))
            yield [lead, *listing.lines(causes_left)]
    skipped = report.skipped if look.detail is Detail.FULL else notable(report.skipped)
    yield from not_judged(skipped, paint, show)


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
