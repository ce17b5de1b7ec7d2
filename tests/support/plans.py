"""Plans for tests: those that Terraform made, and small ones for shapes that Terraform never makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform.plan import read
from tablegate.model.estate import Change
from tablegate.model.table import Table
from tablegate.model.value import Origin, Value
from tablegate.syntax.json.lazy import Document

PLANS = Path(__file__).parents[2] / "fixtures" / "plans"
TABLE: dict[str, Any] = {
    "name": "orders-prod",
    "billing_mode": "PAY_PER_REQUEST",
    "hash_key": "id",
    "attribute": [{"name": "id", "type": "S"}],
}


def made(name: str, **options: Any) -> Reading:
    """A plan that Terraform made."""
    folder = PLANS / name / "plan.json"
    path = folder if folder.exists() else PLANS / "runs" / f"{name}.json"
    return read(Document(path.read_text()), "plan.json", ReadOptions(**options))


def written(*changes: dict[str, Any], options: ReadOptions | None = None, **members: Any) -> Reading:
    """A plan of these changes, with these members beside them."""
    content = {"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": list(changes), **members}
    text = json.dumps({key: value for key, value in content.items() if value is not ...})
    return read(Document(text), "plan.json", options or ReadOptions())


def change(
    after: dict[str, Any] | None = None,
    *,
    type: str = "aws_dynamodb_table",
    name: str = "t",
    actions: Any = ("create",),
    unknown: Any = None,
    sensitive: Any = None,
    before: dict[str, Any] | None = None,
    before_sensitive: Any = False,
    **members: Any,
) -> dict[str, Any]:
    """One resource change; of a table unless said otherwise."""
    return {
        "address": f"{type}.{name}",
        "mode": "managed",
        "type": type,
        "name": name,
        "provider_name": f"registry.terraform.io/hashicorp/{type.partition('_')[0]}",
        "change": {
            "actions": actions,
            "before": before,
            "after": after,
            "after_unknown": {} if unknown is None else unknown,
            "before_sensitive": before_sensitive,
            "after_sensitive": {} if sensitive is None else sensitive,
        },
        **members,
    }


def configured(*resources: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A configuration with these resources in its root module."""
    provider = {"aws": {"name": "aws", "expressions": {"region": {"constant_value": "eu-west-1"}}}}
    return {"provider_config": provider, "root_module": {"resources": list(resources), **members}}


def resource(expressions: dict[str, Any], *, type: str = "aws_dynamodb_table", name: str = "t") -> dict[str, Any]:
    """A resource as the configuration has it."""
    return {"mode": "managed", "type": type, "name": name, "provider_config_key": "aws", "expressions": expressions}


def tables(reading: Reading) -> dict[str, Table]:
    """The tables by address."""
    assert reading.estate is not None
    return {table.address: table for table in reading.estate.tables}


def only(reading: Reading) -> Table:
    """The one table."""
    (table,) = tables(reading).values()
    return table


def changes(reading: Reading) -> dict[str, Change]:
    """The changes by address, those of deposed objects by address and key."""
    assert reading.estate is not None
    return {f"{one.address} {one.deposed or ''}".strip(): one for one in reading.estate.changes}


def faults(reading: Reading) -> list[tuple[str, bool, str]]:
    """Code, whether it blocks, and message."""
    return [(fault.code.value, fault.blocks, fault.message) for fault in reading.faults]


def told(value: Value[Any]) -> object:
    """The content, ``...`` where nobody stated one, or the reason why it is not known."""
    if value.origin is Origin.DEFAULT:
        return ...
    return value.content if value.doubt is None else f"unknown: {value.doubt.reason}"
