"""A state file into the form in which Terraform shows states."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from tablegate.syntax.errors import ParseError

_PROVIDER = re.compile(r'provider\["([^"]*)"\]')
Tree = Mapping[str, object]


def values_of(content: Tree) -> dict[str, object]:
    """The resources of a state file, module by module."""
    listed = content.get("resources", [])
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise ParseError("resources of a state must be a list of objects")
    modules: dict[str, list[dict[str, object]]] = {}
    for resource in listed:
        module = resource.get("module")
        modules.setdefault(module if isinstance(module, str) else "", []).extend(_instances(resource))
    children = [{"address": address, "resources": held} for address, held in sorted(modules.items()) if address]
    return {"root_module": {"resources": modules.get("", []), "child_modules": children}}


def _instances(resource: Tree) -> Iterator[dict[str, object]]:
    mode, type_, name = (resource.get(key) for key in ("mode", "type", "name"))
    instances = resource.get("instances")
    if not isinstance(type_, str) or not isinstance(name, str) or not isinstance(instances, list):
        raise ParseError("a resource of a state needs a type, a name and instances")
    module = f"{resource['module']}." if resource.get("module") else ""
    plain = f"{module}{'data.' if mode == 'data' else ''}{type_}.{name}"
    found = _PROVIDER.search(str(resource.get("provider", "")))
    provider = found[1] if found is not None else ""
    for instance in instances:
        if not isinstance(instance, dict):
            raise ParseError(f"an instance of {type_} in a state must be an object")
        if instance.get("deposed"):
            continue  # what is left of an object that was replaced
        key = instance.get("index_key")
        yield {
            "address": plain if key is None else f"{plain}[{json.dumps(key)}]",
            "mode": mode,
            "type": type_,
            "name": name,
            **({} if key is None else {"index": key}),
            "provider_name": provider,
            "values": instance.get("attributes") or {},
            "sensitive_values": _marks(instance.get("sensitive_attributes")),
        }


def _marks(paths: object) -> dict[str, object]:
    """The attributes that a state marks sensitive, or that hold something marked."""
    steps = (path[0] for path in paths if isinstance(path, list) and path) if isinstance(paths, list) else ()
    names = (step.get("value") for step in steps if isinstance(step, dict))
    return {name: True for name in names if isinstance(name, str)}
