"""The show command: an input as policies see it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tablegate.cli.output import emit
from tablegate.cli.reading import Inputs
from tablegate.engine.nearest import meant
from tablegate.engine.path import Match, Path, compiled
from tablegate.engine.settings import ConfigError
from tablegate.engine.view import view
from tablegate.model.estate import Estate
from tablegate.model.table import Table
from tablegate.reporters.safe import Scrubber

FORMATS = ("json", "yaml")


def show(source: str, path: str | None, form: str, flags: Mapping[str, Any]) -> int:
    """Print the tables of one input, or what a path leads to in each."""
    if form not in FORMATS:
        raise ConfigError(f'--output: "{form}" must be {" or ".join(FORMATS)}', hint=meant(form, FORMATS))
    asked = compiled(path) if path else None
    inputs = Inputs((source,), flags)
    documents = []
    for estate in inputs.estates():
        documents.append(_scrubbed(_document(estate, asked), Scrubber(estate.secrets)))
        del estate  # or it would stay until the next one is there
    if documents:
        emit(_spelled(documents[0] if len(documents) == 1 else documents, form))
    return inputs.ended()


def _document(estate: Estate, asked: Path | None) -> Any:
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
