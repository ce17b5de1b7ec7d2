"""A stack and the stacks that it embeds."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from tablegate.dialects.cloudformation.estate import build_estate, metadata
from tablegate.dialects.cloudformation.loading import LoadedTemplate, load, load_tree, parse
from tablegate.dialects.cloudformation.properties import Resource, resources_of
from tablegate.dialects.cloudformation.resolver import Resolver, StackContext, from_other_stack
from tablegate.dialects.cloudformation.settings import tags
from tablegate.dialects.cloudformation.template import APPLICATION, STACK
from tablegate.dialects.cloudformation.values import SecretNode, Unresolved, is_scalar, scalar_of, text_with_references
from tablegate.dialects.reading import Reading, ReadOptions, unreadable
from tablegate.findings import Input
from tablegate.iam.arns import Symbols
from tablegate.model.estate import Estate
from tablegate.model.record import record, replace
from tablegate.model.table import Dialect
from tablegate.syntax.node import Node, ParseError, collector_paused
from tablegate.syntax.recognise import Kind, recognise
from tablegate.syntax.source import ALONE, Beside, Source

MOST_SCENARIOS = 16  # of one nested stack

Parameters = Mapping[str, Node | Unresolved]


@record(kw_only=False)
class _Call:
    """What one scenario of the embedding template gives to a nested stack."""

    scenario: Mapping[str, str] | None
    parameters: Parameters | None  # None: not even the names are known
    tags: Mapping[str, str]


def read(text: str, name: str, options: ReadOptions, beside: Beside = ALONE) -> Reading:
    """Read a template. Raises ParseError if it is neither JSON nor YAML."""
    return read_stack(text, name, options, StackContext(beside=beside))


def read_stack(text: str, name: str, options: ReadOptions, context: StackContext) -> Reading:
    """Read a stack, with those that it embeds."""
    with collector_paused():
        tree = options.exports.trees.get(name) if options.exports is not None else None
        own = replace(context, embedded=EmbeddedStacks())
        return reading_of(name, load_tree(parse(text) if tree is None else tree, text, name, options, own))


def reading_of(name: str, loaded: LoadedTemplate) -> Reading:
    """The reading of a template that is loaded."""
    resolver, faults = loaded.resolver, loaded.faults
    if resolver is None:
        return Reading(input=Input(path=name, kind=Dialect.CLOUDFORMATION), estate=None, faults=faults.all())
    built = build_estate(resolver, loaded.text)
    embedded = resolver.context.embedded
    inner = embedded.readings(resolver) if embedded is not None else []
    is_given = (
        resolver.options.parameters and resolver.context.parent is None
    )  # only its parent gives a nested stack any
    own = replace(built.input, declared=frozenset(resolver.template.parameters)) if is_given else built.input
    return Reading(input=own, estate=built.estate, faults=faults.all(), inner=tuple(inner))


class EmbeddedStacks:
    """The stacks that one template embeds. Each is loaded once for all references to its outputs."""

    def __init__(self) -> None:
        self._children: dict[str, Child | None] = {}
        self._loaded: dict[str, Resolver | None] = {}

    def readings(self, resolver: Resolver) -> list[Reading]:
        """Every stack whose template is at hand, in every scenario of the template that embeds it."""
        readings = []
        for resource in resources_of(resolver, STACK, APPLICATION):
            child = self._child(resource)
            calls = [] if child is None else _calls(resource)
            symbols = resolver.context.symbols or (Symbols() if len(calls) > 1 else None)
            if child is not None and calls:
                readings.append(_merged([_reading(resource, child, call, symbols) for call in calls]))
        return readings

    def output(self, resolver: Resolver, node: Node, name: str, output: str) -> Node | Unresolved | None:
        """What an output of a nested stack comes to; None if its template is not at hand."""
        if name not in self._loaded:
            self._loaded[name] = None  # a template that refers to its own outputs finds nothing
            self._loaded[name] = self._load(resolver, name)
        inner = self._loaded[name]
        declared = inner.template.outputs.get(output) if inner is not None else None
        value = declared.content.get("Value") if declared is not None and isinstance(declared.content, dict) else None
        if inner is None or value is None:
            return None
        with inner.scenarios.without_asking():
            return from_other_stack(inner.resolve(value), node, inner)

    def _load(self, resolver: Resolver, name: str) -> Resolver | None:
        """The nested stack, with the parameters that are the same in every scenario."""
        resource = next((it for it in resources_of(resolver, STACK, APPLICATION) if it.address == name), None)
        child = self._child(resource) if resource is not None else None
        if resource is None or child is None:
            return None
        with resolver.scenarios.without_asking():
            call = _call(resource)
        try:
            return load(child.text, child.name, *_inside(resource, child, call)).resolver
        except ParseError:
            return None

    def _child(self, resource: Resource) -> Child | None:
        if resource.address not in self._children:
            self._children[resource.address] = child_of(resource)
        return self._children[resource.address]


def _calls(resource: Resource) -> list[_Call]:
    """What the stack is given, in each scenario in which it exists."""
    resolver = resource.resolver

    def call() -> _Call | None:
        return None if resource.present is False else _call(resource)

    calls = [it for it in resolver.scenarios.explore(call, resolver.conditions.possible) if it is not None]
    different = {_compared(it) for it in calls}
    if len(different) <= 1:
        return [replace(it, scenario=None) for it in calls[:1]]
    return calls if len(calls) <= MOST_SCENARIOS else [replace(_call(resource), scenario=None)]


def _call(resource: Resource) -> _Call:
    resolver = resource.resolver
    section = resource.properties
    scenario = resolver.conditions.scenario
    stack_tags = {key: text for key, text in (tags(section).content or {}).items() if text is not None}
    node = section.get("Parameters")
    if isinstance(node, Unresolved):
        return _Call(scenario(), None, stack_tags)
    members = node.content if node is not None and isinstance(node.content, dict) else {}
    values = {name: resolver.get(members, name) for name in members}
    parameters = {name: value for name, value in values.items() if value is not None}
    return _Call(scenario(), parameters, stack_tags)


def _reading(resource: Resource, child: Child, call: _Call, symbols: Symbols | None) -> Reading:
    options, context = _inside(resource, child, call)
    try:
        return reading_of(child.name, load(child.text, child.name, options, replace(context, symbols=symbols)))
    except ParseError as error:
        return unreadable(error, child.name)


def _inside(resource: Resource, child: Child, call: _Call) -> tuple[ReadOptions, StackContext]:
    """The options and the context of a nested stack."""
    resolver = resource.resolver
    context, options = resolver.context, resolver.options
    texts, others = _split(call.parameters or {})
    inside = replace(
        context,
        address=context.full(resource.address),
        name=None,
        parent_parameters=others,
        parent=resolver,
        scenario={**(context.scenario or {}), **(call.scenario or {})} or None,
        ancestors=(*context.ancestors, resolver.file),
        beside=child.beside or context.beside,
        embedded=EmbeddedStacks(),
    )
    # A nested stack takes the defaults of the parameters that it is not given: nothing else can set them.
    own = replace(options, parameters=texts, assume_defaults=call.parameters is not None, stack_tags=call.tags)
    return own, inside


def _split(parameters: Parameters) -> tuple[dict[str, str], Parameters]:
    """The parameters that are a text, and those that are more."""
    texts: dict[str, str] = {}
    others: dict[str, Node | Unresolved] = {}
    for name, value in parameters.items():
        text = None if isinstance(value, (Unresolved, SecretNode)) else _text(value)
        if text is None:
            others[name] = value
        else:
            texts[name] = text
    return texts, others


def _text(value: Node) -> str | None:
    if is_scalar(value):
        return scalar_of(value)
    content = value.content
    plain = isinstance(content, (list, tuple)) and all(type(item) is Node and is_scalar(item) for item in content)
    return ",".join(map(scalar_of, content)) if plain and isinstance(content, (list, tuple)) else None


def _compared(call: _Call) -> tuple[object, ...]:
    """What differs between two calls."""
    parameters = call.parameters or {}
    texts = sorted((name, text_with_references(value) or id(value)) for name, value in parameters.items())
    return call.parameters is None, tuple((name, str(text)) for name, text in texts), tuple(sorted(call.tags.items()))


def _merged(readings: Sequence[Reading]) -> Reading:
    """One stack in several scenarios, as one reading."""
    first, *others = readings
    if not others:
        return first
    estates = [reading.estate for reading in readings if reading.estate is not None]
    faults = dict.fromkeys(fault for reading in readings for fault in reading.faults)
    same_stacks = all(_paths(reading) == _paths(first) for reading in others)
    inner = (
        tuple(map(_merged, zip(*(reading.inner for reading in readings), strict=True)))
        if same_stacks
        else tuple(item for reading in readings for item in reading.inner)
    )
    return replace(first, estate=_merged_estate(estates), faults=tuple(faults), inner=inner)


def _paths(reading: Reading) -> list[str]:
    return [inner.input.path for inner in reading.inner]


def _merged_estate(estates: Sequence[Estate]) -> Estate | None:
    if not estates:
        return None
    # Imported here: few stacks are embedded in several scenarios.
    from tablegate.dialects.merged_holders import merged_scenarios

    holders, grants = merged_scenarios(estates)
    return replace(
        estates[0],
        holders=holders,
        grants=grants,
        tables=tuple(table for estate in estates for table in estate.tables),
        dax_clusters=tuple(cluster for estate in estates for cluster in estate.dax_clusters),
        legacy_global_tables=tuple(legacy for estate in estates for legacy in estate.legacy_global_tables),
    )


_NOT_COVERED = "a child stack is not covered: tables in it are not checked"
_GIVE = "check the child template separately, or pass --nested {}=FILE"
_ASSET = "aws:asset:path"


@record(kw_only=False)
class Child:
    """The template of a nested stack. ``beside`` holds the files around it, if they are not those of the parent."""

    name: str
    text: str
    beside: Beside | None = None


def child_of(resource: Resource) -> Child | None:
    """The template of a nested stack; None if it is not at hand, which is reported."""
    resolver = resource.resolver
    address = resolver.context.full(resource.address)
    named = resolver.options.nested.get(address) or resolver.options.nested.get(resource.address)
    if named is not None:
        return _recognised(resolver, resource.node, named, named.beside)
    where, path, in_assembly = _path(resource)
    hint = _GIVE.format(resource.address)
    beside = resolver.context.beside
    if path is None:
        resolver.faults.incomplete(_NOT_COVERED, resource.node, hint)
    elif _leaves_root(resolver.file, path):
        resolver.faults.unreadable("the child template is outside of the folder that is checked", where, hint)
    elif (name := _sibling(resolver.file, path)) in beside.files:
        return _recognised(resolver, where, Source(name, beside.files[name]), None)
    elif name in beside.refused:
        resolver.faults.unreadable(f"the child template is not read: {beside.refused[name]}", where, hint)
    elif in_assembly:
        resolver.faults.unreadable("the child template is not in the assembly", where, "synthesise it again")
    else:
        resolver.faults.incomplete(_NOT_COVERED, resource.node, hint)
    return None


def _recognised(resolver: Resolver, where: Node, source: Source, beside: Beside | None) -> Child | None:
    if source.name in (*resolver.context.ancestors, resolver.file):
        resolver.faults.unreadable("the child template is this template, or one that embeds it", where)
        return None
    try:
        recognised = recognise(source)
    except ParseError as error:
        at = f" on line {error.line}" if error.line is not None else ""
        resolver.faults.unreadable(f"the child template {source.name} is not read: {error.message}{at}", where)
        return None
    if recognised.kind is not Kind.CLOUDFORMATION:
        resolver.faults.unreadable(f"the child template {source.name} is not a CloudFormation template", where)
        return None
    return Child(source.name, recognised.text, beside)


def _path(resource: Resource) -> tuple[Node, str | None, bool]:
    """The node that names the template, the template's path, and whether it must be in the assembly."""
    resolver = resource.resolver
    asset = metadata(resource.body.members, _ASSET)
    section = resource.properties
    key = "TemplateURL" if resource.type == STACK else "Location"
    where = section.members.get(key, resource.node)
    if asset is not None:
        return where, asset, resolver.context.constructs is not None
    url = section.get(key)
    if isinstance(url, Unresolved):
        last = url.parts[-1] if url.parts else ""
        file = _published(resolver, last) if isinstance(last, str) else None
        return where, file, file is not None
    if url is None or not is_scalar(url):
        return where, None, False
    text = scalar_of(url)
    if "://" in text:
        file = _published(resolver, text)
        return where, file, file is not None
    return where, text or None, False


def _published(resolver: Resolver, url: str) -> str | None:
    """The file of the assembly that is published at this address."""
    name = url.rpartition("/")[2].partition("?")[0]
    return resolver.context.assets.get(name.partition(".")[0])


def _sibling(file: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), path))


def _leaves_root(file: str, path: str) -> bool:
    """Whether a path leaves the working directory, or the file's folder if that is outside of it."""
    folder = posixpath.dirname(file)
    if folder.startswith(("/", "..")):
        folder = ""
    return posixpath.normpath(posixpath.join(folder, path)).startswith(("/", ".."))
