"""Which types of resources hold policy documents or say who uses them, and which type a logical id has."""

from __future__ import annotations

from collections.abc import Mapping

from tablegate.dialects.cloudformation.template import Template


def types_of(template: Template) -> Mapping[str, str]:
    """The type of every resource of the template, read or not."""
    found = {}
    for address, node in template.names.items():
        stated = node.content.get("Type") if isinstance(node.content, dict) else None
        if stated is not None and isinstance(stated.content, str):
            found[address] = stated.content
    return found
