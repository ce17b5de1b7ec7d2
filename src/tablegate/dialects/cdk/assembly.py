"""An assembly into readings: one for each stack, and one for each template that no manifest names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from tablegate.dialects.cdk.manifest import Manifests, Stack, text, tree
from tablegate.dialects.cdk.metadata import Constructs, paths_of
from tablegate.dialects.cloudformation.exports import Exports
from tablegate.dialects.cloudformation.opening import Opened, opened, opened_tree
from tablegate.dialects.cloudformation.stacks import reading_of
from tablegate.dialects.cloudformation.surroundings import Surroundings
from tablegate.dialects.reading import Reading, ReadOptions, unread
from tablegate.findings import Fault, FaultCode, Input
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.syntax.collector import collector_paused
from tablegate.syntax.errors import ParseError
from tablegate.syntax.json_ import parse_json
from tablegate.syntax.node import Node
from tablegate.syntax.raw_json import members
from tablegate.syntax.recognise import Kind, is_json, recognise
from tablegate.syntax.source import ALONE, Beside, Source
from tablegate.syntax.text import decode

KIND = "cdk-assembly"
_TEMPLATES = (".template.json", ".template.yaml", ".template.yml")
_WITHOUT_RESOURCES = frozenset(
    {
        "AWSTemplateFormatVersion",
        "Conditions",
        "Description",
        "Mappings",
        "Metadata",
        "Outputs",
        "Parameters",
        "Rules",
    }
)
_UNLISTED = "no manifest of the assembly names this template: it is stale, or it is hidden"


def read(manifest: str, name: str, options: ReadOptions, beside: Beside = ALONE) -> Reading:
    """Every stack of the assembly, in its own account and region."""
    with collector_paused():
        manifests = Manifests(name, beside)
        stacks = list(manifests.stacks(manifest, name))
        inner = list(_Assembly(manifests, beside, options).readings(stacks))
        inner += _unlisted(inner, beside, options)
    if not inner and not manifests.faults:
        manifests.refuse("there is no stack in this assembly", name, "synthesise it again: cdk synth")
    return Reading(input=Input(path=name, kind=KIND), estate=None, faults=tuple(manifests.faults), inner=tuple(inner))


class _Assembly:
    """The stacks of an assembly, which know of each other."""

    def __init__(self, manifests: Manifests, beside: Beside, options: ReadOptions) -> None:
        self._manifests = manifests
        self._beside = beside
        self._options = options
        self._paths: list[tuple[str, str]] | None = None

    def readings(self, stacks: Iterable[Stack]) -> Iterator[Reading]:
        """A reading for each stack. They are opened first, so that each knows what the others export."""
        found = [(stack, self._opened(stack)) for stack in stacks]
        known = [it.resolver for _, it in found if isinstance(it, Opened) and it.resolver is not None]
        exports = Exports(known, self._options.exports)
        for resolver in known:
            resolver.around = replace(resolver.around, exports=exports)
        for stack, it in found:
            yield it if isinstance(it, Reading) else reading_of(stack.template, it)

    def _opened(self, stack: Stack) -> Opened | Reading:
        options = replace(
            self._options,
            region=stack.region or self._options.region,
            account=stack.account or self._options.account,
            stack_tags={**self._options.stack_tags, **stack.tags},
        )
        around = Surroundings(
            name=stack.name, beside=self._beside, assets=self._assets(stack), constructs=self._constructs(stack)
        )
        try:
            return _template(stack.template, self._beside.files[stack.template], options, around)
        except ParseError as error:
            return unread(error, stack.template)

    def _assets(self, stack: Stack) -> dict[str, str]:
        """The files that the stack's assembly publishes, by their hashes."""
        found = {}
        for file in stack.files:
            for key, asset in tree(self._manifests.content(file).get("files")).items():
                path = text(tree(tree(asset).get("source")).get("path"))
                if path is not None:
                    found[key] = path
        return found

    def _constructs(self, stack: Stack) -> Constructs:
        noted = dict(tree(stack.artifact.get("metadata")))
        further = text(stack.artifact.get("additionalMetadataFile"))
        file = self._manifests.inside(stack.folder, further) if further is not None else None
        if file is not None:
            noted |= self._manifests.content(file)
        has_ids = any("aws:cdk:logicalId" in str(entries) for entries in noted.values())
        return Constructs(noted, () if has_ids else self._tree(stack))

    def _tree(self, stack: Stack) -> list[tuple[str, str]]:
        """The ids and paths in the tree of constructs: for assemblies that note them nowhere else."""
        if self._paths is None:
            file = posixpath.join(stack.folder, "tree.json")
            self._paths = list(paths_of(self._manifests.content(file).get("tree")))
        return [(id_, path) for id_, path in self._paths if path.startswith(f"{stack.id}/")]


def _template(name: str, data: bytes, options: ReadOptions, around: Surroundings) -> Opened:
    """The template of a stack, which may be without resources: the CDK writes that of an empty stack too."""
    text = decode(data)
    if is_json(text) and members(text).keys() <= _WITHOUT_RESOURCES:
        root = parse_json(text)
        sections = root.content if isinstance(root.content, dict) else {}
        empty = {**sections, "Resources": Node({}, root.line, root.column)}
        return opened_tree(Node(empty, root.line, root.column), text, name, options, around)
    recognised = recognise(Source(name, data))
    if recognised.kind is not Kind.CLOUDFORMATION:
        raise ParseError("this is no template, though the manifest says so")
    return opened(recognised.text, name, options, around)


def _unlisted(read: Iterable[Reading], beside: Beside, options: ReadOptions) -> list[Reading]:
    """The templates of the folder that nothing names: judged like the others, and told."""
    known = {reading.input.path for outer in read for reading in outer.all()}
    found = []
    for name in sorted(beside.files):
        if name.endswith(_TEMPLATES) and name not in known:
            fault = Fault(FaultCode.INCOMPLETE, _UNLISTED, Place(name), blocks=False)
            try:
                reading = reading_of(name, _template(name, beside.files[name], options, Surroundings(beside=beside)))
            except ParseError as error:
                reading = unread(error, name)
            found.append(replace(reading, faults=(*reading.faults, fault)))
    return found
