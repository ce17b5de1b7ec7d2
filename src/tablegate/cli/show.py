"""Show, iam, render: nothing is judged."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tablegate.cli.check import deliver, given, look_of, missing, read_options, required, with_grammar
from tablegate.cli.output import emit, note, save
from tablegate.cli.reports import destinations, width
from tablegate.config import read_configuration
from tablegate.dialects import read_all
from tablegate.engine.jsonpath import Match, compiled, view
from tablegate.engine.jsonpath import Path as Path_awscc_replicas
from tablegate.engine.settings import ConfigError, meant
from tablegate.findings import NOTHING, Exit, Fault, FaultCode, Report, exit_of, merged
from tablegate.iam.matrix import Matrix, matrix_of
from tablegate.inputs.collect import collect
from tablegate.inputs.files import content_of
from tablegate.inputs.terraform import with_source_trees
from tablegate.model.estate import Estate
from tablegate.model.record import replace
from tablegate.model.table import Table
from tablegate.model.value import Place
from tablegate.reporters.json_reread import HINT, reread
from tablegate.reporters.matrix import RENDERERS
from tablegate.reporters.safe import Sanitizer, Scrubber
from tablegate.syntax.node import ParseError, collect_if_much


class Inputs:
    """What somebody named, found when they are made, and read one by one. What went wrong is kept for the end."""

    def __init__(self, names: Iterable[str], flags: Mapping[str, Any]) -> None:
        asked = read_configuration(given(flags), folder=Path.cwd(), environment=os.environ, search=False)
        trusting = asked["trust-modules"]
        found = collect(names, asked["stdin-filename"], trust_modules=trusting)
        self._sources = with_source_trees(found.sources, asked["source"], asked["plan-file"], trust_modules=trusting)
        self._options = with_grammar(read_options(asked), self._sources)
        self._faults: list[Fault] = [*found.faults]

    def estates(self) -> Iterator[Estate]:
        """The estate of each input that has one. None is kept: there may be thousands."""
        for reading in read_all(self._sources, self._options):
            self._faults += reading.faults
            if reading.estate is not None:
                yield reading.estate
            del reading
            collect_if_much()

    def ended(self) -> int:
        """The exit code, once all that went wrong has been said."""
        for fault in self._faults:
            place = ":".join(str(part) for part in (fault.place.file, fault.place.line, fault.place.column) if part)
            note(f"{fault.code}: {place}: {fault.message}", *([f"hint: {fault.hint}"] if fault.hint else []))
        unread = not self._sources or any(fault.blocks for fault in self._faults)
        return int(Exit.UNREAD if unread else Exit.OPEN)


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


def _document(estate: Estate, asked: Path_awscc_replicas | None) -> Any:
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


def show_access(names: Sequence[str], flags: Mapping[str, Any]) -> int:
    """Print the matrix of every input."""
    if not names:
        raise ConfigError("an INPUT is needed", hint="a plan, a template, a folder that holds some, or -")
    asked = destinations(flags.get("output") or (), RENDERERS)
    inputs = Inputs(names, {key: value for key, value in flags.items() if key != "output"})
    matrices, secrets = _gathered(inputs.estates())
    sanitizer = Sanitizer(secrets)
    for destination in asked:
        text = RENDERERS[destination.format](matrices, sanitizer, width())
        if destination.path is None:
            emit(text)
        else:
            save(destination.path, text)
    return inputs.ended()


def _gathered(estates: Iterable[Estate]) -> tuple[list[Matrix], set[str]]:
    """The matrices by their files, and the secrets."""
    matrices, secrets = [], set()  # type: list[Matrix], set[str]
    for estate in estates:
        matrices.append(matrix_of(estate))
        secrets |= estate.secrets
        del estate  # or it would stay until the next one is there
    return sorted(matrices, key=lambda matrix: matrix.file), secrets


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
