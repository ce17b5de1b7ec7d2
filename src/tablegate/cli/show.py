"""The commands that check nothing: show, iam and render, and explain, policies and config without an input."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from io import StringIO
from textwrap import wrap
from typing import Any

from tablegate.cli.check import ConfigSources, Prepared, missing_shards, prepare, uses_ignore_files
from tablegate.cli.output import columns as width
from tablegate.cli.output import emit, note, save
from tablegate.cli.reports import deliver, destinations, report_view
from tablegate.config.configuration import Configuration, read_configuration
from tablegate.config.given import given_names, unfit_names
from tablegate.config.read_options import read_options, with_grammar
from tablegate.config.schema import schema
from tablegate.dialects import read_all
from tablegate.engine.data_policies import check_steps
from tablegate.engine.jsonpath import Match, compile_path, members, view
from tablegate.engine.jsonpath import Path as JsonPath
from tablegate.engine.settings import ConfigError, Selection, did_you_mean, selection
from tablegate.findings import NOTHING, Exit, Fault, FaultCode, Input, Report, exit_of, merged
from tablegate.iam.matrix import matrix_of
from tablegate.inputs.collect import collect
from tablegate.inputs.files import content_or_reason
from tablegate.inputs.terraform import with_source_trees
from tablegate.model import estate as model_of_estates
from tablegate.model import table as model_of_tables
from tablegate.model.estate import Estate
from tablegate.model.record import replace
from tablegate.model.table import Table
from tablegate.model.value import Place
from tablegate.reporters.handbook import handbook, page, toml_text
from tablegate.reporters.json_reread import HINT, reread
from tablegate.reporters.matrix import RENDERERS
from tablegate.reporters.safe import (
    PROSE,
    SENSITIVE,
    SafeText,
    Sanitizer,
    Scrubber,
    is_harmless,
    json_text,
    safe_text,
    trusted_text,
    yaml_text,
)
from tablegate.run.gate import with_required_resources
from tablegate.syntax.node import ParseError, collect_if_many

FORMATS = ("json", "yaml")
_KEYS = frozenset({"address", "at", "dax_clusters", "dialect", "file", "legacy_global_tables", "origin", "path"})
NARROWEST_TITLE = 24  # columns
WIDEST_VALUE = 50  # columns of a value in the table of settings


class Inputs:
    """The inputs of a command, read one by one. Faults are kept for the end."""

    def __init__(self, names: Iterable[str], flags: Mapping[str, Any]) -> None:
        configuration = _configuration(flags)
        trust = configuration["trust-modules"]
        collected = collect(
            names,
            configuration["stdin-filename"],
            trust_modules=trust,
            use_ignore_files=uses_ignore_files(configuration),
        )
        self._sources = with_source_trees(
            collected.sources, configuration["source"], configuration["plan-file"], trust_modules=trust
        )
        self._options = with_grammar(read_options(configuration, os.environ), self._sources, os.environ)
        self._given = tuple(given_names(configuration, self._options))
        self._read: list[Input] = []
        self._faults: list[Fault] = [*collected.faults]
        self.secrets: set[str] = set()  # of the estates that were read
        self.addresses: set[str] = set()

    def estates(self) -> Iterator[Estate]:
        """The estate of each input that has one. None is kept: there may be thousands."""
        for reading in read_all(self._sources, self._options):
            self._faults += reading.faults
            self._read.append(reading.input)
            if reading.estate is not None:
                self.secrets |= reading.estate.secrets
                self.addresses.update(table.address for table in reading.estate.tables)
                yield reading.estate
            del reading
            collect_if_many()

    def finish(self) -> int:
        """Report the faults on standard error, and return the exit code."""
        incomplete = not self._sources or any(fault.blocks for fault in self._faults)
        self._faults += unfit_names(self._given, self._read, everything=not incomplete)
        scrub = Scrubber(self.secrets, self.addresses)
        for fault in self._faults:
            place = ":".join(str(part) for part in (fault.place.file, fault.place.line, fault.place.column) if part)
            hint = [f"hint: {scrub(fault.hint)}"] if fault.hint else []
            note(f"{fault.code}: {place}: {scrub(fault.message)}", *hint)
        return int(Exit.UNREAD if incomplete else Exit.OPEN)


def _configuration(flags: Mapping[str, Any]) -> Configuration:
    """The settings from flags and environment. No file is read: it says what to check."""
    return read_configuration(flags, folder=os.getcwd(), environment=os.environ, search=False)


def show(name: str, path: str | None, form: str, flags: Mapping[str, Any]) -> int:
    """Print the tables of one input, or what a path selects in each."""
    if form not in FORMATS:
        raise ConfigError(f'--output: "{form}" must be {" or ".join(FORMATS)}', hint=did_you_mean(form, FORMATS))
    selector = _selector(path) if path else None
    inputs = Inputs((name,), flags)
    documents = []
    for estate in inputs.estates():
        documents.append(_document(estate, selector))
        del estate  # or it would stay until the next one is read
    if selector is not None and documents and not any(documents):
        note(f"note: {path} leads to nothing in the tables of this input")
    scrub = Scrubber(inputs.secrets, inputs.addresses)  # a nested stack has secrets of the one that embeds it
    scrubbed = [_without_secrets(document, scrub) for document in documents]
    if scrubbed:
        emit(_in_format(scrubbed[0] if len(scrubbed) == 1 else scrubbed, form))
    return inputs.finish()


def _selector(path: str) -> JsonPath:
    """The path, which begins at a table. ConfigError if it takes a name that a table does not have."""
    selector = compile_path(path)
    try:
        check_steps(selector, Table)
    except ConfigError as error:
        raise ConfigError(f"--path: {error.message}", hint=error.hint or "a path begins at a table") from None
    return selector


def _document(estate: Estate, selector: JsonPath | None) -> Any:
    if selector is not None:
        return [_row(table, match) for table in estate.tables for match in selector.matches(table)]
    return {
        "file": estate.file,
        "dialect": str(estate.dialect),
        "tables": view(estate.tables),
        "dax_clusters": view(estate.dax_clusters),
        "legacy_global_tables": view(estate.legacy_global_tables),
    }


def _row(table: Table, match: Match) -> dict[str, Any]:
    value = match.value()
    place = value.place
    at = None if place is None else ":".join(str(part) for part in (place.file, place.line, place.column) if part)
    return {
        "address": table.address,
        "scenario": table.scenario,
        "path": match.name,
        "value": SENSITIVE if value.sensitive and match.content is not None else view(match.content),
        "origin": str(value.origin),
        "at": at,
    }


def _without_secrets(document: Any, scrub: Scrubber) -> Any:
    """The document, in which addresses and files stay as they are."""
    if isinstance(document, list):
        return [_scrubbed(row, scrub) | {name: row[name] for name in ("address", "path", "at")} for row in document]
    scrubbed = _scrubbed(document, scrub)
    for key in ("tables", "dax_clusters", "legacy_global_tables"):
        for part, whole in zip(scrubbed[key], document[key], strict=True):
            part["address"] = whole["address"]
    return scrubbed | {"file": document["file"]}


@cache
def _fields() -> frozenset[str]:
    """The keys of objects of the model, which are no values."""
    kinds = [kind for module in (model_of_estates, model_of_tables) for kind in vars(module).values()]
    records = [kind for kind in kinds if isinstance(kind, type) and is_dataclass(kind)]
    return _KEYS.union(("scenario", "tables", "unknown", "value"), *map(members, records))


def _scrubbed(content: Any, scrub: Scrubber) -> Any:
    match content:
        case str():
            return scrub(content)
        case Mapping():
            return {key if key in _fields() else scrub(key): _scrubbed(item, scrub) for key, item in content.items()}
        case list():
            return [_scrubbed(item, scrub) for item in content]
    return content


def _in_format(document: Any, form: str) -> SafeText:
    if form == "json":
        return _as_json(document)
    from cfn_tools import CfnYamlDumper  # imports two readers of YAML

    class Dumper(CfnYamlDumper):  # type: ignore[misc]
        """Writes texts that steer a terminal or a log in double quotes, where they can be escaped."""

        def represent_scalar(self, tag: str, value: str, style: str | None = None) -> Any:
            return super().represent_scalar(tag, value, style if is_harmless(value) else '"')

    stream = StringIO()
    dumper = Dumper(stream, default_flow_style=False, allow_unicode=True, width=120)
    dumper.open()
    dumper.represent(json.loads(json.dumps(document)))
    dumper.close()
    return yaml_text(stream.getvalue())


def _as_json(content: Any) -> SafeText:
    return json_text(json.dumps(content, indent=2, default=str) + "\n")


def show_access(names: Sequence[str], outputs: Sequence[str], flags: Mapping[str, Any]) -> int:
    """Print the access matrix of every input."""
    if not names:
        raise ConfigError("an INPUT is needed", hint="a plan, a template, a folder with some, or -")
    targets = destinations(outputs, RENDERERS)
    inputs = Inputs(names, flags)
    matrices = sorted(map(matrix_of, inputs.estates()), key=lambda matrix: matrix.file)
    addresses = {row.address for matrix in matrices for row in matrix.rows} | inputs.addresses
    sanitizer = Sanitizer(inputs.secrets, addresses)
    for target in targets:
        text = RENDERERS[target.format](matrices, sanitizer, width())
        if target.path is None:
            emit(text)
        else:
            save(target.path, text)
    return inputs.finish()


def render(names: Iterable[str], flags: Mapping[str, Any]) -> int:
    """Merge reports, and return the exit code of the run that would have made them all."""
    configuration = _configuration(flags)
    targets = destinations(configuration["output"])
    reports = [_read(name) for name in dict.fromkeys(names)]
    faults = tuple(missing_shards(reports))
    if not reports:
        faults = (Fault(FaultCode.UNREADABLE, "there is no report to render", Place("")),)
    report = merged((*reports, replace(NOTHING, faults=faults, exit=exit_of((), faults))))
    if configuration["require-resources"]:
        report = with_required_resources(report)
    return deliver(report, targets, report_view(configuration))


def _read(name: str) -> Report:
    """The report in a file, or a report on why there is none."""
    data = content_or_reason(name)
    try:
        if isinstance(data, bytes):
            return reread(data)
        fault = Fault(FaultCode.UNREADABLE, data, Place(name))
    except ParseError as error:
        place = Place(name, error.line, error.column)
        fault = Fault(FaultCode.UNREADABLE, error.message, place, hint=error.hint or HINT)
    return merged((replace(NOTHING, faults=(fault,)),))


def _prepared(sources: ConfigSources) -> Prepared:
    """What the packs and the configuration hold. A configuration with a mistake is reported and left out."""
    try:
        return prepare(sources, {})
    except ConfigError as error:
        without = prepare(replace(sources, config=None, no_config=True), {})
        hint = [f"hint: {error.hint}"] if error.hint else []
        note(f"tablegate: {error.message}", *hint, "note: what follows is without the configuration")
        return without


def explain(word: str, sources: ConfigSources) -> int:
    """Print the page of the policy with this id or name."""
    policies = _prepared(sources).policies
    for policy in policies:
        if word.lower() in {policy.id.lower(), policy.name}:
            _print(page(policy, width()).splitlines())
            return 0
    known = [name for policy in policies for name in (policy.id, policy.name)]
    raise ConfigError(f'"{word}" is not a policy', hint=did_you_mean(word, known) or "tablegate policies lists them")


def list_policies(sources: ConfigSources, *, as_json: bool, as_markdown: bool) -> int:
    """Print every policy: its id, name, severity and title, and whether it runs."""
    prepared = _prepared(sources)
    if as_markdown:
        emit(trusted_text(handbook(prepared.policies)))
        return 0
    rows = selection(prepared.policies, prepared.settings)
    if as_json:
        emit(_as_json([_entry(row) for row in rows]))
    else:
        _print(_table(rows, width()))
    return 0


def show_configuration(sources: ConfigSources, *, as_json: bool) -> int:
    """Print every key of the configuration, its value, and where it comes from."""
    rows = prepare(sources, {}).configuration.shown()
    if as_json:
        emit(_as_json(rows))
        return 0
    keys = [str(row["key"]) for row in rows]
    values = [_value(row["value"]) for row in rows]
    key_width, value_width = max(map(len, keys)), min(max(map(len, values)), WIDEST_VALUE)
    for key, value, row in zip(keys, values, rows, strict=True):
        line = f"{key:<{key_width}}  {value:<{value_width}}  {row['origin']}"
        _print([line] if len(line) <= width() else _folded(key, value, str(row["origin"]), key_width))
    return 0


def _folded(key: str, value: str, origin: str, key_width: int) -> Iterator[str]:
    """A row that is too wide: its value and its origin, below each other."""
    first, *others = wrap(value, width() - key_width - 2) or [""]
    yield f"{key:<{key_width}}  {first}"
    yield from (" " * (key_width + 2) + line for line in (*others, origin))


def print_schema(sources: ConfigSources) -> int:
    """Print the configuration's JSON schema."""
    emit(_as_json(schema(_prepared(sources).loaded.policies)))
    return 0


def _value(content: object) -> str:
    if content is None:
        return "(not set)"
    return json.dumps(content, default=str) if isinstance(content, dict) else toml_text(content)


def _entry(row: Selection) -> dict[str, object]:
    policy = row.policy
    return {
        "id": policy.id,
        "name": policy.name,
        "severity": str(policy.severity),
        "family": policy.family,
        "title": policy.title,
        "judges": policy.subject.__name__,
        "runs": row.runs,
        "reason": row.reason,
        "options": {option.name: option.default for option in policy.options},
        "docs": policy.docs,
    }


def _table(rows: Iterable[Selection], columns: int) -> Iterable[str]:
    rows = tuple(rows)
    ids, names = (max(len(getattr(row.policy, name)) for row in rows) for name in ("id", "name"))
    for row in rows:
        policy = row.policy
        mark = " " if row.runs else "-"
        lead = f"{mark} {policy.id:<{ids}}  {policy.name:<{names}}  {policy.severity:<8}  "
        first, *others = wrap(policy.title, max(columns - len(lead), NARROWEST_TITLE))
        yield lead + first
        yield from (" " * len(lead) + line for line in others)
    running = sum(row.runs for row in rows)
    yield ""
    yield f"{running} of {len(rows)} policies run" + ("" if running == len(rows) else "; - marks those that do not")


def _print(lines: Iterable[str]) -> None:
    """Print lines of tablegate's own, in which names may come from somebody else."""
    emit(SafeText("".join(f"{safe_text(line, PROSE)}\n".replace("\\\\", "\\") for line in lines)))
