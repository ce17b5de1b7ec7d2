"""Where the template of a nested stack is: named on the command line, beside this one, or in an assembly."""

from __future__ import annotations

import posixpath

from tablegate.dialects.cloudformation.constructs import metadata
from tablegate.dialects.cloudformation.fields import properties
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import STACK, Resource
from tablegate.dialects.cloudformation.unsettled import Unsettled, is_scalar, scalar_of
from tablegate.model.record import record
from tablegate.syntax.errors import ParseError
from tablegate.syntax.node import Node
from tablegate.syntax.recognise import Kind, recognise
from tablegate.syntax.source import Beside, Source

_NOT_COVERED = "a child stack is not covered: the tables it may hold are not seen"
_GIVE = "check the child template as an input of its own, or give it: --nested {}=FILE"
_ASSET = "aws:asset:path"


@record(kw_only=False)
class Child:
    """The template of a nested stack. ``beside`` is what lies around it, where that is another place."""

    name: str
    text: str
    beside: Beside | None = None


def child_of(resolver: Resolver, resource: Resource) -> Child | None:
    """The template of a nested stack. Where it is not at hand, the fault says so."""
    address = resolver.around.full(resource.address)
    named = resolver.options.nested.get(address) or resolver.options.nested.get(resource.address)
    if named is not None:
        return _recognised(resolver, resource.node, named, named.beside)
    where, path, promised = _path(resolver, resource)
    hint = _GIVE.format(resource.address)
    beside = resolver.around.beside
    if path is None:
        resolver.faults.uncovered(resource.node, _NOT_COVERED, hint)
    elif _leaves_root(resolver.file, path):
        resolver.faults.unreadable(where, "the child template lies outside of the folder that is checked", hint)
    elif (name := _beside(resolver.file, path)) in beside.files:
        return _recognised(resolver, where, Source(name, beside.files[name]), None)
    elif name in beside.refused:
        resolver.faults.unreadable(where, f"the child template is not read: {beside.refused[name]}", hint)
    elif promised:
        resolver.faults.unreadable(where, "the child template is not in the assembly", "synthesise it again")
    else:
        resolver.faults.uncovered(resource.node, _NOT_COVERED, hint)
    return None


def _recognised(resolver: Resolver, where: Node, source: Source, beside: Beside | None) -> Child | None:
    if source.name in (*resolver.around.above, resolver.file):
        resolver.faults.unreadable(where, "the child template is this template again, or one above it")
        return None
    try:
        found = recognise(source)
    except ParseError as error:
        at = f" on line {error.line}" if error.line is not None else ""
        resolver.faults.unreadable(where, f"the child template {source.name} is not read: {error.message}{at}")
        return None
    if found.kind is not Kind.CLOUDFORMATION:
        resolver.faults.unreadable(where, f"the child template {source.name} is no template")
        return None
    return Child(source.name, found.text, beside)


def _path(resolver: Resolver, resource: Resource) -> tuple[Node, str | None, bool]:
    """Where the template lies as the resource says, whether an assembly promises it, and where it is said."""
    asset = metadata(resource, _ASSET)
    section = properties(resolver, resource)
    key = "TemplateURL" if resource.type == STACK else "Location"
    stated = section.get(key) if isinstance(section, dict) else None
    where = stated or resource.node
    if asset is not None:
        return where, asset, resolver.around.constructs is not None
    url = resolver.get(section, key)
    if isinstance(url, Unsettled):
        last = url.parts[-1] if url.parts else ""
        found = _published(resolver, last) if isinstance(last, str) else None
        return where, found, found is not None
    if url is None or not is_scalar(url):
        return where, None, False
    text = scalar_of(url)
    if "://" in text:
        found = _published(resolver, text)
        return where, found, found is not None
    return where, text or None, False


def _published(resolver: Resolver, url: str) -> str | None:
    """The file of the assembly that is published at this address."""
    name = url.rpartition("/")[2].partition("?")[0]
    return resolver.around.assets.get(name.partition(".")[0])


def _beside(file: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), path))


def _leaves_root(file: str, path: str) -> bool:
    """Whether a local path climbs out: of the working directory, or of the file's folder where that is elsewhere."""
    here = posixpath.dirname(file)
    if here.startswith(("/", "..")):
        here = ""
    found = posixpath.normpath(posixpath.join(here, path))
    return found.startswith(("/", ".."))
