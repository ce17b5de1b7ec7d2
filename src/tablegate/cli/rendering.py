"""The render command: JSON reports of other runs, brought together into one report in any format."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tablegate.cli.checking import deliver, given, look_of, required
from tablegate.cli.destinations import destinations
from tablegate.cli.shards import missing
from tablegate.config import read_configuration
from tablegate.files import content_of
from tablegate.findings import Fault, FaultCode, Report, exit_of
from tablegate.merge import NOTHING, merged
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.reporters.reread import HINT, reread
from tablegate.syntax.errors import ParseError


def render(files: Iterable[str], flags: Mapping[str, Any]) -> int:
    """Write what the reports say together, and end as the run would have that made them all."""
    configuration = read_configuration(given(flags), folder=Path.cwd(), environment=os.environ, search=False)
    due = destinations(configuration["output"])
    reports = [_read(name) for name in dict.fromkeys(files)]
    faults = tuple(missing(reports))
    if not reports:
        faults = (Fault(FaultCode.UNREADABLE, "there is no report to render", Place("")),)
    report = merged((*reports, replace(NOTHING, faults=faults, exit=exit_of((), faults))))
    return deliver(required(report, configuration), due, look_of(configuration))


def _read(name: str) -> Report:
    """The report in a file. Where there is none, that is what is reported."""
    data = content_of(name)
    try:
        if isinstance(data, bytes):
            return reread(data)
        fault = Fault(FaultCode.UNREADABLE, data, Place(name))
    except ParseError as error:
        fault = Fault(
            FaultCode.UNREADABLE, error.message, Place(name, error.line, error.column), hint=error.hint or HINT
        )
    return merged((replace(NOTHING, faults=(fault,)),))
