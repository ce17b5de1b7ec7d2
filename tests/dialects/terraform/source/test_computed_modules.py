"""The source of a module may be an expression: it is followed if it is known."""

from __future__ import annotations

from typing import Any

import pytest

from support.plans import faults, tables
from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.syntax.source import Folder, Source

TABLE = 'resource "aws_dynamodb_table" "t" {\n  name     = "orders"\n  hash_key = "id"\n}\n'
HEAD = 'variable "kind" {\n  default = "a"\n}\nlocals {\n  kind = "a"\n}\n'


def called(source: str, **options: Any) -> Reading:
    """A root module that calls one with this source."""
    parts = (
        Source("main.tf", f'{HEAD}module "m" {{\n  source = {source}\n}}\n'.encode()),
        Source("a/t.tf", TABLE.encode()),
    )
    return read(Source(".", b"", Folder(root="", parts=parts)), ReadOptions(**options))


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ('"./${local.kind}"', {}),
        ('join("/", [".", local.kind])', {}),
        ('"./${var.kind}"', {"variables": {"kind": "a"}}),
        ('"./${var.kind}"', {"assume_defaults": True}),
        ('"${"."}/a"', {}),
    ],
)
def test_known(source: str, options: dict[str, Any]) -> None:
    """A source that is known is followed."""
    reading = called(source, **options)
    assert (list(tables(reading)), faults(reading)) == (["module.m.aws_dynamodb_table.t"], [])


@pytest.mark.parametrize("source", ['"./${var.kind}"', "var.kind", '"${var.kind}/a"', '".${var.kind}"'])
def test_unknown(source: str) -> None:
    """One that is not known may be any folder: nothing passes."""
    reason = "its source is not known (variable kind has only a default, which is not assumed)"
    reading = called(source)
    assert (list(tables(reading)), faults(reading)) == ([], [("TG002", True, f"module.m was not read: {reason}")])


@pytest.mark.parametrize("source", ['"git::https://x.test/a?ref=${var.kind}"', '"git::https://x.test/${local.kind}"'])
def test_remote(source: str) -> None:
    """One that is elsewhere is not covered, known or not."""
    ((code, blocks, message),) = faults(called(source))
    assert (code, blocks, "is not covered" in message) == ("TG002", False, True)


def test_missing() -> None:
    """One that is known and not there is a fault."""
    ((code, blocks, _),) = faults(called('"./${local.kind}b"'))
    assert (code, blocks) == ("TG001", True)
