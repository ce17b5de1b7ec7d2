"""Reads inputs, each in its own dialect, with what the inputs of one run know of each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from operator import attrgetter

from tablegate.dialects.reading import Reading, ReadOptions, unreadable
from tablegate.findings import Fault, FaultCode
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.syntax.node import ParseError
from tablegate.syntax.raw_text import may_say
from tablegate.syntax.recognise import Kind, recognise
from tablegate.syntax.relevance import begins_as_plan
from tablegate.syntax.source import Source

Reader = Callable[..., Reading]  # takes the content that its kind is recognised by
_SOURCE = "tablegate.dialects.terraform.source"

# By name: a plan is checked without importing the readers of templates, and the other way round.
DIALECTS: Mapping[Kind, str] = {
    Kind.TERRAFORM_PLAN: "tablegate.dialects.terraform.plan",
    Kind.CLOUDFORMATION: "tablegate.dialects.cloudformation",
    Kind.TERRAFORM_SOURCE: _SOURCE,
    Kind.CDK_ASSEMBLY: "tablegate.dialects.cdk",
    Kind.CHANGE_SET: "tablegate.dialects.change_set",
    Kind.TERRAFORM_STATE: "tablegate.dialects.terraform.state_file",
}
# What a reader takes as well: the files beside a template, and the source of a plan.
_BESIDE: Mapping[Kind, Callable[[Source], object]] = {
    Kind.TERRAFORM_PLAN: attrgetter("tree"),
    Kind.CLOUDFORMATION: attrgetter("beside"),
    Kind.CDK_ASSEMBLY: attrgetter("beside"),
}


def read(source: Source, options: ReadOptions) -> Reading:
    """Read a source in its own dialect. If it cannot be read, a fault blocks."""
    try:
        if source.folder is not None:
            return _of_folder(source, options)
        recognised = recognise(source)
        reader: Reader = import_module(DIALECTS[recognised.kind]).read
        beside = _BESIDE.get(recognised.kind)
        reading = reader(recognised.content, source.name, options, *([] if beside is None else [beside(source)]))
    except ParseError as error:
        return unreadable(error, source.name)
    if recognised.note is None:
        return reading
    note = Fault(FaultCode.UNREADABLE, recognised.note, Place(source.name), blocks=False)
    return replace(reading, faults=(*reading.faults, note))


def _of_folder(source: Source, options: ReadOptions) -> Reading:
    reading: Reading = import_module(_SOURCE).read_folder(source, options)
    return reading


_IMPORT_FUNCTIONS = ("ImportValue", "GetStackOutput", "ForEach")  # a loop makes keys
_PARENT_CHANGE_SET = "arentChangeSetId"  # in either spelling
_CHANGE_SET = ("hangeSetId", "hangeSetName")
_EXPORTS = "tablegate.dialects.cloudformation.exports"  # by name, as above
_CHANGE_SETS = "tablegate.dialects.change_set.document"


def with_shared_inputs(sources: Sequence[Source], options: ReadOptions) -> ReadOptions:
    """The options with what the sources of a run know of each other: once for the whole run, not for its parts."""
    if options.shared:
        return options
    others = [source for source in sources if not begins_as_plan(source.data)]
    if _may_say(others, *_IMPORT_FUNCTIONS):
        options = replace(options, exports=import_module(_EXPORTS).exports_of(others, options))
    if _may_say(others, _PARENT_CHANGE_SET):
        options = replace(options, change_sets=import_module(_CHANGE_SETS).addresses_of(others))
    template = options.template if options.template is not None and _may_say(others, *_CHANGE_SET) else None
    return replace(options, template=template, shared=True)


def read_all(sources: Iterable[Source], options: ReadOptions) -> Iterator[Reading]:
    """Read all sources, with the inputs inside of them. A template that another source embeds is read only there."""
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


def _may_say(sources: Iterable[Source], *words: str) -> bool:
    return any(may_say(source.data, *words) for source in sources)
