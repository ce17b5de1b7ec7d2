"""The lines of templates and of Terraform source, kept for the frames of a report."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tablegate.findings import Report
from tablegate.syntax.source import Source

LARGEST = 2_000_000  # bytes: larger ones are plans, or nobody reads their lines
_BODY = b"TemplateBody"  # the lines of a template in it are counted inside
QUOTED = frozenset({"cloudformation", "terraform-source"})  # a plan is never quoted: it holds secrets in clear


class Lines:
    """The lines of sources that are not too large to be read by people."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._parts: dict[str, list[str]] = {}
        self._lines: dict[str, list[str]] = {}
        self._quoted: frozenset[str] = frozenset()
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
        if source.folder is not None:
            self._sources |= {part.name: part for part in source.folder.parts}
            self._parts.setdefault(source.name, []).extend(part.name for part in source.folder.parts)

    def of(self, report: Report) -> Lines:
        """The lines that this report's reader may see: those of inputs that people write."""
        quoted = [item.path for item in report.inputs if item.kind in QUOTED]
        self._quoted = frozenset([*quoted, *(part for name in quoted for part in self._parts.get(name, ()))])
        return self

    def __call__(self, file: str, line: int) -> str | None:
        """One line, counted as editors count."""
        if file not in self._quoted or file not in self._sources:
            return None
        if file not in self._lines:
            self._lines[file] = _split(self._sources[file])
        lines = self._lines[file]
        return lines[line - 1] if line <= len(lines) else None


def _split(source: Source) -> list[str]:
    from tablegate.syntax.errors import ParseError
    from tablegate.syntax.recognise import recognise
    from tablegate.syntax.text import decode

    try:
        text = recognise(source).text if _BODY in source.data else decode(source.data)
        return re.split("\r\n?|\n", text)
    except ParseError:
        return []
