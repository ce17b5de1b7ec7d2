"""Reports of parts as one: in the order of one run."""

from __future__ import annotations

import pytest

from support.reports import finding, report
from tablegate.findings import Finding, merged

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
