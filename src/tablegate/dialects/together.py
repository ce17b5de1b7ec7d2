"""The sources of one run, read so that they know of each other: exports, and what another one embeds or explains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.model.record import replace
from tablegate.syntax.mentions import begins_as_plan
from tablegate.syntax.source import Source

_IMPORTS = (b"ImportValue", b"GetStackOutput")
_FAMILY = b"arentChangeSetId"  # in either spelling
_CHANGE_SET = (b"hangeSetId", b"hangeSetName")
_EXPORTS = "tablegate.dialects.cloudformation.exports"  # by name: plans are read without it
_CHANGE_SETS = "tablegate.dialects.change_set.family"


def sharing(sources: Sequence[Source], options: ReadOptions) -> ReadOptions:
    """The options, with what the sources of a run say of each other. A part of the run learns nothing more."""
    if options.shared:
        return options
    others = [source for source in sources if not begins_as_plan(source.data)]
    if _holds(others, *_IMPORTS):
        options = replace(options, exports=import_module(_EXPORTS).exports_of(others, options))
    if _holds(others, _FAMILY):
        options = replace(options, change_sets=import_module(_CHANGE_SETS).addresses_of(others))
    template = options.template if options.template is not None and _holds(others, *_CHANGE_SET) else None
    return replace(options, template=template, shared=True)


def read_together(sources: Iterable[Source], options: ReadOptions) -> Iterator[Reading]:
    """Every reading, those within others too. What another source embeds is read there, and not a second time."""
    listed = sorted(sources, key=lambda source: -len(source.beside.files))
    options = sharing(listed, options)
    embedded = {options.template.name} if options.template is not None else set()
    for source in listed:
        if source.name in embedded:
            continue
        first, *inner = read(source, options).all()
        embedded.update(reading.input.path for reading in inner)
        yield first
        yield from inner


def _holds(sources: Iterable[Source], *words: bytes) -> bool:
    return any(word in source.data for source in sources for word in words)
