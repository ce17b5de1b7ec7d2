"""Which report goes where; source lines for frames."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from tablegate.engine.settings import ConfigError, meant
from tablegate.findings import Finding, Report
from tablegate.model.record import record
from tablegate.reporters import REPORTERS
from tablegate.reporters.safe import SHORTEST
from tablegate.syntax.source import Source, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


WHEN = ("auto", "always", "never")
NARROWEST, WIDEST, PIPED = 60, 120, 100


@record(kw_only=False)
class Destination:
    """One report in one format. Without a path it goes to standard output."""

    format: str
    path: Path | None = None


def destinations(words: Iterable[str], formats: Iterable[str] = tuple(REPORTERS)) -> tuple[Destination, ...]:
    """Every report that is due. Text goes to standard output where nothing else does."""
    asked = [_destination(word, tuple(formats)) for word in words]
    paths = [destination.path for destination in asked if destination.path is not None]
    if len(set(paths)) < len(paths):
        raise ConfigError("--output: two reports cannot go to one file", "output")
    streamed = [destination for destination in asked if destination.path is None]
    if len(streamed) > 1:
        formats = " and ".join(destination.format for destination in streamed)
        raise ConfigError(
            f"--output: {formats} cannot share standard output", "output", hint="give one a path: json=FILE"
        )
    return tuple(asked if streamed else [*asked, Destination("text")])


def _destination(word: str, formats: tuple[str, ...]) -> Destination:
    name, given, path = word.partition("=")
    if name not in formats:
        known = ", ".join(formats)
        raise ConfigError(f'--output: "{name}" is no format: {known}', "output", hint=meant(name, formats))
    if given and not path:
        raise ConfigError(f"--output: {name}= names no file", "output")
    if not path:
        return Destination(name)
    from pathlib import Path

    return Destination(name, Path(path))


def coloured(when: str, environment: Mapping[str, str]) -> bool:
    """Whether standard output is coloured: the flag decides, then the environment, then whether it is a terminal."""
    if when not in WHEN:
        raise ConfigError(f'--color: "{when}" must be {", ".join(WHEN)}', "color", hint=meant(when, WHEN))
    if when != "auto":
        return when == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") != "0" or environment.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return environment.get("TERM") != "dumb" and _is_terminal()


def width() -> int:
    """The reader's width; a pipe has a fixed one, so that the same input gives the same bytes."""
    if not _is_terminal():
        return PIPED
    return min(max(os.get_terminal_size(sys.stdout.fileno()).columns, NARROWEST), WIDEST)


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


LARGEST = 2_000_000  # bytes: larger ones are plans, or nobody reads their lines
_BODY = b"TemplateBody"  # the lines of a template in it are counted inside
QUOTED = frozenset({"cloudformation", "terraform-source"})  # a plan is never quoted: it holds secrets in clear


class Lines:
    """The lines of sources that are not too large to be read by people."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._parts: dict[str, list[str]] = {}
        self._lines: dict[str, list[str]] = {}
        self._trees: dict[str, Tree] = {}
        self._quoted: frozenset[str] = frozenset()
        self._findings: tuple[Finding, ...] = ()
        self._secrets: tuple[str, ...] = ()
        self._sources: dict[str, Source] = {}
        for source in sources:
            self._add(source)

    def keep(self, sources: Iterable[Source]) -> None:
        """Remember further sources, with the files that they lead to."""
        for source in sources:
            self._add(source)

    def _add(self, source: Source) -> None:
        beside = (Source(name, data) for name, data in source.beside.files.items())
        self._sources.update({it.name: it for it in (source, *beside) if len(it.data) <= LARGEST})
        if source.tree is not None:
            self._trees[source.name] = source.tree
        if source.folder is not None:
            self._sources |= {part.name: part for part in source.folder.parts}
            self._parts.setdefault(source.name, []).extend(part.name for part in source.folder.parts)

    def of(self, report: Report) -> Lines:
        """The lines that this report's reader may see: those of inputs that people write."""
        self._findings = report.findings
        self._secrets = tuple(sorted(set(_pieces(report.secrets))))
        quoted = [item.path for item in report.inputs if item.kind in QUOTED]
        self._quoted = frozenset([*quoted, *(part for name in quoted for part in self._parts.get(name, ()))])
        return self

    def __call__(self, file: str, line: int) -> str | None:
        """One line, counted as editors count."""
        source = self._sources.get(file) if file in self._quoted else self._of_tree(file)
        if source is None or (file, line) in self._private:
            return None
        if file not in self._lines:
            self._lines[file] = _split(source)
        lines = self._lines[file]
        text = lines[line - 1] if line <= len(lines) else None
        return None if text is None or any(secret in text for secret in self._secrets) else text

    @cached_property
    def _private(self) -> frozenset[tuple[str, int | None]]:
        return frozenset(_private(self._findings))

    def _of_tree(self, file: str) -> Source | None:
        """A file of the source that a plan was made of."""
        found = (tree.file(file) for name, tree in self._trees.items() if name != file)
        return next((source for source in found if source is not None and len(source.data) <= LARGEST), None)


def _private(findings: Iterable[Finding]) -> Iterator[tuple[str, int | None]]:
    """Lines at which something sensitive was given."""
    for finding in findings:
        for value in finding.evidence:
            if value.sensitive and value.place is not None:
                places = (value.place, value.place.because or value.place)
                yield from ((place.file, place.line) for place in places)


def _pieces(secrets: Iterable[str]) -> Iterator[str]:
    """The secrets as they stand in lines, each piece of those that fill several."""
    for secret in secrets:
        for piece in secret.splitlines():
            if len(piece.strip()) >= SHORTEST:
                yield piece.strip()
                yield piece.strip().replace("\\", "\\\\").replace('"', '\\"')


def _split(source: Source) -> list[str]:
    from tablegate.syntax.node import ParseError
    from tablegate.syntax.recognise import recognise
    from tablegate.syntax.source import decode

    try:
        text = recognise(source).text if _BODY in source.data else decode(source.data)
        return re.split("\r\n?|\n", text)
    except ParseError:
        return []
