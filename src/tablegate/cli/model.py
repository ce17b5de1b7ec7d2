"""The show command: an input as policies see it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tablegate.cli.checking import given, read_options, with_grammar, with_source
from tablegate.cli.output import emit, note
from tablegate.config import read_configuration
from tablegate.dialects.together import read_together
from tablegate.engine.nearest import meant
from tablegate.engine.path import Match, compiled
from tablegate.engine.path import Path as Asked
from tablegate.engine.settings import ConfigError
from tablegate.engine.view import view
from tablegate.findings import Exit, Fault
from tablegate.model.estate import Estate
from tablegate.model.table import Table
from tablegate.reporters.safe import Scrubber
from tablegate.sources import collect
from tablegate.syntax.collector import collect_if_much

FORMATS = ("json", "yaml")


def show(source: str, path: str | None, form: str, flags: Mapping[str, Any]) -> int:
    """Print the tables of one input, or what a path leads to in each."""
    if form not in FORMATS:
        raise ConfigError(f'--output: "{form}" must be {" or ".join(FORMATS)}', hint=meant(form, FORMATS))
    asked = compiled(path) if path else None
    configuration = read_configuration(given(flags), folder=Path.cwd(), environment=os.environ, search=False)
    collected = collect((source,), configuration["stdin-filename"], trust_modules=configuration["trust-modules"])
    sources = with_source(collected.sources, configuration)
    options = with_grammar(read_options(configuration), sources)
    faults, documents = [*collected.faults], []
    for reading in read_together(sources, options):  # no estate is kept: there may be thousands
        faults += reading.faults
        if reading.estate:
            documents.append(_scrubbed(_document(reading.estate, asked), Scrubber(reading.estate.secrets)))
        del reading
        collect_if_much()
    if documents:
        emit(_spelled(documents[0] if len(documents) == 1 else documents, form))
    for fault in faults:
        note(*_told(fault))
    return int(Exit.UNREAD if not collected.sources or any(fault.blocks for fault in faults) else Exit.OPEN)


def _document(estate: Estate, asked: Asked | None) -> Any:
    if asked is not None:
        return [_found(table, match) for table in estate.tables for match in asked.matches(table)]
    return {
        "file": estate.file,
        "dialect": str(estate.dialect),
        "tables": view(estate.tables),
        "dax_clusters": view(estate.dax_clusters),
        "legacy_global_tables": view(estate.legacy_global_tables),
    }


def _found(table: Table, match: Match) -> dict[str, Any]:
    value = match.value()
    place = value.place
    at = None if place is None else ":".join(str(part) for part in (place.file, place.line, place.column) if part)
    return {
        "address": table.address,
        "scenario": table.scenario,
        "path": match.name,
        "value": view(match.thing),
        "origin": str(value.origin),
        "at": at,
    }


def _scrubbed(content: Any, scrub: Scrubber) -> Any:
    match content:
        case str():
            return scrub(content)
        case Mapping():
            return {scrub(key): _scrubbed(item, scrub) for key, item in content.items()}
        case list():
            return [_scrubbed(item, scrub) for item in content]
    return content


def _spelled(document: Any, form: str) -> str:
    if form == "json":
        return json.dumps(document, indent=2) + "\n"
    from cfn_tools import dump_yaml

    return str(dump_yaml(json.loads(json.dumps(document))))


def _told(fault: Fault) -> tuple[str, ...]:
    place = ":".join(str(part) for part in (fault.place.file, fault.place.line, fault.place.column) if part)
    return (f"{fault.code}: {place}: {fault.message}", *([f"hint: {fault.hint}"] if fault.hint else []))
