"""Turns a report into text. `REPORTERS` names the formats; a module is imported when its format is used."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from tablegate.findings import Report
    from tablegate.reporters.safe import SafeText
    from tablegate.reporters.wording import ReportView

    Render: TypeAlias = Callable[[Report, ReportView], SafeText]


def _text(report: Report, view: ReportView) -> SafeText:
    from tablegate.reporters.text import render

    return render(report, view)


def _json(report: Report, view: ReportView) -> SafeText:
    from tablegate.reporters.json_report import render

    return render(report, view)


REPORTERS: Mapping[str, Render] = {"text": _text, "json": _json}
