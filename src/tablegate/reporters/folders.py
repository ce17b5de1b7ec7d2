"""An audit by repository or folder: what blocks, what is unknown and what was not read in each."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.findings import Outcome, Report
from tablegate.model.record import record
from tablegate.reporters.safe import SafeText, Sanitizer, joined, trusted_text
from tablegate.reporters.wording import counted, number

MAX_FOLDERS = 20
_HEADS = ("blocking", "unknown", "not read", "inputs")


@record(kw_only=False)
class FolderCounts:
    """The counts of one folder, the gravest first."""

    folder: str
    blocking: int = 0
    unknown: int = 0
    not_read: int = 0
    inputs: int = 0

    @property
    def cells(self) -> tuple[int, ...]:
        """The counts in the order of the columns."""
        return self.blocking, self.unknown, self.not_read, self.inputs


def by_folder(report: Report) -> list[FolderCounts]:
    """The counts of the folders right below the one that all inputs are in, the worst first.

    A finding with more than one cause counts once. Unknown values count whether they block or not, and so do faults.
    """
    paths = {*(item.path for item in report.inputs), *(fault.place.file for fault in report.faults if fault.place.file)}
    start = _common_folder(paths)
    cells: dict[str, list[int]] = {}

    def count(path: str, column: int) -> None:
        cells.setdefault(_below(start, path), [0] * len(_HEADS))[column] += 1

    for item in report.inputs:
        count(item.path, 3)
    for fault in report.faults:
        if fault.place.file:
            count(fault.place.file, 2)
    for finding in report.findings:
        if finding.blocks:
            count(finding.file, 0)
        if finding.outcome is Outcome.UNKNOWN:
            count(finding.file, 1)
    rows = [FolderCounts(folder, *each) for folder, each in cells.items()]
    return sorted(rows, key=lambda row: (-row.blocking, -row.not_read, -row.unknown, row.folder))


def folder_lines(report: Report, safe: Sanitizer) -> Iterator[SafeText]:
    """A line for each folder with something in it to look at. None if all inputs are in one folder."""
    rows = by_folder(report)
    notable = [row for row in rows if any(row.cells[:3])]
    if len(rows) < 2 or not notable:
        return
    yield SafeText("  " + "  ".join(_HEADS))
    for row in notable[:MAX_FOLDERS]:
        cells = [f"{number(count):>{len(head)}}" for head, count in zip(_HEADS, row.cells, strict=True)]
        yield joined(SafeText("  " + "  ".join(cells) + "  "), safe.name(row.folder))
    further, clean = len(notable) - MAX_FOLDERS, len(rows) - len(notable)
    if further > 0:
        yield joined(trusted_text("  ... and "), number(further), trusted_text(" more"))
    if clean:
        yield joined(trusted_text("  nothing in "), counted(clean, "other"))


def _common_folder(paths: set[str]) -> str:
    """The innermost folder that all of these files are in; empty for the working directory."""
    folders = [path.rpartition("/")[0].split("/") for path in paths]
    first = min(folders, default=[])
    common = next((at for at, step in enumerate(first) if any(other[at : at + 1] != [step] for other in folders)), None)
    return "/".join(first[:common])


def _below(start: str, path: str) -> str:
    """The folder right below the start that a path is in; the start itself for a file in it."""
    rest = path[len(start) :].lstrip("/") if start else path
    first, slash, _ = rest.partition("/")
    if not slash:
        return start or "."
    return f"{start.rstrip('/')}/{first}" if start else first
