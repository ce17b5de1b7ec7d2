"""`make rates DIR=…`: what tablegate says on the first day about each checkout in a folder.

For each: what blocks, what is unknown, and what was not read. Then how many of those with tables block, by which
policies alone, and the share of verdicts that are unknown.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

from tablegate import check
from tablegate.findings import Outcome, Report

_NAMED = 12  # sets of policies in the list


def main(folder: str) -> int:
    """Print the rates of the checkouts in a folder."""
    reports = dict(_reports(Path(folder).resolve()))
    print(f"{'blocking':>8} {'unknown':>8} {'not read':>8} {'tables':>8}  checkout")
    for name, report in sorted(reports.items(), key=lambda item: (-len(_blocking(item[1])), item[0])):
        unknown = sum(finding.outcome is Outcome.UNKNOWN for finding in report.findings)
        print(f"{len(_blocking(report)):>8} {unknown:>8} {len(report.faults):>8} {_tables(report):>8}  {name}")
    with_tables = {name: report for name, report in reports.items() if _tables(report)}
    _print_shares(with_tables)
    return 0


def _reports(folder: Path) -> list[tuple[str, Report]]:
    found = []
    for path in sorted(path for path in folder.iterdir() if path.is_dir()):
        os.chdir(path)
        print(f"... {path.name}", file=sys.stderr)
        found.append((path.name, check(".")))
    return found


def _print_shares(reports: dict[str, Report]) -> None:
    """How many block, why, and how much is unknown."""
    causes = {name: frozenset(_blocking(report)) for name, report in reports.items()}
    blocked = [name for name, policies in causes.items() if policies]
    unread = [name for name, report in reports.items() if any(fault.blocks for fault in report.faults)]
    print(f"\n{len(reports)} with tables; {_share(len(blocked), len(reports))} have findings that block, ", end="")
    print(f"{_share(len(unread), len(reports))} something that could not be read")
    alone = Counter(" ".join(sorted(causes[name])) for name in blocked)
    print("\nblocked by these policies alone:")
    for policies, times in alone.most_common(_NAMED):
        print(f"{times:>6}  {policies}")
    print("\nblocked by this policy, among others:")
    for policy, times in Counter(chain.from_iterable(causes.values())).most_common():
        print(f"{times:>6}  {policy}")
    verdicts = sum(report.counts.verdicts - report.counts.not_applicable for report in reports.values())
    unknown = sum(report.counts.unknown for report in reports.values())
    print(f"\nunknown: {_share(unknown, verdicts)} of the verdicts that apply")
    by_policy = Counter(
        finding.policy.id
        for report in reports.values()
        for finding in report.findings
        if finding.outcome is Outcome.UNKNOWN
    )
    print("  " + ", ".join(f"{policy} {times}" for policy, times in by_policy.most_common(_NAMED)))


def _blocking(report: Report) -> list[str]:
    return [finding.policy.id for finding in report.findings if finding.blocks]


def _tables(report: Report) -> int:
    return sum(item.tables for item in report.inputs)


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.0%})" if whole else "0"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
