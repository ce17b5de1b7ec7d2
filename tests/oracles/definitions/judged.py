"""What tablegate says of many definitions at once, in each language."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from oracles.definitions.spellings import as_source
from tablegate import Report, Text, check
from tablegate.policy import Severity

POLICIES = ("TG105", "TG601", "TG604")
_FAULT = "TG001"


class Document(NamedTuple):
    """One input with a definition in each part, and the line on which each begins."""

    text: Text
    lines: list[int]


def template(bodies: Sequence[Mapping[str, Any]]) -> Document:
    """A template with a resource on each line."""
    head = '{"Transform": "AWS::Serverless-2016-10-31", "Resources": {\n'
    parts = [f'"t{number}": {json.dumps(body)}' for number, body in enumerate(bodies)]
    return Document(Text("template.json", head + ",\n".join(parts) + "}}"), [*range(2, len(parts) + 2)])


def source(bodies: Sequence[Mapping[str, Any]]) -> Document:
    """Source with a table for each."""
    parts = [
        f'resource "aws_dynamodb_table" "t{number}" {{\n{as_source(body)}\n}}' for number, body in enumerate(bodies)
    ]
    lines = accumulate((part.count("\n") + 1 for part in parts), initial=1)
    return Document(Text("main.tf", "\n".join(parts)), list(lines)[:-1])


def cloud_control(bodies: Sequence[Mapping[str, Any]]) -> Document:
    """JSON source of the Cloud Control provider with a table on each line."""
    parts = [f'"t{number}": {json.dumps(body)}' for number, body in enumerate(bodies)]
    text = '{"resource": {"awscc_dynamodb_table": {\n' + ",\n".join(parts) + "}}}"
    return Document(Text("main.tf.json", text), [*range(2, len(parts) + 2)])


def plan(bodies: Sequence[Mapping[str, Any]]) -> Document:
    """A plan that creates the tables. What the provider computes is left out."""
    changes = [
        {
            "address": f"aws_dynamodb_table.t{number}",
            "mode": "managed",
            "type": "aws_dynamodb_table",
            "name": f"t{number}",
            "provider_name": "registry.terraform.io/hashicorp/aws",
            "change": {
                "actions": ["create"],
                "before": None,
                "after": {"billing_mode": "PROVISIONED", **body},
                "after_unknown": {"arn": True, "id": True},
                "before_sensitive": False,
                "after_sensitive": {},
            },
        }
        for number, body in enumerate(bodies)
    ]
    content = {"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": changes}
    return Document(Text("plan.json", json.dumps(content)), [])


def said(document: Document, count: int) -> list[set[str]]:
    """The policies that object to each definition, and TG001 where it is not read."""
    report = check(document.text, select=POLICIES)
    found: list[set[str]] = [set() for _ in range(count)]
    for finding in report.findings:
        assert finding.address is not None
        if finding.severity is Severity.HIGH:  # what is lower is advice
            found[_number(finding.address)].add(finding.policy.id)
    for number in _refused(report, document):
        found[number].add(_FAULT)
    return found


def _refused(report: Report, document: Document) -> Iterator[int]:
    for fault in report.faults:
        if not fault.blocks:
            continue
        if document.lines:
            yield bisect_right(document.lines, fault.place.line) - 1
        else:
            yield _number(fault.message.split(":")[0])


def _number(address: str) -> int:
    return int(address.rpartition(".")[2].removeprefix("t"))
