"""Which report goes where and how it looks; the lines of sources that a report shows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from tablegate.cli.output import PIPED, OutputError, columns, emit, is_terminal, note, save
from tablegate.config.configuration import Configuration
from tablegate.config.options import SETTINGS
from tablegate.engine.settings import ConfigError, did_you_mean
from tablegate.findings import Exit, Fault, FaultCode, Finding, Report
from tablegate.model.record import record, replace
from tablegate.model.value import Place
from tablegate.reporters import REPORTERS
from tablegate.reporters.safe import SHORTEST, Scrubber, addresses
from tablegate.reporters.wording import Detail, ReportView, gate_text
from tablegate.syntax.node import ParseError
from tablegate.syntax.recognise import recognise
from tablegate.syntax.source import Source, Tree, decode

LARGEST = 2_000_000  # bytes: larger files are plans, or nobody reads their lines
_BODY = b"TemplateBody"  # lines of a template inside another document are counted in the template
QUOTED = frozenset({"cloudformation", "terraform-source"})  # a plan is never quoted: it has secrets in clear


@record(kw_only=False)
class Destination:
    """One report in one format. Without a path it goes to standard output."""

    format: str
    path: Path | None = None


def destinations(words: Iterable[str], formats: Iterable[str] = tuple(REPORTERS)) -> tuple[Destination, ...]:
    """Every report to write. Text goes to standard output if nothing else does."""
    targets = [_destination(word, tuple(formats)) for word in words]
    paths = [target.path for target in targets if target.path is not None]
    if len(set(paths)) < len(paths):
        raise ConfigError("--output: two reports cannot go to one file", "output")
    on_screen = [target for target in targets if target.path is None]
    if len(on_screen) > 1:
        names = " and ".join(target.format for target in on_screen)
        raise ConfigError(
            f"--output: {names} cannot share standard output", "output", hint="give one a path: json=FILE"
        )
    return tuple(targets if on_screen else [*targets, Destination("text")])


def _destination(word: str, formats: tuple[str, ...]) -> Destination:
    name, equals, path = word.partition("=")
    if name not in formats:
        known = ", ".join(formats)
        raise ConfigError(f'--output: "{name}" is not a format: {known}', "output", hint=did_you_mean(name, formats))
    if equals and not path:
        raise ConfigError(f"--output: {name}= has no file name", "output")
    return Destination(name, Path(path) if path else None)


def deliver(report: Report, targets: Iterable[Destination], view: ReportView) -> int:
    """Write the reports, files first. The exit code is the report's own, or 4 if one cannot be written."""
    targets = tuple(targets)
    is_told = any(target.path is None and target.format == "text" for target in targets)
    for target in targets:
        if target.path is not None:
            text = REPORTERS[target.format](report, replace(view, colour=False, width=PIPED))
            try:
                save(target.path, text)
            except OutputError as error:
                if not is_told:  # the text has the fault
                    note(f"tablegate: {error}")
                report = _with_failed_write(report, str(error))
    for target in targets:
        if target.path is None:
            emit(REPORTERS[target.format](report, view))
            if target.format != "text":
                note(f"gate: {gate_text(report)} (exit {int(report.exit)})")
    return int(report.exit)


def _with_failed_write(report: Report, reason: str) -> Report:
    fault = Fault(FaultCode.INTERNAL, f"a report could not be written: {reason}", Place(""))
    return replace(report, faults=(*report.faults, fault), exit=Exit.INTERNAL)


def report_view(configuration: Configuration) -> ReportView:
    """How the reader wants to see the report."""
    return ReportView(
        colour=coloured(configuration["color"], os.environ), width=columns(), detail=_detail(configuration)
    )


def _detail(configuration: Configuration) -> Detail:
    if configuration["verbose"] and configuration["quiet"]:
        raise ConfigError("--verbose and --quiet cannot be combined", "verbose")
    if configuration["verbose"]:
        return Detail.FULL
    return Detail.BRIEF if configuration["quiet"] else Detail.USUAL


def coloured(when: str, environment: Mapping[str, str]) -> bool:
    """Whether standard output is coloured: the flag decides, then the environment, then whether it is a terminal."""
    choices = SETTINGS["color"].choices
    if when not in choices:
        message = f'--color: "{when}" must be one of {", ".join(choices)}'
        raise ConfigError(message, "color", hint=did_you_mean(when, choices))
    if when != "auto":
        return when == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") != "0" or environment.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return environment.get("TERM") != "dumb" and is_terminal()


class Lines:
    """The lines of the sources that are not too large to be read by people."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._parts: dict[str, list[str]] = {}
        self._lines: dict[str, list[str]] = {}
        self._trees: dict[str, Tree] = {}
        self._quoted: frozenset[str] = frozenset()
        self._findings: tuple[Finding, ...] = ()
        self._scrub = Scrubber(())
        self._sources: dict[str, Source] = {}
        self.keep(sources)

    def keep(self, sources: Iterable[Source]) -> None:
        """Remember these sources too, with the files that belong to them."""
        for source in sources:
            beside = (Source(name, data) for name, data in source.beside.files.items())
            self._sources.update({it.name: it for it in (source, *beside) if len(it.data) <= LARGEST})
            if source.tree is not None:
                self._trees[source.name] = source.tree
            if source.folder is not None:
                self._sources |= {part.name: part for part in source.folder.parts}
                self._parts.setdefault(source.name, []).extend(part.name for part in source.folder.parts)

    def of(self, report: Report) -> Lines:
        """The lines that this report may show: those of inputs that people write."""
        self._findings = report.findings
        self._scrub = Scrubber(_pieces(report.secrets), addresses(report))
        quoted = [item.path for item in report.inputs if item.kind in QUOTED]
        self._quoted = frozenset([*quoted, *(part for name in quoted for part in self._parts.get(name, ()))])
        return self

    def __call__(self, file: str, line: int) -> str | None:
        """One line, counted as editors count; None if it is unknown or private."""
        source = self._sources.get(file) if file in self._quoted else self._in_tree(file)
        if source is None or (file, line) in self._private:
            return None
        if file not in self._lines:
            self._lines[file] = _split(source)
        lines = self._lines[file]
        text = lines[line - 1] if line <= len(lines) else None
        return None if text is None or self._scrub(text) != text else text

    @cached_property
    def _private(self) -> frozenset[tuple[str, int | None]]:
        return frozenset(_private_lines(self._findings))

    def _in_tree(self, file: str) -> Source | None:
        """A file of the source that a plan was made from."""
        sources = (tree.file(file) for name, tree in self._trees.items() if name != file)
        return next((source for source in sources if source is not None and len(source.data) <= LARGEST), None)


def _private_lines(findings: Iterable[Finding]) -> Iterator[tuple[str, int | None]]:
    """Lines with something sensitive."""
    for finding in findings:
        for value in finding.evidence:
            if value.sensitive and value.place is not None:
                places = (value.place, value.place.because, value.place.inside)
                yield from ((place.file, place.line) for place in places if place is not None)


def _pieces(secrets: Iterable[str]) -> Iterator[str]:
    """The secrets as lines have them, also escaped. One with line breaks has several pieces."""
    for secret in secrets:
        for piece in secret.splitlines():
            if len(piece.strip()) >= SHORTEST:
                yield piece.strip()
                yield piece.strip().replace("\\", "\\\\").replace('"', '\\"')


def _split(source: Source) -> list[str]:
    try:
        text = recognise(source).text if _BODY in source.data else decode(source.data)
        return re.split("\r\n?|\n", text)
    except ParseError:
        return []
