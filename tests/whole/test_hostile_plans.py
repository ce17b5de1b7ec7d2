"""Plans with members of any shape: each is read or refused, and none ends in an error of Python."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import Settings
from tablegate.findings import FaultCode
from tablegate.packs import load
from tablegate.run.gate import check
from tablegate.syntax.source import Source

FIXTURES = Path(__file__).parents[2] / "fixtures"
PLANS = [
    *(FIXTURES / "plans" / name / "plan.json" for name in ("joins-by-reference", "scaling-by-reference", "keys")),
    *(FIXTURES / "tables" / name / "plan.json" for name in ("module-for-each", "stream-failures-handled")),
    FIXTURES / "tables" / "customer-key-bare" / "awscc.json",
    FIXTURES / "provider6" / "gsi-blocks-to-apart" / "plan.json",
]
REFERENCES = [
    "", "[]", "[", "]", ".", "a.", "each", "each.", "each.value[]", "count.index", "var", "var[0]", "var.", "local.x",
    "module", "module.x", "module[0].a", "module.x[].y", "data", "data.x", "data[0][0]", "aws_dynamodb_table[0].x",
    "aws_dynamodb_table.orders[", f"aws_dynamodb_table.orders[{'9' * 5000}].arn", '["a"]', '["\\', "\0",
]  # fmt: skip
SHAPES = [
    None, True, 0, -1, 1.5, 10**30, [], {}, [[]], [None], [{}], {"": {}}, *REFERENCES, {"references": "x"},
    {"references": [None, 1, []]}, {"constant_value": []}, {"constant_value": {"a": []}}, {"expression": {}},
    *({"references": [text]} for text in REFERENCES),
]  # fmt: skip
MEMBERS = ("references", "constant_value", "for_each_expression", "count_expression", "expressions", "module_calls")
POLICIES = load((), ()).policies


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every member and item, with what holds it."""
    for key, inner in list(node.items()) if isinstance(node, dict) else enumerate(node):
        yield node, key
        if isinstance(inner, (dict, list)):
            yield from places(inner)


def twisted(plan: dict[str, Any], chance: random.Random) -> None:
    """Give one to three members of the configuration, or of all of the plan, another shape."""
    for _ in range(chance.choice((1, 1, 3))):
        holder, key = chance.choice(list(places(plan["configuration"] if chance.random() < 0.7 else plan)))
        if isinstance(holder, dict) and chance.random() < 0.2:
            key = chance.choice(MEMBERS)
        holder[key] = json.loads(json.dumps(chance.choice(SHAPES)))


def internal_faults(plan: dict[str, Any]) -> list[str]:
    """The faults of a check that are a mistake of ours."""
    report = check((Source("plan.json", json.dumps(plan).encode()),), POLICIES, Settings(), ReadOptions())
    return [fault.message for fault in report.faults if fault.code is FaultCode.INTERNAL]


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.parent.name)
def test_members_of_any_shape(path: Path) -> None:
    """Whatever stands in a plan, it ends in a verdict or in a fault with a place."""
    for seed in range(40):
        plan = json.loads(path.read_text())
        twisted(plan, random.Random(f"{path.parent.name} {seed}"))  # noqa: S311  the same plans each time
        assert internal_faults(plan) == [], seed


@pytest.mark.parametrize("text", REFERENCES)
def test_references_of_any_shape(text: str) -> None:
    """In the expression of a table's key, of its indexes, and of what repeats it."""
    plan = json.loads(PLANS[0].read_text())
    for resource in plan["configuration"]["root_module"]["resources"]:
        for key in resource["expressions"]:
            resource["expressions"][key] = {"references": [text]}
        resource["for_each_expression"] = {"references": [text]}
    assert internal_faults(plan) == []


def nested(outputs: int, depth: int) -> dict[str, Any]:
    """A module each of whose outputs reads every output of the module in it."""
    reads = [f"module.m.o{number}" for number in range(outputs)] if depth else []
    inner = {"module_calls": {"m": {"module": nested(outputs, depth - 1)}}} if depth else {}
    return {"outputs": {f"o{number}": {"expression": {"references": reads}} for number in range(outputs)}, **inner}


def test_references_that_multiply_are_not_all_followed() -> None:
    """Thirty outputs that read thirty, eight modules deep, are more than anybody writes."""
    plan = json.loads(PLANS[0].read_text())
    root = plan["configuration"]["root_module"]
    root["module_calls"] = {"m": {"module": nested(30, 8)}}
    for resource in root["resources"]:
        for key in resource["expressions"]:
            resource["expressions"][key] = {"references": ["module.m.o0"]}
    assert internal_faults(plan) == []


def test_many_references_take_no_longer() -> None:
    """None of them is the beginning of another."""
    plan = json.loads(PLANS[0].read_text())
    for resource in plan["configuration"]["root_module"]["resources"]:
        for key in resource["expressions"]:
            resource["expressions"][key] = {"references": [f"aws_sqs_queue.q{number}.arn" for number in range(3_000)]}
    assert internal_faults(plan) == []
