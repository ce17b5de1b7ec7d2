"""Turns a report into text. Knows nothing of how it came about, and touches nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tablegate.findings import Report
from tablegate.reporters.look import Look

Render = Callable[[Report, Look], str]


def _text(report: Report, look: Look) -> str:
    from tablegate.reporters.text import render

    return render(report, look)


def _json(report: Report, look: Look) -> str:
    from tablegate.reporters.json_ import render

    return render(report, look)


REPORTERS: Mapping[str, Render] = {"text": _text, "json": _json}
