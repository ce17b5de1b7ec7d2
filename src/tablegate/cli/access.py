"""The iam command: who can do what to which table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tablegate.access.matrix import Matrix, matrix_of
from tablegate.cli.checking import given, read_options, with_grammar, with_source
from tablegate.cli.destinations import destinations, width
from tablegate.cli.output import emit, note, save
from tablegate.config import read_configuration
from tablegate.dialects.reading import Reading
from tablegate.dialects.together import read_together
from tablegate.engine.settings import ConfigError
from tablegate.findings import Exit, Fault
from tablegate.reporters.matrix import RENDERERS
from tablegate.reporters.safe import Shower
from tablegate.sources import collect
from tablegate.syntax.collector import collect_if_much


def show(inputs: Sequence[str], flags: Mapping[str, Any]) -> int:
    """Print the matrix of every input."""
    if not inputs:
        raise ConfigError("an INPUT is needed", hint="a plan, a template, a folder that holds some, or -")
    asked = destinations(flags.get("output") or (), RENDERERS)
    options = {key: value for key, value in flags.items() if key != "output"}
    configuration = read_configuration(given(options), folder=Path.cwd(), environment=os.environ, search=False)
    collected = collect(tuple(inputs), configuration["stdin-filename"], trust_modules=configuration["trust-modules"])
    sources = with_source(collected.sources, configuration)
    reading_options = with_grammar(read_options(configuration), sources)
    matrices, secrets, faults = _gathered(read_together(sources, reading_options))
    shower = Shower(secrets)
    for destination in asked:
        text = RENDERERS[destination.format](matrices, shower, width())
        if destination.path is None:
            emit(text)
        else:
            save(destination.path, text)
    faults = [*collected.faults, *faults]
    for fault in faults:
        note(*_told(fault))
    return int(Exit.UNREAD if not collected.sources or any(fault.blocks for fault in faults) else Exit.OPEN)


def _gathered(readings: Iterable[Reading]) -> tuple[list[Matrix], set[str], list[Fault]]:
    """The matrices by their files, the secrets, and what could not be read. No estate is kept: they may be many."""
    matrices, secrets, faults = [], set(), []  # type: list[Matrix], set[str], list[Fault]
    for reading in readings:
        faults += reading.faults
        if reading.estate is not None:
            matrices.append(matrix_of(reading.estate))
            secrets |= reading.estate.secrets
        del reading
        collect_if_much()
    return sorted(matrices, key=lambda matrix: matrix.file), secrets, faults


def _told(fault: Fault) -> tuple[str, ...]:
    place = ":".join(str(part) for part in (fault.place.file, fault.place.line, fault.place.column) if part)
    return (f"{fault.code}: {place}: {fault.message}", *([f"hint: {fault.hint}"] if fault.hint else []))
