"""What made a resource in a program, as the resource's own metadata and the assembly around it tell."""

from __future__ import annotations

from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import Resource
from tablegate.model.table import Construct
from tablegate.syntax.node import Node

PATH = "aws:cdk:path"


def constructs_of(resolver: Resolver) -> dict[str, Construct]:
    """The constructs that made the resources that are read, by the addresses of these."""
    is_assembled = resolver.around.constructs is not None
    found: dict[str, Construct] = {}
    for resources in resolver.template.resources.values():
        for resource in resources:
            made = _construct(resolver, resource) if is_assembled or "Metadata" in resource.body else None
            if made is not None:
                found[resolver.around.full(resource.address)] = made
    return found


def _construct(resolver: Resolver, resource: Resource) -> Construct | None:
    """The construct that made the resource; None where nothing says that a program did."""
    path = metadata(resource, PATH)
    if resolver.around.constructs is not None:
        return resolver.around.constructs(resource.address, path)
    return None if path is None else Construct(path=readable(path))


def metadata(resource: Resource, key: str) -> str | None:
    """A text in the metadata of a resource."""
    held = resource.body.get("Metadata")
    node = held.content.get(key) if held is not None and isinstance(held.content, dict) else None
    return node.content if isinstance(node, Node) and isinstance(node.content, str) else None


def readable(path: str) -> str:
    """The path without what every construct ends in."""
    return path.strip("/").removesuffix("/Resource").removesuffix("/Default")
