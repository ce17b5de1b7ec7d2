"""What a plan marks as sensitive is sensitive in every fact that has it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest

from support.spellings import TABLES
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.plan import read
from tablegate.model.value import Origin, Value
from tablegate.syntax.json.lazy import Document

FOLDERS = (
    "everything-on",
    "kinesis-destination-plain",
    "local-indexes",
    "provisioned-autoscaled",
    "replica-apart",
    "replica-with-its-own-settings",
    "restored-from-a-table",
    "single-table-design",
    "tags-from-everywhere",
)
# What says that something is there, what kind it is or where, and never the text that is written.
DERIVED = {
    "backed_up",
    "destinations[].encrypted",
    "encryption.key_region",
    "encryption.owner",
    "indexes",
    "indexes[].insights",
    "insights",
    "local_indexes",
    "region",
    "replicas",
    "replicas[].encryption.key_region",
    "replicas[].encryption.owner",
    "replicas[].insights",
    "replicas[].region",
    "scaling[].tracking",
}
_ELSEWHERE = frozenset({"estate", "table", "change", "raw", "place", "doubt"})


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_fact_of_a_sensitive_resource_is_sensitive(folder: str) -> None:
    """Where all of every resource is marked."""
    plan = json.loads((TABLES / folder / "plan.json").read_text())
    for change in plan["resource_changes"]:
        change["change"]["after_sensitive"] = True
    estate = read(Document(json.dumps(plan)), "plan.json", ReadOptions()).estate
    assert estate is not None
    found = [pair for table in estate.tables for pair in _values(table, "")]
    assert {path for path, value in found if value.origin is Origin.SET and not value.sensitive} <= DERIVED
    assert any(value.sensitive for _, value in found)


def _values(part: object, path: str) -> Iterator[tuple[str, Value[object]]]:
    """The values of a part of the model, by their paths."""
    if isinstance(part, Value):
        yield path, part
        yield from _values(part.content if isinstance(part.content, tuple) else None, path)
    elif isinstance(part, tuple):
        for item in part:
            yield from _values(item, f"{path}[]")
    elif part is not None and is_dataclass(part):
        for field in fields(part):
            if field.name not in _ELSEWHERE:
                yield from _values(getattr(part, field.name), f"{path}.{field.name}".removeprefix("."))
