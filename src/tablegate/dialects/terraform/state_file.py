"""States: the output of ``terraform show -json``, and state files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform.plan import read as read_plan
from tablegate.dialects.terraform.resource_changes import MODES
from tablegate.model.record import replace
from tablegate.syntax.json import lazy as raw_json
from tablegate.syntax.json import load_json
from tablegate.syntax.node import ParseError

_PROVIDER = re.compile(r'provider\["([^"]*)"\]')
Tree = Mapping[str, object]


KIND = "terraform-state"
_VERSION = 4  # of the state files that are read
_UPGRADE = "upgrade it with Terraform 0.12 or newer, or give: terraform show -json > state.json"


def read(text: str, name: str, options: ReadOptions) -> Reading:
    """Read the tables of a state."""
    document = raw_json.Document(text)
    members = document.members
    if "format_version" in members:
        version = raw_json.decode(members["format_version"])
        match = re.fullmatch(r"([0-9]{1,9})\.[0-9]{1,9}", version) if isinstance(version, str) else None
        if match is None or int(match[1]) > 1:
            raise ParseError("unsupported state format, where 0.1 and 1.x are known")
        document.check()
        state = text
    else:
        state = json.dumps({"values": values_of(_file(text))})
    terraform = raw_json.decode(members["terraform_version"]) if "terraform_version" in members else None
    head = json.dumps({"format_version": "1.2", "terraform_version": terraform})
    reading = read_plan(raw_json.Document(f'{head[:-1]}, "prior_state": {state}}}'), name, options)
    estate = None if reading.estate is None else replace(reading.estate, changes=())
    return replace(reading, input=replace(reading.input, kind=KIND), estate=estate)


def values_of(content: Tree) -> dict[str, object]:
    """The values of a state file in the form of ``terraform show``: resources by module."""
    listed = content.get("resources", [])
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise ParseError("resources of a state must be a list of objects")
    modules: dict[str, list[dict[str, object]]] = {}
    for resource in listed:
        module = resource.get("module")
        modules.setdefault(module if isinstance(module, str) else "", []).extend(_resources(resource))
    children = [{"address": address, "resources": held} for address, held in sorted(modules.items()) if address]
    return {"root_module": {"resources": modules.get("", []), "child_modules": children}}


def _resources(resource: Tree) -> Iterator[dict[str, object]]:
    mode, type_, name = (resource.get(key) for key in ("mode", "type", "name"))
    instances = resource.get("instances")
    if not isinstance(type_, str) or not isinstance(name, str) or not isinstance(instances, list):
        raise ParseError("a resource of a state needs a type, a name and instances")
    if mode not in MODES:
        raise ParseError(f"{type_}.{name}: mode must be one of {', '.join(sorted(MODES))}")
    module = f"{resource['module']}." if resource.get("module") else ""
    plain = f"{module}{'data.' if mode == 'data' else ''}{type_}.{name}"
    match = _PROVIDER.search(str(resource.get("provider", "")))
    provider = match[1] if match is not None else ""
    for instance in instances:
        if not isinstance(instance, dict):
            raise ParseError(f"an instance of {type_} in a state must be an object")
        if instance.get("deposed"):
            continue  # the rest of an object that was replaced
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
    """The attributes that a state marks sensitive, or in which something is marked."""
    steps = (path[0] for path in paths if isinstance(path, list) and path) if isinstance(paths, list) else ()
    names = (step.get("value") for step in steps if isinstance(step, dict))
    return {name: True for name in names if isinstance(name, str)}


def _file(text: str) -> dict[str, object]:
    """The content of a state file of a version that is read."""
    content = load_json(text)
    if not isinstance(content, dict):
        raise ParseError("a state must be an object")
    version = content.get("version")
    if version != _VERSION or isinstance(version, bool):
        shown = version if isinstance(version, int) else "of an unknown sort"
        raise ParseError(f"a state file of version {shown}, where version {_VERSION} is known", hint=_UPGRADE)
    return content
