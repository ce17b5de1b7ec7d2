"""A Terraform plan of many tables: one line, as ``terraform show -json`` writes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, TextIO

from bench.resources import Resource, neighbours, resources
from bench.shapes import REGION, Shape

PROVIDER = "registry.terraform.io/hashicorp/aws"


def write_plan(file: TextIO, shapes: list[Shape]) -> None:
    """Write the plan section by section: ten thousand tables are more than belongs in memory at once."""
    file.write('{"format_version":"1.2","terraform_version":"1.11.4","variables":{"env":{"value":"prod"}},')
    file.write('"planned_values":{"outputs":{},"root_module":{"child_modules":[')
    _write(file, _services(shapes))
    file.write(']}},"resource_changes":[')
    _write(file, (_change(shape, resource) for shape in shapes for resource in resources(shape)))
    file.write('],"prior_state":{"format_version":"1.0","terraform_version":"1.11.4",')
    file.write('"values":{"outputs":{},"root_module":{"child_modules":[')
    _write(file, _services([shape for shape in shapes if shape.exists]))
    file.write(f']}}}}}},"configuration":{_text(_configuration(shapes))}')
    file.write(',"timestamp":"2026-01-01T00:00:00Z","applyable":true,"complete":true,"errored":false}\n')


def _change(shape: Shape, resource: Resource) -> dict[str, Any]:
    head = _head(shape, resource)
    marks = _containers(resource.values)
    change: dict[str, Any] = {"actions": ["create"], "before": None, "after": resource.values}
    if shape.exists:
        after = resource.values | _known(shape, resource)
        update = resource.type == "aws_dynamodb_table" and shape.number % 4 == 3
        before = after | {"tags": {"service": shape.service}} if update else after
        change = {"actions": ["update" if update else "no-op"], "before": before, "after": after}
        change |= {"after_unknown": {}, "before_sensitive": marks, "after_sensitive": marks}
    else:
        unknown = dict.fromkeys(resource.computed, True)
        change |= {"after_unknown": marks | unknown, "before_sensitive": False, "after_sensitive": marks}
    return {"address": head["address"], "module_address": _module(shape, resource), **head, "change": change}


def _known(shape: Shape, resource: Resource) -> dict[str, str]:
    told = {"arn": shape.arn, "id": shape.name}
    return {name: told.get(name, f"{name}-{shape.number:05d}") for name in resource.computed}


def _containers(values: dict[str, Any]) -> dict[str, Any]:
    """What marks of nothing look like: the containers stay, and what they hold goes."""
    return {
        name: [{} if isinstance(item, dict) else False for item in value] if isinstance(value, list) else {}
        for name, value in values.items()
        if isinstance(value, (dict, list))
    }


def _module(shape: Shape, resource: Resource) -> str:
    service = f"module.{shape.service}"
    return f'{service}.module.table["{shape.key}"]' if resource.inner else service


def _head(shape: Shape, resource: Resource) -> dict[str, Any]:
    index = "" if resource.index is None else f"[{json.dumps(resource.index)}]"
    head = {
        "address": f"{_module(shape, resource)}.{resource.type}.{resource.name}{index}",
        "mode": "managed",
        "type": resource.type,
        "name": resource.name,
    }
    return head | ({} if resource.index is None else {"index": resource.index}) | {"provider_name": PROVIDER}


def _services(shapes: Iterable[Shape]) -> Iterator[dict[str, Any]]:
    for service, members in groupby(shapes, key=lambda shape: shape.service):
        outer, inner = [], []
        for shape in members:
            made = [(resource.inner, _planned(shape, resource)) for resource in resources(shape)]
            outer += [planned for is_inner, planned in made if not is_inner]
            inner.append(
                {
                    "address": f'module.{service}.module.table["{shape.key}"]',
                    "resources": [planned for is_inner, planned in made if is_inner],
                }
            )
        yield {"address": f"module.{service}", "resources": outer, "child_modules": inner}


def _planned(shape: Shape, resource: Resource) -> dict[str, Any]:
    values = resource.values | _known(shape, resource) if shape.exists else resource.values
    sensitive = _containers(resource.values)
    return {**_head(shape, resource), "schema_version": 0, "values": values, "sensitive_values": sensitive}


def _configuration(shapes: list[Shape]) -> dict[str, Any]:
    each = _refers("var.tables")
    expressions = {"env": _refers("var.env"), "tables": _refers("local.tables"), "tags": _refers("local.tags")}
    outer = [
        _configured(resource.type, resource.name, {"tags": _refers("var.tags")}) | {"for_each_expression": each}
        for resource in neighbours(Shape(0), {})
    ]
    inner = {
        "source": "../table",
        "expressions": {"env": _refers("var.env"), "table": _refers("each.value"), "tags": _refers("var.tags")},
        "for_each_expression": each,
        "module": {
            "outputs": {"arn": {"expression": _refers("aws_dynamodb_table.this.arn", "aws_dynamodb_table.this")}},
            "resources": _table_module(shapes[0]),
            "variables": {"env": {}, "table": {}, "tags": {"default": {}}},
        },
    }
    service = {
        "source": "./modules/service",
        "expressions": expressions,
        "module": {
            "resources": outer,
            "module_calls": {"table": inner},
            "variables": {"env": {}, "tables": {}, "tags": {"default": {}}},
        },
    }
    provider = {
        "name": "aws",
        "full_name": PROVIDER,
        "version_constraint": "~> 6.0",
        "expressions": {"region": {"constant_value": REGION}},
    }
    calls = dict.fromkeys((shape.service for shape in shapes), service)
    return {
        "provider_config": {"aws": provider},
        "root_module": {"module_calls": calls, "variables": {"env": {"default": "prod"}}},
    }


def _table_module(shape: Shape) -> list[dict[str, Any]]:
    given = _refers("var.table")
    name = _refers("local.name")
    table = {
        **dict.fromkeys(("billing_mode", "hash_key", "range_key", "deletion_protection_enabled"), given),
        "name": name,
        "point_in_time_recovery": [{"enabled": given}],
        "tags": _refers("var.tags"),
        "ttl": [{"enabled": given}],
    }
    policy = {"name": name, "policy": _refers("aws_dynamodb_table.this.arn", "aws_dynamodb_table.this")}
    made = [_configured("aws_dynamodb_table", "this", table), _configured("aws_iam_policy", "rw", policy)]
    if shape.documents > 1:
        made.append(_configured("aws_iam_role", "reader", {"name": name, "assume_role_policy": _refers("local.trust")}))
        reader = _refers("aws_iam_role.reader.name", "aws_iam_role.reader")
        made.append(_configured("aws_iam_role_policy", "reader", policy | {"role": reader}))
    for dimension in ("Read", "Write"):
        target = f"aws_appautoscaling_target.{dimension.lower()}"
        scaled = {
            "resource_id": _refers("aws_dynamodb_table.this.name", "aws_dynamodb_table.this"),
            "scalable_dimension": {"constant_value": f"dynamodb:table:{dimension}CapacityUnits"},
            "service_namespace": {"constant_value": "dynamodb"},
        }
        tracked = dict.fromkeys(("resource_id", "scalable_dimension"), _refers(f"{target}[0]", target))
        made += [
            _configured("aws_appautoscaling_target", dimension.lower(), scaled) | {"count_expression": given},
            _configured("aws_appautoscaling_policy", dimension.lower(), tracked) | {"count_expression": given},
        ]
    return made


def _configured(kind: str, name: str, expressions: dict[str, Any]) -> dict[str, Any]:
    return {
        "address": f"{kind}.{name}",
        "mode": "managed",
        "type": kind,
        "name": name,
        "provider_config_key": "aws",
        "expressions": expressions,
        "schema_version": 0,
    }


def _refers(*names: str) -> dict[str, list[str]]:
    return {"references": list(names)}


def _write(file: TextIO, items: Iterable[object]) -> None:
    for place, item in enumerate(items):
        file.write(f",{_text(item)}" if place else _text(item))


def _text(item: object) -> str:
    return json.dumps(item, separators=(",", ":"))
