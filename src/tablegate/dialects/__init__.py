"""Documents into estates: one module or package per language, all filling the same model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from tablegate.dialects.reading import Reading, ReadOptions, unread
from tablegate.findings import Fault, FaultCode
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.syntax.errors import ParseError
from tablegate.syntax.recognise import Kind, recognise
from tablegate.syntax.source import Beside, Source, Tree

Reader = Callable[[Any, str, ReadOptions], Reading]  # each takes what its own kind is recognised as
_SOURCE = "tablegate.dialects.terraform_source"
BundleReader = Callable[[Any, str, ReadOptions, Beside], Reading]

# By name: a plan is checked without importing what reads YAML, and the other way round.
DIALECTS: Mapping[Kind, str] = {
    Kind.TERRAFORM_PLAN: "tablegate.dialects.terraform_plan",
    Kind.CLOUDFORMATION: "tablegate.dialects.cloudformation",
    Kind.TERRAFORM_SOURCE: _SOURCE,
    Kind.CDK_ASSEMBLY: "tablegate.dialects.cdk",
    Kind.CHANGE_SET: "tablegate.dialects.change_set",
    Kind.TERRAFORM_STATE: "tablegate.dialects.terraform_state",
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
        return unread(error, source.name)
    if recognised.note is None:
        return reading
    told = Fault(FaultCode.UNREADABLE, recognised.note, Place(source.name), blocks=False)
    return replace(reading, faults=(*reading.faults, told))


def _with_source(tree: Tree, options: ReadOptions) -> ReadOptions:
    """The options for a plan whose source may be at hand: it is not looked for where there is none."""
    if not tree.files(tree.root):
        return options
    made = import_module("tablegate.dialects.source_map").SourceMap
    return replace(options, source_map=partial(made, tree, options.variable_files, options.grammar))


def _of_folder(source: Source, options: ReadOptions) -> Reading:
    reading: Reading = import_module(_SOURCE).read_folder(source, options)
    return reading
