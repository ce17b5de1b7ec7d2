"""Which dialect reads an input; inputs that know each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from tablegate.dialects.reading import Reading, ReadOptions, unreadable
from tablegate.findings import Fault, FaultCode
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.syntax.node import ParseError
from tablegate.syntax.recognise import Kind, recognise
from tablegate.syntax.relevance import begins_as_plan
from tablegate.syntax.source import Beside, Source, Tree

Reader = Callable[[Any, str, ReadOptions], Reading]  # each takes what its own kind is recognised as
_SOURCE = "tablegate.dialects.terraform.source"
BundleReader = Callable[[Any, str, ReadOptions, Beside], Reading]

# By name: a plan is checked without importing what reads YAML, and the other way round.
DIALECTS: Mapping[Kind, str] = {
    Kind.TERRAFORM_PLAN: "tablegate.dialects.terraform.plan",
    Kind.CLOUDFORMATION: "tablegate.dialects.cloudformation",
    Kind.TERRAFORM_SOURCE: _SOURCE,
    Kind.CDK_ASSEMBLY: "tablegate.dialects.cdk",
    Kind.CHANGE_SET: "tablegate.dialects.change_set",
    Kind.TERRAFORM_STATE: "tablegate.dialects.terraform.state_file",
}
_WITH_FILES_BESIDE = frozenset({Kind.CLOUDFORMATION, Kind.CDK_ASSEMBLY})


def read(source: Source, options: ReadOptions) -> Reading:
    """The source as its own dialect reads it. What cannot be read becomes a fault that blocks."""
    try:
        if source.folder is not None:
            return _of_folder(source, options)
        recognised = recognise(source)
        if source.tree is not None and recognised.kind is Kind.TERRAFORM_PLAN:
            options = _with_source(source.tree, options)
        module = import_module(DIALECTS[recognised.kind])
        if recognised.kind in _WITH_FILES_BESIDE:
            bundled: BundleReader = module.read
            reading = bundled(recognised.content, source.name, options, source.beside)
        else:
            alone: Reader = module.read
            reading = alone(recognised.content, source.name, options)
    except ParseError as error:
        return unreadable(error, source.name)
    if recognised.note is None:
        return reading
    told = Fault(FaultCode.UNREADABLE, recognised.note, Place(source.name), blocks=False)
    return replace(reading, faults=(*reading.faults, told))


def _with_source(tree: Tree, options: ReadOptions) -> ReadOptions:
    """The options for a plan whose source may be at hand: it is not looked for where there is none."""
    if not tree.files(tree.root):
        return options
    made = import_module("tablegate.dialects.terraform.source_map").SourceMap
    return replace(options, source_map=partial(made, tree, options.variable_files, options.grammar))


def _of_folder(source: Source, options: ReadOptions) -> Reading:
    reading: Reading = import_module(_SOURCE).read_folder(source, options)
    return reading


_IMPORTS = (b"ImportValue", b"GetStackOutput")
_FAMILY = b"arentChangeSetId"  # in either spelling
_CHANGE_SET = (b"hangeSetId", b"hangeSetName")
_EXPORTS = "tablegate.dialects.cloudformation.exports"  # by name: plans are read without it
_CHANGE_SETS = "tablegate.dialects.change_set.document"


def with_shared_inputs(sources: Sequence[Source], options: ReadOptions) -> ReadOptions:
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


def read_all(sources: Iterable[Source], options: ReadOptions) -> Iterator[Reading]:
    """Every reading, those within others too. What another source embeds is read there, and not a second time."""
    listed = sorted(sources, key=lambda source: -len(source.beside.files))
    options = with_shared_inputs(listed, options)
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
