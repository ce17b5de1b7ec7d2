"""The sources of one run, read so that they know of each other: exports, and templates that another one embeds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module

from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.syntax.source import Source

_IMPORTS = (b"ImportValue", b"GetStackOutput")
_PLAN = re.compile(rb'\s*+\{\s*+"format_version"')  # as Terraform begins one: there is no use in searching it
_EXPORTS = "tablegate.dialects.cloudformation.exports"  # by name: plans are read without it


def sharing(sources: Sequence[Source], options: ReadOptions) -> ReadOptions:
    """The options, with what the templates of a run export, for those that import it."""
    if options.exports is not None or not any(_imports(source.data) for source in sources):
        return options
    return replace(options, exports=import_module(_EXPORTS).exports_of(sources, options))


def read_together(sources: Iterable[Source], options: ReadOptions) -> Iterator[Reading]:
    """Every reading, those within others too. What another source embeds is read there, and not a second time."""
    listed = sorted(sources, key=lambda source: -len(source.beside.files))
    options = sharing(listed, options)
    embedded: set[str] = set()
    for source in listed:
        if source.name in embedded:
            continue
        first, *inner = read(source, options).all()
        embedded.update(reading.input.path for reading in inner)
        yield first
        yield from inner


def _imports(data: bytes) -> bool:
    """Whether this may be a template that takes values from another stack."""
    return _PLAN.match(data) is None and any(word in data for word in _IMPORTS)
